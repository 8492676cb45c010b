//! Pressing a key or a chord: modifiers go down, the key goes down and up, modifiers go up.
//!
//! All of it is sent in one go unless the key is to be held; a key that is held when the command is given up is let go.

use bsk_protocol::failure::Failure;
use bsk_protocol::ids::FrameNumber;
use bsk_protocol::kernel::PageFunction;
use bsk_protocol::local::Modifier;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Duration, Instant, sleep_until};

use super::keys::{self, Key};
use super::mac_editing::mac_command;
use super::{UsedElement, confirm, effects, ended_by_itself, flush_in, modifier_bits, read_probe};
use crate::kernel::Pending;
use crate::run::{Done, Work};
use crate::target::Element;

/// When a key that stays down begins to repeat, and how often: the usual setting of the systems.
const REPEAT_AFTER: Duration = Duration::from_millis(500);
const REPEAT_EVERY: Duration = Duration::from_millis(33);

#[derive(Deserialize)]
struct Focused {
    #[serde(flatten)]
    element: UsedElement,
    is_frame: bool,
}

/// `bsk press`.
pub(crate) async fn press(
    work: &Work,
    chord: &str,
    modifiers: &[Modifier],
    target: Option<&Element>,
    hold_ms: u64,
) -> Result<Done, Failure> {
    let (mut held, key) = keys::parse(chord)?;
    for modifier in modifiers {
        if !held.contains(modifier) {
            held.push(*modifier);
        }
    }
    work.tab.has_fresh_document.set(false);
    let (frame, page_target) = match target {
        Some(target) => {
            let (frame, target) = target.in_page();
            (frame, Some(target))
        }
        None => (FrameNumber::MAIN, None),
    };
    let mut args = json!({ "timeout_ms": work.page_timeout_ms() });
    if let Some(target) = page_target {
        args["target"] = json!(target);
    }
    let focused: Focused = work.page(frame, PageFunction::Focus, &args).await?;
    let events = work.tab.watch();
    let keyboard = Keyboard { work, modifiers: &held };
    let mut sent = keyboard.press_modifiers();
    sent.push(keyboard.down(&key));
    if hold_ms > 0 {
        let mut hold = Hold { keyboard: &keyboard, key: &key, is_down: true };
        keyboard.hold(&key, Duration::from_millis(hold_ms)).await?;
        hold.is_down = false;
    }
    sent.push(keyboard.up(&key));
    sent.extend(keyboard.release_modifiers());
    // Focus inside a frame: the key goes there and this document's probe does not see it.
    let probe = (!focused.is_frame).then(|| read_probe(work, frame));
    let flushed = flush_in(work, frame);
    let delivered = async {
        match probe {
            Some(probe) => confirm(probe.await, "key"),
            None => Ok(()),
        }
    };
    let taken = async {
        for reply in sent {
            reply.await?;
        }
        Ok(())
    };
    let done = async {
        // What the kernel refuses never arrives: its word is the one to tell, and it comes at once.
        tokio::try_join!(taken, delivered)?;
        effects(work, events, flushed).await
    };
    let effects = done.await.or_else(|failure| ended_by_itself(work, failure))?;
    let mut result = json!({
        "tab_id": work.tab_id,
        "key": key.key,
        "code": key.code,
        "modifiers": held,
        "role": focused.element.role,
        "name": focused.element.name,
        "effects": effects,
    });
    if let Some(changed) = focused.element.changed() {
        result["changed"] = json!(changed);
    }
    Ok(Done::new(&result))
}

/// A chord, all of it in one go.
pub(super) fn chord(work: &Work, text: &str) -> Result<Vec<Pending<Value>>, Failure> {
    let (held, key) = keys::parse(text)?;
    let keyboard = Keyboard { work, modifiers: &held };
    let mut sent = keyboard.press_modifiers();
    sent.extend([keyboard.down(&key), keyboard.up(&key)]);
    sent.extend(keyboard.release_modifiers());
    Ok(sent)
}

/// A key that is down; it goes up when the command is given up.
struct Hold<'a> {
    keyboard: &'a Keyboard<'a>,
    key: &'a Key,
    is_down: bool,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        if self.is_down {
            drop(self.keyboard.up(self.key));
            drop(self.keyboard.release_modifiers());
        }
    }
}

/// A keyboard with the modifiers that are held.
pub(super) struct Keyboard<'a> {
    pub(super) work: &'a Work,
    pub(super) modifiers: &'a [Modifier],
}

impl Keyboard<'_> {
    fn event(&self, kind: &str, key: &Key, modifiers: &[Modifier], text: Option<&str>) -> Pending<Value> {
        self.send(kind, key, modifiers, text, false)
    }

    fn send(
        &self,
        kind: &str,
        key: &Key,
        modifiers: &[Modifier],
        text: Option<&str>,
        is_repeat: bool,
    ) -> Pending<Value> {
        let mut event = json!({
            "type": kind,
            "key": key.key,
            "code": key.code,
            "windowsVirtualKeyCode": key.key_code,
            "modifiers": modifier_bits(modifiers),
            "location": key.location,
        });
        if let Some(text) = text {
            event["text"] = json!(text);
            event["unmodifiedText"] = json!(text);
        }
        if key.location == keys::NUMPAD {
            event["isKeypad"] = json!(true);
        }
        if is_repeat {
            event["autoRepeat"] = json!(true);
        }
        let needs_command = kind != "keyUp" && cfg!(target_os = "macos");
        if let Some(command) = mac_command(key, modifiers).filter(|_| needs_command) {
            event["commands"] = json!([command]);
        }
        self.work.cdp("Input.dispatchKeyEvent", &event)
    }

    /// The key goes down.
    pub(super) fn down(&self, key: &Key) -> Pending<Value> {
        self.key_down(key, false)
    }

    fn key_down(&self, key: &Key, is_repeat: bool) -> Pending<Value> {
        // With Control, Alt or Meta held a key is a command and types nothing.
        let is_command = self.modifiers.iter().any(|modifier| !matches!(modifier, Modifier::Shift));
        match key.text.as_deref().filter(|_| !is_command) {
            Some(text) => self.send("keyDown", key, self.modifiers, Some(text), is_repeat),
            None => self.send("rawKeyDown", key, self.modifiers, None, is_repeat),
        }
    }

    /// Lets a key that is down repeat, as a keyboard does, until the time is over.
    async fn hold(&self, key: &Key, time: Duration) -> Result<(), Failure> {
        let end = Instant::now() + time;
        let repeats = !keys::is_modifier(key);
        let mut next = Instant::now() + REPEAT_AFTER;
        while repeats && next < end {
            sleep_until(next).await;
            self.key_down(key, true).await?;
            // A page that is slow with one repeat gets no backlog of others.
            next = (next + REPEAT_EVERY).max(Instant::now());
        }
        sleep_until(end).await;
        Ok(())
    }

    /// The key goes up.
    pub(super) fn up(&self, key: &Key) -> Pending<Value> {
        self.event("keyUp", key, self.modifiers, None)
    }

    fn press_modifiers(&self) -> Vec<Pending<Value>> {
        let down = |index: usize| {
            self.event("rawKeyDown", &modifier_key(self.modifiers[index]), &self.modifiers[..=index], None)
        };
        (0..self.modifiers.len()).map(down).collect()
    }

    fn release_modifiers(&self) -> Vec<Pending<Value>> {
        let up = |index: usize| {
            self.event("keyUp", &modifier_key(self.modifiers[index]), &self.modifiers[..index], None)
        };
        (0..self.modifiers.len()).rev().map(up).collect()
    }
}

fn modifier_key(modifier: Modifier) -> Key {
    let name = match modifier {
        Modifier::Alt => "Alt",
        Modifier::Control => "Control",
        Modifier::Meta => "Meta",
        Modifier::Shift => "Shift",
        Modifier::ControlOrMeta if cfg!(target_os = "macos") => "Meta",
        Modifier::ControlOrMeta => "Control",
    };
    keys::parse(name).expect("the modifiers are in the table of keys").1
}
