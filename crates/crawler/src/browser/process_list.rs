//! Processes of this machine, from `/proc`; empty where there is no `/proc`.

use rustix::process::Pid;
use std::{fs, path::Path};

/// Resident bytes of a process group; shared pages count once per process. 0 without `/proc`.
pub fn group_memory(group: Pid) -> u64 {
    let own = |it: &(i32, i32, u64)| it.1 == group.as_raw_nonzero().get();
    processes().filter(own).map(|it| it.2).sum()
}

pub fn processes_using(folder: &Path) -> Vec<Pid> {
    let Some(folder) = folder.to_str() else {
        return Vec::new();
    };
    let names_it = |pid: i32| {
        fs::read(format!("/proc/{pid}/cmdline"))
            .is_ok_and(|it| String::from_utf8_lossy(&it).contains(folder))
    };
    let users = processes().map(|it| it.0).filter(|it| names_it(*it));
    users.filter_map(Pid::from_raw).collect()
}

/// Process id, group id and resident bytes.
fn processes() -> impl Iterator<Item = (i32, i32, u64)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|it| {
        let pid: i32 = it.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name in parentheses may contain spaces; fields are counted after it.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let group = fields.get(2)?.parse().ok()?;
        let pages: u64 = fields.get(21)?.parse().ok()?;
        Some((pid, group, pages * rustix::param::page_size() as u64))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_process_is_listed_with_its_memory() {
        let own = i32::try_from(std::process::id()).unwrap();
        let found = processes().find(|it| it.0 == own).unwrap();
        assert!(found.2 > 100_000, "{found:?}");
    }
}
