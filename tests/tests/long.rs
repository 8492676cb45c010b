//! What takes too long for every day: the largest files that are passed on, whole and in little memory.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::time::Duration;

use bsk_tests::{Browser, Options, Response, Running, peak_resident_kib, until};

const SIZE: usize = 511 * 1024 * 1024;
const LIMIT: Duration = Duration::from_mins(5);

/// A byte of the files, by its place: no power of two is its period, so no buffer can be taken for another.
fn byte(place: usize) -> u8 {
    u8::try_from(place % 251).unwrap()
}

fn is_whole(path: &Path) -> bool {
    let mut file = BufReader::new(File::open(path).unwrap());
    let mut buffer = vec![0; 1024 * 1024];
    let mut place = 0;
    loop {
        let count = file.read(&mut buffer).unwrap();
        if count == 0 {
            return place == SIZE;
        }
        if buffer[..count].iter().enumerate().any(|(index, found)| *found != byte(place + index)) {
            return false;
        }
        place += count;
    }
}

/// Waits for a command and gives the most memory that it took.
fn watch(running: &Running) -> u64 {
    let mut kib = 0;
    until("the transfer to end", LIMIT, || match peak_resident_kib(running.pid()) {
        Some(now) => {
            kib = kib.max(now);
            None
        }
        None => Some(()),
    });
    kib
}

#[test]
fn five_hundred_and_eleven_megabytes_up_and_down() {
    let browser = Browser::launch(&Options::default());
    let session = browser.session();
    let host = browser.host_pid();
    let source = browser.scratch().file("large.bin");
    let mut file = File::create(&source).unwrap();
    let piece: Vec<u8> = (0..251 * 4096).map(byte).collect();
    let mut left = SIZE;
    while left > 0 {
        let count = left.min(piece.len());
        file.write_all(&piece[..count]).unwrap();
        left -= count;
    }
    let page = session.open_page(
        "<input id=f type=file><pre id=o></pre><script>f.onchange=async()=>{const r=f.files[0].stream().getReader();let n=0,bad=-1;\
         for(;;){const {done,value}=await r.read();if(done)break;for(let i=0;i<value.length;i++)if(value[i]!==(n+i)%251){bad=n+i;break}\
         n+=value.length}o.textContent=n+' '+bad}</script>",
    );
    let up = session.start_bsk(&["upload", "#f", "--file", source.to_str().unwrap()]);
    let cli_up = watch(&up);
    let _ = up.finish().success();
    until("the page to have read it", LIMIT, || {
        (page.evaluate("o.textContent") == format!("{SIZE} -1")).then_some(())
    });

    let body: Vec<u8> = (0..SIZE).map(byte).collect();
    let url = browser.pages().answering(move |_| Response {
        body: body.clone(),
        ..Response::attachment("filename=large.bin", "")
    });
    session.open(&format!("<a href='{url}'>D</a>"));
    let out = browser.scratch().file("got.bin");
    let down = session.start_bsk(&["download", "a", "--out", out.to_str().unwrap(), "--timeout", "5m"]);
    let cli_down = watch(&down);
    let reply = down.finish().success();
    assert_eq!(reply["byte_size"], SIZE, "{reply}");
    assert!(is_whole(&out));
    assert_eq!(fs::read_dir(browser.downloads()).unwrap().count(), 0);
    let host_kib = peak_resident_kib(host).unwrap();
    println!("host {host_kib} KiB, CLI up {cli_up} KiB, down {cli_down} KiB");
    for kib in [host_kib, cli_up, cli_down] {
        assert!(kib > 0 && kib < 40 * 1024, "{kib} KiB");
    }
}
