use domain::ports::storage::StorageError;
use tokio::sync::watch;

/// `None` while unknown; shared by all users of the file.
#[derive(Debug, Default)]
pub struct Soundness(watch::Sender<Option<Result<(), String>>>);

impl Soundness {
    /// The check found no fault. Does not override a fault that a statement met.
    pub fn confirm(&self) {
        self.0.send_if_modified(|known| {
            let is_news = known.is_none();
            known.get_or_insert(Ok(()));
            is_news
        });
    }

    /// Final: the file has to be replaced, and the process restarted.
    pub fn deny(&self, fault: String) {
        self.0.send_if_modified(|known| {
            let is_news = !matches!(known, Some(Err(_)));
            if is_news {
                *known = Some(Err(fault));
            }
            is_news
        });
    }

    /// `None` while it is not known.
    pub fn is_sound(&self) -> Option<bool> {
        self.0.borrow().as_ref().map(Result::is_ok)
    }

    /// Fails where the file is broken.
    pub fn expect(&self) -> Result<(), StorageError> {
        match &*self.0.borrow() {
            Some(Err(fault)) => Err(StorageError::Broken(fault.clone().into())),
            _ => Ok(()),
        }
    }

    pub async fn until_broken(&self) -> String {
        let mut known = self.0.subscribe();
        let broken = known.wait_for(|it| matches!(it, Some(Err(_)))).await;
        let fault = broken.map(|it| it.clone().and_then(Result::err));
        fault.ok().flatten().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_file_that_was_found_broken_once_stays_so() {
        let soundness = Soundness::default();
        assert_eq!(soundness.is_sound(), None);
        soundness.confirm();
        assert_eq!(soundness.is_sound(), Some(true));
        soundness.expect().unwrap();
        soundness.deny("malformed".to_owned());
        soundness.deny("again".to_owned());
        soundness.confirm();
        assert_eq!(soundness.is_sound(), Some(false));
        assert!(matches!(soundness.expect(), Err(StorageError::Broken(_))));
        assert_eq!(soundness.until_broken().await, "malformed");
    }
}
