//! Which program asks: the nearest process above `bsk` that is no shell.
//!
//! For the user, who is asked whether it may have something. The system names processes; a program that runs as the user can
//! make itself look like another, so nothing is decided by the name alone (docs/security.md). Says nothing where the system
//! does not name the socket's peer (macOS).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bsk_protocol::kernel::Agent;
use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System, UpdateKind};

/// Programs that only start others.
const SHELLS: [&str; 18] = [
    "bsk",
    "sh",
    "bash",
    "dash",
    "zsh",
    "fish",
    "ksh",
    "nu",
    "pwsh",
    "powershell",
    "cmd",
    "env",
    "sudo",
    "timeout",
    "xargs",
    "nice",
    "nohup",
    "setsid",
];

/// Programs whose first argument says what runs.
const INTERPRETERS: [&str; 7] = ["node", "python", "ruby", "perl", "bun", "deno", "java"];

/// How far up is looked; agents are a few steps away.
const FARTHEST: usize = 12;
/// Bytes of a name and of a path that the user is shown.
const LONGEST_NAME: usize = 256;
const LONGEST_PATH: usize = 4096;

/// One process.
#[derive(Debug)]
struct Process {
    pid: u32,
    exe: Option<PathBuf>,
    name: String,
    arguments: Vec<OsString>,
}

/// The program above the process `caller`; that process itself when there is no other.
pub(crate) fn above(caller: u32) -> Option<Agent> {
    let mut system = System::new().ok()?;
    let mut line = Vec::new();
    let mut next = Some(Pid::from_u32(caller));
    while let (Some(pid), true) = (next, line.len() < FARTHEST) {
        let what = ProcessRefreshKind::nothing().with_exe(UpdateKind::Always).with_cmd(UpdateKind::Always);
        system.refresh_processes_specifics(ProcessesToUpdate::Some(&[pid]), false, what);
        let Some(process) = system.process(pid) else { break };
        line.push(Process {
            pid: pid.as_u32(),
            exe: process.exe().map(Path::to_owned),
            name: process.name().to_string_lossy().into_owned(),
            arguments: process.cmd().to_vec(),
        });
        next = process.parent();
    }
    nearest(&line)
}

/// The first of a line of processes, the caller first, that is no shell.
fn nearest(line: &[Process]) -> Option<Agent> {
    line.iter().find(|process| process.pid > 1 && !is_shell(process)).or(line.first()).and_then(agent)
}

fn is_shell(process: &Process) -> bool {
    // A login shell's name begins with a dash.
    SHELLS.contains(&stem(Path::new(process.name.trim_start_matches('-'))).as_str())
}

fn agent(process: &Process) -> Option<Agent> {
    let file = script(process).or_else(|| process.exe.clone());
    let program =
        file.as_deref().map(|file| file.file_name().unwrap_or_default().to_string_lossy().into_owned());
    let program = clipped(&program.unwrap_or_else(|| process.name.clone()), LONGEST_NAME);
    let path = file.map(|file| file.to_string_lossy().into_owned()).filter(|path| path.len() <= LONGEST_PATH);
    (!program.is_empty()).then_some(Agent {
        program,
        pid: process.pid,
        path: path.filter(|path| !path.is_empty()),
    })
}

/// What an interpreter runs.
fn script(process: &Process) -> Option<PathBuf> {
    let interpreter = stem(process.exe.as_deref().unwrap_or(Path::new(&process.name)));
    let is_interpreter = INTERPRETERS.iter().any(|name| {
        interpreter
            .strip_prefix(name)
            .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'))
    });
    if !is_interpreter {
        return None;
    }
    let script =
        process.arguments.iter().skip(1).find(|argument| !argument.to_string_lossy().starts_with('-'))?;
    // `python -c '…'` and the like have no file.
    let script = PathBuf::from(script);
    (script.is_file() || script.is_absolute()).then_some(script)
}

/// The file name without `.exe`.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.strip_suffix(".exe").map_or(name.clone(), str::to_owned)
}

fn clipped(text: &str, most: usize) -> String {
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(pid: u32, exe: &str, arguments: &[&str]) -> Process {
        let name = Path::new(exe).file_name().unwrap().to_string_lossy().into_owned();
        Process {
            pid,
            exe: Some(exe.into()),
            name,
            arguments: arguments.iter().map(OsString::from).collect(),
        }
    }

    fn check(line: &[Process], program: &str, pid: u32) {
        let agent = nearest(line).unwrap();
        assert_eq!((agent.program.as_str(), agent.pid), (program, pid));
    }

    #[test]
    fn shells_and_what_only_starts_others_are_passed_over() {
        let bsk = || process(9, "/usr/bin/bsk", &["bsk", "status"]);
        check(&[bsk(), process(8, "/bin/bash", &["bash"]), process(7, "/opt/agent", &["agent"])], "agent", 7);
        check(
            &[bsk(), process(8, "/usr/bin/timeout", &[]), process(7, "C:\\x/Agent.exe", &[])],
            "Agent.exe",
            7,
        );
        check(&[bsk(), process(1, "/sbin/init", &[])], "bsk", 9);
    }

    #[test]
    fn an_interpreter_is_named_by_its_script() {
        let node = process(7, "/usr/bin/node", &["node", "--no-warnings", "/opt/bin/agent-cli"]);
        let agent = nearest(&[node]).unwrap();
        assert_eq!(
            (agent.program.as_str(), agent.path.as_deref()),
            ("agent-cli", Some("/opt/bin/agent-cli"))
        );
        check(&[process(7, "/usr/bin/python3.12", &["python3", "-c", "print(1)"])], "python3.12", 7);
    }

    #[test]
    fn this_process_is_found_above_itself() {
        let agent = above(std::process::id()).unwrap();
        assert!(agent.pid > 1 && !agent.program.is_empty(), "{agent:?}");
    }

    #[test]
    fn names_are_cut_between_characters() {
        assert_eq!(clipped("aé", 2), "a");
        assert_eq!(clipped("aé", 3), "aé");
    }
}
