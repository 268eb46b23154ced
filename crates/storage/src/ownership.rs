//! Root acts in a folder as the user whose folder it is.
//!
//! The service's user can put links into its own folder, and replace a folder by a link. Root would follow them to
//! any file of the machine, and so would SQLite, which opens what lies beside a database by its name. Checking a path
//! before it is used leaves a gap in between; a process without root's rights has none. So the user who could redirect
//! a path is looked for, and the kernel then decides with that user's rights. Links in that user's folder are refused
//! besides, with a message that says so.

use std::{io, path::Path, sync::OnceLock};

/// Which user this process became, and why; for error messages.
static ACTED_AS: OnceLock<String> = OnceLock::new();

/// As a sentence; `None` where root acts as nobody else. The first time counts.
pub fn acted_as() -> Option<&'static str> {
    ACTED_AS.get().map(String::as_str)
}

/// Gives up root's rights for good, in favour of the user who could redirect the path. Does nothing where this process
/// is not root's, or the path leads through root's folders alone. Only the calling thread changes, and threads that it
/// starts: call it before there are others. Fails where a link of that user's is on the way, or the kernel refuses, as
/// it does in containers without `CAP_SETUID`.
pub fn become_owner_of(path: &Path) -> io::Result<()> {
    let Some(owner) = system::other_owner(path)? else {
        return Ok(());
    };
    note(owner, path);
    system::become_for_good(owner).map_err(|it| cannot_become(owner, path, &it))
}

/// Acts with the rights of the user who could redirect the path, and comes back. Inside of another call of this
/// function the user stays who it is. Fails as [`become_owner_of`]; nothing was done then.
pub fn as_owner_of<T>(path: &Path, act: impl FnOnce() -> T) -> io::Result<T> {
    let Some(owner) = system::other_owner(path)? else {
        return Ok(act());
    };
    note(owner, path);
    let acting = system::Acting::begin(owner).map_err(|it| cannot_become(owner, path, &it))?;
    let outcome = act();
    drop(acting);
    Ok(outcome)
}

/// Whether root would act there as another user. Fails where a link of that user's is on the way.
pub fn is_anothers(path: &Path) -> io::Result<bool> {
    system::other_owner(path).map(|it| it.is_some())
}

fn note(owner: Owner, path: &Path) {
    let Owner { user, .. } = owner;
    ACTED_AS.get_or_init(|| {
        format!(
            "Started by root, this command acted as user {user}, to whom the folder of {} belongs: what that user may not do, it cannot do there.",
            path.display()
        )
    });
}

fn cannot_become(owner: Owner, path: &Path, why: &io::Error) -> io::Error {
    let (Owner { user, group, .. }, path) = (owner, path.display());
    let told = format!(
        "{path} belongs to user {user}, as whom root acts there, and that is not possible here ({why}): start the command as that user, for example with `setpriv --reuid={user} --regid={group} --clear-groups sightline …`"
    );
    io::Error::new(why.kind(), told)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner {
    user: u32,
    group: u32,
    /// Whether a folder of root's above is closed to that user, as systemd closes `/var/lib/private`.
    is_locked_in: bool,
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

    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    /// The group that may nothing, in place of root's.
    const NO_GROUP: u32 = 65_534;
    /// What a user needs to reach its own folder through one that is closed to it. It reads, and writes nowhere.
    const PASSING: CapabilitySet = CapabilitySet::DAC_READ_SEARCH;

    /// Who could redirect the path, other than root, where this process has root's rights now: the owner of the first
    /// folder on the way that is not root's. The way ends where nothing is yet.
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
                    is_locked_in: is_closed,
                });
            }
            is_closed |= about.is_dir() && about.mode() & 0o001 == 0;
            if about.is_symlink() {
                if let Some(Owner { user, .. }) = owner {
                    return Err(link(&here, user));
                }
                links += 1;
                if links > MOST_LINKS {
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
                // What is absolute begins anew.
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

    pub fn become_for_good(owner: Owner) -> io::Result<()> {
        let (user, group) = (Uid::from_raw(owner.user), Gid::from_raw(owner.group));
        set_keep_capabilities(owner.is_locked_in)?;
        set_thread_groups(&[])?;
        set_thread_res_gid(group, group, group)?;
        // The capabilities go with it, unless they are kept.
        set_thread_res_uid(user, user, user)?;
        if owner.is_locked_in {
            set_keep_capabilities(false)?;
            set_capabilities(
                None,
                CapabilitySets {
                    effective: PASSING,
                    permitted: PASSING,
                    inheritable: CapabilitySet::empty(),
                },
            )?;
        }
        Ok(())
    }

    /// The thread has another user's rights until this is dropped.
    pub struct Acting {
        groups: Vec<Gid>,
        group: Gid,
    }

    impl Acting {
        pub fn begin(owner: Owner) -> io::Result<Self> {
            let (groups, group) = (getgroups()?, getegid());
            set_thread_groups(&[])?;
            // From here on a failure takes back what was done before it.
            let before = Self { groups, group };
            set_thread_res_gid(None, Gid::from_raw(owner.group), None)?;
            // No capability is in effect from here on; with root's number they come back.
            set_thread_res_uid(None, Uid::from_raw(owner.user), None)?;
            if owner.is_locked_in {
                let passing = CapabilitySets {
                    effective: PASSING,
                    ..capabilities(None)?
                };
                set_capabilities(None, passing)?;
            }
            Ok(before)
        }
    }

    impl Drop for Acting {
        fn drop(&mut self) {
            let back = set_thread_res_uid(None, Uid::ROOT, None)
                .and_then(|()| set_thread_res_gid(None, self.group, None))
                .and_then(|()| set_thread_groups(&self.groups));
            if back.is_err() {
                // A thread must not go on with rights that nobody expects.
                std::process::abort();
            }
        }
    }
}

/// Elsewhere root stays root: threads have no rights of their own there.
#[cfg(not(target_os = "linux"))]
mod system {
    use super::Owner;
    use std::{io, path::Path};

    pub const fn other_owner(_path: &Path) -> io::Result<Option<Owner>> {
        Ok(None)
    }

    pub const fn become_for_good(_owner: Owner) -> io::Result<()> {
        Ok(())
    }

    pub struct Acting;

    impl Acting {
        pub const fn begin(_owner: Owner) -> io::Result<Self> {
            Ok(Self)
        }
    }
}
