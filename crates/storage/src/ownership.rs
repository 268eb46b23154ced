//! Root acts in a folder with the rights of its owner.
//!
//! The service's user can replace its files and folders by links. Root would follow them to any file of the
//! machine, and so would SQLite, which opens the files beside a database by name. Checking a path first leaves a race.
//! So the user who could redirect a path is determined, and the kernel decides with that user's rights. Links in that
//! user's folder are refused with a separate message.

use std::{io, path::Path, sync::OnceLock};

/// Which user this process became, and why; for error messages.
static USER_SWITCH: OnceLock<String> = OnceLock::new();

/// A sentence; `None` where root acts as no other user. The first switch counts.
pub fn user_switch_message() -> Option<&'static str> {
    USER_SWITCH.get().map(String::as_str)
}

/// Gives up root's rights permanently, in favor of the user who could redirect the path. Does nothing where this
/// process is not root's, or all folders of the path are. Changes the calling thread and threads that it starts: call
/// it before there are others. Fails where the path contains a link of that user, or the kernel refuses (containers
/// without `CAP_SETUID`).
pub fn become_owner_of(path: &Path) -> io::Result<()> {
    let Some(owner) = system::other_owner(path)? else {
        return Ok(());
    };
    note(owner, path);
    system::switch_permanently(owner).map_err(|it| cannot_become(owner, path, &it))
}

/// Runs `act` with the rights of the user who could redirect the path. A nested call keeps the user. Fails as
/// [`become_owner_of`] does, before `act` runs.
pub fn as_owner_of<T>(path: &Path, act: impl FnOnce() -> T) -> io::Result<T> {
    let Some(owner) = system::other_owner(path)? else {
        return Ok(act());
    };
    note(owner, path);
    let acting = system::UserGuard::begin(owner).map_err(|it| cannot_become(owner, path, &it))?;
    let outcome = act();
    drop(acting);
    Ok(outcome)
}

/// Whether root would act there as another user. Fails where the path contains a link of that user.
pub fn switches_user(path: &Path) -> io::Result<bool> {
    system::other_owner(path).map(|it| it.is_some())
}

fn note(owner: Owner, path: &Path) {
    let Owner { user, .. } = owner;
    USER_SWITCH.get_or_init(|| {
        format!(
            "Started by root, this command acted as user {user}, the owner of the folder of {}: it has the rights of that user there.",
            path.display()
        )
    });
}

fn cannot_become(owner: Owner, path: &Path, error: &io::Error) -> io::Error {
    let (Owner { user, group, .. }, path) = (owner, path.display());
    let message = format!(
        "{path} belongs to user {user}, and root cannot act as that user here ({error}): start the command as that user, for example with `setpriv --reuid={user} --regid={group} --clear-groups sightline …`"
    );
    io::Error::new(error.kind(), message)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    user: u32,
    group: u32,
    /// Whether a parent folder of root's is closed to that user, as systemd's `/var/lib/private` is.
    is_folder_closed: bool,
}

#[cfg(target_os = "linux")]
mod system {
    use super::Owner;
    use rustix::process::{Gid, Uid, getegid, geteuid, getgroups, getuid};
    use rustix::thread::{
        CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_keep_capabilities,
        set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    };
    use std::collections::VecDeque;
    use std::ffi::OsString;
    use std::os::unix::fs::MetadataExt;
    use std::path::{Component, Path, PathBuf};
    use std::{fs, io};

    /// The limit of Linux.
    const MAX_LINKS: usize = 40;
    /// `nogroup`, in place of root's group.
    const NO_GROUP: u32 = 65_534;
    /// Lets a user reach its own folder through one that is closed to it. Allows reading only.
    const PATH_TRAVERSAL: CapabilitySet = CapabilitySet::DAC_READ_SEARCH;

    /// The user other than root who could redirect the path: the owner of its first folder that is not root's. `None`
    /// where this process is not root. Stops at the first name that does not exist.
    pub fn other_owner(path: &Path) -> io::Result<Option<Owner>> {
        if !(getuid().is_root() && geteuid().is_root()) {
            return Ok(None);
        }
        let mut ahead: VecDeque<OsString> = parts(&std::path::absolute(path)?).collect();
        let (mut here, mut links) = (PathBuf::from("/"), 0);
        let (mut owner, mut is_closed) = (None, false);
        while let Ok(about) = fs::symlink_metadata(&here) {
            if about.uid() != 0 && !about.is_file() {
                owner.get_or_insert(Owner {
                    user: about.uid(),
                    group: Some(about.gid()).filter(|it| *it != 0).unwrap_or(NO_GROUP),
                    is_folder_closed: is_closed,
                });
            }
            is_closed |= about.is_dir() && about.mode() & 0o001 == 0;
            if about.is_symlink() {
                if let Some(Owner { user, .. }) = owner {
                    return Err(link(&here, user));
                }
                links += 1;
                if links > MAX_LINKS {
                    break;
                }
                let target = fs::read_link(&here)?;
                here.pop();
                parts(&target).rev().for_each(|it| ahead.push_front(it));
            }
            match ahead.pop_front() {
                None => break,
                Some(up) if up == ".." => {
                    here.pop();
                }
                // An absolute path starts at the root.
                Some(next) => here.push(next),
            }
        }
        Ok(owner)
    }

    fn link(path: &Path, user: u32) -> io::Error {
        let path = path.display();
        io::Error::other(format!(
            "{path} is a link that user {user} can change, and root follows none of these: name what it leads to, or remove it"
        ))
    }

    fn parts(path: &Path) -> impl DoubleEndedIterator<Item = OsString> {
        let parts = path.components().filter(|it| *it != Component::CurDir);
        parts
            .map(|it| it.as_os_str().to_owned())
            .collect::<Vec<_>>()
            .into_iter()
    }

    pub fn switch_permanently(owner: Owner) -> io::Result<()> {
        let (user, group) = (Uid::from_raw(owner.user), Gid::from_raw(owner.group));
        set_keep_capabilities(owner.is_folder_closed)?;
        set_thread_groups(&[])?;
        set_thread_res_gid(group, group, group)?;
        // Drops the capabilities, unless they are kept.
        set_thread_res_uid(user, user, user)?;
        if owner.is_folder_closed {
            set_keep_capabilities(false)?;
            set_capabilities(
                None,
                CapabilitySets {
                    effective: PATH_TRAVERSAL,
                    permitted: PATH_TRAVERSAL,
                    inheritable: CapabilitySet::empty(),
                },
            )?;
        }
        Ok(())
    }

    /// The thread has another user's rights until this is dropped.
    pub struct UserGuard {
        groups: Vec<Gid>,
        group: Gid,
    }

    impl UserGuard {
        pub fn begin(owner: Owner) -> io::Result<Self> {
            let (groups, group) = (getgroups()?, getegid());
            set_thread_groups(&[])?;
            // From here on, a failure restores the groups.
            let before = Self { groups, group };
            set_thread_res_gid(None, Gid::from_raw(owner.group), None)?;
            // Disables the capabilities; the uid of root restores them.
            set_thread_res_uid(None, Uid::from_raw(owner.user), None)?;
            if owner.is_folder_closed {
                let passing = CapabilitySets {
                    effective: PATH_TRAVERSAL,
                    ..capabilities(None)?
                };
                set_capabilities(None, passing)?;
            }
            Ok(before)
        }
    }

    impl Drop for UserGuard {
        fn drop(&mut self) {
            let back = set_thread_res_uid(None, Uid::ROOT, None)
                .and_then(|()| set_thread_res_gid(None, self.group, None))
                .and_then(|()| set_thread_groups(&self.groups));
            if back.is_err() {
                // The thread must not continue with unexpected rights.
                std::process::abort();
            }
        }
    }
}

/// Elsewhere root stays root: threads have no separate credentials.
#[cfg(not(target_os = "linux"))]
mod system {
    use super::Owner;
    use std::{io, path::Path};

    pub const fn other_owner(_path: &Path) -> io::Result<Option<Owner>> {
        Ok(None)
    }

    pub const fn switch_permanently(_owner: Owner) -> io::Result<()> {
        Ok(())
    }

    pub struct Acting;

    impl UserGuard {
        pub const fn begin(_owner: Owner) -> io::Result<Self> {
            Ok(Self)
        }
    }
}
