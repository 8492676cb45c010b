//! The small pages with exact answers, 1 to 29: each in front, behind another tab, behind another window and minimised, and where
//! geometry matters at 125 % zoom as well. One function a scenario, with its page and its oracle; one test a place, in one session;
//! the places themselves are `bsk_tests::Place`. All share one browser.
//!
//! `BSK_TEST_HEADED=1 xvfb-run -a cargo test -p bsk-tests --test scenarios` shows its windows; `BSK_SCENARIO=18` plays only that one.

#![allow(clippy::unwrap_used, reason = "a check that fails inside a test fails the test")]

mod going;
mod pointing;
mod text;

use bsk_tests::{PLAIN, Page, Place, Scenario, Shared, ZOOMED, play};

static BROWSER: Shared = Shared::new();

/// Number, zooms, function. Scenario 22, delivery in the background, is what all of them do in three of the four places.
const SCENARIOS: &[Scenario] = &[
    (1, ZOOMED, text::filling_an_editor_replaces_all_of_it),
    (2, PLAIN, text::two_lines_in_an_editor_have_one_newline_between_them),
    (3, PLAIN, text::a_child_of_an_editor_is_refused_before_any_change),
    (4, PLAIN, text::a_framework_that_tracks_the_value_sees_the_change),
    (5, PLAIN, text::a_masking_field_keeps_its_mask_and_the_reply_says_what_it_holds),
    (6, PLAIN, text::the_date_family_takes_its_values_with_both_events_and_refuses_another_form),
    (7, PLAIN, text::unicode_arrives_as_it_was_given),
    (8, PLAIN, text::two_hundred_thousand_characters_arrive_whole_and_soon),
    (9, ZOOMED, text::enter_submits_a_form_and_adds_a_line_in_a_text_area),
    (10, PLAIN, text::select_all_and_a_letter_replace_the_text),
    (11, PLAIN, text::enter_in_a_chat_editor_sends_what_was_filled),
    (12, ZOOMED, text::an_option_is_chosen_by_label_or_by_value_with_one_change),
    (13, ZOOMED, pointing::a_button_below_a_sticky_header_is_clicked_and_not_the_header),
    (14, PLAIN, pointing::what_covers_a_button_is_named_and_nothing_is_clicked),
    (15, PLAIN, pointing::disabled_buttons_are_said_to_be_and_refused_unless_forced),
    (16, ZOOMED, pointing::a_moving_button_is_hit),
    (17, ZOOMED, pointing::a_button_in_a_closed_shadow_root_is_listed_and_clicked),
    (18, ZOOMED, pointing::a_button_in_nested_scaled_frames_of_other_sites_is_clicked),
    (19, ZOOMED, pointing::a_point_of_a_canvas_is_clicked_at_a_pixel_ratio_of_two_as_well),
    (20, ZOOMED, pointing::what_is_dragged_brings_the_page_s_own_data),
    (21, ZOOMED, pointing::hovering_opens_a_menu_whose_item_can_be_clicked),
    (23, ZOOMED, pointing::buttons_of_one_name_carry_their_rows_and_none_is_chosen),
    (19, PLAIN, pointing::what_is_clicked_in_a_page_zoomed_while_its_ref_was_held_is_still_hit),
    (24, PLAIN, going::an_alert_ends_its_click_at_once_and_the_click_runs_once),
    (25, PLAIN, going::a_prompt_takes_a_text_its_default_or_nothing),
    (26, PLAIN, going::a_page_that_asks_to_stay_is_asked_back),
    (27, PLAIN, going::the_popup_belongs_to_the_session),
    (28, PLAIN, going::a_route_of_a_single_page_application_is_waited_for_by_its_text),
    (29, PLAIN, going::a_status_a_network_error_and_no_address_are_told_apart),
];

/// What the oracle sees in the page.
#[track_caller]
fn check(page: &Page<'_>, expression: &str, expected: &str) {
    assert_eq!(page.evaluate(expression), expected, "{expression}");
}

#[test]
fn every_scenario_holds_in_front() {
    play(&BROWSER.browser(), Place::Front, SCENARIOS);
}

#[test]
fn every_scenario_holds_behind_another_tab() {
    play(&BROWSER.browser(), Place::BehindTab, SCENARIOS);
}

#[test]
fn every_scenario_holds_behind_another_window() {
    play(&BROWSER.browser(), Place::BehindWindow, SCENARIOS);
}

#[test]
fn every_scenario_holds_in_a_minimised_window() {
    play(&BROWSER.browser(), Place::Minimised, SCENARIOS);
}
