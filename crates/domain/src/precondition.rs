//! What a caller wants to hold of a thing before it is changed, so that nobody else's change is
//! overwritten unseen.

/// Asked inside the transaction, behind the lock; nothing when the caller does not mind.
pub type Precondition<'a, T> = Option<&'a (dyn Fn(&T) -> bool + Sync)>;

/// Whether it holds.
pub fn holds<T>(precondition: Precondition<'_, T>, thing: &T) -> bool {
    precondition.is_none_or(|holds| holds(thing))
}
