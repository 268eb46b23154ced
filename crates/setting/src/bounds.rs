use crate::{Mistakes, Setting};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Duration;

/// A whole number from `MIN` to `MAX`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Within<const MIN: u64, const MAX: u64, T = u32>(pub T);

impl<const MIN: u64, const MAX: u64, T> Setting for Within<MIN, MAX, T>
where
    T: Copy + TryInto<u64>,
{
    const OR_NOT_SET: &'static str = ", or not set";

    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        let number = self.0.try_into().unwrap_or(u64::MAX);
        mistakes.within(key, number, &(MIN..=MAX), "");
    }
}

/// Zero for no limit, or a whole number from `MIN` to `MAX`; `u32::MAX` means no upper bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ZeroOr<const MIN: u32, const MAX: u32>(pub u32);

impl<const MIN: u32, const MAX: u32> ZeroOr<MIN, MAX> {
    pub fn non_zero(self) -> Option<u32> {
        (self.0 > 0).then_some(self.0)
    }
}

impl<const MIN: u32, const MAX: u32> From<Option<u32>> for ZeroOr<MIN, MAX> {
    fn from(number: Option<u32>) -> Self {
        Self(number.unwrap_or(0))
    }
}

impl<const MIN: u32, const MAX: u32> Setting for ZeroOr<MIN, MAX> {
    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        if self.0 != 0 && !(MIN..=MAX).contains(&self.0) {
            let allowed = match MAX {
                u32::MAX => format!("0, or {MIN} and more"),
                _ => format!("0 or {MIN} to {MAX}"),
            };
            mistakes.add(key, self.0.to_string(), allowed);
        }
    }
}

/// A duration of `MIN` to `MAX` seconds, set in whole seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seconds<const MIN: u64, const MAX: u64>(pub Duration);

impl<const MIN: u64, const MAX: u64> Seconds<MIN, MAX> {
    pub const fn of(seconds: u64) -> Self {
        Self(Duration::from_secs(seconds))
    }
}

impl<const MIN: u64, const MAX: u64> Setting for Seconds<MIN, MAX> {
    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        mistakes.within(key, self.0.as_secs(), &(MIN..=MAX), "");
    }
}

impl<const MIN: u64, const MAX: u64> Serialize for Seconds<MIN, MAX> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0.as_secs())
    }
}

impl<'de, const MIN: u64, const MAX: u64> Deserialize<'de> for Seconds<MIN, MAX> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::deserialize(deserializer).map(|it| Self::of(it.into()))
    }
}

/// A fraction from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Share(pub f64);

impl Setting for Share {
    fn check(&self, key: &str, mistakes: &mut Mistakes) {
        mistakes.within(key, self.0, &(0.0..=1.0), "");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(setting: &impl Setting) -> Option<String> {
        let mut mistakes = Mistakes::default();
        setting.check("a.key", &mut mistakes);
        mistakes
            .0
            .pop()
            .map(|it| format!("{}; {}", it.allowed, it.value))
    }

    #[test]
    fn bounds_are_inclusive_and_reported() {
        assert_eq!(refused(&Within::<1, 64>(1)), None);
        assert_eq!(refused(&Within::<1, 64>(64)), None);
        assert_eq!(refused(&Within::<1, 64>(0)).unwrap(), "1 to 64; 0");
        assert_eq!(refused(&Within::<1, 64, usize>(65)).unwrap(), "1 to 64; 65");
        let days = refused(&Some(Within::<1, 3_650>(0))).unwrap();
        assert_eq!(days, "1 to 3650, or not set; 0");
        assert_eq!(refused(&None::<Within<1, 64>>), None);
        assert_eq!(refused(&ZeroOr::<2, 12>(0)), None);
        assert_eq!(refused(&ZeroOr::<2, 12>(1)).unwrap(), "0 or 2 to 12; 1");
        let rows = refused(&ZeroOr::<16, { u32::MAX }>(15)).unwrap();
        assert_eq!(rows, "0, or 16 and more; 15");
        assert_eq!(refused(&Seconds::<10, 300>::of(9)).unwrap(), "10 to 300; 9");
        assert_eq!(refused(&Share(1.0)), None);
        assert_eq!(refused(&Share(f64::NAN)).unwrap(), "0 to 1; NaN");
    }
}
