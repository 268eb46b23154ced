use crate::SetupError;
use setting::Secret;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const MAX_BYTES: u64 = 4 * 1_024;
/// A group may read it, as of secrets that Kubernetes mounts; those are links, which are followed.
const MAY_NOT: u32 = 0o037;

/// The password in a file, without the line break at its end.
pub fn read(path: &Path) -> Result<Secret, SetupError> {
    let unusable = |reason: String| SetupError::Password {
        path: path.to_owned(),
        reason,
    };
    let file = File::open(path).map_err(|it| unusable(it.to_string()))?;
    let about = file.metadata().map_err(|it| unusable(it.to_string()))?;
    let mode = about.permissions().mode() & 0o777;
    if mode & MAY_NOT != 0 {
        return Err(unusable(format!(
            "others may read it (mode {mode:o}): run `chmod 600` on it"
        )));
    }
    let mut text = String::new();
    file.take(MAX_BYTES)
        .read_to_string(&mut text)
        .map_err(|it| unusable(it.to_string()))?;
    let password = text.trim_end_matches(['\r', '\n']);
    if password.is_empty() {
        return Err(unusable("it is empty".to_owned()));
    }
    Ok(Secret::new(password.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::fs::Permissions;

    #[test]
    fn password_is_read_unless_others_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        fs::write(&path, "hunter2 \n").unwrap();
        for (mode, is_refused) in [(0o600, false), (0o440, false), (0o644, true), (0o660, true)] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let read = read(&path);
            assert_eq!(read.is_err(), is_refused, "{mode:o}: {read:?}");
            if let Ok(password) = read {
                assert_eq!(password.reveal(), "hunter2 ");
            }
        }
    }

    #[test]
    fn missing_and_empty_password_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("password");
        let missing = read(&path).unwrap_err().to_string();
        assert!(missing.contains("No such file"), "{missing}");
        fs::write(&path, "\n").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        let empty = read(&path).unwrap_err().to_string();
        assert!(empty.ends_with("it is empty"), "{empty}");
    }
}
