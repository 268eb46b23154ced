/// Absent or given. `Set(None)` on an `Option` field clears it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    #[default]
    Keep,
    Set(T),
}

impl<T> Change<T> {
    pub fn apply_to(self, field: &mut T) {
        if let Self::Set(value) = self {
            *field = value;
        }
    }

    pub fn map<U>(self, made: impl FnOnce(T) -> U) -> Change<U> {
        match self {
            Self::Keep => Change::Keep,
            Self::Set(value) => Change::Set(made(value)),
        }
    }

    pub fn as_set(&self) -> Option<&T> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}
