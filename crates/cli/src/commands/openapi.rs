use super::Outcome;
use crate::{settings::Loaded, terminal::print_line};

pub fn run(loaded: &Loaded) -> anyhow::Result<Outcome> {
    let document = web::openapi::document(&loaded.settings.public_base_url());
    print_line(serde_json::to_string_pretty(&document)?);
    Ok(Outcome::Done)
}
