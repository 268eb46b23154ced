//! Deprecated names of commands and options: accepted until their removal, with a notice on standard error.

use clap::Command;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

/// A renamed command, or a renamed option of a command.
#[derive(Debug, Clone, Copy)]
pub struct Deprecation {
    /// The words of the command; an option comes last.
    pub old: &'static str,
    /// As many words; without an option if the command replaces it.
    pub new: &'static str,
    /// The first version without the old name.
    pub removed_in: &'static str,
}

/// `docs/reference/deprecations.md` has the same rows. The first match is applied: an option comes before its command.
pub static DEPRECATIONS: [Deprecation; 15] = [
    Deprecation::new("sites name --as", "domains add --role", "1.0"),
    Deprecation::new("sites name", "competitors add", "1.0"),
    Deprecation::new("sites list", "domains list", "1.0"),
    Deprecation::new("sites forget", "domains remove", "1.0"),
    Deprecation::new("sites call --word", "brands set --common-word", "1.0"),
    Deprecation::new("sites call", "brands set", "1.0"),
    Deprecation::new("suggestions take-up", "suggestions reopen", "1.0"),
    Deprecation::new("account disable --enable", "account enable", "1.0"),
    Deprecation::new("account log --most", "account log --limit", "1.0"),
    Deprecation::new("answers list --most", "answers list --limit", "1.0"),
    Deprecation::new("audit --keep", "audit --snapshot", "1.0"),
    Deprecation::new("backup --programs", "backup --bindir", "1.0"),
    Deprecation::new("restore --programs", "restore --bindir", "1.0"),
    Deprecation::new("migrate wall-up", "migrate enable-rls", "1.0"),
    Deprecation::new("migrate wall-down", "migrate disable-rls", "1.0"),
];

/// The longest command has as many words.
const MAX_COMMAND_WORDS: usize = 2;

/// The command line with new names, and a notice for each old one.
pub fn rewrite(definition: &Command, mut arguments: Vec<OsString>) -> (Vec<OsString>, Vec<String>) {
    let options = options_with_value(definition);
    let mut notices = Vec::new();
    loop {
        let positions = command_positions(&arguments, &options);
        let applied = { DEPRECATIONS.iter() }.find(|it| it.matches(&arguments, &positions));
        let Some(applied) = applied else {
            return (arguments, notices);
        };
        applied.apply(&mut arguments, &positions);
        notices.push(applied.notice());
    }
}

/// The options that may precede the words of a command and take a value, such as `--config`.
fn options_with_value(definition: &Command) -> Vec<String> {
    { definition.get_arguments() }
        .filter(|it| it.get_action().takes_values())
        .filter_map(|it| it.get_long())
        .map(|it| format!("--{it}"))
        .collect()
}

/// The positions of the words of the command, which are neither options nor their values.
fn command_positions(arguments: &[OsString], options_with_value: &[String]) -> Vec<usize> {
    let mut positions = Vec::new();
    let mut is_value = false;
    for (position, argument) in arguments.iter().enumerate().skip(1) {
        let text = argument.to_string_lossy();
        if text == "--" || positions.len() == MAX_COMMAND_WORDS {
            break;
        }
        if is_value {
            is_value = false;
        } else if text.starts_with('-') {
            is_value = options_with_value.iter().any(|it| *it == text);
        } else {
            positions.push(position);
        }
    }
    positions
}

/// The position of the option, and what follows its name: nothing, or `=` and a value.
fn find_option(arguments: &[OsString], option: &str) -> Option<(usize, OsString)> {
    let suffix = |argument: &OsString| {
        let rest = argument.as_bytes().strip_prefix(option.as_bytes())?;
        let is_option = rest.is_empty() || rest.starts_with(b"=");
        is_option.then(|| OsStr::from_bytes(rest).to_owned())
    };
    { arguments.iter().enumerate().skip(1) }
        .take_while(|(_, argument)| *argument != "--")
        .find_map(|(position, argument)| Some((position, suffix(argument)?)))
}

/// The words of the command, and the option behind them.
fn split(name: &'static str) -> (Vec<&'static str>, Option<&'static str>) {
    let (options, words): (Vec<_>, Vec<_>) = name.split(' ').partition(|it| it.starts_with("--"));
    (words, options.first().copied())
}

impl Deprecation {
    const fn new(old: &'static str, new: &'static str, removed_in: &'static str) -> Self {
        Self {
            old,
            new,
            removed_in,
        }
    }

    fn matches(&self, arguments: &[OsString], positions: &[usize]) -> bool {
        let (words, option) = split(self.old);
        let is_command = words.len() <= positions.len() && { words.iter().zip(positions) }
            .all(|(word, position)| arguments[*position] == **word);
        is_command && option.is_none_or(|it| find_option(arguments, it).is_some())
    }

    fn apply(&self, arguments: &mut Vec<OsString>, positions: &[usize]) {
        let (words, new_option) = split(self.new);
        for (word, position) in words.iter().zip(positions) {
            arguments[*position] = (*word).into();
        }
        let (_, old_option) = split(self.old);
        let Some((position, suffix)) = old_option.and_then(|it| find_option(arguments, it)) else {
            return;
        };
        match new_option {
            Some(option) => {
                arguments[position] = option.into();
                arguments[position].push(suffix);
            }
            None => _ = arguments.remove(position),
        }
    }

    fn notice(&self) -> String {
        let Self {
            old,
            new,
            removed_in,
        } = self;
        format!(
            "sightline: \"{old}\" is deprecated and will be removed in version {removed_in}; use \"{new}\""
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::{Arg, CommandFactory, Parser};

    fn line(words: &str) -> Vec<OsString> {
        let words = words.split(' ').map(OsString::from);
        std::iter::once("sightline".into()).chain(words).collect()
    }

    fn rewritten(words: &str) -> String {
        let (arguments, _) = rewrite(&Cli::command(), line(words));
        let words: Vec<_> = arguments.iter().skip(1).map(|it| it.to_str()).collect();
        words
            .into_iter()
            .map(Option::unwrap)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The definition of the command with these words; a word that is not a command is a value.
    fn definition(words: &[&str]) -> Command {
        let mut found = Cli::command();
        for word in words {
            let Some(inner) = found.find_subcommand(word).cloned() else {
                break;
            };
            found = inner;
        }
        found
    }

    /// The argument with a value that it accepts.
    fn example(argument: &Arg) -> String {
        let values = argument.get_possible_values();
        let value = values.first().map_or("1", |it| it.get_name());
        match argument.get_long() {
            Some(option) if argument.get_action().takes_values() => format!("--{option} {value}"),
            Some(option) => format!("--{option}"),
            None => value.to_owned(),
        }
    }

    /// A command line with the old name, and the same one with the new name.
    fn lines(row: &Deprecation) -> (String, String) {
        let (words, option) = split(row.new);
        let command = definition(&words);
        let mut more = String::new();
        for argument in command.get_arguments().filter(|it| it.is_required_set()) {
            more = format!("{more} {}", example(argument));
        }
        let is_renamed = |it: &&Arg| Some(it.get_long()) == option.map(|it| it.strip_prefix("--"));
        let mut value = String::new();
        if let Some(argument) = command.get_arguments().find(is_renamed) {
            value = example(argument).replace(option.unwrap(), "");
        }
        let of = |name: &str| format!("{name}{value}{more}");
        (of(row.old), of(row.new))
    }

    fn parsed(arguments: Vec<OsString>) -> Result<String, clap::Error> {
        Cli::try_parse_from(arguments).map(|it| format!("{it:?}"))
    }

    #[test]
    fn each_old_name_parses_as_the_new_one_with_a_notice() {
        for row in &DEPRECATIONS {
            let (old, new) = lines(row);
            let (arguments, notices) = rewrite(&Cli::command(), line(&old));
            assert_eq!(notices, [row.notice()], "{old}");
            assert_eq!(parsed(arguments).unwrap(), parsed(line(&new)).unwrap());
            let (unchanged, notices) = rewrite(&Cli::command(), line(&new));
            assert_eq!((unchanged, notices.len()), (line(&new), 0));
        }
    }

    #[test]
    fn definitions_and_help_have_no_old_names() {
        let mut commands = vec![Cli::command()];
        let mut help = String::new();
        while let Some(mut command) = commands.pop() {
            help += &command.render_long_help().to_string();
            commands.extend(command.get_subcommands().cloned());
        }
        assert!(help.contains("sightline competitors add"));
        for row in &DEPRECATIONS {
            let (old, _) = lines(row);
            assert!(parsed(line(&old)).is_err(), "{old}");
            assert!(!help.contains(row.old), "{}", row.old);
        }
    }

    #[test]
    fn only_words_of_the_command_and_options_are_rewritten() {
        for (before, after) in [
            (
                "--data-dir sites sites list",
                "--data-dir sites domains list",
            ),
            (
                "--data-dir=x sites --config y list",
                "--data-dir=x domains --config y list",
            ),
            (
                "sites name --as=own --domain a.example",
                "domains add --role=own --domain a.example",
            ),
            (
                "sites call --domain a.example -- --word",
                "brands set --domain a.example -- --word",
            ),
            (
                "account create --name sites list",
                "account create --name sites list",
            ),
            (
                "account disable --email a@b.example",
                "account disable --email a@b.example",
            ),
            (
                "search-console rows --most 5",
                "search-console rows --most 5",
            ),
            ("sites", "sites"),
        ] {
            assert_eq!(rewritten(before), after);
        }
    }

    #[test]
    fn the_document_lists_the_same_names() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../docs/reference/deprecations.md"
        );
        let document = std::fs::read_to_string(path).unwrap();
        let rows = document.lines().filter(|it| it.starts_with("| `"));
        let rows: Vec<&str> = rows.collect();
        let expected = DEPRECATIONS.map(|it| {
            let Deprecation {
                old,
                new,
                removed_in,
            } = it;
            format!("| `{old}` | `{new}` | {removed_in} |")
        });
        assert_eq!(rows, expected);
    }
}
