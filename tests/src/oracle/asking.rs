//! Opens a page of the corpus in a browser and asks both sides about its elements.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::corpus::CorpusPage;
use crate::{Attached, Browser, Response, until, workspace};

const LOAD_LIMIT: Duration = Duration::from_secs(15);

/// What one side says of an element.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) role: String,
    pub(super) name: String,
    pub(super) description: String,
}

/// An element of a page and what both sides say of it.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) rule: String,
    pub(super) start_tag: String,
    /// What the standard's own test expects as its name.
    pub(super) expected_label: Option<String>,
    pub(super) ours: Said,
    /// Whether it is displayed and not made invisible.
    pub(super) is_shown: bool,
    /// None when Chromium ignores the element.
    pub(super) chromium: Option<Said>,
}

/// A page that is open and whose elements have their numbers.
pub(super) struct OpenPage<'a> {
    tab: &'a Attached<'a>,
    world: u64,
}

impl<'a> OpenPage<'a> {
    /// Goes to the page and puts the page library into it.
    pub(super) fn open(browser: &Browser, tab: &'a Attached<'a>, page: &CorpusPage) -> Self {
        let html = page.html.clone();
        let url = browser.pages().answering(move |_| Response::html(&html));
        call(tab, "Page.navigate", &json!({ "url": url }));
        until(&format!("{} is loaded", page.name), LOAD_LIMIT, || {
            let asked = json!({ "expression": "document.readyState + location.href", "returnByValue": true });
            // A question asked while the page's process changes may never be answered.
            let state = tab.call_within(Duration::from_secs(1), "Runtime.evaluate", &asked).ok()?;
            (state["result"]["value"] == format!("complete{url}")).then_some(())
        });
        let tree = call(tab, "Page.getFrameTree", &json!({}));
        let params = json!({ "frameId": tree["frameTree"]["frame"]["id"], "worldName": "oracle" });
        let world = call(tab, "Page.createIsolatedWorld", &params)["executionContextId"].as_u64();
        let open = Self { tab, world: world.expect("a world has a number") };
        open.evaluate(&format!(
            "globalThis.oracle = {}; oracle.markAll()",
            workspace::page_library(include_str!("asking.js"))
        ));
        open
    }

    fn evaluate(&self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "returnByValue": true, "contextId": self.world });
        let answer = call(self.tab, "Runtime.evaluate", &params);
        let thrown = &answer["exceptionDetails"];
        assert!(thrown.is_null(), "the page library threw: {thrown}");
        answer["result"]["value"].clone()
    }

    /// What both sides say of every element.
    pub(super) fn elements(&self) -> Vec<Element> {
        let chromium = self.chromium();
        let ours = self.evaluate("oracle.askAll()");
        let rows = ours.as_array().into_iter().flatten().enumerate();
        rows.map(|(number, row)| {
            let text = |index: usize| row[index].as_str().unwrap_or_default().to_owned();
            Element {
                ours: Said { role: text(0), name: text(1), description: text(2) },
                rule: text(3),
                start_tag: text(4),
                expected_label: row[5].as_str().map(str::to_owned),
                is_shown: row[6] == true,
                chromium: chromium.get(&number).cloned(),
            }
        })
        .collect()
    }

    /// Which of these selectors each of these elements matches, as indexes.
    pub(super) fn matching(&self, numbers: &[usize], selectors: &[&str]) -> Vec<Vec<usize>> {
        if numbers.is_empty() {
            return Vec::new();
        }
        let rows =
            self.evaluate(&format!("oracle.matchingSelectors({}, {})", json!(numbers), json!(selectors)));
        let index = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
        let row = |row: &Value| row.as_array().into_iter().flatten().filter_map(index).collect();
        rows.as_array().into_iter().flatten().map(row).collect()
    }

    /// What Chromium's accessibility tree says, by the elements' numbers.
    fn chromium(&self) -> HashMap<usize, Said> {
        let numbers = self.numbers_by_backend_node();
        call(self.tab, "Accessibility.enable", &json!({}));
        let tree = call(self.tab, "Accessibility.getFullAXTree", &json!({}));
        call(self.tab, "Accessibility.disable", &json!({}));
        let nodes = tree["nodes"].as_array().into_iter().flatten().filter(|node| node["ignored"] != true);
        let said = |node: &Value| {
            let number = numbers.get(&node["backendDOMNodeId"].as_u64()?)?;
            let text = |key: &str| node[key]["value"].as_str().unwrap_or_default().to_owned();
            Some((*number, Said { role: text("role"), name: text("name"), description: text("description") }))
        };
        nodes.filter_map(said).collect()
    }

    /// The numbers given to the elements by what DevTools calls them.
    fn numbers_by_backend_node(&self) -> HashMap<u64, usize> {
        let snapshot = call(self.tab, "DOMSnapshot.captureSnapshot", &json!({ "computedStyles": [] }));
        let strings = &snapshot["strings"];
        let text =
            |index: &Value| index.as_u64().and_then(|index| strings[usize::try_from(index).ok()?].as_str());
        let nodes = &snapshot["documents"][0]["nodes"];
        let attributes = nodes["attributes"].as_array().into_iter().flatten();
        let ids = nodes["backendNodeId"].as_array().into_iter().flatten();
        let number = |(attributes, id): (&Value, &Value)| {
            let pairs = attributes.as_array()?;
            let pair = pairs.chunks(2).find(|pair| text(&pair[0]) == Some("data-oracle"))?;
            Some((id.as_u64()?, text(pair.get(1)?)?.parse().ok()?))
        };
        attributes.zip(ids).filter_map(number).collect()
    }
}

/// A call that has no reason to fail.
pub(super) fn call(tab: &Attached<'_>, method: &str, params: &Value) -> Value {
    tab.call(method, params).unwrap_or_else(|error| panic!("`{method}`: {error}"))
}
