//! Where settings come from: the file, the environment, the command line; and how a mistake in
//! one of them is told.

use super::{Settings, ranges};
use serde::Deserialize;
use std::{collections::BTreeMap, fmt, path::PathBuf};
use thiserror::Error;
use toml::{Table, Value};

const FILE: &str = "sightline.toml";
const PREFIX: &str = "SIGHTLINE_";
/// Read by `sightline mcp` and by clients, not settings of the server.
const NOT_SETTINGS: [&str; 3] = ["SIGHTLINE_URL", "SIGHTLINE_TOKEN", "SIGHTLINE_CONFIG"];

/// What is read before anything starts.
#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file named by `--config` or `SIGHTLINE_CONFIG`; it has to exist.
    pub file: Option<PathBuf>,
    /// The environment.
    pub environment: Vec<(String, String)>,
    /// Settings given as flags, as dotted key and TOML value.
    pub flags: Vec<(String, Value)>,
}

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The file.
    File(PathBuf),
    /// A variable.
    Environment(String),
    /// A flag.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => f.write_str(name),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// Settings with the origin of each value that somebody set, by dotted key.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The settings.
    pub settings: Settings,
    /// Who set what.
    pub origins: BTreeMap<String, Origin>,
}

/// A mistake in a source; names the key, where it stands, and what is allowed.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error("cannot read the settings file {}: {source}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file holds a mistake; the reason names line, key and allowed values.
    #[error("mistake in {}: {reason}", path.display())]
    InFile {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A variable holds a mistake.
    #[error("mistake in the environment: {name}: {reason}")]
    InEnvironment {
        /// Which variable.
        name: String,
        /// What is wrong.
        reason: String,
    },
    /// Values of the right type that cannot be used: a line for each.
    #[error("{0}")]
    Unusable(String),
    /// A flag holds a mistake.
    #[error("mistake in the setting {key}: {reason}")]
    InFlag {
        /// Which key.
        key: String,
        /// What is wrong.
        reason: String,
    },
}

impl Sources {
    /// Reads everything, and checks each source by itself so that a mistake is told where it is.
    pub fn load(&self) -> Result<Loaded, SettingsError> {
        let mut merged = Table::new();
        let mut origins = BTreeMap::new();
        if let Some((path, table)) = self.file()? {
            note(&table, "", &Origin::File(path), &mut origins);
            merge(&mut merged, table);
        }
        for (name, table) in self.environment()? {
            note(&table, "", &Origin::Environment(name), &mut origins);
            merge(&mut merged, table);
        }
        for (key, value) in &self.flags {
            let table = nested(&key.split('.').collect::<Vec<_>>(), value.clone());
            check(&table).map_err(|reason| SettingsError::InFlag {
                key: key.clone(),
                reason,
            })?;
            note(&table, "", &Origin::Flag, &mut origins);
            merge(&mut merged, table);
        }
        let with_home = self.with_data_dir(merged);
        let settings = Settings::deserialize(with_home).map_err(|error| SettingsError::InFlag {
            key: "settings".to_owned(),
            reason: error.to_string(),
        })?;
        ranges::check(&settings)?;
        Ok(Loaded { settings, origins })
    }

    /// Without a setting, data lives where the platform keeps data of the user.
    fn with_data_dir(&self, mut merged: Table) -> Table {
        let variable = |name: &str| {
            let found = self
                .environment
                .iter()
                .find(|(known, value)| known == name && !value.is_empty());
            found.map(|(_, value)| PathBuf::from(value))
        };
        let home = variable("XDG_DATA_HOME")
            .or_else(|| variable("HOME").map(|home| home.join(".local/share")));
        if let Some(home) = home {
            let dir = home.join("sightline").display().to_string();
            merged.entry("data_dir").or_insert(Value::String(dir));
        }
        merged
    }

    fn file(&self) -> Result<Option<(PathBuf, Table)>, SettingsError> {
        let named = self.file.clone();
        let path = named.clone().unwrap_or_else(|| PathBuf::from(FILE));
        if named.is_none() && !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&path).map_err(|source| SettingsError::File {
            path: path.clone(),
            source,
        })?;
        let table = parse_file(&text).map_err(|reason| SettingsError::InFile {
            path: path.clone(),
            reason,
        })?;
        Ok(Some((path, table)))
    }

    fn environment(&self) -> Result<Vec<(String, Table)>, SettingsError> {
        let ours = self
            .environment
            .iter()
            .filter(|(name, _)| name.starts_with(PREFIX) && !NOT_SETTINGS.contains(&name.as_str()));
        ours.map(|(name, text)| {
            let table = variable(name, text).map_err(|reason| SettingsError::InEnvironment {
                name: name.clone(),
                reason,
            })?;
            Ok((name.clone(), table))
        })
        .collect()
    }
}

fn parse_file(text: &str) -> Result<Table, String> {
    let told = |error: toml::de::Error| error.to_string().trim_end().to_owned();
    toml::from_str::<Settings>(text).map_err(told)?;
    toml::from_str(text).map_err(told)
}

/// `SIGHTLINE_CRAWLER__MAX_PAGES` names `crawler.max_pages`. Its value is TOML (lists, numbers,
/// booleans), or plain text where that is what the setting takes.
fn variable(name: &str, text: &str) -> Result<Table, String> {
    let key = name.trim_start_matches(PREFIX).to_lowercase();
    let path: Vec<&str> = key.split("__").collect();
    let plain = nested(&path, Value::String(text.to_owned()));
    let Some(value) = as_toml(text) else {
        return check(&plain).map(|()| plain);
    };
    let typed = nested(&path, value);
    match check(&typed) {
        Ok(()) => Ok(typed),
        Err(reason) => check(&plain).map(|()| plain).map_err(|_| reason),
    }
}

fn as_toml(text: &str) -> Option<Value> {
    let mut table: Table = toml::from_str(&format!("value = {text}")).ok()?;
    table.remove("value")
}

fn nested(path: &[&str], value: Value) -> Table {
    let (first, rest) = path
        .split_first()
        .map_or(("", path), |(first, rest)| (*first, rest));
    let inner = if rest.is_empty() {
        value
    } else {
        Value::Table(nested(rest, value))
    };
    Table::from_iter([(first.to_owned(), inner)])
}

fn check(table: &Table) -> Result<(), String> {
    Settings::deserialize(table.clone())
        .map(drop)
        .map_err(|error| error.to_string().trim_end().to_owned())
}

fn merge(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

fn note(table: &Table, prefix: &str, origin: &Origin, origins: &mut BTreeMap<String, Origin>) {
    for (key, value) in table {
        let dotted = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match value {
            Value::Table(inner) => note(inner, &dotted, origin, origins),
            _ => {
                origins.insert(dotted, origin.clone());
            }
        }
    }
}

/// The settings as dotted keys and shown values, secrets hidden.
#[must_use]
pub fn shown(settings: &Settings) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    if let Ok(Value::Table(table)) = Value::try_from(settings) {
        flatten(&table, "", &mut rows);
    }
    rows
}

fn flatten(table: &Table, prefix: &str, rows: &mut Vec<(String, String)>) {
    for (key, value) in table {
        let dotted = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match value {
            Value::Table(inner) => flatten(inner, &dotted, rows),
            value => rows.push((dotted, value.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Sources {
        let environment = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        Sources {
            environment,
            ..Sources::default()
        }
    }

    #[test]
    fn nothing_has_to_be_set() {
        let loaded = environment(&[("HOME", "/home/ann")]).load().unwrap();
        assert_eq!(
            loaded.settings.data_dir,
            PathBuf::from("/home/ann/.local/share/sightline")
        );
        assert_eq!(loaded.settings.public_base_url(), "http://127.0.0.1:8080");
        assert!(loaded.settings.search_is_simulated());
    }

    #[test]
    fn variables_take_text_numbers_and_lists() {
        let loaded = environment(&[
            ("SIGHTLINE_LISTEN", "0.0.0.0:9000"),
            ("SIGHTLINE_CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]"),
            ("SIGHTLINE_CRAWLER__MAX_PAGES", "7"),
            ("SIGHTLINE_SEARCH__SERPER__API_KEY", "12345"),
            ("SIGHTLINE_TOKEN", "not a setting"),
        ])
        .load()
        .unwrap();
        let networks = &loaded.settings.crawler.allow_networks;
        assert_eq!(String::from(networks[0]), "127.0.0.0/8");
        assert_eq!(loaded.settings.crawler.max_pages, 7);
        assert_eq!(
            loaded
                .settings
                .search
                .serper
                .api_key
                .as_ref()
                .unwrap()
                .reveal(),
            "12345"
        );
        assert_eq!(
            loaded.origins["listen"],
            Origin::Environment("SIGHTLINE_LISTEN".into())
        );
    }

    #[test]
    fn a_mistake_is_told_with_its_place_and_what_is_allowed() {
        let unknown = environment(&[("SIGHTLINE_LISTN", "x")])
            .load()
            .unwrap_err()
            .to_string();
        assert!(
            unknown.contains("SIGHTLINE_LISTN") && unknown.contains("`listen`"),
            "{unknown}"
        );
        let wrong = parse_file("[crawler]\nmax_pages = \"many\"\n").unwrap_err();
        assert!(
            wrong.contains("line 2") && wrong.contains("max_pages"),
            "{wrong}"
        );
        let unnamed = parse_file("[log]\nformat = \"xml\"\n").unwrap_err();
        assert!(
            unnamed.contains("readable") && unnamed.contains("json"),
            "{unnamed}"
        );
    }

    #[test]
    fn flags_stand_above_the_environment() {
        let mut sources = environment(&[("SIGHTLINE_LISTEN", "127.0.0.1:1")]);
        sources
            .flags
            .push(("listen".into(), Value::String("127.0.0.1:2".into())));
        assert_eq!(sources.load().unwrap().settings.listen.port(), 2);
    }

    #[test]
    fn secrets_are_hidden_wherever_settings_are_shown() {
        let loaded = environment(&[("SIGHTLINE_DATABASE_URL", "postgres://u:hunter2@h/d")])
            .load()
            .unwrap();
        let rows = format!("{:?} {:?}", shown(&loaded.settings), loaded.settings);
        assert!(!rows.contains("hunter2"), "{rows}");
    }
}
