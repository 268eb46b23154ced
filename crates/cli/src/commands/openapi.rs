use super::Ended;
use crate::{settings::Loaded, terminal::say};

pub fn run(loaded: &Loaded) -> anyhow::Result<Ended> {
    let document = web::openapi::document(&loaded.settings.public_base_url());
    say(serde_json::to_string_pretty(&document)?);
    Ok(Ended::Done)
}
