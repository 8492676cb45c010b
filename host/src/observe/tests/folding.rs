//! What is folded together, what is dropped, what tells twins apart, and the lines around it all.

use bsk_protocol::local::ObserveArgs;
use serde_json::json;

use super::super::View;
use super::{check, check_snapshot, default, nested, show, tree};

const USERS: &str = "
table Users
  caption
    text Users
  rowgroup
    row
      columnheader
        text Name
      columnheader
        text Role
      columnheader
        text Actions
  rowgroup
    row
      cell
        text Ann
      cell
        text Admin
      cell
        @4 button Edit
    row
      cell
        text Bob
      cell
        text Guest
      cell
        @5 button Edit
    row
      cell
        text Cy
      cell
      cell
";

#[test]
fn a_line_is_ref_role_name_value_states_context_and_description() {
    check(
        "
@1 searchbox Search {focused; value=tea; description=Press Enter}
main
  heading Teas {level=2}
  @4 button Add to cart {pressed; disabled}
  text In stock
  @5 link Home {link=/home}
  @6 textbox Mail {required; invalid \"Enter a mail address\"}
  image Map {200x100}",
        &default(),
        "\
@e1 searchbox \"Search\" value \"tea\" [focused] — Press Enter
main
 heading \"Teas\" [level=2]
 @e4 button \"Add to cart\" [pressed] [disabled]
 text: In stock
 @e5 link \"Home\"
 @e6 textbox \"Mail\" [required] [invalid \"Enter a mail address\"]
 image \"Map\" [200x100]
",
    );
}

#[test]
fn links_show_their_targets_when_asked() {
    check(
        "@5 link Home {link=/home page}",
        &ObserveArgs { links: true, ..default() },
        "@e5 link \"Home\" -> /home%20page\n",
    );
}

#[test]
fn a_table_is_one_line_a_row_and_its_buttons_say_which_row() {
    check(
        USERS,
        &default(),
        "\
table \"Users\"
 row: Name | Role | Actions
 row: Ann | Admin
  @e4 button \"Edit\" in \"Ann\"
 row: Bob | Guest
  @e5 button \"Edit\" in \"Bob\"
 row: Cy
",
    );
}

#[test]
fn interactive_is_a_flat_list_with_contexts() {
    check(
        USERS,
        &ObserveArgs { interactive: true, ..default() },
        "@e4 button \"Edit\" in \"Ann\"\n@e5 button \"Edit\" in \"Bob\"\n",
    );
}

#[test]
fn rows_whose_cells_can_be_acted_on_keep_a_line_for_each_cell() {
    check(
        "
grid Mail
  @1 row
    gridcell
      text Ann
    gridcell
      text Hello
  row
    @2 gridcell Bob
    gridcell
      text Hi",
        &default(),
        "\
grid \"Mail\"
 @e1 row: Ann | Hello
 row
  @e2 gridcell \"Bob\"
  gridcell: Hi
",
    );
}

#[test]
fn a_table_in_a_cell_hangs_below_its_row() {
    check(
        "
table
  row {selected}
    rowheader
      text Total
    cell
      text 5
      table Parts
        row
          cell
            text a|b
          cell Named
    cell
      image Chart
  row
    cell
    cell
      text second",
        &default(),
        "\
table
 row [selected]: Total | 5
  table \"Parts\"
   row: a\\|b | Named
  image \"Chart\"
 row:  | second
",
    );
}

#[test]
fn list_items_are_merged_with_their_text_or_stand_for_their_control() {
    check(
        "
list
  listitem
    text Plain item text
  listitem
    @1 link Home
  listitem
    text Two
    @2 link things
  listitem {current}
    text Here
term
  text T
definition
  text D
status
  text Saved",
        &default(),
        "\
list
 listitem: Plain item text
 @e1 link \"Home\"
 listitem
  text: Two
  @e2 link \"things\"
 listitem [current]: Here
term: T
definition: D
status: Saved
",
    );
}

#[test]
fn a_text_that_repeats_its_name_is_dropped() {
    check(
        "
@1 button Go
  text Go
heading Teas
  text Teas
@2 button Buy
  text Buy now",
        &default(),
        "@e1 button \"Go\"\nheading \"Teas\"\n@e2 button \"Buy\"\n text: Buy now\n",
    );
}

#[test]
fn options_stand_in_their_select() {
    check(
        "
@1 combobox Country {value=France; collapsed}
  @2 option France {selected; place=4}
  @3 option Spain {place=4}",
        &default(),
        "\
@e1 combobox \"Country\" value \"France\" [collapsed]
 options: France [selected] | Spain
",
    );
    let outline = "@1 combobox C {value=a}\n  @2 option a|b\n  group G\n    @3 option c {disabled}";
    check(outline, &default(), "@e1 combobox \"C\" value \"a\"\n options: a\\|b | c [disabled]\n");
    check(
        outline,
        &ObserveArgs { full_text: true, ..default() },
        "@e1 combobox \"C\" value \"a\"\n @e2 option \"a|b\"\n group \"G\"\n  @e3 option \"c\" [disabled]\n",
    );
    let options = (0..200).fold(String::new(), |all, number| all + &format!("\n  option Choice {number}"));
    let (shown, _) = show(&tree(&format!("@1 combobox C{options}")), View::observe(&default()), None, 0);
    let line = shown.text.lines().last().unwrap();
    let told = line.matches("Choice ").count();
    assert!(line.ends_with(&format!(" | … {} more", 200 - told)) && line.len() < 1000, "{line}");
}

#[test]
fn twins_are_told_apart_by_the_nearest_thing_that_differs() {
    let outline = "
region Staff
  list
    listitem
      heading Ann
      @1 button Edit
    listitem
      heading Bob
      @2 button Edit
region Guests
  list
    listitem
      heading Ann
      @3 button Edit
article
  text A long story of how the tea came to the harbour
  @4 link Read more
article
  text Another story
  @5 link Read more
@6 button Close
@7 button Close
dialog Settings
  @8 button Close";
    // Where lines stand alone each says what it is in; in the tree the lines around it do.
    check(
        outline,
        &ObserveArgs { interactive: true, ..default() },
        "\
@e1 button \"Edit\" in \"Ann\"
@e2 button \"Edit\" in \"Bob\"
@e3 button \"Edit\" in \"Guests\"
@e4 link \"Read more\" in \"A long story of how the tea…\"
@e5 link \"Read more\" in \"Another story\"
@e6 button \"Close\"
@e7 button \"Close\"
@e8 button \"Close\" in \"Settings\"
",
    );
    check(
        outline,
        &default(),
        "\
region \"Staff\"
 listitem
  heading \"Ann\"
  @e1 button \"Edit\"
 listitem
  heading \"Bob\"
  @e2 button \"Edit\"
region \"Guests\"
 listitem
  heading \"Ann\"
  @e3 button \"Edit\"
article
 text: A long story of how the tea came to the harbour
 @e4 link \"Read more\"
article
 text: Another story
 @e5 link \"Read more\"
@e6 button \"Close\"
@e7 button \"Close\"
dialog \"Settings\"
 @e8 button \"Close\"
",
    );
}

#[test]
fn dividers_stand_where_another_place_begins() {
    let outline = "
main
  heading Top {place=1}
  text Here
  @1 combobox C {place=2}
    option A {place=4}
  @2 link Imprint {place=2}
  @3 button Next {place=3}
text End";
    check(
        outline,
        &default(),
        "\
main
 --- above the view
 heading \"Top\"
 --- in view
 text: Here
 --- below the view
 @e1 combobox \"C\"
  options: A
 @e2 link \"Imprint\"
 --- beside the view
 @e3 button \"Next\"
--- in view
text: End
",
    );
    check(outline, &ObserveArgs { viewport: true, ..default() }, "main\n text: Here\ntext: End\n");
}

#[test]
fn a_row_that_is_wider_than_the_view_has_no_divider_in_it() {
    check(
        "
table
  row
    cell
      text Ann
    cell
      @1 button Edit {place=3}
  row {place=2}
    cell
      text Bob
    cell
      @2 button Drop {place=3}
@3 button Aside {place=3}",
        &default(),
        "\
table
 row: Ann
  @e1 button \"Edit\"
 --- below the view
 row: Bob
  @e2 button \"Drop\"
--- beside the view
@e3 button \"Aside\"
",
    );
}

#[test]
fn long_text_is_shortened_unless_everything_is_wanted() {
    let long = "word ".repeat(60);
    let outline = format!("text {}\n@1 button {}", long.trim_end(), "x".repeat(250));
    check(
        &outline,
        &default(),
        &format!(
            "text: {}… (+180)\n@e1 button \"{}… (+10)\"\n",
            "word ".repeat(24).trim_end(),
            "x".repeat(240)
        ),
    );
    check(
        &outline,
        &ObserveArgs { full_text: true, ..default() },
        &format!("text: {}\n@e1 button \"{}\"\n", long.trim_end(), "x".repeat(250)),
    );
}

#[test]
fn deeper_lines_than_asked_for_are_counted() {
    check(
        "main\n  list\n    listitem\n      text a\n      text b",
        &ObserveArgs { max_depth: Some(1), ..default() },
        "main\n listitem\n… 2 deeper lines left out: --max-depth shows more\n",
    );
}

#[test]
fn invisible_text_keeps_its_mark() {
    check("listitem\n  text psst {invisible}\n", &default(), "listitem\n text [invisible]: psst\n");
}

#[test]
fn a_snapshot_is_strict_and_in_the_style_of_aria_snapshots() {
    check_snapshot(
        "
heading Teas {level=2}
  text Teas
list
  listitem
    text One
  listitem
    @1 link Home {link=/home}
      text Home
    text after
@3 button Go {disabled}
@4 textbox Name {value=Ada}
@5 combobox Country {value=France}
  option France {selected; place=2}
@6 link Help {link=/help; description=Opens a window}
  text Help me
table
  rowgroup
    row
      cell
        text Ann
paragraph
  text a \"quoted\" text
iframe Ad
  text inside",
        "\
- heading \"Teas\" [level=2]
- list:
  - listitem: One
  - listitem:
    - @e1 link \"Home\":
      - /url: /home
    - text: after
- @e3 button \"Go\" [disabled]
- @e4 textbox \"Name\": Ada
- @e5 combobox \"Country\":
  - /value: France
  - option \"France\" [selected]
- @e6 link \"Help\":
  - /url: /help
  - /description: Opens a window
  - text: Help me
- table:
  - rowgroup:
    - row:
      - cell: Ann
- paragraph: a \"quoted\" text
- iframe \"Ad\":
  - text: inside
",
    );
}

#[test]
fn programs_get_the_same_lines_as_nested_nodes() {
    let seen = tree(
        "
table Users {box=0,0,100,50}
  row {box=0,0,100,20}
    rowheader
      text Ann
    cell
      @4 button Edit {pressed; box=1.6,2,30,10; description=Opens}
  row
    cell
      text Bob
    cell
      @5 button Edit {place=2}
listitem
  text One
@6 link Home {link=/}",
    );
    let expected = json!([
        { "role": "table", "name": "Users", "box": [0, 0, 100, 50], "children": [
            { "role": "row", "box": [0, 0, 100, 20], "children": [
                { "role": "rowheader", "name": "Ann" },
                { "role": "cell", "name": "" },
                { "role": "button", "name": "Edit", "ref": "@e4", "states": ["pressed"], "description": "Opens",
                  "context": "Ann", "box": [2, 2, 30, 10] },
            ]},
            { "role": "row", "box": [0, 0, 0, 0], "children": [
                { "role": "cell", "name": "Bob" },
                { "role": "cell", "name": "" },
                { "role": "button", "name": "Edit", "ref": "@e5", "context": "Bob", "place": "below",
                  "box": [0, 0, 0, 0] },
            ]},
        ]},
        { "role": "listitem", "box": [0, 0, 0, 0], "children": [{ "role": "text", "name": "One" }] },
        { "role": "link", "name": "Home", "ref": "@e6", "box": [0, 0, 0, 0] },
    ]);
    assert_eq!(nested(&seen, &default()), expected);
    assert_eq!(nested(&tree(""), &default()), json!([]));
}
