//! Preconditions of a change, against lost updates.

/// Checked inside the transaction, after locking; `None` if the caller set no condition.
pub type Precondition<'a, T> = Option<&'a (dyn Fn(&T) -> bool + Sync)>;

pub fn holds<T>(precondition: Precondition<'_, T>, stored: &T) -> bool {
    precondition.is_none_or(|holds| holds(stored))
}
