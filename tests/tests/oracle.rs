//! The page library beside Chromium's own accessibility tree, over the whole corpus; `cargo xtask oracle` prints more of it.

use bsk_tests::oracle::{What, compare_corpus, corpus, measure_economy};
use bsk_tests::{Browser, NativeHost, Options};

#[test]
fn roles_names_and_descriptions_are_chromium_s_or_differ_for_a_known_reason() {
    let options = Options { host: NativeHost::None, without_extension: true, ..Options::default() };
    let browser = Browser::launch(&options);
    let comparison = compare_corpus(&browser, &corpus());
    let unknown: Vec<String> = comparison.unknown().map(ToString::to_string).collect();
    assert!(unknown.is_empty(), "not in tests/corpus/known_differences.json:\n{}", unknown.join("\n"));
    let outdated = &comparison.outdated;
    assert!(outdated.is_empty(), "no longer so, but still in the list:\n{}", outdated.join("\n"));
    for what in [What::Role, What::Name, What::Description] {
        let agreement = comparison.total(what);
        assert!(agreement.all > 4000, "only {} elements were compared", agreement.all);
        assert!(
            agreement.percent() >= 99.0,
            "{what}: {:.2} % of {} agree",
            agreement.percent(),
            agreement.all
        );
    }
}

#[test]
fn an_observation_has_every_control_and_over_all_pages_at_most_half_the_tokens_of_a_snapshot_with_refs() {
    let browser = Browser::launch(&Options::default());
    let economy = measure_economy(&browser);
    for page in &economy.pages {
        assert!(page.controls > 30, "only {} controls on {}", page.controls, page.page);
        assert!(page.missing.is_empty(), "{}:\n{economy}", page.page);
    }
    let ratio = economy.total_ratio();
    assert!(ratio <= 0.5, "{ratio:.2} of an aria snapshot that can be acted on:\n{economy}");
}
