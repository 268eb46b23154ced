//! `sightline config`: checks and shows settings.

use super::Outcome;
use crate::cli::ConfigCommand;
use crate::settings::{Loaded, SettingsError};
use crate::terminal::{print_line, print_table};
use serde_json::json;

/// Opens nothing else, so that it can run before a start and on any machine.
pub fn run(
    command: &ConfigCommand,
    loaded: Result<Loaded, SettingsError>,
) -> anyhow::Result<Outcome> {
    match *command {
        ConfigCommand::Check { json } => {
            if json {
                let mistakes = loaded.as_ref().err().map(SettingsError::messages);
                let mistakes = mistakes.unwrap_or_default();
                let document = json!({ "fine": mistakes.is_empty(), "mistakes": mistakes });
                print_line(serde_json::to_string_pretty(&document)?);
            }
            let loaded = loaded?;
            if !json {
                let set = loaded.origins.len();
                if let Some(encryption) = loaded.settings.database().encryption() {
                    print_line(format!(
                        "Connections to the database, by the settings: {encryption}."
                    ));
                }
                print_line(format!(
                    "The settings are valid: {set} set, the others have their defaults (`sightline config show`)."
                ));
            }
        }
        ConfigCommand::Show { json } => show(&loaded?, json)?,
    }
    Ok(Outcome::Done)
}

fn show(loaded: &Loaded, as_json: bool) -> anyhow::Result<()> {
    let rows = loaded.rows();
    if as_json {
        print_line(serde_json::to_string_pretty(&rows)?);
    } else {
        let rows = rows.into_iter().map(|it| [it.key, it.value, it.from]);
        print_table(&["setting", "value", "from"], rows);
    }
    Ok(())
}
