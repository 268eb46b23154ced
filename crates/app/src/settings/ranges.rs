//! Values that have the right type and still cannot be used.

use super::{Settings, SettingsError};

/// Refuses the first value that cannot be used, with its key and what is allowed.
pub fn check(settings: &Settings) -> Result<(), SettingsError> {
    let (search, worker, crawler) = (&settings.search, &settings.worker, &settings.crawler);
    let url = settings.public_base_url();
    let is_web = url.starts_with("http://") || url.starts_with("https://");
    let checks = [
        ("public_base_url", is_web, "an http or https address"),
        (
            "database_connections",
            settings.database_connections > 0,
            "1 or more",
        ),
        ("worker.jobs", worker.jobs > 0, "1 or more"),
        (
            "worker.keywords_at_once",
            worker.keywords_at_once > 0,
            "1 or more",
        ),
        (
            "search.depth",
            (10..=700).contains(&search.depth),
            "10 to 700 organic results",
        ),
        (
            "search.serper.price_per_call",
            search.serper.price_per_call >= 0.0,
            "0 or more US dollars",
        ),
        (
            "search.sandbox.failure_rate",
            (0.0..=1.0).contains(&search.sandbox.failure_rate),
            "0 to 1",
        ),
        (
            "crawler.connections_per_host",
            crawler.connections_per_host > 0,
            "1 or more",
        ),
        ("crawler.max_pages", crawler.max_pages > 0, "1 or more"),
    ];
    match checks.into_iter().find(|(_, is_usable, _)| !is_usable) {
        None => Ok(()),
        Some((key, _, allowed)) => Err(SettingsError::Unusable { key, allowed }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Mistake = fn(&mut Settings);

    #[test]
    fn the_defaults_can_be_used() {
        check(&Settings::default()).unwrap();
    }

    #[test]
    fn a_value_out_of_range_is_refused_with_its_key() {
        let broken: [(&str, Mistake); 4] = [
            ("search.depth", |it| it.search.depth = 0),
            ("worker.jobs", |it| it.worker.jobs = 0),
            ("search.sandbox.failure_rate", |it| {
                it.search.sandbox.failure_rate = 1.5;
            }),
            ("public_base_url", |it| {
                it.public_base_url = Some("ftp://zz".to_owned());
            }),
        ];
        for (key, change) in broken {
            let mut settings = Settings::default();
            change(&mut settings);
            let told = check(&settings).unwrap_err().to_string();
            assert!(told.contains(key), "{told}");
        }
    }
}
