//! Sources of settings: file, environment, command line; and messages about mistakes in them.

use super::{Settings, file};
use serde::{Deserialize, Serialize};
use setting::{Key, Mistakes, Setting};
use std::{collections::BTreeMap, fmt, path::PathBuf};
use thiserror::Error;
use toml::{Table, Value};

const FILE: &str = "sightline.toml";
const PREFIX: &str = "SIGHTLINE_";
/// Suffix of a variable that names a file with the value, as containers pass secrets.
const FILE_SUFFIX: &str = "_FILE";
/// Read by `sightline mcp` and by clients, not settings of the server.
const IGNORED_VARIABLES: [&str; 4] = [
    "SIGHTLINE_URL",
    "SIGHTLINE_TOKEN",
    "SIGHTLINE_TRUST",
    "SIGHTLINE_CONFIG",
];

const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];

#[derive(Debug, Clone, Default)]
pub struct Sources {
    /// The file named by `--config` or `SIGHTLINE_CONFIG`; it must exist.
    pub file: Option<PathBuf>,
    pub environment: Vec<(String, String)>,
    /// Settings given as flags: dotted key and TOML value.
    pub flags: Vec<(String, Value)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Default,
    File(PathBuf),
    Environment(String),
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

/// Settings with the origin of each value that was set, by dotted key.
#[derive(Debug, Clone)]
pub struct Loaded {
    pub settings: Settings,
    pub origins: BTreeMap<String, Origin>,
    /// Variables that Kubernetes or Docker set for a service named `sightline`.
    pub service_variables: Vec<String>,
}

impl Loaded {
    /// Every effective setting.
    pub fn rows(&self) -> Vec<SettingRow> {
        let settings = &self.settings;
        let all = Value::try_from(settings).unwrap_or_else(|_| Value::Table(Table::new()));
        let row = |Key { name, meaning, .. }: Key| {
            let (value, from) = match name.as_str() {
                // Defaults that are derived from other settings.
                "database_url" if settings.database_url.is_none() => (
                    format!("sqlite://{}", settings.database()),
                    "data_dir".to_owned(),
                ),
                "public_base_url" if settings.public_base_url.is_none() => {
                    (settings.public_base_url(), "listen".to_owned())
                }
                _ => {
                    let value = name
                        .split('.')
                        .try_fold(&all, |table, part| table.get(part));
                    let origin = self.origins.get(&name).unwrap_or(&Origin::Default);
                    let value = value.map_or("not set".to_owned(), Value::to_string);
                    (value, origin.to_string())
                }
            };
            SettingRow {
                key: name,
                value,
                from,
                meaning,
            }
        };
        keys().into_iter().map(row).collect()
    }
}

/// A setting for people and scripts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct SettingRow {
    /// The dotted key.
    pub key: String,
    /// As TOML; secrets hidden.
    pub value: String,
    /// A source, or the setting that the default derives from.
    pub from: String,
    pub meaning: &'static str,
}

/// A mistake in a source; names the key, its origin, and the allowed values.
#[derive(Debug, Error)]
pub enum SettingsError {
    #[error("cannot read the settings file {}", path.display())]
    File {
        path: PathBuf,
        source: std::io::Error,
    },
    /// The reason names line, key and allowed values.
    #[error("mistake in {}: {reason}", path.display())]
    InFile { path: PathBuf, reason: String },
    #[error("mistake in the environment: {name}: {reason}")]
    InEnvironment { name: String, reason: String },
    #[error("{0}")]
    Invalid(String),
    #[error("mistake in the setting {key}: {reason}")]
    InFlag { key: String, reason: String },
    /// `--data-dir` with a database from another source is ambiguous, and a wrong guess could replace data.
    #[error(
        "--data-dir is {}, and {origin} sets another database: remove one of them, or use --database-url, which overrides both",
        folder.display()
    )]
    TwoDatabases { folder: PathBuf, origin: Origin },
    #[error("{}", describe_all(.0))]
    Several(Vec<SettingsError>),
}

fn describe_all(all: &[SettingsError]) -> String {
    let all: Vec<String> = all.iter().map(SettingsError::describe).collect();
    all.join("\n")
}

impl SettingsError {
    pub fn messages(&self) -> Vec<String> {
        match self {
            Self::Several(all) => all.iter().flat_map(Self::messages).collect(),
            Self::Invalid(text) => text.lines().map(str::to_owned).collect(),
            other => vec![other.describe()],
        }
    }

    fn describe(&self) -> String {
        match self {
            Self::File { source, .. } => format!("{self}: {source}"),
            other => other.to_string(),
        }
    }
}

impl Sources {
    /// Checks each value separately, so that each mistake is reported with its origin.
    pub fn load(&self) -> Result<Loaded, SettingsError> {
        let mut merged = Table::new();
        let mut origins = BTreeMap::new();
        let mut mistakes = Vec::new();
        match self.file() {
            Ok(None) => {}
            Ok(Some((path, text))) => {
                let (table, wrong) = file::read(&text);
                mistakes.extend(wrong.into_iter().map(|reason| SettingsError::InFile {
                    path: path.clone(),
                    reason,
                }));
                record_origins(&table, "", &Origin::File(path), &mut origins);
                merge(&mut merged, table);
            }
            Err(error) => mistakes.push(error),
        }
        for (name, read) in self.parse_environment() {
            match read {
                Ok(table) => {
                    record_origins(&table, "", &Origin::Environment(name), &mut origins);
                    merge(&mut merged, table);
                }
                Err(reason) => mistakes.push(SettingsError::InEnvironment { name, reason }),
            }
        }
        for (key, value) in &self.flags {
            let table = nested_table(&key.split('.').collect::<Vec<_>>(), value.clone());
            match check(&table) {
                Ok(()) => {
                    record_origins(&table, "", &Origin::Flag, &mut origins);
                    merge(&mut merged, table);
                }
                Err(reason) => mistakes.push(SettingsError::InFlag {
                    key: key.clone(),
                    reason,
                }),
            }
        }
        if let (Some(Origin::Flag), Some(origin)) =
            (origins.get("data_dir"), origins.get("database_url"))
            && *origin != Origin::Flag
            && let Some(Value::String(folder)) = merged.get("data_dir")
        {
            mistakes.push(SettingsError::TwoDatabases {
                folder: folder.into(),
                origin: origin.clone(),
            });
        }
        let with_home = self.with_data_dir(merged);
        let settings = Settings::deserialize(with_home).map_err(|error| SettingsError::InFlag {
            key: "settings".to_owned(),
            reason: error.to_string(),
        })?;
        mistakes.extend(find_mistakes(&settings, &origins));
        match (mistakes.pop(), mistakes.is_empty()) {
            (None, _) => Ok(Loaded {
                settings,
                origins,
                service_variables: self.service_variables(),
            }),
            (Some(only), true) => Err(only),
            (Some(last), false) => {
                mistakes.push(last);
                Err(SettingsError::Several(mistakes))
            }
        }
    }

    /// The default is the platform's folder for user data. `~` is the home folder.
    fn with_data_dir(&self, mut merged: Table) -> Table {
        let variable = |name: &str| {
            let found = self
                .environment
                .iter()
                .find(|(known, value)| known == name && !value.is_empty());
            found.map(|(_, value)| PathBuf::from(value))
        };
        if let Some(Value::String(dir)) = merged.get_mut("data_dir")
            && let Some((home, rest)) = variable("HOME").zip(dir.strip_prefix("~/"))
        {
            *dir = home.join(rest).display().to_string();
        }
        let home = variable("XDG_DATA_HOME")
            .or_else(|| variable("HOME").map(|home| home.join(".local/share")));
        if let Some(home) = home {
            let dir = home.join("sightline").display().to_string();
            merged.entry("data_dir").or_insert(Value::String(dir));
        }
        merged
    }

    fn file(&self) -> Result<Option<(PathBuf, String)>, SettingsError> {
        let named = self.file.clone();
        let path = named.clone().unwrap_or_else(|| PathBuf::from(FILE));
        if named.is_none() && !path.exists() {
            return Ok(None);
        }
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(Some((path, text))),
            Err(source) => Err(SettingsError::File { path, source }),
        }
    }

    fn parse_environment(&self) -> Vec<(String, Result<Table, String>)> {
        let ours = self
            .environment
            .iter()
            .filter(|(name, _)| {
                name.starts_with(PREFIX) && !IGNORED_VARIABLES.contains(&name.as_str())
            })
            .filter(|(name, text)| !is_service_variable(name, text))
            // An empty variable is ignored: CI systems pass missing secrets as empty.
            .filter(|(_, text)| !text.is_empty());
        ours.map(|(name, text)| (name.clone(), self.parse_or_read_file(name, text)))
            .collect()
    }

    fn service_variables(&self) -> Vec<String> {
        let all = self.environment.iter();
        let of_services = all.filter(|(name, text)| is_service_variable(name, text));
        of_services.map(|(name, _)| name.clone()).collect()
    }

    /// A variable holds a value, or with the suffix the name of a file with the value.
    fn parse_or_read_file(&self, name: &str, text: &str) -> Result<Table, String> {
        let Some(setting) = name.strip_suffix(FILE_SUFFIX).filter(|it| is_setting(it)) else {
            return parse_variable(name, text);
        };
        let is_set = |(known, value): &(String, String)| known == setting && !value.is_empty();
        if self.environment.iter().any(is_set) {
            return Err(format!("{setting} is set as well; remove one of them"));
        }
        let content = std::fs::read_to_string(text)
            .map_err(|error| format!("cannot read the file {text}: {error}"))?;
        parse_variable(setting, content.trim_end_matches(['\r', '\n']))
    }
}

/// Whether Kubernetes set the variable for a Service named `sightline…` (kubernetes.io, "Discovering services"):
/// `SIGHTLINE_SERVICE_HOST`, `SIGHTLINE_PORT=tcp://…`, `SIGHTLINE_WEB_PORT_80_TCP_ADDR`.
fn is_service_variable(name: &str, text: &str) -> bool {
    let names_port = |name: &str| {
        let (_, behind) = name.split_once("_PORT_").unwrap_or_default();
        let mut parts = behind.split('_');
        parts.next().is_some_and(|it| it.parse::<u16>().is_ok())
            && parts.next().is_some_and(|it| PROTOCOLS.contains(&it))
    };
    let is_address = text
        .split_once("://")
        .is_some_and(|(scheme, _)| PROTOCOLS.contains(&scheme.to_ascii_uppercase().as_str()));
    name.starts_with(PREFIX)
        && !is_setting(name)
        && (name.ends_with("_SERVICE_HOST")
            || name.ends_with("_SERVICE_PORT")
            || name.contains("_SERVICE_PORT_")
            || name.ends_with("_PORT") && is_address
            || names_port(name))
}

fn is_setting(name: &str) -> bool {
    let key = setting_key(name).replace("__", ".");
    keys().iter().any(|it| it.name == key)
}

fn setting_key(name: &str) -> String {
    name.trim_start_matches(PREFIX).to_lowercase()
}

/// `SIGHTLINE_CRAWLER__MAX_PAGES` is `crawler.max_pages`; the value is TOML, or a plain string where one is allowed.
fn parse_variable(name: &str, text: &str) -> Result<Table, String> {
    let key = setting_key(name);
    let path: Vec<&str> = key.split("__").collect();
    let plain = nested_table(&path, Value::String(text.to_owned()));
    let outcome = match parse_toml(text) {
        None => check(&plain).map(|()| plain),
        Some(value) => {
            let typed = nested_table(&path, value);
            match check(&typed) {
                Ok(()) => Ok(typed),
                Err(reason) => check(&plain).map(|()| plain).map_err(|_| reason),
            }
        }
    };
    outcome.map_err(|reason| {
        let hint = if reason.contains("unknown field") {
            suggestion(&key)
        } else if reason.contains("expected a list") {
            Some("a list is written as [\"one\", \"two\"]".to_owned())
        } else {
            None
        };
        hint.map_or(reason.clone(), |hint| format!("{reason}; {hint}"))
    })
}

fn suggestion(key: &str) -> Option<String> {
    let best = nearest_key(key)?.replace('.', "__").to_uppercase();
    Some(format!("did you mean {PREFIX}{best}?"))
}

pub(super) fn nearest_key(key: &str) -> Option<String> {
    let flat = |text: &str| text.replace("__", "_").replace('.', "_");
    let likeness = |it: &String| strsim::jaro_winkler(&flat(it), &flat(key));
    let all = keys().into_iter().map(|it| it.name);
    let best = all.max_by(|one, other| likeness(one).total_cmp(&likeness(other)))?;
    (likeness(&best) > 0.8).then_some(best)
}

/// In the order of declaration.
pub(super) fn keys() -> Vec<Key> {
    let mut all = Vec::new();
    Settings::keys("", "", &mut all);
    all
}

/// Values that were parsed but are invalid, each with key and origin.
pub(super) fn find_mistakes(
    settings: &Settings,
    origins: &BTreeMap<String, Origin>,
) -> Option<SettingsError> {
    let mut mistakes = Mistakes::default();
    settings.check("", &mut mistakes);
    let lines = mistakes.0.into_iter().map(|it| {
        let origin = origins.get(&it.key).unwrap_or(&Origin::Default);
        let (key, allowed, value) = (it.key, it.allowed, it.value);
        format!("the setting {key} takes {allowed}; it is {value} ({origin})")
    });
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| SettingsError::Invalid(lines.join("\n")))
}

fn parse_toml(text: &str) -> Option<Value> {
    let mut table: Table = toml::from_str(&format!("value = {text}")).ok()?;
    table.remove("value")
}

pub(super) fn nested_table(path: &[&str], value: Value) -> Table {
    let (first, rest) = path
        .split_first()
        .map_or(("", path), |(first, rest)| (*first, rest));
    let inner = if rest.is_empty() {
        value
    } else {
        Value::Table(nested_table(rest, value))
    };
    Table::from_iter([(first.to_owned(), inner)])
}

/// The mistake of a setting; for a list, those of each entry.
pub(super) fn check(table: &Table) -> Result<(), String> {
    // TOML puts the key on a separate line, which is redundant here.
    let check = |table: Table| {
        let read = Settings::deserialize(table).map(drop);
        read.map_err(|error| in_plain_words(error.message()))
    };
    check(table.clone()).map_err(|first| {
        let mut each: Vec<String> = { single_entry_tables(table).into_iter() }
            .filter_map(|it| check(it).err())
            .collect();
        each.dedup();
        if each.is_empty() {
            first
        } else {
            each.join("; ")
        }
    })
}

/// The names of types as operators know them.
const TYPE_NAMES: [(&str, &str); 4] = [
    ("a sequence", "a list"),
    ("a boolean", "true or false"),
    ("a string", "a text"),
    ("f64", "a number"),
];

/// A message of serde with its names of Rust types replaced: `invalid type: string "x", expected usize`.
fn in_plain_words(message: &str) -> String {
    let Some((found, expected)) = message.rsplit_once(", expected ") else {
        return message.to_owned();
    };
    let is_integer = |it: &str| it.starts_with(['u', 'i']) && it[1..].parse::<u8>().is_ok();
    let known = TYPE_NAMES.iter().find(|(name, _)| *name == expected);
    let expected = match known {
        Some((_, words)) => words,
        None if expected == "usize" || is_integer(expected) => "a whole number",
        None if expected.starts_with("struct ") => "a section",
        None => expected,
    };
    format!("{found}, expected {expected}")
}

/// The setting once per list entry, with that entry alone.
fn single_entry_tables(table: &Table) -> Vec<Table> {
    let alone = |key: &String, value| Table::from_iter([(key.clone(), value)]);
    { table.iter() }
        .flat_map(|(key, value)| match value {
            Value::Table(inner) => { single_entry_tables(inner).into_iter() }
                .map(|it| alone(key, Value::Table(it)))
                .collect(),
            Value::Array(all) => { all.iter() }
                .map(|it| alone(key, Value::Array(vec![it.clone()])))
                .collect(),
            _ => vec![],
        })
        .collect()
}

pub(super) fn merge(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

fn record_origins(
    table: &Table,
    prefix: &str,
    origin: &Origin,
    origins: &mut BTreeMap<String, Origin>,
) {
    for (key, value) in table {
        let dotted = if prefix.is_empty() {
            key.clone()
        } else {
            format!("{prefix}.{key}")
        };
        match value {
            Value::Table(inner) => record_origins(inner, &dotted, origin, origins),
            _ => {
                origins.insert(dotted, origin.clone());
            }
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
    fn no_setting_is_required() {
        let loaded = environment(&[("HOME", "/home/ann")]).load().unwrap();
        assert_eq!(
            loaded.settings.data_dir,
            PathBuf::from("/home/ann/.local/share/sightline")
        );
        assert_eq!(loaded.settings.public_base_url(), "http://127.0.0.1:8080");
        assert!(loaded.settings.search.is_simulated());
    }

    #[test]
    fn variables_accept_strings_numbers_and_lists() {
        let loaded = environment(&[
            ("SIGHTLINE_LISTEN", "0.0.0.0:9000"),
            ("SIGHTLINE_CRAWLER__ALLOW_NETWORKS", "[\"127.0.0.0/8\"]"),
            ("SIGHTLINE_CRAWLER__DENY_NETWORKS", "[\"203.0.113.7/32\"]"),
            ("SIGHTLINE_CRAWLER__MAX_PAGES", "7"),
            ("SIGHTLINE_SEARCH__SERPER__API_KEY", "1234567"),
            ("SIGHTLINE_TOKEN", "not a setting"),
            ("SIGHTLINE_TRUST", "not a setting"),
        ])
        .load()
        .unwrap();
        let networks = &loaded.settings.crawler.allow_networks;
        assert_eq!(String::from(networks[0]), "127.0.0.0/8");
        let closed = &loaded.settings.crawler.deny_networks;
        assert_eq!(String::from(closed[0]), "203.0.113.7/32");
        assert_eq!(loaded.settings.crawler.max_pages.0, 7);
        assert_eq!(
            loaded
                .settings
                .search
                .serper
                .api_key
                .as_ref()
                .unwrap()
                .reveal(),
            "1234567"
        );
        assert_eq!(
            loaded.origins["listen"],
            Origin::Environment("SIGHTLINE_LISTEN".into())
        );
    }

    #[test]
    fn unknown_variable_is_reported_with_the_allowed_keys() {
        let unknown = environment(&[("SIGHTLINE_LISTN", "x")])
            .load()
            .unwrap_err()
            .to_string();
        assert!(
            unknown.contains("SIGHTLINE_LISTN") && unknown.contains("`listen`"),
            "{unknown}"
        );
    }

    #[test]
    fn kubernetes_service_variables_are_ignored() {
        let of_services = [
            ("SIGHTLINE_SERVICE_HOST", "10.0.0.1"),
            ("SIGHTLINE_SERVICE_PORT", "80"),
            ("SIGHTLINE_SERVICE_PORT_HTTP", "80"),
            ("SIGHTLINE_PORT", "tcp://10.0.0.1:80"),
            ("SIGHTLINE_PORT_80_TCP", "tcp://10.0.0.1:80"),
            ("SIGHTLINE_PORT_80_TCP_PROTO", "tcp"),
            ("SIGHTLINE_PORT_80_TCP_PORT", "80"),
            ("SIGHTLINE_PORT_80_TCP_ADDR", "10.0.0.1"),
            ("SIGHTLINE_WEB_SERVICE_HOST", "10.0.0.1"),
            ("SIGHTLINE_WEB_PORT_443_TCP_ADDR", "10.0.0.1"),
        ];
        let loaded = environment(&of_services).load().unwrap();
        let names = of_services.map(|(name, _)| name.to_owned());
        assert_eq!(loaded.service_variables, names);
        assert!(loaded.origins.is_empty());
        for (name, value) in [
            ("SIGHTLINE_PORT", "8080"),
            ("SIGHTLINE_PORT_HTTP", "80"),
            ("SIGHTLINE_SERVICE", "x"),
        ] {
            assert!(environment(&[(name, value)]).load().is_err(), "{name}");
        }
    }

    #[test]
    fn misspelled_variable_gets_a_suggestion() {
        for (given, meant) in [
            ("SIGHTLINE_LISTN", "SIGHTLINE_LISTEN"),
            (
                "SIGHTLINE_CRAWLER_MAX_PAGES",
                "SIGHTLINE_CRAWLER__MAX_PAGES",
            ),
        ] {
            let message = environment(&[(given, "x")]).load().unwrap_err().to_string();
            assert!(
                message.contains(&format!("did you mean {meant}?")),
                "{message}"
            );
        }
        let list = environment(&[("SIGHTLINE_CRAWLER__ALLOW_NETWORKS", "10.0.0.0/8")]);
        let message = list.load().unwrap_err().to_string();
        assert!(message.contains("[\"one\", \"two\"]"), "{message}");
    }

    #[test]
    fn mistakes_of_type_name_what_is_expected() {
        for (name, value, expected) in [
            ("WORKER__JOBS", "many", "a whole number"),
            ("SEARCH__SANDBOX__FAILURE_RATE", "often", "a number"),
            ("DATABASE_POOLER", "perhaps", "true or false"),
            ("CRAWLER__ALLOW_NETWORKS", "10.0.0.0/8", "a list"),
            ("WORKER", "4", "a section"),
        ] {
            let loaded = environment(&[(&format!("SIGHTLINE_{name}"), value)]).load();
            let message = loaded.unwrap_err().to_string();
            let expected = format!(", expected {expected}");
            assert!(message.contains(&expected), "{name}: {message}");
        }
    }

    #[test]
    fn empty_variable_is_ignored() {
        let loaded = environment(&[
            ("HOME", "/home/ann"),
            ("SIGHTLINE_SEARCH__SERPER__API_KEY", ""),
            ("SIGHTLINE_DATA_DIR", ""),
        ])
        .load()
        .unwrap();
        assert!(loaded.settings.search.is_simulated());
        assert!(loaded.settings.data_dir.starts_with("/home/ann"));
    }

    #[test]
    fn mistakes_of_all_sources_are_reported_together() {
        let mistakes = environment(&[
            ("SIGHTLINE_LISTN", "x"),
            ("SIGHTLINE_CRAWLER__MAX_PAGES", "0"),
            ("SIGHTLINE_WORKER__JOBS", "0"),
            ("SIGHTLINE_PUBLIC_BASE_URL", "here"),
            (
                "SIGHTLINE_CRAWLER__ALLOW_NETWORKS",
                r#"["300.0.0.0/8", "10.0.0.0/8", "10.0.0.0/99"]"#,
            ),
            ("SIGHTLINE_DATABASE_URL", "postgres://ann:sec/ret@h/d"),
        ])
        .load()
        .unwrap_err();
        let each = mistakes.messages();
        assert_eq!(each.len(), 6, "{each:?}");
        for part in [
            "SIGHTLINE_LISTN",
            "crawler.max_pages",
            "worker.jobs",
            "https address",
            "300.0.0.0/8",
            "10.0.0.0/99",
            "%2F",
        ] {
            assert!(each.iter().any(|it| it.contains(part)), "{part}: {each:?}");
            assert!(mistakes.to_string().contains(part), "{part}: {mistakes}");
        }
        assert!(!mistakes.to_string().contains("ret@h"), "{mistakes}");
    }

    #[test]
    fn file_variable_reads_the_secret_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "hunter2-of-serper\n").unwrap();
        let path = path.to_str().unwrap();
        let name = "SIGHTLINE_SEARCH__SERPER__API_KEY_FILE";
        let loaded = environment(&[(name, path)]).load().unwrap();
        let key = loaded.settings.search.serper.api_key.as_ref().unwrap();
        assert_eq!(key.reveal(), "hunter2-of-serper");
        assert_eq!(
            loaded.origins["search.serper.api_key"],
            Origin::Environment(name.into())
        );
        let gone = environment(&[(name, "/no/such")]).load().unwrap_err();
        assert!(gone.to_string().contains("/no/such"), "{gone}");
        let both = [
            (name, path),
            ("SIGHTLINE_SEARCH__SERPER__API_KEY", "1234567"),
        ];
        let both = environment(&both).load().unwrap_err().to_string();
        assert!(both.contains("remove one of them"), "{both}");
        // A setting with a name that ends in `_file` is an ordinary setting.
        let own = [("SIGHTLINE_SEARCH_CONSOLE__KEY_FILE", path)];
        let loaded = environment(&own).load().unwrap();
        assert!(loaded.settings.search_console.key_file.is_some());
    }

    #[test]
    fn tilde_is_the_home_folder() {
        let pairs = [("HOME", "/home/ann"), ("SIGHTLINE_DATA_DIR", "~/data")];
        let loaded = environment(&pairs).load().unwrap();
        assert_eq!(loaded.settings.data_dir, PathBuf::from("/home/ann/data"));
    }

    #[test]
    fn out_of_range_value_is_reported_with_its_variable() {
        let loaded = environment(&[("SIGHTLINE_CRAWLER__MAX_PAGES", "0")]).load();
        let message = loaded.unwrap_err().to_string();
        assert!(
            message.contains("(SIGHTLINE_CRAWLER__MAX_PAGES)"),
            "{message}"
        );
    }

    #[test]
    fn flags_override_the_environment() {
        let mut sources = environment(&[("SIGHTLINE_LISTEN", "127.0.0.1:1")]);
        sources
            .flags
            .push(("listen".into(), Value::String("127.0.0.1:2".into())));
        assert_eq!(sources.load().unwrap().settings.listen.0.port(), 2);
    }

    #[test]
    fn data_dir_flag_with_another_database_is_refused() {
        let flag = |key: &str, value: &str| (key.to_owned(), Value::String(value.to_owned()));
        let production = ("SIGHTLINE_DATABASE_URL", "postgres://ann@db/production");
        let mut sources = environment(&[production, ("SIGHTLINE_DATA_DIR", "/var/lib/sightline")]);
        // Both from the environment: `database_url` is used.
        let loaded = sources.load().unwrap();
        assert!(loaded.settings.database_url.is_some());
        sources.flags = vec![flag("data_dir", "/rehearsal")];
        let message = sources.load().unwrap_err().to_string();
        for part in [
            "--data-dir",
            "/rehearsal",
            "SIGHTLINE_DATABASE_URL",
            "--database-url",
        ] {
            assert!(message.contains(part), "{part}: {message}");
        }
        sources
            .flags
            .push(flag("database_url", "sqlite:///rehearsal/sightline.db"));
        let database = sources.load().unwrap().settings.database();
        assert_eq!(
            database.path(),
            Some(std::path::Path::new("/rehearsal/sightline.db"))
        );
    }

    #[test]
    fn a_budget_is_dollars_or_none() {
        let budget = |text: &str| {
            let name = "SIGHTLINE_NEW_ACCOUNTS__MONTHLY_BUDGET";
            let loaded = environment(&[(name, text)]).load();
            loaded.map(|it| it.settings.new_accounts.limits().monthly_budget)
        };
        assert_eq!(budget("25").unwrap().unwrap().to_string(), "25.00");
        assert_eq!(budget("12.5").unwrap().unwrap().to_string(), "12.50");
        assert_eq!(budget("none").unwrap(), None);
        for wrong in ["-1", "much", "1000001", "true"] {
            let message = budget(wrong).unwrap_err().to_string();
            assert!(message.contains("US dollars up to 1000000"), "{message}");
        }
    }

    #[test]
    fn login_without_password_is_refused() {
        let login = ("SIGHTLINE_SEARCH__DATA_FOR_SEO__LOGIN", "ann@example.com");
        let message = environment(&[login]).load().unwrap_err().to_string();
        assert!(
            message.contains("search.data_for_seo.password"),
            "{message}"
        );
        let password = ("SIGHTLINE_SEARCH__DATA_FOR_SEO__PASSWORD", "hunter2");
        let loaded = environment(&[login, password]).load().unwrap();
        assert_eq!(loaded.settings.search.suppliers(), ["DataForSEO"]);
    }

    #[test]
    fn secrets_are_hidden_in_all_output() {
        let loaded = environment(&[
            ("SIGHTLINE_DATABASE_URL", "postgres://u:hunter2@h/d"),
            ("SIGHTLINE_SEARCH__DATA_FOR_SEO__LOGIN", "hunter2"),
            ("SIGHTLINE_SEARCH__DATA_FOR_SEO__PASSWORD", "hunter2"),
            ("SIGHTLINE_SEARCH__SERP_API__API_KEY", "hunter2"),
        ])
        .load()
        .unwrap();
        let rows = format!("{:?} {:?}", loaded.rows(), loaded.settings);
        assert!(!rows.contains("hunter2"), "{rows}");
    }
}
