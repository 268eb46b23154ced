//! Assigning issues to members.

use harness::{
    app::TestApp,
    browsers::Browser,
    callers::{UNKNOWN_ID, id},
    databases::TestDatabase,
    on_every_database,
};
use serde_json::{Value, json};

on_every_database![
    an_issue_is_assigned_until_removed,
    only_members_who_may_read_it_are_assigned,
    an_assignment_of_a_member_who_left_is_marked,
];

async fn project(browser: &Browser) -> i64 {
    let body = json!({ "domain": "shop.example.com" });
    id(&browser.post("/api/projects", body).await.created())
}

async fn member_id(browser: &Browser) -> i64 {
    id(&browser.get("/api/session").await.ok()["user"])
}

fn broken(member: impl Into<Value>, note: Option<&str>) -> Value {
    json!({ "subject": "issue", "key": "http4xx", "memberId": member.into(), "note": note })
}

async fn an_issue_is_assigned_until_removed(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let project = project(&owner).await;
    let editor = app.colleague(&owner, "editor", &[]).await;
    let (editor_id, owner_id) = (member_id(&editor).await, member_id(&owner).await);
    let path = format!("/api/projects/{project}/assignments");
    assert_eq!(owner.get(&path).await.ok()["items"], json!([]));

    let assigned = { owner.put(&path, broken(editor_id, Some("Mend by May"))) }.await;
    let assigned = assigned.ok()["assignment"].clone();
    assert_eq!(
        (
            &assigned["memberId"],
            &assigned["assignedBy"],
            &assigned["note"]
        ),
        (&json!(editor_id), &json!(owner_id), &json!("Mend by May"))
    );
    assert_eq!(editor.get(&path).await.ok()["items"], json!([assigned]));

    // The editor hands it on.
    editor.put(&path, broken(owner_id, None)).await.ok();
    let items = owner.get(&path).await.ok()["items"].clone();
    assert_eq!(items.as_array().unwrap().len(), 1);
    assert_eq!(
        (
            &items[0]["memberId"],
            &items[0]["assignedBy"],
            &items[0]["note"]
        ),
        (&json!(owner_id), &json!(editor_id), &json!(null))
    );
    let page = owner
        .page(&format!("/projects/{project}/assignments"))
        .await;
    assert!(page.contains("Assigned to you") && !page.contains("Assigned to others"));

    for _ in 0..2 {
        let removed = owner.put(&path, broken(Value::Null, None)).await.ok();
        assert_eq!(removed, json!({ "assignment": null }));
    }
    assert_eq!(owner.get(&path).await.ok()["items"], json!([]));
}

async fn only_members_who_may_read_it_are_assigned(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let project = project(&owner).await;
    let path = format!("/api/projects/{project}/assignments");
    let own = member_id(&owner).await;
    let viewer = app.colleague(&owner, "viewer", &[]).await;
    let client = app.colleague(&owner, "client", &[project]).await;
    let stranger = member_id(&app.db_member(1).await).await;

    viewer
        .put(&path, broken(own, None))
        .await
        .refused(403, "role-insufficient");
    client.get(&path).await.refused(403, "role-insufficient");
    for member in [member_id(&client).await, stranger, UNKNOWN_ID] {
        let refused = owner.put(&path, broken(member, None)).await;
        let problem = refused.refused(422, "validation-failed");
        assert_eq!(problem["errors"][0]["pointer"], "/memberId", "{problem}");
    }
    for (key, kind) in [("nonsense", "issue"), ("http4xx", "suggestion")] {
        let body = json!({ "subject": kind, "key": key, "memberId": own });
        let problem = owner
            .put(&path, body)
            .await
            .refused(422, "validation-failed");
        assert_eq!(problem["errors"][0]["pointer"], "/key", "{problem}");
    }
    let without = json!({ "subject": "issue", "key": "http4xx" });
    let problem = owner
        .put(&path, without)
        .await
        .refused(422, "validation-failed");
    assert_eq!(problem["errors"][0]["pointer"], "/memberId", "{problem}");
    assert_eq!(owner.get(&path).await.ok()["items"], json!([]));

    owner.delete(&format!("/api/projects/{project}")).await.ok();
    let refused = owner.put(&path, broken(own, None)).await;
    refused.refused(409, "project-deactivated");
}

async fn an_assignment_of_a_member_who_left_is_marked(db: TestDatabase) {
    let app = TestApp::start(&db).await;
    let owner = app.db_member(0).await;
    let project = project(&owner).await;
    let editor = app.colleague(&owner, "editor", &[]).await;
    let editor = member_id(&editor).await;
    let path = format!("/api/projects/{project}/assignments");
    owner.put(&path, broken(editor, None)).await.ok();
    let member = format!("/api/settings/members/{editor}");
    owner.delete(&member).await.ok();

    let items = owner.get(&path).await.ok()["items"].clone();
    assert_eq!(items[0]["memberId"], editor);
    let page = owner
        .page(&format!("/projects/{project}/assignments"))
        .await;
    assert!(page.contains(">left<"), "{page}");
    let again = owner.put(&path, broken(editor, None)).await;
    again.refused(422, "validation-failed");
}
