//! Passes native messaging frames on to the test that listens at `BSK_TEST_RELAY`, both ways and unread.
//!
//! The browser starts it in the place of bsk-host; it ends with either side. Without a listener it ends at once, as a
//! host that cannot start.

use std::env;
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;
use std::thread;

use bsk_tests::hostile_host::RELAY_VAR;

fn main() -> ExitCode {
    let Some(path) = env::var_os(RELAY_VAR) else { return ExitCode::FAILURE };
    let Ok(stream) = UnixStream::connect(path) else { return ExitCode::FAILURE };
    let Ok(mut to_test) = stream.try_clone() else { return ExitCode::FAILURE };
    thread::spawn(move || {
        let _ = io::copy(&mut io::stdin().lock(), &mut to_test);
        let _ = to_test.shutdown(Shutdown::Both);
    });
    let mut from_test = stream;
    let mut stdout = io::stdout().lock();
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(count @ 1..) = io::Read::read(&mut from_test, &mut buffer) {
        if stdout.write_all(&buffer[..count]).and_then(|()| stdout.flush()).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}
