//! How often acting commands go to the browser and back: few times, and as often on a large page as on a small one.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use bsk_tests::{Browser, Options, Traffic, WITH_LOG};

fn page(rows: usize) -> String {
    format!(
        "<button id=b>Go</button><input id=i><select id=s><option>a<option>b</select><main id=m></main><script>let n=0;b.onclick=()=>{{b.value=n++}};\
         m.innerHTML=Array.from({{length:{rows}}},(_,i)=>'<div><span>row '+i+'</span><a href=#x>link '+i+'</a></div>').join('')</script>"
    )
}

/// A command, and the round trips that it may take.
const BOUNDS: [(&[&str], usize); 7] = [
    (&["click", "#b"], 2),
    (&["hover", "#b"], 3),
    (&["fill", "#i", "--value", "text"], 2),
    (&["press", "a", "--selector", "#i"], 2),
    (&["select", "#s", "--label", "b"], 2),
    (&["wait-for", "--selector", "#b"], 2),
    (&["evaluate", "1"], 2),
];

#[test]
fn acting_takes_few_round_trips_however_large_the_page_is() {
    let variables = vec![(WITH_LOG.0.to_owned(), WITH_LOG.1.to_owned())];
    let browser = Browser::launch(&Options { variables, ..Options::default() });
    let session = browser.session();
    let mut small = Vec::new();
    for rows in [10, 4000] {
        session.open(&page(rows));
        for (index, (args, most)) in BOUNDS.iter().enumerate() {
            // The first puts the library into the page.
            session.ok(args);
            // One that settles the input before it is done once more, so that all begin from rest.
            session.ok(&["wait-for", "--selector", "#b"]);
            let traffic = Traffic::of(&browser, || {
                session.ok(args);
            });
            println!("{args:?} with {rows} rows: {traffic:?}");
            assert!(traffic.round_trips <= *most, "{args:?} with {rows} rows: {traffic:?}");
            if rows == 10 {
                small.push(traffic);
            } else {
                assert_eq!(traffic, small[index], "{args:?} costs more on a larger page");
            }
        }
    }
}
