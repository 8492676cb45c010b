//! Side by side: two profiles of one user, and two sessions in one profile, none of which waits for the other.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

use std::time::Duration;

use bsk_tests::{Browser, Options, Ran, Running, workspace};

#[test]
fn two_profiles_are_told_apart() {
    let one = Browser::launch(&Options::default());
    let two = one.launch_beside(&Options::default());
    assert_ne!(one.instance_id, two.instance_id);
    let listed = one.bsk_ok(&["browsers"]);
    let mut ids: Vec<_> =
        listed.as_array().unwrap().iter().map(|one| one["instance_id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    let mut expected = [one.instance_id.as_str(), two.instance_id.as_str()];
    expected.sort_unstable();
    assert_eq!(ids, expected);
    for browser in listed.as_array().unwrap() {
        for key in [
            "browser_name",
            "browser_version",
            "extension_version",
            "session_count",
            "connected_at_ms",
            "version_skew",
        ] {
            assert!(!browser[key].is_null(), "`{key}` is missing in {browser}");
        }
    }

    let ran = one.bsk(&["session", "start", "--json"]);
    assert_eq!(ran.exit_code(), Some(1), "{}", ran.report());
    let error = ran.failure();
    assert_eq!(error["code"], "multiple_browsers_online", "{error}");
    assert!(error.to_string().contains(&one.instance_id), "{error}");
    assert!(error.to_string().contains(&two.instance_id), "{error}");
    assert!(ran.elapsed < Duration::from_secs(2), "{}", ran.report());
    let human = one.bsk(&["session", "start"]);
    assert!(human.complaint().contains(&two.instance_id), "a person sees the list, too: {}", human.report());

    let error = one.bsk_err(&["session", "start", "--browser", "nonesuch"]);
    assert_eq!(
        (&error["exit_code"], &error["data"]["reason"]),
        (&1.into(), &"browser_not_found".into()),
        "{error}"
    );

    // Once a session is named, it says which browser is meant.
    let (first, second) = (one.session(), two.session());
    let first_page = first.open_page("<title>First</title>");
    let second_page = second.open_page("<title>Second</title>");
    assert_eq!(first.ok(&["evaluate", "document.title"])["value"], "First");
    assert_eq!(second.ok(&["evaluate", "document.title"])["value"], "Second");
    assert_eq!(
        (first_page.evaluate("document.title"), second_page.evaluate("document.title")),
        ("First".into(), "Second".into())
    );
    assert_eq!(one.bsk_ok(&["session", "list"]).as_array().unwrap().len(), 2);
    let stopped = one.bsk_ok(&["session", "stop", "--all"]);
    assert_eq!(stopped["stopped"].as_array().unwrap().len(), 2, "{stopped}");
}

#[test]
fn a_directory_has_its_browser_and_never_another_one() {
    let one = Browser::launch(&Options::default());
    let mut two = one.launch_beside(&Options::default());
    let here = one.scratch().file("project");
    let below = here.join("deep/down");
    std::fs::create_dir_all(&below).unwrap();
    let bsk = |directory: &std::path::Path, variable: &str, args: &[&str]| {
        let mut command = one.command(workspace::bsk());
        command.args(args).arg("--json").current_dir(directory).env("BSK_BROWSER", variable);
        Running::start(command).finish()
    };
    let opened_in = |ran: Ran| ran.success()["browser_instance_id"].as_str().unwrap().to_owned();
    let start = ["session", "start", "--no-focus"];
    let chosen = bsk(&here, "", &["browsers", "use", &two.instance_id[..8]]).success();
    assert_eq!(chosen["instance_id"], two.instance_id.as_str());
    assert_eq!(opened_in(bsk(&below, "", &start)), two.instance_id);
    assert_eq!(opened_in(bsk(&below, &one.instance_id, &start)), one.instance_id, "the variable comes first");
    let listed = bsk(&below, "", &["browsers"]).success();
    for browser in listed.as_array().unwrap() {
        assert_eq!(browser["is_default"], browser["instance_id"] == two.instance_id.as_str(), "{browser}");
        assert!(browser["profile"]["window_count"].as_u64().unwrap() >= 1, "{browser}");
    }
    let wrong = bsk(&below, "nonesuch", &start);
    assert_eq!(wrong.failure()["data"]["reason"], "browser_not_found", "{}", wrong.report());
    two.kill();
    let gone = bsk(&below, "", &start);
    assert_eq!(gone.failure()["data"]["reason"], "browser_not_found", "never another one: {}", gone.report());
    assert!(gone.failure()["message"].as_str().unwrap().contains("project"), "{}", gone.report());
    let _ = bsk(&here, "", &["browsers", "use", "--clear"]).success();
    assert_eq!(opened_in(bsk(&below, "", &start)), one.instance_id);
}

#[test]
fn two_sessions_work_at_the_same_time_without_meeting() {
    let browser = Browser::launch(&Options::default());
    let (one, two) = (browser.session(), browser.session());
    assert_ne!(one.id, two.id);
    assert_ne!(one.window_id, two.window_id);
    let pages = [one.open_page("<input id=i>"), two.open_page("<input id=i>")];
    std::thread::scope(|scope| {
        for session in [&one, &two] {
            scope.spawn(move || {
                for round in 0..10 {
                    let text = format!("{} {round}", session.id);
                    assert_eq!(session.ok(&["fill", "#i", "--value", &text])["value"], text.as_str());
                }
            });
        }
    });
    assert_eq!(pages[0].evaluate("i.value"), format!("{} 9", one.id));
    assert_eq!(pages[1].evaluate("i.value"), format!("{} 9", two.id));
    let others_tab = two.tab_id().to_string();
    assert_eq!(one.err(&["observe", "--tab-id", &others_tab])["data"]["reason"], "tab_not_owned");
}

#[test]
fn a_slow_command_delays_neither_another_session_nor_status_nor_stop() {
    let browser = Browser::launch(&Options::default());
    let (slow, quick) = (browser.session(), browser.session());
    let page = slow.open_page("<title>-</title>");
    quick.open("<title>-</title>");
    let running = slow.start_endless(&page);
    for args in [
        &["status"][..],
        &["browsers"],
        &["session", "list"],
        &["evaluate", "1+1", "--session", &quick.id],
        &["session", "stop", &quick.id],
    ] {
        let ran = browser.bsk(args);
        assert_eq!(ran.exit_code(), Some(0), "{}", ran.report());
        assert!(ran.elapsed < Duration::from_secs(1), "{}", ran.report());
    }
    running.kill();
}

#[test]
fn one_session_s_heavy_observation_is_overtaken_by_another_s_small_command() {
    let browser = Browser::launch(&Options::default());
    let (heavy, quick) = (browser.session(), browser.session());
    heavy.open(
        "<main id=m></main><script>m.innerHTML='<div><span>r</span><a href=#>x</a></div>'.repeat(33000)</script>",
    );
    quick.open("<title>-</title>");
    let observing = heavy.start_bsk(&["observe"]);
    let small = quick.bsk(&["evaluate", "1+1"]);
    let observed = observing.finish();
    assert_eq!(small.success()["value"], 2);
    assert_eq!(observed.success()["truncated"], true);
    assert!(small.ended < observed.ended, "{}\n{}", small.report(), observed.elapsed.as_millis());
}
