//! The four causes for "no host is connected", and the checks of `bsk doctor`.
//!
//! A running browser is a `SingletonLock` with this test's own pid; the host programs are `/bin/true`,
//! `/bin/false` and scripts.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "functions beside the tests are tests too")]

mod support;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bsk_installer::{CheckStatus, HostFault, InstallRequest, NoHostCause, diagnose, verify};
use support::Machine;

fn with_host(host: PathBuf) -> Machine {
    let mut machine = Machine::new();
    machine.env.host_binary = host;
    machine
}

#[test]
fn without_a_manifest_the_cause_is_not_installed() {
    let machine = Machine::new();
    machine.run_browser(&machine.chrome_dir());
    let cause = diagnose(&machine.env);
    assert_eq!(cause, NoHostCause::NotInstalled);
    assert!(cause.hint().contains("`bsk install`"));
}

#[test]
fn a_host_program_that_went_away_is_the_cause_before_anything_else() {
    let mut machine = Machine::new();
    machine.env.host_binary = machine.script("bsk-host", "#!/bin/sh\nexit 0\n");
    machine.install_all();
    fs::remove_file(&machine.env.host_binary).unwrap();
    let expected =
        NoHostCause::HostCannotStart { path: machine.env.host_binary.clone(), why: HostFault::Missing };
    assert_eq!(diagnose(&machine.env), expected);
    machine.run_browser(&machine.chrome_dir());
    assert_eq!(diagnose(&machine.env), expected);
}

#[test]
fn a_host_program_that_fails_is_named_with_its_exit_code() {
    let machine = with_host(PathBuf::from("/bin/false"));
    machine.install_all();
    let cause = diagnose(&machine.env);
    let NoHostCause::HostCannotStart { why, .. } = &cause else { panic!("{cause:?}") };
    assert_eq!(*why, HostFault::Failed { exit_code: Some(1) });
    assert!(cause.message().contains("exit code 1"));
}

#[test]
fn a_host_program_that_hangs_is_killed_and_the_answer_comes_within_a_second() {
    let mut machine = Machine::new();
    let pid_file = machine.root.path().join("pid");
    let text = format!("#!/bin/sh\necho $$ > '{}'\nexec sleep 60\n", pid_file.display());
    machine.env.host_binary = machine.script("bsk-host", &text);
    machine.install_all();
    let started = Instant::now();
    let cause = diagnose(&machine.env);
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    assert!(matches!(cause, NoHostCause::HostCannotStart { why: HostFault::NoAnswer { .. }, .. }));
    if let Ok(pid) = fs::read_to_string(pid_file) {
        assert!(!PathBuf::from(format!("/proc/{}", pid.trim())).exists());
    }
}

#[test]
fn a_manifest_that_shuts_out_our_extension_is_a_cause() {
    let machine = Machine::new();
    machine.install_all();
    let text = fs::read_to_string(machine.chrome_manifest()).unwrap();
    fs::write(machine.chrome_manifest(), text.replace("mkanj", "aaaaa")).unwrap();
    let cause = diagnose(&machine.env);
    let why = HostFault::ExtensionNotAllowed;
    assert_eq!(cause, NoHostCause::HostCannotStart { path: machine.chrome_manifest(), why });
    assert!(cause.hint().contains("`bsk install`"));
}

#[test]
fn a_stale_lock_counts_as_not_running() {
    let machine = Machine::new();
    machine.install_all();
    // Above the largest pid that Linux gives out.
    machine.lock(&machine.chrome_dir(), 4_194_305);
    let cause = diagnose(&machine.env);
    assert!(matches!(cause, NoHostCause::BrowserNotRunning { .. }), "{cause:?}");
    assert_eq!(cause.hint(), "start `Google Chrome`");
}

#[test]
fn a_running_browser_without_bsk_is_pointed_out() {
    let machine = Machine::new();
    machine.install_all();
    let chromium = machine.env.config_home.join("chromium");
    fs::create_dir_all(&chromium).unwrap();
    machine.run_browser(&chromium);
    assert!(diagnose(&machine.env).hint().contains("`bsk install --browser chromium`"));
}

#[test]
fn a_running_browser_with_a_good_host_leaves_the_extension_as_cause() {
    let machine = Machine::new();
    machine.install_all();
    machine.run_browser(&machine.chrome_dir());
    let cause = diagnose(&machine.env);
    assert!(
        matches!(&cause, NoHostCause::ExtensionMissingOrOff { browser, .. } if browser.browser == "chrome")
    );
    assert!(cause.message().starts_with("`Google Chrome` is running"));
    for word in ["`chrome://extensions`", "`Developer mode`", "`Load unpacked`", "/extension`"] {
        assert!(cause.hint().contains(word), "{}", cause.hint());
    }
}

#[test]
fn the_lock_of_a_named_data_directory_is_read_there() {
    let machine = Machine::new();
    let data_dir = machine.env.home.join("profile");
    machine.install(&InstallRequest { user_data_dir: Some(data_dir.clone()), ..InstallRequest::default() });
    assert!(matches!(diagnose(&machine.env), NoHostCause::BrowserNotRunning { .. }));
    machine.run_browser(&data_dir);
    let cause = diagnose(&machine.env);
    assert!(
        matches!(&cause, NoHostCause::ExtensionMissingOrOff { browser, .. } if browser.browser == "custom")
    );
    assert!(cause.message().contains(&format!("`{}`", data_dir.display())));
}

#[test]
fn garbage_in_a_lock_or_a_manifest_is_survived() {
    let machine = Machine::new();
    machine.install_all();
    std::os::unix::fs::symlink("no pid at all -x-", machine.chrome_dir().join("SingletonLock")).unwrap();
    assert!(matches!(diagnose(&machine.env), NoHostCause::BrowserNotRunning { .. }));
    fs::write(machine.chrome_manifest(), [0xff, 0x00]).unwrap();
    let cause = diagnose(&machine.env);
    assert!(matches!(cause, NoHostCause::HostCannotStart { why: HostFault::ManifestBroken, .. }));
}

#[test]
fn a_sound_installation_passes_every_check() {
    let mut machine = Machine::new();
    machine.env.extension_dir = Some(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../extension"));
    machine.install_all();
    let checks = verify(&machine.env);
    assert!(checks.iter().all(|check| check.status == CheckStatus::Ok && check.is_ok), "{checks:#?}");
    assert!(checks.iter().any(|check| check.name == "registration chrome"));
}

#[test]
fn every_failed_check_says_what_helps() {
    let mut machine = Machine::new();
    machine.env.host_binary = machine.script("bsk-host", "#!/bin/sh\nexit 0\n");
    let fails = |machine: &Machine| -> Vec<String> {
        let failed = verify(&machine.env).into_iter().filter(|check| !check.is_ok);
        failed.inspect(|check| assert!(!check.hint.is_empty())).map(|check| check.name).collect()
    };
    assert_eq!(fails(&machine), ["extension folder", "registration"]);
    machine.install_all();
    fs::write(machine.record(), "broken").unwrap();
    fs::remove_file(&machine.env.host_binary).unwrap();
    assert_eq!(
        fails(&machine),
        ["host program", "extension folder", "install record", "registration chrome"]
    );
}
