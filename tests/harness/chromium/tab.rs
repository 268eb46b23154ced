//! A tab and the actions of a person.

use super::{
    accessibility::{self, AxNode},
    browser::BROWSER,
    events::{BINDING, SentRequest, TabEvents, text},
    keys,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

/// Long, since two cores also build and run other tests.
pub const TIMEOUT: Duration = Duration::from_secs(30);

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Reports policy violations from an isolated world.
const POLICY_WATCHER: &str = "document.addEventListener('securitypolicyviolation', (it) => tellTheTest(`${it.effectiveDirective} ${it.blockedURI} ${it.sourceFile}:${it.lineNumber} ${it.sample}`));";

/// The center of an element, unless something covers it.
const CLICK_POINT: &str = r"function () {
  this.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
  const it = [...this.getClientRects()].find((rect) => rect.width > 0 && rect.height > 0);
  if (!it) return null;
  const [x, y] = [it.left + it.width / 2, it.top + it.height / 2];
  const top = document.elementFromPoint(x, y);
  if (!top || !(this.contains(top) || top.contains(this) || top.closest('label')?.contains(this))) return null;
  return { x, y };
}";

pub struct Tab {
    session: String,
    target: String,
    context: String,
    owns_context: bool,
    heard: Arc<TabEvents>,
    base: String,
}

impl Tab {
    /// An empty tab in a new context; paths are relative to the server (`http://host:port`).
    pub async fn open(base: impl Into<String>) -> Self {
        let made = BROWSER.call(None, "Target.createBrowserContext", json!({}));
        let context = id(&made.await.expect("a context"), "browserContextId");
        Self::open_in(context, true, base.into()).await
    }

    /// Another tab in the same context.
    pub async fn new_tab(&self) -> Self {
        Self::open_in(self.context.clone(), false, self.base.clone()).await
    }

    async fn open_in(context: String, owns_context: bool, base: String) -> Self {
        let target = json!({ "url": "about:blank", "browserContextId": context });
        let made = BROWSER.call(None, "Target.createTarget", target).await;
        let target = id(&made.expect("a tab"), "targetId");
        let attach = json!({ "targetId": target, "flatten": true });
        let made = BROWSER.call(None, "Target.attachToTarget", attach).await;
        let session = id(&made.expect("a session"), "sessionId");
        let heard = Arc::<TabEvents>::default();
        BROWSER.subscribe(&session, &heard);
        let tab = Self {
            session,
            target,
            context,
            owns_context,
            heard,
            base,
        };
        for domain in ["Page", "Runtime", "Log", "Network", "DOM"] {
            tab.command(&format!("{domain}.enable"), json!({})).await;
        }
        let frames =
            json!({ "autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true });
        tab.command("Target.setAutoAttach", frames).await;
        let binding = json!({ "name": BINDING, "executionContextName": "watch" });
        tab.command("Runtime.addBinding", binding).await;
        let watcher = json!({ "source": POLICY_WATCHER, "worldName": "watch" });
        tab.command("Page.addScriptToEvaluateOnNewDocument", watcher)
            .await;
        // Every tab behaves as if it had the focus.
        tab.command(
            "Emulation.setFocusEmulationEnabled",
            json!({ "enabled": true }),
        )
        .await;
        tab.set_viewport(1440, 900, 1.0).await;
        tab.set_dark(false).await;
        tab
    }

    async fn try_command(&self, method: &str, params: Value) -> Result<Value, String> {
        BROWSER.call(Some(&self.session), method, params).await
    }

    /// Sends a command; panics if the browser refuses it.
    pub async fn command(&self, method: &str, params: Value) -> Value {
        let answer = self.try_command(method, params).await;
        answer.unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn events(&self) -> &TabEvents {
        &self.heard
    }

    pub fn base(&self) -> &str {
        &self.base
    }

    // --- navigation

    /// Navigates to a path or URL, and waits until the page is idle.
    pub async fn go(&self, path: &str) {
        self.wait_for(&format!("{path} is opened"), || async {
            match self.try_navigate(path).await.as_deref() {
                None => Some(()),
                // The page was about to navigate itself.
                Some("net::ERR_ABORTED") => None,
                Some(error) => panic!("{path}: {error}"),
            }
        })
        .await;
        self.wait_until_idle().await;
    }

    /// Navigates; returns the error, if any.
    pub async fn try_navigate(&self, path: &str) -> Option<String> {
        let url = if path.starts_with('/') {
            format!("{}{path}", self.base)
        } else {
            path.to_owned()
        };
        let answer = self.command("Page.navigate", json!({ "url": url })).await;
        answer["errorText"].as_str().map(str::to_owned)
    }

    pub async fn reload(&self) {
        self.eval("window.isOld = true").await;
        self.command("Page.reload", json!({})).await;
        self.wait_until("the page comes again", "!window.isOld")
            .await;
        self.wait_until_idle().await;
    }

    /// Waits until the page is loaded and has no pending requests.
    pub async fn wait_until_idle(&self) {
        self.wait_until("the page is there", "document.readyState === 'complete'")
            .await;
        self.wait_for("nothing is under way", || async {
            self.heard.is_quiet().then_some(())
        })
        .await;
    }

    /// Waits until the URL has this path (and query, if given) and the page is idle.
    pub async fn wait_for_path(&self, path: &str) {
        let path = json!(path);
        let condition = format!(
            "(({path}).includes('?') ? location.pathname + location.search : location.pathname) === {path}"
        );
        self.wait_until(&format!("the address is {path}"), &condition)
            .await;
        self.wait_until_idle().await;
    }

    /// Waits until the path has this prefix and the page is idle; returns the path.
    pub async fn wait_for_path_prefix(&self, beginning: &str) -> String {
        let condition = format!("location.pathname.startsWith({})", json!(beginning));
        self.wait_until(&format!("the address begins with {beginning}"), &condition)
            .await;
        self.wait_until_idle().await;
        text(&self.eval("location.pathname").await)
    }

    // --- reading

    /// Evaluates an expression in the main world; awaits promises.
    pub async fn eval(&self, expression: &str) -> Value {
        match self.try_eval(expression).await {
            Ok(value) => value,
            Err(error) => self.fail(&format!("{expression}: {error}")).await,
        }
    }

    async fn try_eval(&self, expression: &str) -> Result<Value, String> {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut response = self.try_command("Runtime.evaluate", params).await?;
        match response["exceptionDetails"].as_object() {
            Some(details) => Err(json!(details).to_string()),
            None => Ok(response["result"]["value"].take()),
        }
    }

    pub async fn text(&self) -> String {
        text(&self.eval("document.body.innerText").await)
    }

    pub async fn wait_for_text(&self, text: &str) {
        let condition = format!(
            "document.body?.innerText.replace(/\\s+/g, ' ').toLowerCase().includes({}.toLowerCase())",
            json!(text)
        );
        self.wait_until(&format!("“{text}” is shown"), &condition)
            .await;
    }

    pub async fn wait_until(&self, label: &str, condition: &str) {
        self.wait_for(label, || self.is_true(condition)).await;
    }

    pub async fn wait_until_within(&self, timeout: Duration, label: &str, condition: &str) {
        self.wait_for_within(timeout, label, || self.is_true(condition))
            .await;
    }

    async fn is_true(&self, condition: &str) -> Option<()> {
        // Between two pages there is no execution context.
        let evaluated = self.try_eval(condition).await;
        matches!(evaluated, Ok(Value::Bool(true))).then_some(())
    }

    pub async fn wait_for<T, F: Future<Output = Option<T>>>(
        &self,
        label: &str,
        look: impl Fn() -> F,
    ) -> T {
        self.wait_for_within(TIMEOUT, label, look).await
    }

    async fn wait_for_within<T, F: Future<Output = Option<T>>>(
        &self,
        timeout: Duration,
        label: &str,
        look: impl Fn() -> F,
    ) -> T {
        let until = Instant::now() + timeout;
        loop {
            if let Some(found) = look().await {
                return found;
            }
            if Instant::now() > until {
                self.fail(label).await;
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }

    /// Panics with a screenshot, the errors, and the page's text.
    async fn fail(&self, message: &str) -> ! {
        let place =
            std::env::temp_dir().join(format!("sightline-gave-up-{}.png", std::process::id()));
        let shot = self.try_command("Page.captureScreenshot", json!({})).await;
        if let Ok(shot) = shot
            && let Ok(bytes) = STANDARD.decode(shot["data"].as_str().unwrap_or_default())
        {
            let _ = std::fs::write(&place, bytes);
        }
        let url = self.try_eval("location.href").await.unwrap_or_default();
        let text = self.try_eval("document.body?.innerText").await;
        let text = text.unwrap_or_default();
        let text: String = text
            .as_str()
            .unwrap_or_default()
            .chars()
            .take(4_000)
            .collect();
        let errors = self.heard.errors();
        panic!(
            "failed: {message}\nat {url}, {}\n{errors:#?}\n{text}",
            place.display()
        );
    }

    // --- finding and acting

    pub async fn ax_nodes(&self) -> Vec<AxNode> {
        let tree = self
            .try_command("Accessibility.getFullAXTree", json!({}))
            .await;
        tree.map(|it| accessibility::ax_nodes(&it))
            .unwrap_or_default()
    }

    pub async fn has(&self, role: &str, name: &str) -> bool {
        !accessibility::matching(&self.ax_nodes().await, role, name).is_empty()
    }

    /// Waits for exactly one node with this role and name within the selector; returns its object id.
    async fn find_object(&self, within: &str, role: &str, name: &str) -> String {
        let until = Instant::now() + TIMEOUT;
        loop {
            let all = self.ax_nodes().await;
            let mut objects = Vec::new();
            for node in accessibility::matching(&all, role, name) {
                objects.extend(self.resolve_within(node, within).await);
            }
            match objects.len() {
                1 => return objects.remove(0),
                many if Instant::now() > until => {
                    let others = accessibility::describe_role(&all, role);
                    let message = format!("{many} × {role} “{name}” in {within}; {others}");
                    self.fail(&message).await;
                }
                _ => tokio::time::sleep(POLL_INTERVAL).await,
            }
        }
    }

    async fn resolve_within(&self, ax_node: &AxNode, within: &str) -> Option<String> {
        let node = json!({ "backendNodeId": ax_node.node });
        let found = self.try_command("DOM.resolveNode", node).await;
        let object = found.ok()?["object"]["objectId"].as_str()?.to_owned();
        let is_within = "function (selector) { return (this.closest ? this : this.parentElement).closest(selector) !== null; }";
        let is_within = self
            .call_function(&object, is_within, &[json!(within)])
            .await;
        (is_within == Ok(json!(true))).then_some(object)
    }

    async fn call_function(
        &self,
        object: &str,
        function: &str,
        arguments: &[Value],
    ) -> Result<Value, String> {
        let arguments: Vec<Value> = arguments.iter().map(|it| json!({ "value": it })).collect();
        let params = json!({ "objectId": object, "functionDeclaration": function, "arguments": arguments, "returnByValue": true });
        let response = self.try_command("Runtime.callFunctionOn", params).await?;
        Ok(response["result"]["value"].clone())
    }

    /// Calls `function () { … this … }` on the node.
    pub async fn evaluate_on(&self, role: &str, name: &str, function: &str) -> Value {
        let object = self.find_object("html", role, name).await;
        match self.call_function(&object, function, &[]).await {
            Ok(value) => value,
            Err(error) => panic!("{name}: {error}"),
        }
    }

    /// Clicks the node once nothing covers it: `link`, `button`, `checkbox`, `summary` …
    pub async fn click(&self, role: &str, name: &str) {
        self.click_in("html", role, name).await;
    }

    /// Clicks, and waits until a page has loaded.
    pub async fn click_through(&self, within: &str, role: &str, name: &str) {
        self.eval("window.isOld = true").await;
        self.click_in(within, role, name).await;
        let label = format!("“{name}” brings a page");
        self.wait_until(&label, "!window.isOld").await;
        self.wait_until_idle().await;
    }

    pub async fn click_in(&self, within: &str, role: &str, name: &str) {
        let until = Instant::now() + TIMEOUT;
        let point = loop {
            let object = self.find_object(within, role, name).await;
            match self.call_function(&object, CLICK_POINT, &[]).await {
                Ok(point) if point.is_object() => break point,
                _ if Instant::now() > until => {
                    let wrong = format!("{role} “{name}” lies under something");
                    self.fail(&wrong).await;
                }
                _ => tokio::time::sleep(POLL_INTERVAL).await,
            }
        };
        for (kind, buttons) in [("mouseMoved", 0), ("mousePressed", 1), ("mouseReleased", 0)] {
            let button = if kind == "mouseMoved" { "none" } else { "left" };
            let event = json!({ "type": kind, "x": point["x"], "y": point["y"], "button": button, "buttons": buttons, "clickCount": 1 });
            self.command("Input.dispatchMouseEvent", event).await;
        }
    }

    /// Replaces the text of the field with that label.
    pub async fn fill(&self, label: &str, text: &str) {
        let object = self.find_object("html", "field", label).await;
        let focus = "function () { this.scrollIntoView({ block: 'center' }); this.focus(); this.select?.(); return document.activeElement === this; }";
        let focused = self.call_function(&object, focus, &[]).await;
        assert_eq!(focused, Ok(json!(true)), "{label} takes no text");
        self.press("Delete").await;
        self.type_text(text).await;
    }

    pub async fn type_text(&self, text: &str) {
        self.command("Input.insertText", json!({ "text": text }))
            .await;
    }

    pub async fn choose(&self, label: &str, option: &str) {
        let object = self.find_object("html", "choice", label).await;
        let choose = "function (label) { const it = [...this.options].find((it) => it.label === label); if (!it) return false; it.selected = true; this.dispatchEvent(new Event('input', { bubbles: true })); this.dispatchEvent(new Event('change', { bubbles: true })); return true; }";
        let chosen = self.call_function(&object, choose, &[json!(option)]).await;
        assert_eq!(chosen, Ok(json!(true)), "{label} has no {option}");
    }

    /// Presses a key: `Tab`, `Shift+Tab`, `Enter`, `Space`, `Escape` …
    pub async fn press(&self, key: &str) {
        for message in keys::key_events(key) {
            self.command("Input.dispatchKeyEvent", message).await;
        }
    }

    /// Role and name of the focused node.
    pub async fn focused(&self) -> (String, String) {
        let params = json!({ "expression": "document.activeElement" });
        let response = self.command("Runtime.evaluate", params).await;
        let object = json!({ "objectId": response["result"]["objectId"], "fetchRelatives": false });
        let tree = self
            .try_command("Accessibility.getPartialAXTree", object)
            .await;
        let nodes = accessibility::ax_nodes(&tree.unwrap_or_default());
        let found = nodes.into_iter().next();
        found.map_or_else(Default::default, |it| (it.role, it.name))
    }

    /// Presses Tab until the node has the focus. The focus must be visible at every step.
    pub async fn tab_to(&self, role: &str, name: &str) {
        self.press_to("Tab", role, name).await;
    }

    pub async fn tab_back_to(&self, role: &str, name: &str) {
        self.press_to("Shift+Tab", role, name).await;
    }

    /// Why the focus is not visible. Pages scroll to it one frame later.
    async fn focus_problem(&self) -> Value {
        let mut seen = self.eval(FOCUS_PROBLEM).await;
        for _ in 0..20 {
            if seen == json!("") {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
            seen = self.eval(FOCUS_PROBLEM).await;
        }
        seen
    }

    async fn press_to(&self, key: &str, role: &str, name: &str) {
        let mut passed = Vec::new();
        for _ in 0..150 {
            self.press(key).await;
            let (is, called) = self.focused().await;
            if is != "RootWebArea" && !is.is_empty() {
                let seen = self.focus_problem().await;
                assert_eq!(seen, json!(""), "the focus on {is} “{called}” is not seen");
            }
            let node = AxNode {
                role: is,
                name: called,
                node: 0,
            };
            if !accessibility::matching(std::slice::from_ref(&node), role, name).is_empty() {
                return;
            }
            passed.push(format!("{} “{}”", node.role, node.name));
        }
        self.fail(&format!(
            "no {role} “{name}” is reached by {key}: {passed:#?}"
        ))
        .await;
    }

    // --- the screen

    /// CSS pixels, and device pixels per CSS pixel.
    pub async fn set_viewport(&self, width: u32, height: u32, scale: f64) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        self.command("Emulation.setDeviceMetricsOverride", metrics)
            .await;
    }

    /// Sets the color scheme; motion is always reduced.
    pub async fn set_dark(&self, dark: bool) {
        let scheme = if dark { "dark" } else { "light" };
        let media = json!({ "features": [
            { "name": "prefers-color-scheme", "value": scheme },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ] });
        self.command("Emulation.setEmulatedMedia", media).await;
    }

    /// Writes the whole page to a file, as PNG or WebP; returns its bytes.
    pub async fn screenshot(&self, path: &Path, quality: u32) -> usize {
        let is_png = path.extension().is_some_and(|it| it == "png");
        let mut params = json!({ "format": if is_png { "png" } else { "webp" } });
        // An open dialog is captured with the window, not with the page.
        let page = self.eval("document.querySelector('dialog[open]') ? null : { x: 0, y: 0, scale: 1, width: innerWidth, height: Math.min(document.documentElement.scrollHeight, 2400) }").await;
        if !page.is_null() {
            params["clip"] = page;
            params["captureBeyondViewport"] = json!(true);
        }
        if !is_png {
            params["quality"] = json!(quality);
        }
        let shot = self.command("Page.captureScreenshot", params).await;
        let bytes = STANDARD.decode(shot["data"].as_str().unwrap_or_default());
        let bytes = bytes.expect("base64");
        std::fs::write(path, &bytes).expect("the picture is written");
        bytes.len()
    }

    // --- network

    pub fn requests(&self) -> Vec<SentRequest> {
        self.heard.requests()
    }

    pub async fn cookie(&self, name: &str) -> Option<String> {
        let response = self
            .command("Network.getCookies", json!({ "urls": [self.base] }))
            .await;
        let cookies = response["cookies"].as_array()?;
        let found = cookies.iter().find(|it| it["name"] == name);
        found.map(|it| text(&it["value"]))
    }

    /// Sets or deletes a cookie.
    pub async fn set_cookie(&self, name: &str, value: Option<&str>) {
        let mut params = json!({ "name": name, "url": self.base });
        let method = match value {
            Some(value) => {
                params["value"] = json!(value);
                "Network.setCookie"
            }
            None => "Network.deleteCookies",
        };
        self.command(method, params).await;
    }

    /// Waits for an expected error with this text and removes it.
    pub async fn expect_error(&self, words: &str) {
        self.wait_for(&format!("the browser complains of {words}"), || async {
            self.heard.take_error(words).then_some(())
        })
        .await;
    }

    /// Asserts that there are no errors.
    pub fn assert_clean(&self, label: &str) {
        let errors = self.heard.errors();
        assert!(errors.is_empty(), "{label}: {errors:#?}");
    }

    /// Closes the tab after asserting that there are no errors.
    pub async fn close(self) {
        // Pending events arrive before the response.
        let _ = self.try_eval("0").await;
        self.assert_clean("at the end");
    }
}

fn id(made: &Value, name: &str) -> String {
    made[name].as_str().expect("an id").to_owned()
}

impl Drop for Tab {
    fn drop(&mut self) {
        let (method, which) = if self.owns_context {
            let which = json!({ "browserContextId": self.context });
            ("Target.disposeBrowserContext", which)
        } else {
            ("Target.closeTarget", json!({ "targetId": self.target }))
        };
        BROWSER.send(None, method, which);
    }
}

/// Why the focus is not visible; empty if it is.
const FOCUS_PROBLEM: &str = r"(() => {
  const it = document.activeElement;
  if (!it || it === document.body) return '';
  if (!it.matches(':focus-visible, [type=date]:focus-within')) return 'it does not match :focus-visible';
  const style = getComputedStyle(it);
  if (style.outlineStyle === 'none' && style.boxShadow === 'none') return 'it has neither outline nor shadow';
  const box = it.getBoundingClientRect();
  if (box.width === 0 || box.height === 0) return 'it has no size';
  if (box.bottom <= 0 || box.top >= innerHeight || box.right <= 0 || box.left >= innerWidth) return `it lies outside: from ${box.left}, ${box.top} to ${box.right}, ${box.bottom} in ${innerWidth} × ${innerHeight}, scrolled to ${scrollY} of ${document.documentElement.scrollHeight}`;
  // Part of it must not be covered (WCAG 2.2, 2.4.11).
  const shown = [...it.getClientRects()].map((rect) => [Math.max(rect.left, 0), Math.min(rect.right, innerWidth), Math.max(rect.top, 0), Math.min(rect.bottom, innerHeight)]).filter(([left, right, top, bottom]) => left < right && top < bottom);
  const points = shown.flatMap(([left, right, top, bottom]) => [[0.5, 0.5], [0.1, 0.1], [0.9, 0.1], [0.1, 0.9], [0.9, 0.9]].map(([x, y]) => [left + x * (right - left), top + y * (bottom - top)]));
  const over = points.map(([x, y]) => document.elementFromPoint(x, y));
  if (over.some((top) => top && (it.contains(top) || top.contains(it) || top.closest('label')?.contains(it)))) return '';
  return `it lies under ${over[0]?.outerHTML.slice(0, 80)}`;
})()";
