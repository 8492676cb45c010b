//! The place where the ends meet is the user's alone: no network socket, 0700 and 0600, no other user, no symlink.
//!
//! Run as root these tests also act as the user `nobody`; otherwise that part rests on the modes alone.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bsk_protocol::codec::{FrameReader, Local, encode};
use bsk_protocol::local::{FromCli, FromHost};
use bsk_tests::fake_extension::{FakeExtension, Seen, hello, ordinary, own_origin};
use bsk_tests::hostile_host::RELAY_VAR;
use bsk_tests::{
    Browser, Options, Scratch, descendants, executable, listening_inet_sockets, until, workspace,
};

const NOBODY: u32 = 65534;

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn is_root() -> bool {
    fs::metadata("/proc/self").unwrap().uid() == 0
}

#[test]
fn no_process_of_ours_listens_on_a_network_socket() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let page = session.open_page("<title>-</title>");
    let running = session.start_endless(&page);
    let host = browser.host_pid();
    let mut ours = vec![host, running.pid()];
    ours.extend(descendants(host));
    ours.extend(descendants(running.pid()));
    for pid in ours {
        assert_eq!(listening_inet_sockets(pid), Vec::<String>::new(), "{:?}", executable(pid));
    }
    // The check can see sockets: this very process serves the pages.
    assert_eq!(listening_inet_sockets(std::process::id()).len(), 1);
    running.kill();
}

#[test]
fn the_directory_is_0700_and_what_is_in_it_0600() {
    let scratch = Scratch::new();
    let _fake = FakeExtension::connect(&scratch, ordinary);
    let files = until("socket and sidecar", Duration::from_secs(5), || {
        let files = scratch.runtime_files();
        (files.len() == 2).then_some(files)
    });
    assert_eq!(mode(&scratch.runtime_dir()), 0o700);
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn the_state_directory_with_the_log_is_the_user_s_alone() {
    let scratch = Scratch::new();
    let _fake = FakeExtension::connect(&scratch, ordinary);
    until("a log", Duration::from_secs(5), || {
        scratch.state_dir().is_dir().then(|| workspace::files_below(&scratch.state_dir(), "").pop()).flatten()
    });
    assert_eq!(mode(&scratch.state_dir()), 0o700);
}

/// Runs a program as `nobody` that connects to the socket and passes on what it is given and gets.
fn as_nobody(program: &Path, socket: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(program);
    command.env(RELAY_VAR, socket).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

#[test]
fn another_user_can_neither_connect_nor_get_an_answer() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    let _fake = FakeExtension::connect(&scratch, ordinary);
    let socket = until("the socket", Duration::from_secs(5), || {
        (!scratch.runtime_files().is_empty()).then(|| scratch.socket())
    });
    fs::set_permissions(scratch.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let program = scratch.root().join("connect");
    fs::copy(env!("CARGO_BIN_EXE_hostile-host"), &program).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();

    let status = as_nobody(&program, &socket).status().unwrap();
    assert_eq!(status.code(), Some(1), "the directory keeps other users out");

    // Even with the doors open the host talks to nobody but its own user.
    fs::set_permissions(scratch.runtime_dir(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o666)).unwrap();
    let mut process = as_nobody(&program, &socket).spawn().unwrap();
    let mut stdin = process.stdin.take().unwrap();
    let greeting =
        FromCli::Hello { protocol: bsk_protocol::PROTOCOL_VERSION, cli_version: "0.1.0".to_owned() };
    let _ = std::io::Write::write_all(&mut stdin, &encode::<Local>(&greeting).unwrap());
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "the test's own program connected");
    let mut frames = FrameReader::<Local, _>::new(output.stdout.as_slice());
    while let Ok(Some(frame)) = frames.next_frame() {
        let message = frame.decode::<FromHost>().unwrap();
        assert!(!matches!(message, FromHost::Hello(_)), "no hello for another user: {message:?}");
    }
    fs::set_permissions(scratch.runtime_dir(), fs::Permissions::from_mode(0o700)).unwrap();
    assert!(scratch.bsk(&["status"]).status.success(), "its own user is served as before");
}

#[test]
fn a_socket_served_by_another_user_is_not_trusted() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    scratch.bsk(&["status"]);
    let folder = scratch.runtime_dir();
    let socket = folder.join("h-0123456789ab.sock");
    // `nobody` serves a socket; then it is moved to where ours are.
    fs::set_permissions(scratch.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let theirs = scratch.root().join("theirs");
    fs::create_dir(&theirs).unwrap();
    chown(&theirs, Some(NOBODY), Some(NOBODY)).unwrap();
    // SO_PEERCRED names who called listen; Perl is part of every Debian and Ubuntu.
    let script = "socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un($ARGV[0])); listen(S, 9); sleep 60";
    let their_socket = theirs.join("s");
    let mut server = Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .args(["perl", "-MSocket", "-e", script])
        .arg(&their_socket)
        .spawn()
        .unwrap();
    until("their socket", Duration::from_secs(10), || their_socket.exists().then_some(()));
    fs::rename(&their_socket, &socket).unwrap();
    let ran = scratch.bsk(&["session", "start", "--json"]);
    let _ = server.kill();
    let _ = server.wait();
    let error = ran.failure();
    assert_eq!(ran.exit_code(), Some(2), "{}", ran.report());
    assert_eq!(error["data"]["reason"], "peer_not_trusted", "{error}");
}

/// Makes the runtime directory bad, and checks that neither end uses it and both say how to mend it.
#[track_caller]
fn refused(scratch: &Scratch, fix: &str) {
    for args in [&["status", "--json"][..], &["session", "start", "--json"], &["browsers", "--json"]] {
        let ran = scratch.bsk(args);
        assert_eq!(ran.exit_code(), Some(2), "{}", ran.report());
        let error = ran.failure();
        assert_eq!(error["data"]["reason"], "runtime_dir_unsafe", "{error}");
        assert!(error["hint"].as_str().unwrap().contains(fix), "`{fix}` in {error}");
    }
    let mut fake = FakeExtension::start(scratch, &own_origin(), ordinary);
    fake.send(&bsk_protocol::kernel::FromKernel::Hello(hello("fake-1", vec![])));
    let (_, _, complaint) = fake.wait();
    assert!(fake.seen().contains(&Seen::Refuse), "the popup gets the reason: {:?} {complaint}", fake.seen());
    assert!(!fake.seen().contains(&Seen::Welcome));
}

#[test]
fn an_open_directory_is_refused_with_the_way_to_mend_it() {
    let scratch = Scratch::new();
    fs::create_dir(scratch.runtime_dir()).unwrap();
    for mode in [0o777, 0o755, 0o710, 0o1777] {
        fs::set_permissions(scratch.runtime_dir(), fs::Permissions::from_mode(mode)).unwrap();
        refused(&scratch, "chmod 700");
        assert_eq!(self::mode(&scratch.runtime_dir()), mode, "it is not changed behind the user's back");
    }
    assert!(scratch.runtime_files().is_empty());
}

#[test]
fn a_symlink_is_refused_even_to_a_good_directory() {
    let scratch = Scratch::new();
    let real = scratch.root().join("real");
    fs::create_dir(&real).unwrap();
    fs::set_permissions(&real, fs::Permissions::from_mode(0o700)).unwrap();
    symlink(&real, scratch.runtime_dir()).unwrap();
    refused(&scratch, "rm ");
    assert_eq!(fs::read_dir(&real).unwrap().count(), 0);
}

#[test]
fn a_foreign_directory_is_refused() {
    if !is_root() {
        return;
    }
    let scratch = Scratch::new();
    fs::create_dir(scratch.runtime_dir()).unwrap();
    fs::set_permissions(scratch.runtime_dir(), fs::Permissions::from_mode(0o700)).unwrap();
    chown(scratch.runtime_dir(), Some(NOBODY), Some(NOBODY)).unwrap();
    refused(&scratch, "move");
}
