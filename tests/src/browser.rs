//! A real Chromium with the extension, in a profile, runtime directory and environment of its own.
//!
//! The host is registered by `bsk install --user-data-dir`, as a user's is. Ends exactly its own process group when it is
//! dropped. The debugging pipe is for the oracle only; when the test process dies, its closing ends the browser.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::pipe;
use std::ops::Deref;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use command_fds::{CommandFdExt, FdMapping};
use nix::sys::signal::Signal;
use nix::unistd::geteuid;
use serde_json::{Value, json};

use crate::waiting::until;
use crate::{DevTools, Pages, Scratch, Session, processes, workspace};

const START_LIMIT: Duration = Duration::from_secs(20);

/// Which native messaging host the profile knows.
#[derive(Debug, Clone, Default)]
pub enum NativeHost {
    /// The product's, registered by `bsk install`.
    #[default]
    Ours,
    /// Another program under the same name.
    Program(PathBuf),
    /// None.
    None,
}

/// How to start a browser.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which native messaging host the profile knows.
    pub host: NativeHost,
    /// Whether the extension is left out.
    pub without_extension: bool,
    /// Whether [`Browser::devtools`] is not needed: a browser as people run it, for measuring.
    pub without_devtools: bool,
    /// Whether a window is shown.
    pub headed: bool,
    /// Whether it opens the windows of last time again instead of an empty one.
    pub restores: bool,
    /// More extensions, unpacked.
    pub extensions: Vec<PathBuf>,
    /// Whether these are installed before ours.
    pub ours_last: bool,
    /// More arguments for the browser.
    pub arguments: Vec<String>,
    /// More variables for the browser, which its hosts inherit.
    pub variables: Vec<(String, String)>,
}

/// Windows that did not change for so long are all restored.
const AT_REST: Duration = Duration::from_millis(1500);

/// A running browser.
#[derive(Debug)]
pub struct Browser {
    scratch: Arc<Scratch>,
    pages: Arc<Pages>,
    devtools: DevTools,
    process: Child,
    profile: PathBuf,
    stderr: PathBuf,
    /// The extension's id in `bsk browsers`; empty when it has none of our hosts.
    pub instance_id: String,
}

impl Browser {
    /// Starts a browser in a scratch of its own and waits until `bsk status` lists it.
    ///
    /// # Panics
    /// When no browser is installed, or it does not connect in time; with what it complained about.
    #[track_caller]
    #[must_use]
    pub fn launch(options: &Options) -> Self {
        Self::launch_in(Arc::new(Scratch::new()), Arc::new(Pages::serve()), options)
    }

    /// Starts a second profile in the same runtime directory.
    ///
    /// # Panics
    /// As [`Browser::launch`].
    #[track_caller]
    #[must_use]
    pub fn launch_beside(&self, options: &Options) -> Self {
        Self::launch_in(Arc::clone(&self.scratch), Arc::clone(&self.pages), options)
    }

    /// Starts a browser in a given scratch.
    ///
    /// # Panics
    /// As [`Browser::launch`].
    #[track_caller]
    #[must_use]
    pub fn launch_in(scratch: Arc<Scratch>, pages: Arc<Pages>, options: &Options) -> Self {
        let profile = (1..).map(|number| scratch.root().join(format!("profile-{number}")));
        let profile = profile.into_iter().find(|path| !path.exists()).expect("a number that is free");
        fs::create_dir(&profile).expect("a folder in our own folder");
        set_preferences(&profile);
        register(&scratch, &profile, &options.host);
        let before = if matches!(options.host, NativeHost::Ours) { instances(&scratch) } else { Vec::new() };
        let stderr = profile.with_extension("stderr");
        let (process, devtools) = start(&scratch, &profile, &stderr, options);
        let mut browser =
            Self { scratch, pages, devtools, process, profile, stderr, instance_id: String::new() };
        if matches!(options.host, NativeHost::Ours) && !options.without_extension {
            browser.instance_id = browser.wait_for_connection(&before);
        }
        browser
    }

    fn wait_for_connection(&mut self, before: &[String]) -> String {
        let deadline = std::time::Instant::now() + START_LIMIT;
        loop {
            if let Some(new) = instances(&self.scratch).into_iter().find(|id| !before.contains(id)) {
                return new;
            }
            let gone = self.process.try_wait().expect("our own child can be waited for");
            assert!(
                gone.is_none() && std::time::Instant::now() < deadline,
                "the browser did not connect within {START_LIMIT:?} (ended: {gone:?})\n`bsk doctor`: {}\nits stderr: {}",
                self.scratch.bsk(&["doctor"]).report(),
                self.complaint()
            );
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// What the browser wrote to its standard error.
    #[must_use]
    pub fn complaint(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap_or_default()
    }

    /// The independent way into it.
    #[must_use]
    pub fn devtools(&self) -> &DevTools {
        &self.devtools
    }

    /// The web server for its pages.
    #[must_use]
    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    /// The directories and the environment.
    #[must_use]
    pub fn scratch(&self) -> &Scratch {
        &self.scratch
    }

    /// The profile's data directory.
    #[must_use]
    pub fn profile(&self) -> &Path {
        &self.profile
    }

    /// Wakes the extension's worker as the next thing that the user does would: with a window of its own, since a blank tab beside a page
    /// would look like one that the page opened.
    ///
    /// # Panics
    /// When the browser opens none.
    #[track_caller]
    pub fn wake_worker(&self) -> Value {
        let params = json!({ "url": "about:blank", "newWindow": true });
        self.devtools.call(None, "Target.createTarget", &params).expect("a window opens")
    }

    /// The uploads that are staged in its state directory.
    #[must_use]
    pub fn staged(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.scratch.state_dir().join("staging")).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    }

    /// The states of its downloads, as it lists them.
    ///
    /// # Panics
    /// When its extension does not answer.
    #[track_caller]
    #[must_use]
    pub fn download_states(&self) -> Vec<String> {
        let states = self.in_worker("chrome.downloads.search({}).then(all => all.map(one => one.state))");
        serde_json::from_value(states).expect("states are text")
    }

    /// What is in its download folder, folders and files, by name.
    #[must_use]
    pub fn downloaded(&self) -> Vec<String> {
        let entries = fs::read_dir(self.downloads()).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// Where it puts downloads; not there before the first one.
    #[must_use]
    pub fn downloads(&self) -> PathBuf {
        self.profile.with_extension("downloads")
    }

    /// The browser's main process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The host that this browser started, once there is one.
    ///
    /// # Panics
    /// When there is none for long.
    #[track_caller]
    #[must_use]
    pub fn host_pid(&self) -> u32 {
        until("a bsk-host below the browser", START_LIMIT, || self.find_host())
    }

    /// The host that this browser started, if there is one.
    #[must_use]
    pub fn find_host(&self) -> Option<u32> {
        let is_host = |pid: &u32| {
            processes::is_alive(*pid)
                && processes::executable(*pid)
                    .is_some_and(|path| path.file_name() == Some(OsStr::new("bsk-host")))
        };
        processes::descendants(self.pid()).into_iter().find(is_host)
    }

    /// Opens a session in this browser.
    ///
    /// # Panics
    /// When it cannot be opened.
    #[track_caller]
    #[must_use]
    pub fn session(&self) -> Session<'_> {
        Session::start(self)
    }

    /// The value of a script in the extension's service worker, where `chrome.*` can be asked.
    ///
    /// # Panics
    /// When the script throws.
    #[track_caller]
    pub fn in_worker(&self, expression: &str) -> Value {
        self.devtools.worker().evaluate(expression)
    }

    /// Stores a setting of the user, as the options page does, and waits until the kernel has heard of it.
    pub fn set(&self, key: &str, value: &Value) {
        self.in_worker(&format!("chrome.storage.local.set({{ {key}: {value} }}).then(() => true)"));
        // A setting that was stored after it was heard of after it.
        self.in_worker(
            "new Promise((resolve) => {\
               const heard = (changes) => {\
                 if (!('told' in changes)) return;\
                 chrome.storage.onChanged.removeListener(heard);\
                 resolve(true);\
               };\
               chrome.storage.onChanged.addListener(heard);\
               chrome.storage.local.set({ told: Math.random() });\
             })",
        );
    }

    /// The browser's windows.
    ///
    /// # Panics
    /// When the extension does not answer.
    #[track_caller]
    #[must_use]
    pub fn window_ids(&self) -> Vec<u64> {
        let ids = self.in_worker("chrome.windows.getAll().then(all => all.map(one => one.id))");
        ids.as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
    }

    /// Kills the whole browser as a fault would; its hosts are not touched.
    pub fn kill(&mut self) {
        processes::signal(self.pid(), Signal::SIGKILL);
        let _ = self.process.wait();
    }

    /// Starts the killed browser again on its profile.
    ///
    /// # Panics
    /// As [`Browser::launch`].
    #[track_caller]
    pub fn start_again(&mut self, options: &Options) {
        if options.restores {
            forget_the_crash(&self.profile);
        }
        let (process, devtools) = start(&self.scratch, &self.profile, &self.stderr, options);
        (self.process, self.devtools) = (process, devtools);
        self.instance_id = self.wait_for_connection(&[]);
    }

    /// The addresses of the pages that a copy of the profile of this killed browser restores without our extension: what is missing
    /// there, or there twice, is so by the browser itself.
    ///
    /// # Panics
    /// When the profile cannot be copied.
    #[must_use]
    pub fn restored_without_us(&self) -> Vec<String> {
        let copy = self.scratch.file("restored-without-us");
        let _ = fs::remove_dir_all(&copy);
        let copied = Command::new("cp").arg("-r").arg(&self.profile).arg(&copy).status();
        assert!(copied.is_ok_and(|status| status.success()), "the profile cannot be copied");
        for lock in ["SingletonLock", "SingletonCookie", "SingletonSocket"] {
            let _ = fs::remove_file(copy.join(lock));
        }
        forget_the_crash(&copy);
        let options = Options { without_extension: true, restores: true, ..Options::default() };
        let (mut process, devtools) =
            start(&self.scratch, &copy, &self.scratch.file("restored.stderr"), &options);
        let (mut seen, mut since) = (Vec::new(), Instant::now());
        while seen.is_empty() || since.elapsed() < AT_REST {
            thread::sleep(Duration::from_millis(20));
            let pages = devtools.targets().into_iter().filter(|target| target["type"] == "page");
            let mut urls: Vec<String> =
                pages.filter_map(|page| page["url"].as_str().map(str::to_owned)).collect();
            urls.sort();
            if urls != seen {
                (seen, since) = (urls, Instant::now());
            }
        }
        processes::kill_group(process.id());
        let _ = process.wait();
        seen
    }

    /// Waits until the browser ends by itself.
    ///
    /// # Panics
    /// When it cannot be waited for.
    pub fn wait(&mut self) {
        self.process.wait().expect("our own child can be waited for");
    }

    /// Whether the browser still runs.
    ///
    /// # Panics
    /// When it cannot be waited for.
    pub fn is_running(&mut self) -> bool {
        self.process.try_wait().expect("our own child can be waited for").is_none()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let family = processes::descendants(self.pid());
        processes::kill_group(self.pid());
        let _ = self.process.wait();
        for pid in family {
            // Members of the group are dying already; one that left the group is still ours, unless its number was reused.
            let is_ours = processes::executable(pid).is_some_and(|path| {
                path.starts_with(workspace::binaries_dir()) || path.to_string_lossy().contains("chrom")
            });
            if processes::is_alive(pid) && is_ours {
                processes::signal(pid, Signal::SIGKILL);
            }
        }
    }
}

fn instances(scratch: &Scratch) -> Vec<String> {
    let ran = scratch.bsk(&["browsers", "--json"]);
    let Ok(list) = serde_json::from_slice::<Value>(&ran.stdout) else { return Vec::new() };
    let ids = list.as_array().into_iter().flatten();
    ids.filter_map(|one| one["instance_id"].as_str().map(str::to_owned)).collect()
}

/// Developer mode as a user who loads an unpacked extension has to; without it a reload leaves the extension switched off. And a
/// download folder of its own, where pages may put several files.
fn set_preferences(profile: &Path) {
    let folder = profile.join("Default");
    fs::create_dir(&folder).expect("a folder in our own folder");
    let preferences = json!({
        "extensions": { "ui": { "developer_mode": true } },
        "profile": { "default_content_setting_values": { "automatic_downloads": 1 } },
        "download": { "default_directory": profile.with_extension("downloads") },
    });
    fs::write(folder.join("Preferences"), preferences.to_string()).expect("a file in our own folder");
}

/// Chromium restores nothing by itself after a crash but asks; this stands for the user's yes, which leads to the same code.
fn forget_the_crash(profile: &Path) {
    let file = profile.join("Default/Preferences");
    let text = fs::read_to_string(&file).expect("a browser that ran has preferences");
    let mut preferences: Value = serde_json::from_str(&text).expect("preferences are JSON");
    preferences["profile"]["exit_type"] = json!("Normal");
    fs::write(file, preferences.to_string()).expect("a file in our own folder");
}

fn register(scratch: &Scratch, profile: &Path, host: &NativeHost) {
    match host {
        NativeHost::Ours => {
            let ran =
                scratch.bsk(&[OsStr::new("install"), OsStr::new("--user-data-dir"), profile.as_os_str()]);
            assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
        }
        NativeHost::Program(program) => {
            let folder = profile.join("NativeMessagingHosts");
            fs::create_dir(&folder).expect("a folder in our own folder");
            let manifest = json!({
                "name": workspace::host_name(),
                "description": "stands in for bsk-host in a test",
                "path": program,
                "type": "stdio",
                "allowed_origins": [format!("chrome-extension://{}/", workspace::extension_id())],
            });
            let file = folder.join(format!("{}.json", workspace::host_name()));
            fs::write(file, manifest.to_string()).expect("a file in our own folder");
        }
        NativeHost::None => {}
    }
}

fn start(scratch: &Scratch, profile: &Path, stderr: &Path, options: &Options) -> (Child, DevTools) {
    let program = workspace::find_browser().expect(
        "Chromium is not installed; `cargo xtask test` installs it, or set `BSK_CHROMIUM` to a browser's path",
    );
    let mut command: Command = scratch.command(program);
    command.args([
        "--disable-gpu",
        "--no-first-run",
        "--no-default-browser-check",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        "--disable-breakpad",
        "--disable-crash-reporter",
        "--password-store=basic",
    ]);
    if !options.without_devtools {
        command.arg("--remote-debugging-pipe");
    }
    if !options.headed {
        command.args(["--headless=new", "--window-size=1280,800"]);
    } else {
        // An X server may ask for the key that `xvfb-run` and desktops put in the second.
        for name in ["DISPLAY", "XAUTHORITY"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
    }
    if geteuid().is_root() {
        command.arg("--no-sandbox");
    }
    let ours = (!options.without_extension).then(workspace::extension_dir);
    let mut extensions: Vec<String> =
        ours.iter().chain(&options.extensions).map(|folder| folder.display().to_string()).collect();
    if options.ours_last {
        extensions.rotate_left(1);
    }
    if !extensions.is_empty() {
        command.arg(format!("--load-extension={}", extensions.join(",")));
    }
    command.args(&options.arguments);
    command.arg(format!("--user-data-dir={}", profile.display()));
    command.arg(if options.restores { "--restore-last-session" } else { "about:blank" });
    command.envs(options.variables.iter().map(|(name, value)| (name, value)));
    let (browser_reads, to_browser) = pipe().expect("a pipe");
    let (from_browser, browser_writes) = pipe().expect("a pipe");
    let mappings = vec![
        FdMapping { parent_fd: browser_reads.into(), child_fd: 3 },
        FdMapping { parent_fd: browser_writes.into(), child_fd: 4 },
    ];
    command.fd_mappings(mappings).expect("3 and 4 are mapped once each");
    let stderr = File::create(stderr).expect("a file in our own folder");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).process_group(0);
    let process = command.spawn().unwrap_or_else(|error| panic!("the browser cannot be started: {error}"));
    (process, DevTools::new(to_browser, from_browser))
}

/// A browser that the tests of one file share while they run at the same time; the last one closes it.
#[derive(Debug)]
pub struct Shared(Mutex<Weak<Browser>>);

impl Default for Shared {
    fn default() -> Self {
        Self::new()
    }
}

impl Shared {
    /// None is started yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    /// The browser, started if need be.
    ///
    /// # Panics
    /// As [`Browser::launch`].
    #[track_caller]
    #[must_use]
    pub fn browser(&self) -> Arc<Browser> {
        let mut slot = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(browser) = slot.upgrade() {
            return browser;
        }
        // `BSK_TEST_HEADED` shows the windows, on the `DISPLAY` there is.
        let headed = std::env::var_os("BSK_TEST_HEADED").is_some();
        let browser = Arc::new(Browser::launch(&Options { headed, ..Options::default() }));
        *slot = Arc::downgrade(&browser);
        browser
    }
}

impl Deref for Browser {
    type Target = Scratch;

    /// A browser runs `bsk` as its scratch does.
    fn deref(&self) -> &Scratch {
        &self.scratch
    }
}
