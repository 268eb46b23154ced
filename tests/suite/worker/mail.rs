//! Mail by a real mail server with TLS and login: who gets what, and what becomes of each message.

use super::{on_both, world::World};
use harness::{
    browsers::Browser,
    callers::Caller,
    processes::{
        api::Api,
        mail_server::{BASE_URL, MailServer, Received},
    },
};
use serde_json::{Value, json};
use std::{path::Path, process::Command, time::Duration};

on_both!(
    invitation_reset_and_notices_arrive_by_tls_and_login,
    each_recipient_has_an_outcome_of_its_own,
    mail_waits_for_a_server_that_is_down,
);

const PASSWORD: &str = "a walrus under 7 umbrellas";
const OWNER: &str = "ann@example.com";

fn browser(api: &Api) -> Browser {
    Browser::new(Caller::new(api.address.parse().unwrap(), None))
}

async fn signed_in(api: &Api) -> Browser {
    let browser = browser(api);
    browser.sign_in(OWNER, PASSWORD).await.ok();
    browser
}

/// Sets the owner's password before a server runs: on `SQLite` it has the database to itself.
fn set_password(world: &World) {
    let set = world.run_script(&format!(
        "printf '%s\\n' '{PASSWORD}' | target/release/sightline account password --email {OWNER}"
    ));
    assert!(set.status.success(), "{set:?}");
}

fn secret(link: &str) -> String {
    link.split_once('#').unwrap().1.to_owned()
}

fn has_header(message: &Received, header: &str) -> bool {
    let head = message.source.split("\r\n\r\n").next().unwrap();
    head.lines().any(|it| it.starts_with(header))
}

/// Files below the folder that hold the text, binary or not.
fn files_with(text: &str, folder: &Path) -> String {
    let found = Command::new("grep")
        .args(["-rlaF", "--", text])
        .arg(folder)
        .output()
        .unwrap();
    String::from_utf8(found.stdout).unwrap()
}

async fn invitation_reset_and_notices_arrive_by_tls_and_login(mut world: World) {
    let mail = MailServer::start();
    mail.settle_in(&mut world);
    set_password(&world);
    world.set("LOG__LEVEL", "trace");
    let (mut server, api) = world.serve(&[]);
    // The password was set by command.
    mail.await_messages(1).await;
    let owner = signed_in(&api).await;
    let received = mail.await_messages(2).await;
    assert!(received[1].text.contains("new device"), "{received:?}");

    let body = json!({ "email": "bea@example.com", "role": "viewer" });
    let invited = owner.post("/api/settings/invitations", body).await;
    assert_eq!(invited.created()["isMailed"], true);
    let received = mail.await_messages(3).await;
    let invitation = &received[2];
    assert_eq!(invitation.to, "bea@example.com");
    assert!(invitation.is_encrypted && invitation.user.contains("relay"));
    for header in [
        "Auto-Submitted: auto-generated",
        "List-Unsubscribe: <https://seo.example/api/unsubscribe?t=",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "Message-ID:",
        "Date:",
    ] {
        assert!(has_header(invitation, header), "{header}");
    }
    let invitation_link = secret(&invitation.link(&format!("{BASE_URL}/invitation#")));
    let accept = json!({ "link": invitation_link, "name": "Bea", "password": PASSWORD });
    let bea = browser(&api);
    bea.post("/api/invitation/accept", accept).await.created();

    let request = json!({ "email": "bea@example.com" });
    let requested = browser(&api).post("/api/password-reset", request).await;
    assert_eq!(requested.status, 202);
    let received = mail.await_messages(5).await;
    let reset = received
        .iter()
        .find(|it| it.text.contains("/password-reset#"));
    let reset = reset.unwrap();
    assert_eq!(reset.to, "bea@example.com");
    assert!(!has_header(reset, "List-Unsubscribe"), "about the login");
    let reset_link = secret(&reset.link(&format!("{BASE_URL}/password-reset#")));
    let new = "vierzehn nasse Otter 9";
    let complete = json!({ "link": reset_link, "password": new });
    let done = browser(&api)
        .post("/api/password-reset/complete", complete)
        .await;
    assert_eq!(done.ok()["endedSessions"], 1);
    browser(&api).sign_in("bea@example.com", new).await.ok();
    let received = mail.await_messages(7).await;
    let to_bea = received.iter().filter(|it| it.to == "bea@example.com");
    let subjects: Vec<&str> = to_bea.map(|it| it.subject.as_str()).collect();
    assert_eq!(subjects.len(), 4, "{subjects:?}");
    assert_eq!(received.iter().filter(|it| it.to == OWNER).count(), 3);

    let output = server.output().join("\n");
    assert!(output.contains("A message was processed"));
    for link in [&invitation_link, &reset_link] {
        assert_eq!(files_with(link, &world.database_folder()), "");
        assert!(!output.contains(link.as_str()), "the log holds a link");
    }
    assert!(
        !output.contains("right-hunter2"),
        "the log holds the password"
    );
}

async fn states(owner: &Browser) -> Vec<(String, String)> {
    let listed = owner.get("/api/settings/mail?limit=200").await.ok();
    let text = |it: &Value, name: &str| it[name].as_str().unwrap().to_owned();
    let items = listed["items"].as_array().unwrap();
    let mut all: Vec<_> = { items.iter() }
        .map(|it| (text(it, "to"), text(it, "state")))
        .collect();
    all.sort();
    all
}

async fn await_states(owner: &Browser, wanted: &[(&str, &str)]) {
    let wanted: Vec<(String, String)> = { wanted.iter() }
        .map(|(to, state)| ((*to).to_owned(), (*state).to_owned()))
        .collect();
    let mut found = Vec::new();
    for _ in 0..600 {
        found = states(owner).await;
        if found == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(found, wanted);
}

async fn invite(owner: &Browser, names: &[&str]) {
    for name in names {
        let body = json!({ "email": format!("{name}@example.com"), "role": "viewer" });
        let invited = owner.post("/api/settings/invitations", body).await;
        invited.created();
    }
}

/// Everything that waits for its next attempt is due now.
fn make_due(world: &World) {
    let now = if world.is_sqlite() { "0" } else { "'epoch'" };
    world.database.run_sql(&format!(
        "UPDATE deliveries SET next_at = {now} WHERE state = 'queued'; \
         UPDATE account_deliveries SET next_at = {now}"
    ));
}

async fn each_recipient_has_an_outcome_of_its_own(mut world: World) {
    set_password(&world);
    let mail = MailServer::start();
    mail.settle_in(&mut world);
    let to = |name: &str| format!("{name}@example.com");
    mail.rules(&json!([
        { "at": "rcpt", "to": to("grey"), "times": 1, "reply": "451 4.7.1 Greylisted" },
        { "at": "rcpt", "to": to("gone"), "reply": "550 5.1.1 No such user" },
        { "at": "data", "to": to("full"), "times": 1, "reply": "452 4.3.1 Disk full" },
        { "at": "text", "to": to("lost"), "reply": "close" },
        { "at": "text", "to": to("slow"), "after": 3 },
    ]));
    let (_server, api) = world.serve(&[]);
    let owner = signed_in(&api).await;
    invite(&owner, &["grey", "gone", "full", "lost", "slow"]).await;
    let first = [
        ("full@example.com", "queued"),
        ("gone@example.com", "failed"),
        ("grey@example.com", "queued"),
        ("lost@example.com", "unknown"),
        ("slow@example.com", "sent"),
    ];
    await_states(&owner, &first).await;
    make_due(&world);
    let last = first.map(|(to, state)| (to, if state == "queued" { "sent" } else { state }));
    await_states(&owner, &last).await;
    let received = mail.received();
    let count = |name: &str| received.iter().filter(|it| it.to == to(name)).count();
    let counts = ["grey", "gone", "full", "lost", "slow"].map(count);
    assert_eq!(counts, [1, 0, 1, 1, 1], "nothing twice, nothing lost");

    // A mailbox that does not exist gets no further invitation.
    invite(&owner, &["gone"]).await;
    let gone = [
        ("gone@example.com", "failed"),
        ("gone@example.com", "suppressed"),
    ];
    let others = last.into_iter().filter(|(to, _)| *to != "gone@example.com");
    let mut all: Vec<_> = others.chain(gone).collect();
    all.sort_unstable();
    await_states(&owner, &all).await;
}

async fn mail_waits_for_a_server_that_is_down(mut world: World) {
    set_password(&world);
    let mail = MailServer::start();
    mail.settle_in(&mut world);
    mail.rules(&json!([{ "at": "connect", "reply": "close" }]));
    let (_server, api) = world.serve(&[]);
    let owner = signed_in(&api).await;
    invite(&owner, &["bea", "carl"]).await;
    let waiting = [
        ("bea@example.com", "queued"),
        ("carl@example.com", "queued"),
    ];
    for _ in 0..600 {
        let listed = owner.get("/api/settings/mail").await.ok();
        let items = listed["items"].as_array().unwrap();
        if items
            .iter()
            .all(|it| it["attempts"] == 1 && it["state"] == "queued")
        {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    await_states(&owner, &waiting).await;
    mail.rules(&json!([]));
    make_due(&world);
    await_states(&owner, &waiting.map(|(to, _)| (to, "sent"))).await;
    let mut to: Vec<String> = mail.received().into_iter().map(|it| it.to).collect();
    to.retain(|it| it != OWNER);
    to.sort();
    assert_eq!(to, ["bea@example.com", "carl@example.com"]);
}
