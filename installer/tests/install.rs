//! Installing and undoing, on a temporary home directory: what is written, refused, kept and put back.
//!
//! Every test has its own machine; none starts a browser.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "functions beside the tests are tests too")]

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::thread;

use bsk_installer::{
    Action, HostManifest, InstallError, InstallRequest, Reason, UninstallRequest, Warning, plan, uninstall,
};
use support::{Machine, actions};

fn named(browser: &str) -> InstallRequest {
    InstallRequest { browsers: vec![browser.to_owned()], ..InstallRequest::default() }
}

fn read_manifest(path: &std::path::Path) -> HostManifest {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_first_install_writes_a_readable_manifest_for_the_found_browser_only() {
    let machine = Machine::new();
    let applied = machine.install_all();
    assert_eq!(actions(&applied), [Action::Created]);
    assert_eq!(applied.outcomes[0].path, machine.chrome_manifest());
    let manifest = read_manifest(&machine.chrome_manifest());
    assert_eq!(manifest.name, "com.bsk.host");
    assert_eq!(manifest.transport, "stdio");
    assert_eq!(manifest.path, fs::canonicalize("/bin/true").unwrap().to_str().unwrap());
    assert_eq!(manifest.allowed_origins, ["chrome-extension://mkanjamcijbnmjcfflodkihinjackdpc/"]);
    let mode = fs::metadata(machine.chrome_manifest()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o644);
    assert!(!machine.env.config_home.join("chromium").exists());
}

#[test]
fn a_second_install_says_unchanged_and_writes_nothing() {
    let machine = Machine::new();
    machine.install_all();
    let before = machine.snapshot();
    assert_eq!(actions(&machine.install_all()), [Action::Unchanged]);
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn an_uninstall_leaves_the_machine_as_it_was_and_can_be_repeated() {
    let machine = Machine::new();
    let before = machine.snapshot();
    machine.install(&named("brave"));
    machine.install_all();
    let applied = machine.uninstall_all();
    assert!(applied.outcomes.iter().all(|outcome| outcome.action == Action::Removed));
    assert_eq!(machine.snapshot(), before);
    assert_eq!(actions(&machine.uninstall_all()), []);
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn an_extra_extension_id_updates_the_manifest_and_uninstall_still_removes_it() {
    let machine = Machine::new();
    let before = machine.snapshot();
    machine.install_all();
    let request = InstallRequest { extension_ids: vec!["b".repeat(32)], ..InstallRequest::default() };
    let applied = machine.install(&request);
    assert_eq!(actions(&applied), [Action::Updated]);
    assert_eq!(applied.outcomes[0].reason, None);
    assert_eq!(read_manifest(&machine.chrome_manifest()).allowed_origins.len(), 2);
    assert_eq!(actions(&machine.uninstall_all()), [Action::Removed]);
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn a_foreign_manifest_is_replaced_and_comes_back_byte_for_byte_after_two_installs() {
    let machine = Machine::new();
    fs::create_dir_all(machine.chrome_manifest().parent().unwrap()).unwrap();
    fs::write(machine.chrome_manifest(), "{ \"someone\": \"else\" }").unwrap();
    fs::set_permissions(machine.chrome_manifest(), fs::Permissions::from_mode(0o640)).unwrap();
    let before = machine.snapshot();
    let applied = machine.install_all();
    assert_eq!(actions(&applied), [Action::Updated]);
    assert_eq!(applied.outcomes[0].reason, Some(Reason::ReplacedForeign));
    machine.install(&InstallRequest { extension_ids: vec!["c".repeat(32)], ..InstallRequest::default() });
    assert_eq!(actions(&machine.uninstall_all()), [Action::Restored]);
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn a_manifest_changed_after_the_install_is_left_and_reported() {
    let machine = Machine::new();
    machine.install_all();
    fs::write(machine.chrome_manifest(), "mine now").unwrap();
    let applied = machine.uninstall_all();
    assert_eq!(actions(&applied), [Action::Left]);
    assert_eq!(applied.outcomes[0].reason, Some(Reason::ChangedSinceInstall));
    assert_eq!(fs::read_to_string(machine.chrome_manifest()).unwrap(), "mine now");
}

#[test]
fn a_manifest_that_no_record_knows_is_left_and_reported() {
    let machine = Machine::new();
    machine.install_all();
    fs::remove_file(machine.record()).unwrap();
    let applied = machine.uninstall_all();
    assert_eq!(actions(&applied), [Action::Left]);
    assert_eq!(applied.outcomes[0].reason, Some(Reason::NotRecorded));
    assert!(machine.chrome_manifest().exists());
}

#[test]
fn a_crash_between_record_and_manifest_loses_nothing() {
    let machine = Machine::new();
    let before = machine.snapshot();
    machine.install_all();
    let first = fs::read_to_string(machine.chrome_manifest()).unwrap();
    machine.install(&InstallRequest { extension_ids: vec!["d".repeat(32)], ..InstallRequest::default() });
    fs::write(machine.chrome_manifest(), first).unwrap();
    assert_eq!(actions(&machine.uninstall_all()), [Action::Removed]);
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn a_data_directory_install_touches_that_directory_only() {
    let machine = Machine::new();
    let data_dir = machine.root.path().join("new/profile");
    let request = InstallRequest { user_data_dir: Some(data_dir.clone()), ..InstallRequest::default() };
    let applied = machine.install(&request);
    assert_eq!(actions(&applied), [Action::Created]);
    assert_eq!(applied.outcomes[0].browser, "custom");
    assert!(data_dir.join("NativeMessagingHosts/com.bsk.host.json").exists());
    assert!(!machine.chrome_manifest().exists());
    assert_eq!(actions(&machine.install(&request)), [Action::Unchanged]);
    let undo = UninstallRequest { user_data_dir: Some(data_dir), ..UninstallRequest::default() };
    assert_eq!(actions(&uninstall(&machine.env, &undo).unwrap()), [Action::Removed]);
    assert!(!machine.root.path().join("new").exists());
}

#[test]
fn folders_that_two_installs_share_go_with_the_last_of_them() {
    let machine = Machine::new();
    let data_dir = |name: &str| Some(machine.root.path().join("both").join(name));
    for name in ["one", "two"] {
        machine.install(&InstallRequest { user_data_dir: data_dir(name), ..InstallRequest::default() });
    }
    for (name, is_left) in [("one", true), ("two", false)] {
        let undo = UninstallRequest { user_data_dir: data_dir(name), ..UninstallRequest::default() };
        uninstall(&machine.env, &undo).unwrap();
        assert_eq!(machine.root.path().join("both").exists(), is_left);
    }
}

#[test]
fn a_folder_that_the_browser_uses_meanwhile_is_kept() {
    let machine = Machine::new();
    let data_dir = machine.root.path().join("profile");
    machine.install(&InstallRequest { user_data_dir: Some(data_dir.clone()), ..InstallRequest::default() });
    fs::write(data_dir.join("Local State"), "{}").unwrap();
    machine.uninstall_all();
    assert!(data_dir.join("Local State").exists());
    assert!(!data_dir.join("NativeMessagingHosts").exists());
    assert!(!machine.env.state_dir.exists());
}

#[test]
fn a_dry_run_writes_nothing_and_says_what_would_happen() {
    let machine = Machine::new();
    let before = machine.snapshot();
    let preview = plan(&machine.env, &InstallRequest::default()).unwrap().preview();
    assert_eq!(actions(&preview), [Action::Created]);
    assert!(preview.to_string().starts_with("would create `"));
    assert!(preview.to_string().contains("`chrome://extensions`"));
    assert_eq!(machine.snapshot(), before);
    machine.install_all();
    let before = machine.snapshot();
    let undo = UninstallRequest { is_dry_run: true, ..UninstallRequest::default() };
    assert_eq!(actions(&uninstall(&machine.env, &undo).unwrap()), [Action::Removed]);
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn a_symlink_in_the_manifest_s_place_is_refused_by_plan_and_by_apply() {
    let machine = Machine::new();
    let planned = plan(&machine.env, &InstallRequest::default()).unwrap();
    let victim = machine.root.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    fs::create_dir_all(machine.chrome_manifest().parent().unwrap()).unwrap();
    symlink(&victim, machine.chrome_manifest()).unwrap();
    let before = machine.snapshot();
    let error = plan(&machine.env, &InstallRequest::default()).unwrap_err();
    assert!(matches!(error, InstallError::TargetIsSymlink { .. }));
    assert!(error.hint().contains("com.bsk.host.json"));
    let error = bsk_installer::apply(&planned).unwrap_err();
    assert!(matches!(error, InstallError::TargetIsSymlink { .. }));
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn a_manifest_turned_into_a_symlink_is_left_by_uninstall() {
    let machine = Machine::new();
    machine.install_all();
    fs::rename(machine.chrome_manifest(), machine.root.path().join("elsewhere")).unwrap();
    symlink(machine.root.path().join("elsewhere"), machine.chrome_manifest()).unwrap();
    let applied = machine.uninstall_all();
    assert_eq!(actions(&applied), [Action::Left]);
    assert_eq!(applied.outcomes[0].reason, Some(Reason::NotAFile));
    assert!(machine.chrome_manifest().exists());
}

#[test]
fn a_corrupt_record_stops_everything_before_anything_is_touched() {
    let machine = Machine::new();
    machine.install_all();
    fs::write(machine.record(), "{ not json").unwrap();
    let before = machine.snapshot();
    let error = plan(&machine.env, &InstallRequest::default()).unwrap_err();
    assert!(matches!(error, InstallError::RecordCorrupt { .. }));
    assert!(error.hint().contains("installs.json"));
    let error = uninstall(&machine.env, &UninstallRequest::default()).unwrap_err();
    assert!(matches!(error, InstallError::RecordCorrupt { .. }));
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn a_failing_write_takes_back_the_earlier_ones() {
    let machine = Machine::new();
    fs::create_dir_all(machine.env.config_home.join("chromium/Default")).unwrap();
    let planned = plan(&machine.env, &InstallRequest::default()).unwrap();
    assert_eq!(planned.steps.len(), 2);
    // A dangling symlink passes for a missing folder and cannot be created.
    symlink("/nowhere/at/all", machine.env.config_home.join("chromium/NativeMessagingHosts")).unwrap();
    let before = machine.snapshot();
    let error = bsk_installer::apply(&planned).unwrap_err();
    assert!(matches!(error, InstallError::Io { .. }), "{error:?}");
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn installs_at_the_same_time_all_stay_in_the_record() {
    let machine = Machine::new();
    let data_dirs: Vec<PathBuf> = (0..12).map(|n| machine.root.path().join(format!("p{n}"))).collect();
    thread::scope(|scope| {
        for data_dir in &data_dirs {
            let user_data_dir = Some(data_dir.clone());
            let machine = &machine;
            scope.spawn(move || {
                machine.install(&InstallRequest { user_data_dir, ..InstallRequest::default() })
            });
        }
    });
    assert_eq!(machine.uninstall_all().outcomes.len(), data_dirs.len());
    assert!(data_dirs.iter().all(|dir| !dir.exists()));
    assert!(!machine.env.state_dir.exists());
}

#[test]
fn installs_and_uninstalls_at_the_same_time_end_in_a_clean_machine() {
    let machine = Machine::new();
    let before = machine.snapshot();
    thread::scope(|scope| {
        for turn in 0..8 {
            let machine = &machine;
            scope.spawn(move || if turn % 2 == 0 { machine.install_all() } else { machine.uninstall_all() });
        }
    });
    machine.uninstall_all();
    assert_eq!(machine.snapshot(), before);
}

#[test]
fn a_system_install_is_undone_by_a_system_uninstall_only() {
    let machine = Machine::new();
    let request = InstallRequest { is_system: true, ..InstallRequest::default() };
    let applied = machine.install(&request);
    let path = machine.env.system_root.join("etc/opt/chrome/native-messaging-hosts/com.bsk.host.json");
    if cfg!(target_os = "linux") {
        assert_eq!(applied.outcomes[0].path, path);
    }
    machine.install_all();
    let undo = UninstallRequest { is_system: true, ..UninstallRequest::default() };
    assert_eq!(actions(&uninstall(&machine.env, &undo).unwrap()), [Action::Removed]);
    assert!(machine.chrome_manifest().exists());
    let error = plan(&machine.env, &InstallRequest { is_system: true, ..named("brave") }).unwrap_err();
    assert!(matches!(error, InstallError::NoSystemFolder { .. }));
}

#[test]
fn no_browser_at_all_is_an_error_that_lists_the_supported_ones() {
    let machine = Machine::new();
    fs::remove_dir_all(machine.chrome_dir()).unwrap();
    let error = plan(&machine.env, &InstallRequest::default()).unwrap_err();
    assert!(matches!(error, InstallError::NoBrowserFound { .. }));
    assert!(error.hint().contains("`chrome`, `chromium`, `edge`, `brave`"));
    assert!(error.hint().contains("--user-data-dir"));
    assert_eq!(
        plan(&machine.env, &named("edge")).unwrap().warnings,
        [Warning::BrowserNotFound { browser: "edge".into() }]
    );
}

#[test]
fn a_snap_browser_is_skipped_with_a_warning_and_registered_only_when_named() {
    let machine = Machine::new();
    machine.script("chromium-browser", "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n");
    let planned = plan(&machine.env, &InstallRequest::default()).unwrap();
    assert_eq!(planned.steps.len(), 1);
    assert!(matches!(&planned.warnings[..], [Warning::Confined { browser, .. }] if browser == "chromium"));
    let planned = plan(&machine.env, &named("chromium")).unwrap();
    assert_eq!(planned.steps[0].browser, "chromium");
    assert!(matches!(&planned.warnings[..], [Warning::Confined { .. }]));
}

#[test]
fn a_policy_against_user_level_hosts_is_a_warning() {
    let machine = Machine::new();
    let dir = machine.env.system_root.join("etc/opt/chrome/policies/managed");
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("a.json"), r#"{"NativeMessagingUserLevelHosts": false}"#).unwrap();
    let planned = plan(&machine.env, &InstallRequest::default()).unwrap();
    if cfg!(target_os = "linux") {
        assert!(matches!(&planned.warnings[..], [Warning::Policy { .. }]));
        assert!(planned.warnings[0].hint().contains("--system"));
    }
}

#[test]
fn requests_that_make_no_sense_are_refused_with_a_hint() {
    let machine = Machine::new();
    let refused = |request: InstallRequest| plan(&machine.env, &request).unwrap_err();
    assert!(matches!(refused(named("netscape")), InstallError::UnknownBrowser { .. }));
    let dir = Some(machine.root.path().join("d"));
    let both = InstallRequest { user_data_dir: dir.clone(), is_system: true, ..InstallRequest::default() };
    assert!(matches!(refused(both), InstallError::ConflictingOptions { .. }));
    let many = InstallRequest {
        user_data_dir: dir,
        browsers: vec!["chrome".into(), "edge".into()],
        ..InstallRequest::default()
    };
    assert!(matches!(refused(many), InstallError::ManyBrowsersOneFolder));
    let id = InstallRequest { extension_ids: vec!["nope".into()], ..InstallRequest::default() };
    assert!(matches!(refused(id), InstallError::BadExtensionId { .. }));
    fs::write(machine.root.path().join("file"), "").unwrap();
    let file = Some(machine.root.path().join("file"));
    let file = InstallRequest { user_data_dir: file, ..InstallRequest::default() };
    assert!(matches!(refused(file), InstallError::NotAFolder { .. }));
}

#[test]
fn a_missing_or_unexecutable_host_program_is_refused() {
    let mut machine = Machine::new();
    machine.env.host_binary = machine.root.path().join("bsk-host");
    let error = plan(&machine.env, &InstallRequest::default()).unwrap_err();
    assert!(matches!(error, InstallError::HostBinaryMissing { .. }));
    fs::write(&machine.env.host_binary, "").unwrap();
    fs::set_permissions(&machine.env.host_binary, fs::Permissions::from_mode(0o644)).unwrap();
    let error = plan(&machine.env, &InstallRequest::default()).unwrap_err();
    assert!(matches!(error, InstallError::HostBinaryNotExecutable { .. }));
    assert!(error.hint().starts_with("run `chmod +x "));
}

#[test]
fn the_json_of_a_result_has_the_documented_shape() {
    let machine = Machine::new();
    let json = serde_json::to_value(machine.install_all()).unwrap();
    assert_eq!(json["dry_run"], false);
    assert_eq!(json["outcomes"][0]["browser"], "chrome");
    assert_eq!(json["outcomes"][0]["action"], "created");
    assert!(json["outcomes"][0].get("reason").is_none());
    assert_eq!(json["extension"]["extension_id"], "mkanjamcijbnmjcfflodkihinjackdpc");
}
