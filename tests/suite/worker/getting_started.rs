//! The commands of docs/use/getting-started.md, pasted into bash unchanged.

use super::{on_both, website::Website, world::World};
use std::{fs, path::Path, process::Output};

on_both!(commands_of_getting_started_work_when_pasted);

async fn commands_of_getting_started_work_when_pasted(mut world: World) {
    let site = Website::start();
    let resolve = format!(
        r#"["example.com:80={0}", "example.com:443=127.0.0.1:1"]"#,
        site.address
    );
    world.set("CRAWLER__RESOLVE", &resolve);
    world.set("CRAWLER__ALLOW_NETWORKS", r#"["127.0.0.0/8"]"#);
    world.set("CRAWLER__PER_HOST_DELAY_MS", "0");
    let (_server, api) = world.serve(&[]);

    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/use/getting-started.md");
    let page = fs::read_to_string(page).unwrap();
    let script = pasted(&page)
        .replace("127.0.0.1:8080", &api.address)
        .replace("ann@example.com", "newcomer@example.com");
    let ran = tokio::task::spawn_blocking(move || (world.run_script(&script), world));
    let (ran, _world) = ran.await.unwrap();
    let printed = stdout_of(&ran);
    for words in [
        r#""keywords:write""#,
        r#""status": "succeeded""#,
        r#""keyword": "example domain""#,
        r#""provenance": "simulated""#,
        r#""status":"succeeded""#,
        r#""state": "ready""#,
        r#""favorite": true"#,
        r#""status": "deactivated""#,
    ] {
        assert!(printed.contains(words), "{words} is missing:\n{printed}");
    }
}

/// The block that begins with "five minutes", and its last line.
fn pasted(page: &str) -> String {
    let blocks = page.split("```sh\n").skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    blocks
        .filter(|block| block.contains("# five minutes") || block.contains("-X DELETE"))
        .collect()
}

fn stdout_of(ran: &Output) -> String {
    let stdout = String::from_utf8_lossy(&ran.stdout).into_owned();
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{stdout}\n{errors}");
    stdout
}
