//! Processes that the tests started, as `/proc` shows them: their children, executables, memory, CPU time and sockets.
//!
//! Signals go to one pid or one process group that the caller names; nothing is ever found by name.

use std::fs;
use std::path::PathBuf;

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// USER_HZ, which Linux fixes at 100 for everything in `/proc`.
const TICKS_PER_SECOND: f64 = 100.0;

fn to_pid(pid: u32) -> Pid {
    Pid::from_raw(i32::try_from(pid).expect("pids are small"))
}

/// Sends a signal; a process that is gone is no error.
pub fn signal(pid: u32, signal: Signal) {
    let _ = kill(to_pid(pid), signal);
}

/// Kills a process group that was started by us.
pub fn kill_group(leader: u32) {
    let _ = killpg(to_pid(leader), Signal::SIGKILL);
}

/// The fields of `/proc/<pid>/stat` after the name: state, ppid, …
fn stat_fields(pid: u32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = text.rsplit_once(')')?;
    Some(after_name.split_whitespace().map(str::to_owned).collect())
}

/// Whether the process runs; a zombie does not.
#[must_use]
pub fn is_alive(pid: u32) -> bool {
    stat_fields(pid).is_some_and(|fields| fields[0] != "Z" && fields[0] != "X")
}

/// All living descendants of a process, itself not included.
#[must_use]
pub fn descendants(ancestor: u32) -> Vec<u32> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let Some(fields) = stat_fields(pid) else { continue };
        parents.push((pid, fields[1].parse::<u32>().unwrap_or(0)));
    }
    let mut found = Vec::new();
    let mut queue = vec![ancestor];
    while let Some(parent) = queue.pop() {
        for &(pid, its_parent) in &parents {
            if its_parent == parent {
                found.push(pid);
                queue.push(pid);
            }
        }
    }
    found
}

/// The program that a process runs.
#[must_use]
pub fn executable(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// User and system time that a process has used, in seconds; 0 when it is gone.
#[must_use]
pub fn cpu_seconds(pid: u32) -> f64 {
    let Some(fields) = stat_fields(pid) else { return 0.0 };
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / TICKS_PER_SECOND
}

/// Memory of a process that is resident now, in KiB.
#[must_use]
pub fn resident_kib(pid: u32) -> Option<u64> {
    kib_of(pid, "VmRSS:")
}

/// Most memory of a process that was resident at once so far, in KiB.
#[must_use]
pub fn peak_resident_kib(pid: u32) -> Option<u64> {
    kib_of(pid, "VmHWM:")
}

fn kib_of(pid: u32, field: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The local addresses of the listening TCP and the bound UDP sockets that a process holds, as `/proc` prints them.
#[must_use]
pub fn listening_inet_sockets(pid: u32) -> Vec<String> {
    let mut held = Vec::new();
    for entry in fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
        if let Ok(target) = fs::read_link(entry.path()) {
            held.push(target.to_string_lossy().into_owned());
        }
    }
    let mut found = Vec::new();
    for table in ["tcp", "tcp6", "udp", "udp6"] {
        let text = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        for line in text.lines().skip(1) {
            let columns: Vec<&str> = line.split_whitespace().collect();
            let [_, local, _, state, _, _, _, _, _, inode, ..] = columns[..] else { continue };
            let is_listening = table.starts_with("udp") || state == "0A";
            if is_listening && held.contains(&format!("socket:[{inode}]")) {
                found.push(format!("{table} {local}"));
            }
        }
    }
    found
}
