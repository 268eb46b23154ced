use domain::ports::storage::StorageError;
use tokio::sync::watch;

/// `None` while unknown; shared by all users of the file.
#[derive(Debug, Default)]
pub struct Soundness(watch::Sender<Option<Result<(), String>>>);

impl Soundness {
    /// The check found no fault. Does not override a fault that a statement met.
    pub fn record_sound(&self) {
        self.0.send_if_modified(|known| {
            let is_news = known.is_none();
            known.get_or_insert(Ok(()));
            is_news
        });
    }

    /// Final: the file has to be replaced, and the process restarted.
    pub fn record_fault(&self, fault: String) {
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
    pub fn ensure_sound(&self) -> Result<(), StorageError> {
        match &*self.0.borrow() {
            Some(Err(fault)) => Err(StorageError::Damaged(fault.clone().into())),
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
    async fn a_fault_is_final() {
        let soundness = Soundness::default();
        assert_eq!(soundness.is_sound(), None);
        soundness.record_sound();
        assert_eq!(soundness.is_sound(), Some(true));
        soundness.ensure_sound().unwrap();
        soundness.record_fault("malformed".to_owned());
        soundness.record_fault("again".to_owned());
        soundness.record_sound();
        assert_eq!(soundness.is_sound(), Some(false));
        assert!(matches!(
            soundness.ensure_sound(),
            Err(StorageError::Damaged(_))
        ));
        assert_eq!(soundness.until_broken().await, "malformed");
    }
}
