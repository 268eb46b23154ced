//! Idempotency keys with a server that is killed while it answers: responses persist, and other requests took effect
//! completely or not at all.

use super::{on_both, world::World};
use futures_util::stream::{self, StreamExt};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Duration};

on_both!(
    #[ignore = "slow: a server is killed ten times, amid 600 requests"]
    idempotency_keys_survive_killed_servers
);

const KEYS: usize = 600;
/// Requests under way when a server is killed.
const AT_ONCE: usize = 8;
const KILLS: usize = 10;

/// A client and its responses so far, by key.
struct Sender {
    http: reqwest::Client,
    token: String,
    path: String,
    answered: BTreeMap<usize, Value>,
}

impl Sender {
    /// Sends these keys until that many are answered, then ends the server with the others under way.
    async fn send(
        &mut self,
        address: &str,
        idempotency_keys: impl Iterator<Item = usize>,
        until: usize,
        end: impl FnOnce(),
    ) {
        let this = &*self;
        let mut answers = stream::iter(idempotency_keys)
            .map(|key| async move { (key, this.answer(address, key).await) })
            .buffer_unordered(AT_ONCE);
        let mut fresh = Vec::new();
        while fresh.len() < until
            && let Some((key, answer)) = answers.next().await
        {
            fresh.push((key, answer));
        }
        end();
        drop(answers);
        for (key, answer) in fresh {
            let earlier = self.answered.entry(key).or_insert_with(|| answer.clone());
            assert_eq!(*earlier, answer, "key {key}");
        }
    }

    /// The response to the key. The database may briefly keep a killed server's lock: retries on 409.
    async fn answer(&self, address: &str, key: usize) -> Value {
        for _ in 0..60 {
            let sent = self
                .http
                .post(format!("http://{address}/api/agent/v1{}", self.path))
                .bearer_auth(&self.token)
                .header("Idempotency-Key", format!("key-{key}"))
                .json(&json!({ "keywords": [format!("word {key}")] }))
                .send();
            let answer = sent.await.expect("an answer");
            let status = answer.status();
            let body: Value = answer.json().await.expect("JSON");
            if status == 409 && body["code"] == "idempotency-in-progress" {
                tokio::time::sleep(Duration::from_millis(500)).await;
                continue;
            }
            // A second execution would find the keyword and answer 200.
            assert_eq!(status, 201, "key {key}: {body}");
            return body;
        }
        panic!("key {key} is in progress for ever");
    }
}

async fn idempotency_keys_survive_killed_servers(mut world: World) {
    for policy in ["WRITES", "ACCOUNT"] {
        world.set(&format!("LIMITS__{policy}_PER_MINUTE"), "1000000");
        world.set(&format!("LIMITS__{policy}_BURST"), "1000000");
    }
    let (server, api) = world.serve(&["--no-worker"]);
    let project = api.project("example.com", 0).await;
    drop(server);
    let mut sender = Sender {
        http: harness::callers::client(),
        token: api.token,
        path: format!("/projects/{project}/keywords"),
        answered: BTreeMap::new(),
    };
    for kill in 0..KILLS {
        let (server, api) = world.serve(&["--no-worker"]);
        // Answered ones, interrupted ones and new ones.
        let from = (kill * KEYS / KILLS).saturating_sub(2 * AT_ONCE);
        let until = 31 + 3 * kill;
        let kill = || server.kill();
        sender.send(&api.address, from..KEYS, until, kill).await;
    }
    assert!(sender.answered.len() < KEYS, "the kills came too late");
    let (_server, api) = world.serve(&["--no-worker"]);
    sender.send(&api.address, 0..KEYS, KEYS, || {}).await;
    assert_eq!(sender.answered.len(), KEYS);
    let kept = api.get(&format!("/projects/{project}")).await;
    assert_eq!(kept["keywordCount"], KEYS);
}
