//! Frames in one tree, with their boxes and places told for the tab.

use bsk_protocol::local::ObserveArgs;
use serde_json::Value;

use super::super::View;
use super::super::assemble::{Child, Mapping};
use super::super::tree::{Place, Tree};
use super::{body, columns, default, nested, seen, show};

fn sized(outline: &str, width: u32, height: u32) -> Value {
    let mut page = columns(outline);
    page["viewport"] = serde_json::json!({ "width": width, "height": height });
    page
}

fn child(frame: u32, page: &Value, children: Vec<(u32, Child)>) -> Child {
    Child::Seen(Box::new(seen(frame, page, children)))
}

fn text(tree: &Tree) -> String {
    let (shown, _) = show(tree, View::observe(&default()), None, 0);
    body(&shown.text).to_owned()
}

/// A frame at half size, scrolled partly out of view, with another in it that has a border.
fn nested_frames() -> Tree {
    let inner =
        sized("@7 button Deep {box=30,40,100,20}\n@8 button Far {box=0,3000,100,20; place=2}", 300, 150);
    let middle = sized("text x {box=0,0,10,50}\n@2 iframe {content=25,55,300,150}", 600, 400);
    let outer = columns("main\n  @4 iframe Shop {content=0,500,300,200}\ntext end");
    let inner = child(2, &inner, vec![]);
    let middle = child(1, &middle, vec![(2, inner)]);
    Tree::assemble(seen(0, &outer, vec![(4, middle)]), Mapping::IDENTITY, true)
}

#[test]
fn frames_stand_below_their_elements_at_any_depth() {
    assert_eq!(
        text(&nested_frames()),
        "\
main
 @e4 iframe \"Shop\"
  text: x
  @f1e2 iframe
   @f2e7 button \"Deep\"
   --- below the view
   @f2e8 button \"Far\"
--- in view
text: end
"
    );
}

#[test]
fn boxes_are_the_tab_s_whatever_scales_and_moves_the_frame() {
    let tree = nested(&nested_frames(), &default());
    // Half size: 500 + (55 + 40) / 2 down, (25 + 30) / 2 to the right.
    let inner = &tree[0]["children"][0]["children"][1]["children"][0];
    assert_eq!(inner["name"], "Deep");
    assert_eq!(inner["box"], serde_json::json!([28, 548, 50, 10]));
}

#[test]
fn what_is_in_a_frame_s_view_may_be_out_of_the_tab_s() {
    let inner = sized("@1 button Up {box=0,0,10,10}\n@2 button Down {box=0,300,10,10}", 400, 400);
    let place_at = |y: i32, digit: u8| {
        let outer = columns(&format!("@4 iframe {{content=0,{y},400,400; place={digit}}}"));
        let tree =
            Tree::assemble(seen(0, &outer, vec![(4, child(1, &inner, vec![]))]), Mapping::IDENTITY, false);
        (tree.nodes[1].place, tree.nodes[2].place)
    };
    assert_eq!(place_at(0, 0), (Place::InView, Place::InView));
    assert_eq!(place_at(400, 0), (Place::InView, Place::Below));
    assert_eq!(place_at(-200, 0), (Place::Above, Place::InView));
    assert_eq!(place_at(700, 2), (Place::Below, Place::Below));
}

#[test]
fn a_frame_that_cannot_be_looked_into_keeps_its_line_and_says_why() {
    let outer =
        columns("@1 iframe Ad {content=0,0,1,1}\n@2 iframe {content=0,0,1,1}\n@3 iframe {content=0,0,1,1}");
    let mut loading = sized("", 1, 1);
    loading["ready_state"] = "loading".into();
    let children = vec![
        (1, Child::Unseen { state: "not answering", is_partial: true }),
        (2, child(5, &loading, vec![])),
        (3, Child::Unseen { state: "of another extension", is_partial: false }),
    ];
    let tree = Tree::assemble(seen(0, &outer, children), Mapping::IDENTITY, false);
    assert!(tree.is_partial);
    assert_eq!(
        text(&tree),
        "@e1 iframe \"Ad\" [not answering]\n@e2 iframe [loading]\n@e3 iframe [of another extension]\n"
    );
}

#[test]
fn a_frame_whose_walk_was_cut_short_makes_the_whole_partial() {
    let outer = columns("@1 iframe {content=0,0,1,1}");
    let mut inner = sized("text a", 1, 1);
    inner["partial"] = true.into();
    let tree = Tree::assemble(seen(0, &outer, vec![(1, child(1, &inner, vec![]))]), Mapping::IDENTITY, false);
    assert!(tree.is_partial);
    let (shown, _) = show(&tree, View::observe(&default()), None, 0);
    assert_eq!(shown.text, "page \"A\" http://a.test/ 800x600 [partial]\n@e1 iframe\n text: a\n");
}

#[test]
fn twins_in_different_frames_are_twins() {
    let outer = columns("@1 iframe Left {content=0,0,1,1}\n@2 iframe Right {content=0,0,1,1}");
    let inner = || child(1, &sized("@9 button Go", 1, 1), vec![]);
    let tree = Tree::assemble(seen(0, &outer, vec![(1, inner()), (2, inner())]), Mapping::IDENTITY, false);
    let (shown, _) = show(&tree, View::observe(&ObserveArgs { interactive: true, ..default() }), None, 0);
    let text = shown.text;
    assert!(text.contains("@f1e9 button \"Go\" in \"Left\""), "{text}");
    assert!(text.contains("@f1e9 button \"Go\" in \"Right\""), "{text}");
}

#[test]
fn a_frame_without_a_size_does_not_disturb_the_rest() {
    let outer = columns("@1 iframe {content=0,0,0,0}");
    let inner = child(1, &sized("text a {box=1,1,1,1}", 0, 0), vec![]);
    let tree = Tree::assemble(seen(0, &outer, vec![(1, inner)]), Mapping::IDENTITY, true);
    assert_eq!(text(&tree), "@e1 iframe\n text: a\n");
    assert!(tree.boxes.iter().flatten().all(|number| number.is_finite()));
}
