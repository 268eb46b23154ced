use analysis::observation::vitals::{FieldSample, FormFactor};
use async_trait::async_trait;
use domain::ports::page_speed::{FieldTarget, FieldVitals, FieldVitalsError, NotConfigured};

pub(super) struct Unconfigured;

fn missing() -> NotConfigured {
    NotConfigured {
        missing: "no source of visitors' figures is configured".to_owned(),
        remedy: "ask the operator to set up field data, which is free of charge".to_owned(),
    }
}

#[async_trait]
impl FieldVitals for Unconfigured {
    fn missing(&self) -> Option<NotConfigured> {
        Some(missing())
    }

    fn provider(&self) -> String {
        String::new()
    }

    async fn fetch(
        &self,
        _: &FieldTarget,
        _: FormFactor,
    ) -> Result<Option<FieldSample>, FieldVitalsError> {
        Err(missing().into())
    }
}
