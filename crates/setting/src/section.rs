use std::{fmt::Display, marker::PhantomData, ops::RangeInclusive, path::PathBuf};

/// A setting or a section of settings.
pub trait Setting {
    /// Appended to the allowed values of an optional setting.
    const OR_NOT_SET: &'static str = "";
    /// Whether messages must not show the value.
    const IS_SECRET: bool = false;

    /// Adds a mistake if the value is invalid.
    fn check(&self, _key: &str, _mistakes: &mut Mistakes) {}

    /// Adds the keys of this setting or section.
    fn keys(key: &str, meaning: &'static str, all: &mut Vec<Key>) {
        all.push(Key {
            name: key.to_owned(),
            meaning,
            is_secret: Self::IS_SECRET,
        });
    }
}

/// A setting by its dotted key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub name: String,
    /// The documentation comment of its field.
    pub meaning: &'static str,
    pub is_secret: bool,
}

/// A value that was parsed but is invalid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// The dotted key.
    pub key: String,
    pub value: String,
    pub allowed: String,
}

#[derive(Debug, Default)]
pub struct Mistakes(pub Vec<Mistake>);

impl Mistakes {
    pub fn add(&mut self, key: &str, value: impl Into<String>, allowed: impl Into<String>) {
        self.0.push(Mistake {
            key: key.to_owned(),
            value: value.into(),
            allowed: allowed.into(),
        });
    }

    /// `unit` follows the bounds, for example ` US dollars`.
    pub fn within<T>(&mut self, key: &str, value: T, range: &RangeInclusive<T>, unit: &str)
    where
        T: Copy + PartialOrd + Display,
    {
        if !range.contains(&value) {
            let allowed = format!("{} to {}{unit}", range.start(), range.end());
            self.add(key, value.to_string(), allowed);
        }
    }
}

/// The dotted key of a field in a section. The root section has no name.
pub fn below(section: &str, name: &str) -> String {
    if section.is_empty() {
        name.to_owned()
    } else {
        format!("{section}.{name}")
    }
}

/// Implements [`Setting`] for types with only valid values.
#[macro_export]
macro_rules! impl_unchecked_setting {
    ($($kind:ty),* $(,)?) => { $(impl $crate::Setting for $kind {})* };
}

impl_unchecked_setting!(bool, u32, u64, usize, String, PathBuf);

impl<T> Setting for Vec<T> {}

impl<T: Setting> Setting for Option<T> {
    const IS_SECRET: bool = T::IS_SECRET;

    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        let before = mistakes.0.len();
        if let Some(it) = self {
            it.check(key, mistakes);
        }
        for mistake in &mut mistakes.0[before..] {
            mistake.allowed.push_str(T::OR_NOT_SET);
        }
    }
}

impl<T> Setting for PhantomData<T> {
    fn keys(_: &str, _: &'static str, _: &mut Vec<Key>) {}
}

/// Declares a section: fields with defaults (else `Default::default()`), and after `rules` a method that checks fields
/// against each other. The documentation comment of a field is what users read about the setting.
///
/// ```
/// use setting::{Mistakes, Setting, Within, settings};
///
/// settings! {
///     /// How the worker works.
///     pub struct WorkerSettings {
///         pub jobs: Within<1, 1_000> = Within(4),
///         /// Of `jobs`, those for short ones.
///         pub short_jobs: Within<0, 1_000>,
///     }
///     rules WorkerSettings::short_jobs_are_jobs
/// }
///
/// impl WorkerSettings {
///     fn short_jobs_are_jobs(&self, key: &str, mistakes: &mut Mistakes) {
///         let key = format!("{key}.short_jobs");
///         mistakes.within(&key, self.short_jobs.0, &(0..=self.jobs.0), "");
///     }
/// }
///
/// let mut mistakes = Mistakes::default();
/// let settings = WorkerSettings { short_jobs: Within(5), ..WorkerSettings::default() };
/// settings.check("worker", &mut mistakes);
/// assert_eq!(mistakes.0[0].key, "worker.short_jobs");
/// assert_eq!(mistakes.0[0].allowed, "0 to 4");
/// ```
#[macro_export]
macro_rules! settings {
    (@default) => { ::core::default::Default::default() };
    (@default $default:expr) => { $default };
    (
        $(#[$meta:meta])*
        pub struct $name:ident $(<$param:ident: $bound:ident>)? {
            $(
                $(#[doc = $meaning:literal])*
                $(#[serde($serde:ident)])?
                $visibility:vis $field:ident: $kind:ty $(= $default:expr)?,
            )*
        }
        $(rules $rules:path)?
    ) => {
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize, ::serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        $(#[$meta])*
        pub struct $name $(<$param: $bound>)? {
            $(
                $(#[doc = $meaning])*
                $(#[serde($serde)])?
                $visibility $field: $kind,
            )*
        }

        impl $(<$param: $bound>)? Default for $name $(<$param>)? {
            fn default() -> Self {
                Self { $($field: $crate::settings!(@default $($default)?),)* }
            }
        }

        impl $(<$param: $bound>)? $crate::Setting for $name $(<$param>)? {
            fn check(&self, key: &str, mistakes: &mut $crate::Mistakes) {
                $(
                    let field = $crate::below(key, ::core::stringify!($field));
                    $crate::Setting::check(&self.$field, &field, mistakes);
                )*
                $($rules(self, key, mistakes);)?
            }

            fn keys(key: &str, _: &'static str, all: &mut Vec<$crate::Key>) {
                $(
                    let field = $crate::below(key, ::core::stringify!($field));
                    let meaning = ::core::concat!($($meaning),*).trim_ascii();
                    <$kind as $crate::Setting>::keys(&field, meaning, all);
                )*
            }
        }
    };
}
