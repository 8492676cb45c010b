//! The real host between a fake extension and a fake command line: sizes, hostile peers, cancellation, queues, clean ends.
//!
//! No browser takes part. What the host writes to its output is checked frame by frame.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bsk_protocol::codec::{FromExtension, Local, ToExtension, Wire, encode};
use bsk_protocol::failure::Reason;
use bsk_protocol::kernel::{Call, Event, FromKernel};
use bsk_protocol::local::{Action, FromCli, FromHost, Outcome};
use bsk_tests::fake_extension::{Seen, hello, host_command, own_origin, session_record};
use bsk_tests::{Answer, FakeCli, FakeExtension, Scratch, ordinary, signal, until};
use nix::sys::signal::Signal;
use serde_json::{Value, json};

const AT_ONCE: Duration = Duration::from_secs(1);
const LIMIT: Duration = Duration::from_secs(10);

fn evaluate(expression: &str) -> Action {
    Action::Evaluate {
        expression: expression.to_owned(),
        frame: None,
        await_promise: false,
        return_by_value: true,
    }
}

/// A host that holds the sessions `aaaa` and `bbbb`.
fn host_with_sessions(
    scratch: &Scratch,
    answer: impl FnMut(&Call) -> Answer + Send + 'static,
) -> FakeExtension {
    let fake = FakeExtension::start(scratch, &own_origin(), answer);
    let sessions = vec![session_record("aaaa", 1), session_record("bbbb", 2)];
    fake.send(&FromKernel::Hello(hello("fake-1", sessions)));
    until("the host's welcome and its socket", LIMIT, || {
        (fake.seen().contains(&Seen::Welcome) && scratch.runtime_files().len() == 2).then_some(())
    });
    fake
}

/// Scripts never end, everything else is as usual.
fn endless(call: &Call) -> Answer {
    if matches!(call, Call::Evaluate { .. }) { Answer::Never } else { ordinary(call) }
}

#[track_caller]
fn failure(outcome: &Outcome) -> &bsk_protocol::failure::Failure {
    match outcome {
        Outcome::Failed(failure) => failure,
        Outcome::Ok(value) => panic!("it should have failed: {}", value.get()),
    }
}

#[track_caller]
fn value(outcome: Outcome) -> Value {
    match outcome {
        Outcome::Ok(value) => serde_json::from_str(value.get()).unwrap(),
        Outcome::Failed(failure) => panic!("it failed: {failure:?}"),
    }
}

#[track_caller]
fn still_serves(scratch: &Scratch) {
    let mut cli = FakeCli::connect(&scratch.socket());
    assert_eq!(cli.hello().instance_id.0, "fake-1");
}

#[test]
fn garbage_on_its_input_ends_the_host_cleanly_and_silently() {
    let whole = encode::<FromExtension>(&FromKernel::Pong {}).unwrap();
    let inputs: [(&str, &[u8]); 7] = [
        ("text", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        ("a frame of no bytes", &[0, 0, 0, 0]),
        ("a length of 4 GB", &[0xff, 0xff, 0xff, 0xff]),
        ("a length just past the limit", &(u32::try_from(FromExtension::LIMIT).unwrap() + 1).to_ne_bytes()),
        ("a frame that is no JSON", &[3, 0, 0, 0, b'{', b'{', b'{']),
        ("JSON that is no message", &[2, 0, 0, 0, b'[', b']']),
        ("a message before the hello", &whole),
    ];
    for (name, bytes) in inputs {
        let scratch = Scratch::new();
        let mut fake = FakeExtension::start(&scratch, &own_origin(), ordinary);
        fake.send_bytes(bytes);
        let (status, took, complaint) = fake.wait();
        assert!(took < AT_ONCE, "{name}: {took:?}");
        assert!(status.code().is_some(), "{name}: a signal ended it: {status}");
        assert!(!complaint.contains("panicked"), "{name}: {complaint}");
        assert_eq!((fake.seen(), fake.error()), (vec![], None), "{name}: nothing is on its output");
        assert!(scratch.runtime_files().is_empty(), "{name}");
    }
}

#[test]
fn an_end_inside_a_frame_ends_the_host_cleanly() {
    for bytes in [&[9][..], &[9, 0, 0, 0], &[9, 0, 0, 0, b'{']] {
        let scratch = Scratch::new();
        let mut fake = FakeExtension::start(&scratch, &own_origin(), ordinary);
        fake.send_bytes(bytes);
        fake.close_stdin();
        let (status, took, complaint) = fake.wait();
        assert!(took < AT_ONCE && status.code().is_some(), "{bytes:?}: {status} {took:?} {complaint}");
        assert_eq!((fake.seen(), fake.error()), (vec![], None), "{bytes:?}");
        assert!(scratch.runtime_files().is_empty());
    }
}

#[test]
fn garbage_after_the_hello_leaves_no_socket_either() {
    let scratch = Scratch::new();
    let mut fake = host_with_sessions(&scratch, ordinary);
    fake.send_bytes(&[0xff; 64]);
    let (status, took, _) = fake.wait();
    assert!(took < AT_ONCE && status.code().is_some(), "{status} {took:?}");
    assert_eq!(fake.error(), None);
    assert!(scratch.runtime_files().is_empty());
}

#[test]
fn messages_of_every_size_arrive_from_the_extension() {
    let scratch = Scratch::new();
    let length = Arc::new(AtomicUsize::new(0));
    let wanted = Arc::clone(&length);
    let _fake = host_with_sessions(&scratch, move |call| {
        let is_script = matches!(call, Call::Evaluate { .. });
        if is_script { Answer::TextOfFrame(wanted.load(Ordering::SeqCst)) } else { ordinary(call) }
    });
    for frame in [65_534, 65_535, 65_536, 65_537, 1_048_575, 1_048_576, 1_048_577, 8 * 1024 * 1024] {
        length.store(frame, Ordering::SeqCst);
        let mut cli = FakeCli::connect(&scratch.socket());
        cli.hello();
        cli.command(Some("aaaa"), 20_000, evaluate("text"));
        let result = value(cli.reply());
        let text = result["value"].as_str().unwrap_or_else(|| panic!("{frame}: no text in {result}"));
        assert!(frame - text.len() < 200 && text.bytes().all(|byte| byte == b'x'), "{frame}: {}", text.len());
    }
}

#[test]
fn messages_of_every_size_reach_the_extension_in_frames_of_a_mebibyte_at_most() {
    let scratch = Scratch::new();
    let lengths = Arc::new(Mutex::new(Vec::new()));
    let arrived = Arc::clone(&lengths);
    let fake = host_with_sessions(&scratch, move |call| {
        if let Call::Evaluate { expression, .. } = call {
            arrived.lock().unwrap().push(expression.len());
        }
        ordinary(call)
    });
    let send = |length: usize| {
        let mut cli = FakeCli::connect(&scratch.socket());
        cli.hello();
        cli.command(Some("aaaa"), 20_000, evaluate(&"y".repeat(length)));
        assert_eq!(value(cli.reply())["value"], 2, "{length}");
        assert_eq!(lengths.lock().unwrap().last(), Some(&length));
    };
    send(1000);
    let overhead = fake.longest_frame() - 1000;
    let mut whole = Vec::new();
    for frame in [65_535, 65_536, 1_048_570, 1_048_574, 1_048_575, 1_048_576, 1_048_577, 1_048_580, 3_000_000]
    {
        let before = fake.frame_lengths().len();
        send(frame - overhead);
        whole.extend(fake.frame_lengths()[before..].iter().copied().filter(|length| *length > 65_000));
    }
    assert!(fake.longest_frame() <= ToExtension::LIMIT, "{whole:?}");
    assert!(
        whole.contains(&ToExtension::LIMIT) || whole.contains(&(ToExtension::LIMIT - 1)),
        "no frame at the limit: {whole:?}"
    );
    assert_eq!(fake.error(), None);
    still_serves(&scratch);
}

#[test]
fn a_host_started_by_someone_else_refuses() {
    for origin in [
        "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",
        "https://example.com/",
        "",
        "chrome-extension://",
    ] {
        let scratch = Scratch::new();
        let mut fake = FakeExtension::start(&scratch, origin, ordinary);
        fake.send(&FromKernel::Hello(hello("fake-1", vec![])));
        let (status, _, complaint) = fake.wait();
        assert!(!status.success() && status.code().is_some(), "`{origin}`: {status}");
        assert!(!fake.seen().contains(&Seen::Welcome), "`{origin}`");
        assert!(!complaint.contains("panicked"), "{complaint}");
        assert!(scratch.runtime_files().is_empty(), "`{origin}`");
    }
}

#[test]
fn a_host_started_by_hand_says_what_it_is_and_ends() {
    let scratch = Scratch::new();
    let mut command = scratch.command(bsk_tests::workspace::bsk_host());
    command.stdin(std::process::Stdio::null());
    let output = command.output().unwrap();
    assert!(!output.status.success());
    assert!(output.stdout.is_empty(), "its output carries frames and nothing else");
    assert!(!output.stderr.is_empty(), "a person gets an explanation");
    assert!(scratch.runtime_files().is_empty());
}

/// Ends a busy host, and checks that it leaves in order.
#[track_caller]
fn ends_in_order(end: impl FnOnce(&FakeExtension)) {
    let scratch = Scratch::new();
    let mut fake = host_with_sessions(&scratch, endless);
    let mut running = FakeCli::connect(&scratch.socket());
    running.hello();
    running.command(Some("aaaa"), 60_000, evaluate("1"));
    fake.wait_for_request("Evaluate");
    let mut queued = FakeCli::connect(&scratch.socket());
    queued.hello();
    queued.command(Some("aaaa"), 60_000, evaluate("2"));
    let then = Instant::now();
    end(&fake);
    for cli in [&mut running, &mut queued] {
        let outcome = cli.reply();
        assert_eq!(failure(&outcome).code.as_str(), "no_browser_connected", "{outcome:?}");
    }
    let (status, _, complaint) = fake.wait();
    assert!(then.elapsed() < AT_ONCE, "{:?}", then.elapsed());
    assert_eq!(status.code(), Some(0), "{complaint}");
    assert!(scratch.runtime_files().is_empty(), "{:?}", scratch.runtime_files());
    assert_eq!(fake.error(), None);
}

#[test]
fn the_end_of_its_input_ends_the_host_in_order() {
    ends_in_order(FakeExtension::close_stdin);
}

#[test]
fn sigterm_ends_the_host_in_order() {
    ends_in_order(|fake| signal(fake.pid(), Signal::SIGTERM));
}

#[test]
fn a_host_that_nobody_reads_still_ends_with_its_input() {
    let scratch = Scratch::new();
    let mut process = host_command(&scratch, &own_origin()).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    stdin.write_all(&encode::<FromExtension>(&FromKernel::Hello(hello("fake-1", vec![]))).unwrap()).unwrap();
    until("the socket", LIMIT, || (scratch.runtime_files().len() == 2).then_some(()));
    drop(process.stdout.take());
    drop(stdin);
    let then = Instant::now();
    until("the host's end", AT_ONCE, || process.try_wait().unwrap());
    assert!(then.elapsed() < AT_ONCE);
    let mut complaint = String::new();
    process.stderr.take().unwrap().read_to_string(&mut complaint).unwrap();
    assert!(!complaint.contains("panicked"), "{complaint}");
    assert!(scratch.runtime_files().is_empty());
}

#[test]
fn closing_the_connection_cancels_the_command() {
    let scratch = Scratch::new();
    let fake = host_with_sessions(&scratch, endless);
    let mut cli = FakeCli::connect(&scratch.socket());
    cli.hello();
    cli.command(Some("aaaa"), 60_000, evaluate("1"));
    let id = fake.wait_for_request("Evaluate");
    drop(cli);
    until("the cancellation", AT_ONCE, || fake.seen().contains(&Seen::Cancel(id)).then_some(()));
    let mut next = FakeCli::connect(&scratch.socket());
    next.hello();
    next.command(Some("aaaa"), 60_000, evaluate("2"));
    until("the next command of the session", AT_ONCE, || {
        (fake.count_requests("Evaluate") == 2).then_some(())
    });
}

#[test]
fn a_command_beyond_the_queue_is_refused_and_the_others_keep_their_order() {
    let scratch = Scratch::new();
    let order = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&order);
    let fake = host_with_sessions(&scratch, move |call| {
        if let Call::Evaluate { expression, .. } = call {
            seen.lock().unwrap().push(expression.clone());
            if expression == "0" {
                return Answer::Never;
            }
        }
        ordinary(call)
    });
    let mut waiting: Vec<FakeCli> = Vec::new();
    for number in 0..9 {
        let mut cli = FakeCli::connect(&scratch.socket());
        cli.hello();
        cli.command(Some("aaaa"), 60_000, evaluate(&number.to_string()));
        if number == 0 {
            fake.wait_for_request("Evaluate");
        } else {
            // The host tells that it waits; then its place in the queue is taken.
            let message = cli.receive();
            assert!(matches!(message, Some(FromHost::Progress { .. })), "{number}: {message:?}");
        }
        waiting.push(cli);
    }
    let mut tenth = FakeCli::connect(&scratch.socket());
    tenth.hello();
    tenth.command(Some("aaaa"), 60_000, evaluate("9"));
    let outcome = tenth.reply();
    assert_eq!(failure(&outcome).reason, Some(Reason::SessionBusy), "{outcome:?}");
    assert_eq!(fake.count_requests("Evaluate"), 1, "one command of a session at a time");

    // Another session's commands and stop go past the queue.
    let mut other = FakeCli::connect(&scratch.socket());
    other.hello();
    other.command(Some("bbbb"), 60_000, evaluate("other"));
    assert_eq!(value(other.reply())["value"], 2);
    drop(waiting.remove(0));
    for cli in &mut waiting {
        assert_eq!(value(cli.reply())["value"], 2);
    }
    assert_eq!(*order.lock().unwrap(), ["0", "other", "1", "2", "3", "4", "5", "6", "7", "8"]);
}

#[test]
fn the_deadline_counts_the_wait_in_the_queue() {
    let scratch = Scratch::new();
    let fake = host_with_sessions(&scratch, endless);
    let mut first = FakeCli::connect(&scratch.socket());
    first.hello();
    first.command(Some("aaaa"), 60_000, evaluate("1"));
    fake.wait_for_request("Evaluate");
    let mut second = FakeCli::connect(&scratch.socket());
    second.hello();
    let then = Instant::now();
    second.command(Some("aaaa"), 300, evaluate("2"));
    let outcome = second.reply();
    assert_eq!(failure(&outcome).code.as_str(), "timeout", "{outcome:?}");
    assert!(then.elapsed() < Duration::from_millis(1300), "{:?}", then.elapsed());
    assert_eq!(fake.count_requests("Evaluate"), 1);
}

#[test]
fn a_session_that_ends_takes_its_commands_along() {
    let scratch = Scratch::new();
    let fake = host_with_sessions(&scratch, endless);
    let mut cli = FakeCli::connect(&scratch.socket());
    cli.hello();
    cli.command(Some("aaaa"), 60_000, evaluate("1"));
    fake.wait_for_request("Evaluate");
    let cause = bsk_protocol::kernel::EndCause::User;
    fake.send(&FromKernel::Event(Event::SessionEnded { session_id: "aaaa".parse().unwrap(), cause }));
    let outcome = cli.reply();
    assert_eq!(failure(&outcome).code.as_str(), "user_aborted", "the user pressed Stop: {outcome:?}");
    assert_eq!(failure(&outcome).exit_code(), 7);
}

#[test]
fn a_caller_that_saw_a_session_right_before_its_end_is_told_why_it_is_over() {
    let scratch = Scratch::new();
    let fake = host_with_sessions(&scratch, endless);
    let mut early = FakeCli::connect(&scratch.socket());
    assert!(early.hello().sessions.iter().any(|session| session.session_id.as_str() == "aaaa"));
    let mut running = FakeCli::connect(&scratch.socket());
    running.hello();
    running.command(Some("aaaa"), 60_000, evaluate("1"));
    fake.wait_for_request("Evaluate");
    let cause = bsk_protocol::kernel::EndCause::User;
    fake.send(&FromKernel::Event(Event::SessionEnded { session_id: "aaaa".parse().unwrap(), cause }));
    running.reply();
    early.command(Some("aaaa"), 60_000, evaluate("2"));
    let outcome = early.reply();
    assert_eq!(failure(&outcome).code.as_str(), "user_aborted", "{outcome:?}");
    assert_eq!(failure(&outcome).reason, Some(Reason::SessionEnded), "{outcome:?}");
}

#[test]
fn hostile_peers_of_the_socket_get_nothing_and_stop_nothing() {
    let scratch = Scratch::new();
    let fake = host_with_sessions(&scratch, ordinary);
    let hello = encode::<Local>(&FromCli::Hello {
        protocol: bsk_protocol::PROTOCOL_VERSION,
        cli_version: "0.1.0".to_owned(),
    })
    .unwrap();
    let with_hello = |rest: &[u8]| [hello.as_slice(), rest].concat();
    for bytes in [
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        vec![0; 4],
        vec![0xff; 4],
        vec![0xff, 0xff, 0xff, 0x7f],
        vec![4, 0, 0, 0x80, 1, 2, 3, 4],
        vec![3, 0, 0, 0, b'{', b'{', b'{'],
        with_hello(&[0xff; 8]),
        with_hello(&hello),
        with_hello(&[2, 0, 0, 0, b'{', b'}']),
        with_hello(&[9, 0, 0, 0, b'{']),
    ] {
        let mut cli = FakeCli::connect(&scratch.socket());
        cli.send_bytes(&bytes);
        // Whatever comes is words or the end of the connection, and it comes soon once the peer is done.
        cli.finish_sending();
        while let Some(message) = cli.receive() {
            if let FromHost::Reply { outcome, .. } = &message {
                let _ = failure(outcome);
            }
        }
        still_serves(&scratch);
    }
    let before = fake.seen().len();
    let silent: Vec<FakeCli> = (0..100).map(|_| FakeCli::connect(&scratch.socket())).collect();
    still_serves(&scratch);
    drop(silent);
    assert_eq!(fake.seen().len(), before, "nothing of it reached the extension");
    assert_eq!(fake.error(), None);
}

#[test]
fn a_command_before_the_hello_or_of_another_version_is_refused() {
    let scratch = Scratch::new();
    let fake = host_with_sessions(&scratch, ordinary);
    let mut early = FakeCli::connect(&scratch.socket());
    early.command(Some("aaaa"), 1000, evaluate("1"));
    if let Some(message) = early.receive() {
        let FromHost::Reply { outcome, .. } = message else { panic!("{message:?}") };
        let _ = failure(&outcome);
    }
    let mut old = FakeCli::connect(&scratch.socket());
    old.send(&FromCli::Hello { protocol: 999, cli_version: "9.9.9".to_owned() });
    let outcome = old.reply();
    assert_eq!(failure(&outcome).code.as_str(), "version_too_old", "{outcome:?}");
    assert_eq!(failure(&outcome).exit_code(), 5);
    assert_eq!(fake.count_requests("Evaluate"), 0);
}

#[test]
fn what_is_answered_in_the_wrong_form_fails_that_command_only() {
    let scratch = Scratch::new();
    let _fake = host_with_sessions(&scratch, |call| {
        if matches!(call, Call::Evaluate { .. }) {
            Answer::Ok(json!({ "unexpected": true }))
        } else if matches!(call, Call::TabList { .. }) {
            Answer::Ok(json!([1, 2, 3]))
        } else {
            ordinary(call)
        }
    });
    let scope = bsk_protocol::kernel::TabScope::All;
    // A script's result is the browser's word, a tab list is the kernel's.
    for (action, code) in [(evaluate("1"), "cdp_failed"), (Action::TabList { scope }, "protocol_error")] {
        let mut cli = FakeCli::connect(&scratch.socket());
        cli.hello();
        cli.command(Some("aaaa"), 5_000, action);
        let outcome = cli.reply();
        assert_eq!(failure(&outcome).code.as_str(), code, "{outcome:?}");
    }
    still_serves(&scratch);
}

#[test]
fn nothing_of_a_page_is_in_the_log() {
    let scratch = Scratch::new();
    let _fake = host_with_sessions(&scratch, |call| {
        let secret = json!({ "result": { "type": "string", "value": "page-secret-42" } });
        if matches!(call, Call::Evaluate { .. }) { Answer::Ok(secret) } else { ordinary(call) }
    });
    let mut cli = FakeCli::connect(&scratch.socket());
    cli.hello();
    cli.command(Some("aaaa"), 5_000, evaluate("'typed-secret-43'"));
    assert_eq!(value(cli.reply())["value"], "page-secret-42");
    let files = bsk_tests::workspace::files_below(&scratch.state_dir(), "");
    assert!(!files.is_empty(), "the host keeps a log");
    for file in files {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains("secret-4"), "{}: {text}", file.display());
    }
}
