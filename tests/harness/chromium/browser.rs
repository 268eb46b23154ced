//! The browser that all tests of a process share. It uses the crawler's start and protocol, on its own thread, since
//! each test has its own runtime.

use super::events::TabEvents;
use crawler::{Browser, BrowserSandbox, BrowserSettings, Event, Message, Protocol, ProtocolError};
use serde_json::{Value, json, value::RawValue};
use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};
use tokio::{
    runtime::Builder,
    select,
    sync::{mpsc, oneshot},
    time::timeout,
};

const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// The shell ends with this process, when its pipes close, and then removes the browser's folder.
const START: &str = r#"trap '' INT; LANG=en_US.UTF-8 "$0" "$@"; rm -rf "$HOME""#;

/// In addition to the crawler's flags: only loopback is reachable, and rendering does not depend on the machine.
const FLAGS: &[&str] = &[
    "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,HttpsUpgrades,PasswordLeakDetection,LocalNetworkAccessChecks",
    "--disable-save-password-bubble",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--lang=en-US",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost",
];

pub static BROWSER: LazyLock<SharedBrowser> = LazyLock::new(|| {
    let settings = BrowserSettings {
        sandbox: BrowserSandbox::Off,
        ..BrowserSettings::default()
    };
    let program = settings.program();
    let program = program.expect("the tests need Chromium (apt-get install chromium)");
    let (commands, received) = mpsc::unbounded_channel();
    thread::spawn(move || {
        let runtime = Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let start = ["-c", START, program.to_str().expect("UTF-8")];
            let shell = Path::new("/bin/sh");
            let started = Browser::unguarded(shell, &[&start, FLAGS].concat(), &settings);
            let (_browser, protocol) = started.expect("Chromium starts");
            run_protocol(protocol, received).await;
        });
    });
    SharedBrowser {
        commands,
        listeners: Mutex::default(),
    }
});

type Answer = Result<Value, String>;

struct Command {
    session: Option<String>,
    method: String,
    params: Value,
    answer: oneshot::Sender<Answer>,
}

pub struct SharedBrowser {
    commands: mpsc::UnboundedSender<Command>,
    /// By session.
    listeners: Mutex<HashMap<String, Arc<TabEvents>>>,
}

/// Sends commands and passes on responses and events until the browser ends.
async fn run_protocol(mut protocol: Protocol, mut commands: mpsc::UnboundedReceiver<Command>) {
    let mut waiting = HashMap::new();
    loop {
        select! {
            Some(it) = commands.recv() => {
                let sent = protocol.send(it.session.as_deref(), &it.method, it.params).await;
                let Ok(id) = sent else { return };
                waiting.insert(id, it.answer);
            }
            message = protocol.message() => match message {
                Ok(Message::Response(id, answer)) => {
                    if let Some(waits) = waiting.remove(&id) {
                        let _ = waits.send(answer.map(|it| parsed(&it)));
                    }
                }
                Ok(Message::Event(event)) => BROWSER.dispatch(&event),
                Ok(Message::Other) | Err(ProtocolError::Malformed) => {}
                Err(_) => return,
            },
        }
    }
}

/// `null` if it is nested too deeply for `serde_json`.
fn parsed(json: &RawValue) -> Value {
    serde_json::from_str(json.get()).unwrap_or_default()
}

impl SharedBrowser {
    fn listeners(&self) -> MutexGuard<'_, HashMap<String, Arc<TabEvents>>> {
        let listeners = self.listeners.lock();
        listeners.unwrap_or_else(PoisonError::into_inner)
    }

    pub fn subscribe(&self, session: &str, heard: &Arc<TabEvents>) {
        self.listeners()
            .insert(session.to_owned(), Arc::clone(heard));
    }

    /// Sends a command; the caller may drop the receiver.
    pub fn send(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> oneshot::Receiver<Answer> {
        let (answer, answered) = oneshot::channel();
        // If the browser ended, the sender is dropped and the receiver fails.
        let _ = self.commands.send(Command {
            session: session.map(str::to_owned),
            method: method.to_owned(),
            params,
            answer,
        });
        answered
    }

    pub async fn call(&self, session: Option<&str>, method: &str, params: Value) -> Answer {
        match timeout(ANSWER_TIMEOUT, self.send(session, method, params)).await {
            Ok(Ok(answer)) => answer.map_err(|it| format!("{method}: {it}")),
            Ok(Err(_)) => Err(format!("{method}: the browser is gone")),
            Err(_) => Err(format!("{method}: no answer")),
        }
    }

    fn dispatch(&self, event: &Event) {
        let session = event.session.as_deref();
        let heard = session.and_then(|it| self.listeners().get(it).cloned());
        let Some(heard) = heard else { return };
        let params = parsed(&event.params);
        if event.method == "Target.attachedToTarget"
            && let Some(child) = params["sessionId"].as_str()
        {
            // A cross-site frame has its own process and session.
            self.subscribe(child, &heard);
            for domain in ["Runtime", "Log", "Network"] {
                self.send(Some(child), &format!("{domain}.enable"), json!({}));
            }
        }
        if let Some((method, params)) = heard.record(&event.method, &params) {
            self.send(session, method, params);
        }
    }
}
