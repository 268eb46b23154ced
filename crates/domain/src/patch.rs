//! What a merge patch does to one field.

/// Absent or given. `Set(None)` on an `Option` field clears it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Change<T> {
    /// The field is not in the patch.
    #[default]
    Keep,
    /// The field takes this value.
    Set(T),
}

impl<T> Change<T> {
    /// Puts the new value, if there is one, in the field's place.
    pub fn apply_to(self, field: &mut T) {
        if let Self::Set(value) = self {
            *field = value;
        }
    }

    /// The new value, if there is one.
    pub fn as_set(&self) -> Option<&T> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}
