use analysis::observation::vitals::{FieldSample, FormFactor};
use async_trait::async_trait;
use domain::ports::page_speed::{FieldTarget, FieldVitals, FieldVitalsError, NotConfigured};
use domain::ports::search_results::ProviderError;
use std::sync::Arc;

/// Queries sources in order until one answers.
pub(super) struct Failover {
    sources: Vec<Arc<dyn FieldVitals>>,
}

impl Failover {
    pub(super) fn new(sources: Vec<Arc<dyn FieldVitals>>) -> Self {
        Self { sources }
    }
}

#[async_trait]
impl FieldVitals for Failover {
    fn missing(&self) -> Option<NotConfigured> {
        self.sources.iter().find_map(|it| it.missing())
    }

    /// That of the first source; each sample names its own.
    fn provider(&self) -> String {
        let preferred = self.sources.first();
        preferred.map(|it| it.provider()).unwrap_or_default()
    }

    /// The first answer, even `None`; if all fail, the failure of the first source.
    async fn fetch(
        &self,
        target: &FieldTarget,
        form_factor: FormFactor,
    ) -> Result<Option<FieldSample>, FieldVitalsError> {
        let mut preferred = None;
        for source in &self.sources {
            match source.fetch(target, form_factor).await {
                Ok(sample) => return Ok(sample),
                Err(error) => {
                    let source = source.provider();
                    tracing::warn!(source, code = error.code(), "a source of field data failed");
                    preferred.get_or_insert(error);
                }
            }
        }
        Err(preferred.unwrap_or(FieldVitalsError::Provider(ProviderError::Unavailable)))
    }
}
