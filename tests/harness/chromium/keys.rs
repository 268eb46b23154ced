//! Key events.

use serde_json::{Value, json};

/// Key-down and key-up events; the key may have the prefix `Shift+`.
pub fn key_events(key: &str) -> [Value; 2] {
    let (shift, name) = match key.strip_prefix("Shift+") {
        Some(name) => (true, name),
        None => (false, key),
    };
    let (key, code, number, text) = match name {
        "Tab" => ("Tab", "Tab", 9, ""),
        "Enter" => ("Enter", "Enter", 13, "\r"),
        "Space" => (" ", "Space", 32, " "),
        "Escape" => ("Escape", "Escape", 27, ""),
        "ArrowDown" => ("ArrowDown", "ArrowDown", 40, ""),
        "ArrowUp" => ("ArrowUp", "ArrowUp", 38, ""),
        "ArrowLeft" => ("ArrowLeft", "ArrowLeft", 37, ""),
        "ArrowRight" => ("ArrowRight", "ArrowRight", 39, ""),
        "Home" => ("Home", "Home", 36, ""),
        "End" => ("End", "End", 35, ""),
        "Delete" => ("Delete", "Delete", 46, ""),
        other => panic!("no such key: {other}"),
    };
    let message = |kind: &str, text: &str| {
        json!({
            "type": kind,
            "key": key,
            "code": code,
            "windowsVirtualKeyCode": number,
            "modifiers": if shift { 8 } else { 0 },
            "text": text,
        })
    };
    let down = if text.is_empty() {
        "rawKeyDown"
    } else {
        "keyDown"
    };
    [message(down, text), message("keyUp", "")]
}
