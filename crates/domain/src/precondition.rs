//! What has to hold of a thing before a change, so that nobody's change is overwritten unseen.

/// Asked inside the transaction, behind the lock; nothing when the caller does not mind.
pub type Precondition<'a, T> = Option<&'a (dyn Fn(&T) -> bool + Sync)>;

pub fn holds<T>(precondition: Precondition<'_, T>, thing: &T) -> bool {
    precondition.is_none_or(|holds| holds(thing))
}
