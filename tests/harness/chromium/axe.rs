//! Accessibility rules: axe-core in an isolated world, since the page's CSP forbids foreign scripts.

use super::Tab;
use serde_json::{Value, json};
use std::{fs, path::Path, sync::LazyLock};

static SOURCE: LazyLock<String> = LazyLock::new(|| {
    let place = "browser/node_modules/axe-core/axe.min.js";
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(place);
    fs::read_to_string(file).expect("tests/browser/node_modules; run tests/install")
});

/// WCAG 2.0 to 2.2, A and AA, and axe's best practices.
const EVERY_RULE: &str =
    "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']";
/// Rules that depend on the color scheme.
const COLOR_RULES: &str = "{ type: 'rule', values: ['color-contrast', 'link-in-text-block'] }";

const RUN: &str = r"axe.run(WHERE, {
  runOnly: RULES,
  resultTypes: ['violations'],
}).then(({ violations }) => violations.flatMap((rule) => rule.nodes.slice(0, 5).map((node) =>
  `${rule.id} (${rule.impact}): ${node.target.join(' ')}: ${[...node.any, ...node.all, ...node.none].map((it) => it.message).join('; ')} ${node.html.slice(0, 160)}`)))";

fn include_selector(selector: &str) -> String {
    json!({ "include": [selector] }).to_string()
}

impl Tab {
    /// Violations on the current page.
    pub async fn axe(&self) -> Vec<String> {
        self.violations("document", EVERY_RULE).await
    }

    /// Violations within the selector.
    pub async fn axe_in(&self, part: &str) -> Vec<String> {
        self.violations(&include_selector(part), EVERY_RULE).await
    }

    /// Color violations within the selector.
    pub async fn axe_colors_in(&self, part: &str) -> Vec<String> {
        self.violations(&include_selector(part), COLOR_RULES).await
    }

    /// Color violations on the current page.
    pub async fn axe_colors(&self) -> Vec<String> {
        self.violations("document", COLOR_RULES).await
    }

    async fn violations(&self, place: &str, rules: &str) -> Vec<String> {
        let frames = self.command("Page.getFrameTree", json!({})).await;
        let world = json!({ "frameId": frames["frameTree"]["frame"]["id"], "worldName": "axe" });
        let world = self.command("Page.createIsolatedWorld", world).await;
        let world = &world["executionContextId"];
        let evaluate = async |expression: &str| {
            let params = json!({ "expression": expression, "contextId": world, "awaitPromise": true, "returnByValue": true });
            self.command("Runtime.evaluate", params).await
        };
        let known = evaluate("typeof axe === 'object'").await;
        if known["result"]["value"] != true {
            let loaded = evaluate(&format!("{};0", *SOURCE)).await;
            assert!(loaded["exceptionDetails"].is_null(), "{loaded}");
        }
        let response = evaluate(&RUN.replace("WHERE", place).replace("RULES", rules)).await;
        let broken = response["result"]["value"].as_array();
        let broken = broken.unwrap_or_else(|| panic!("axe did not run: {response}"));
        let words = broken.iter().filter_map(Value::as_str);
        words.map(str::to_owned).collect()
    }
}
