use super::{AdminAddress, AiSettings, SearchSettings, Settings, SettingsError, sources::Origin};
use std::{collections::BTreeMap, fmt::Display, ops::RangeInclusive};

struct Mistake {
    key: String,
    value: String,
    allowed: String,
}

pub fn check(settings: &Settings, origins: &BTreeMap<String, Origin>) -> Result<(), SettingsError> {
    let mut mistakes = Mistakes::default();
    let (search, worker, crawler) = (&settings.search, &settings.worker, &settings.crawler);
    let sandbox = &search.sandbox;
    let connections = settings.database_connections;
    mistakes.within(
        "database_connections",
        connections,
        &(1..=1_000),
        "1 to 1000",
    );
    let delay = settings.shutdown_delay_seconds;
    mistakes.within("shutdown_delay_seconds", delay, &(0..=10), "0 to 10");
    mistakes.within("worker.jobs", worker.jobs, &(1..=1_000), "1 to 1000");
    let short = worker.short_jobs;
    mistakes.within("worker.short_jobs", short, &(0..=1_000), "0 to 1000");
    let keywords = worker.keywords_at_once;
    mistakes.within(
        "worker.keywords_at_once",
        keywords,
        &(1..=1_000),
        "1 to 1000",
    );
    let keywords = worker.paid_keywords_at_once;
    mistakes.within(
        "worker.paid_keywords_at_once",
        keywords,
        &(1..=1_000),
        "1 to 1000",
    );
    let answers = worker.paid_answers_at_once;
    let key = "worker.paid_answers_at_once";
    mistakes.within(key, answers, &(1..=1_000), "1 to 1000");
    let depth = "10 to 700 organic results";
    mistakes.within("search.depth", search.depth, &(10..=700), depth);
    suppliers(search, &mut mistakes);
    let price = settings.keyword_research.price_per_call;
    let allowed = "0.000001 to 1000 US dollars";
    let key = "keyword_research.price_per_call";
    mistakes.within(key, price, &(LEAST_PRICE..=1_000.0), allowed);
    engines(&settings.ai, &mut mistakes);
    let rate = sandbox.failure_rate;
    mistakes.within("search.sandbox.failure_rate", rate, &(0.0..=1.0), "0 to 1");
    let latency = sandbox.latency_ms;
    mistakes.within(
        "search.sandbox.latency_ms",
        latency,
        &(0..=60_000),
        "0 to 60000",
    );
    let connections = crawler.connections_per_host;
    let key = "crawler.connections_per_host";
    mistakes.within(key, connections, &(1..=64), "1 to 64");
    let delay = crawler.per_host_delay_ms;
    mistakes.within(
        "crawler.per_host_delay_ms",
        delay,
        &(0..=60_000),
        "0 to 60000",
    );
    mistakes.within(
        "crawler.max_pages",
        crawler.max_pages,
        &(1..=1_000_000),
        "1 to 1000000",
    );
    let external = crawler.external_targets;
    mistakes.within(
        "crawler.external_targets",
        external,
        &(1..=5_000),
        "1 to 5000",
    );
    let render = crawler.render_pages;
    mistakes.within("crawler.render_pages", render, &(0..=10_000), "0 to 10000");
    vitals(settings, &mut mistakes);
    if let Some(days) = settings.tokens.max_lifetime_days {
        let (key, allowed) = ("tokens.max_lifetime_days", "1 to 3650, or not set");
        mistakes.within(key, days, &(1..=3_650), allowed);
    }
    retention(settings, &mut mistakes);
    storage(settings, &mut mistakes);
    search_console(settings, &mut mistakes);
    queue(settings, &mut mistakes);
    limits(settings, &mut mistakes);
    passwords(settings, &mut mistakes);
    places(settings, &mut mistakes);
    mistakes.told(origins)
}

/// The least amount of money there is, in US dollars: what costs less would be counted as nothing.
const LEAST_PRICE: f64 = 0.000_001;

/// Prices are amounts that can be counted, and a login needs its password.
fn suppliers(search: &SearchSettings, mistakes: &mut Mistakes) {
    let (data_for_seo, serp_api) = (&search.data_for_seo, &search.serp_api);
    let price = search.serper.price_per_call;
    for (key, price) in [
        (
            "search.data_for_seo.price_per_page",
            data_for_seo.price_per_page,
        ),
        ("search.serp_api.price_per_call", serp_api.price_per_call),
        ("search.serper.price_per_call", price),
    ] {
        let allowed = "0.000001 to 1000 US dollars";
        mistakes.within(key, price, &(LEAST_PRICE..=1_000.0), allowed);
    }
    for (key, most) in [
        ("search.most_per_call", search.most_per_call),
        ("search.most_per_day", search.most_per_day),
    ] {
        let allowed = "0 to 1000000 US dollars";
        mistakes.within(key, most.unwrap_or(0.0), &(0.0..=1_000_000.0), allowed);
    }
    let pair = [
        ("search.data_for_seo.login", data_for_seo.login.is_some()),
        (
            "search.data_for_seo.password",
            data_for_seo.password.is_some(),
        ),
    ];
    if let [(set, true), (key, false)] | [(key, false), (set, true)] = pair {
        let allowed = format!("the credential that belongs to {set}");
        mistakes.0.push(Mistake {
            key: key.to_owned(),
            value: "not set".to_owned(),
            allowed,
        });
    }
}

fn engines(ai: &AiSettings, mistakes: &mut Mistakes) {
    let at_once = ai.at_once;
    mistakes.within("ai.at_once", at_once, &(1..=64), "1 to 64");
    let seconds = ai.answer_seconds;
    mistakes.within("ai.answer_seconds", seconds, &(10..=300), "10 to 300");
    let most = ai.most_per_call.unwrap_or(0.0);
    let dollars = "0 to 1000000 US dollars";
    mistakes.within("ai.most_per_call", most, &(0.0..=1_000_000.0), dollars);
    let mode = ai.google.mode_price;
    let priced = "0.000001 to 1000 US dollars";
    let allowed = LEAST_PRICE..=1_000.0;
    mistakes.within("ai.google.mode_price", mode, &allowed, priced);
    for it in ai.models() {
        let key = |name: &str| format!("{}.{name}", it.key);
        let (input, output) = it.set_prices;
        for (name, price) in [
            ("price_per_million_input", input),
            ("price_per_million_output", output),
        ] {
            // A service that costs nothing is no service: its price was not looked up.
            let price = price.unwrap_or(LEAST_PRICE);
            mistakes.within(key(name), price, &allowed, priced);
        }
        let search = it.price_per_search;
        let dollars = "0 to 1000 US dollars";
        mistakes.within(key("price_per_search"), search, &(0.0..=1_000.0), dollars);
        named_model(it.key, it.model, mistakes);
        tokens(
            it.key,
            it.most_input_tokens,
            it.most_output_tokens,
            mistakes,
        );
        let searches = it.most_searches;
        mistakes.within(key("most_searches"), searches, &(1..=50), "1 to 50");
    }
    if let Some(judge) = ai.sentiment_by.filter(|_| !ai.has_judge()) {
        mistakes.0.push(Mistake {
            key: "ai.sentiment_by".to_owned(),
            value: judge.engine().to_owned(),
            allowed: format!(
                "a model that is set up: ai.{} lacks its key or address",
                judge.engine()
            ),
        });
    }
    let own = &ai.compatible;
    for (key, price) in [
        (
            "ai.compatible.price_per_million_input",
            own.price_per_million_input,
        ),
        (
            "ai.compatible.price_per_million_output",
            own.price_per_million_output,
        ),
    ] {
        let price = price.unwrap_or(0.0);
        mistakes.within(key, price, &(0.0..=1_000.0), "0 to 1000 US dollars");
    }
    named_model("ai.compatible", &own.model, mistakes);
    tokens(
        "ai.compatible",
        own.most_input_tokens,
        own.most_output_tokens,
        mistakes,
    );
}

/// Names of models stand in addresses.
fn named_model(section: &str, model: &str, mistakes: &mut Mistakes) {
    let is_name = !model.is_empty()
        && model.len() <= 200
        && { model.chars() }.all(|it| it.is_ascii_alphanumeric() || "._:/-@".contains(it))
        && !model.contains("..");
    if !is_name {
        mistakes.0.push(Mistake {
            key: format!("{section}.model"),
            value: format!("{model:?}"),
            allowed: "the name of a model: letters, digits and . _ : / - @".to_owned(),
        });
    }
}

fn tokens(section: &str, input: u32, output: u32, mistakes: &mut Mistakes) {
    let key = format!("{section}.most_input_tokens");
    mistakes.within(key, input, &(100..=2_000_000), "100 to 2000000");
    let key = format!("{section}.most_output_tokens");
    mistakes.within(key, output, &(16..=200_000), "16 to 200000");
}

/// What changed since a month ago is told from what was kept of then.
fn retention(settings: &Settings, mistakes: &mut Mistakes) {
    let kept = &settings.retention;
    if kept.rank_months != 0 {
        let months = kept.rank_months;
        mistakes.within(
            "retention.rank_months",
            months,
            &(2..=1_200),
            "0 or 2 to 1200",
        );
    }
    if kept.record_months != 0 {
        let months = kept.record_months;
        let key = "retention.record_months";
        mistakes.within(key, months, &(2..=1_200), "0 or 2 to 1200");
    }
    if kept.answer_days != 0 {
        let days = kept.answer_days;
        let key = "retention.answer_days";
        mistakes.within(key, days, &(2..=36_500), "0 or 2 to 36500");
    }
    if kept.ai_answer_days != 0 {
        let days = kept.ai_answer_days;
        let key = "retention.ai_answer_days";
        mistakes.within(key, days, &(2..=36_500), "0 or 2 to 36500");
    }
    if kept.page_days != 0 {
        let days = kept.page_days;
        mistakes.within(
            "retention.page_days",
            days,
            &(38..=36_500),
            "0 or 38 to 36500",
        );
    }
    if kept.console_months != 0 {
        let months = kept.console_months;
        mistakes.within(
            "retention.console_months",
            months,
            &(4..=1_200),
            "0 or 4 to 1200",
        );
    }
    if kept.search_months != 0 {
        let months = kept.search_months;
        let key = "retention.search_months";
        mistakes.within(key, months, &(1..=1_200), "0 or 1 to 1200");
    }
    for (key, days) in [
        (
            "retention.deactivated_project_days",
            kept.deactivated_project_days,
        ),
        ("retention.audit_days", kept.audit_days),
    ] {
        if days != 0 {
            mistakes.within(key, days, &(30..=36_500), "0 or 30 to 36500");
        }
    }
}

fn storage(settings: &Settings, mistakes: &mut Mistakes) {
    let set = &settings.storage;
    let factor = set.inactive_factor;
    let key = "storage.inactive_factor";
    mistakes.within(key, factor, &(0..=1_000), "0 to 1000");
    if set.account_mebibytes != 0 {
        let key = "storage.account_mebibytes";
        let mebibytes = set.account_mebibytes;
        mistakes.within(key, mebibytes, &(16..=u32::MAX), "0, or 16 and more");
    }
    if set.project_rows != 0 {
        let (key, rows) = ("storage.project_rows", set.project_rows);
        mistakes.within(key, rows, &(1_000..=u32::MAX), "0, or 1000 and more");
    }
}

/// Search Console itself keeps sixteen months.
fn search_console(settings: &Settings, mistakes: &mut Mistakes) {
    let set = &settings.search_console;
    mistakes.within(
        "search_console.rows_per_day",
        set.rows_per_day,
        &(100..=50_000),
        "100 to 50000",
    );
    mistakes.within(
        "search_console.first_days",
        set.first_days,
        &(3..=480),
        "3 to 480",
    );
}

/// A load ends after the page had its time.
fn vitals(settings: &Settings, mistakes: &mut Mistakes) {
    let (vitals, lab) = (&settings.vitals, &settings.vitals.lab);
    mistakes.within("vitals.max_pages", vitals.max_pages, &(1..=100), "1 to 100");
    mistakes.within("vitals.lab.runs", lab.runs, &(1..=25), "1 to 25");
    let load = lab.load_seconds;
    mistakes.within("vitals.lab.load_seconds", load, &(10..=600), "10 to 600");
    let least = load.saturating_add(10);
    let allowed = format!("{least} (vitals.lab.load_seconds and 10 more) to 1200");
    let run = lab.run_seconds;
    mistakes.within("vitals.lab.run_seconds", run, &(least..=1_200), &allowed);
    for (key, mib) in [
        ("vitals.lab.memory_mib", lab.memory_mib),
        ("vitals.lab.traffic_mib", lab.traffic_mib),
    ] {
        mistakes.within(key, mib, &(16..=65_536), "16 to 65536");
    }
}

/// Two listeners need two places. Files that may come later (a key, a browser) are looked for when they are needed.
fn places(settings: &Settings, mistakes: &mut Mistakes) {
    let listen = settings.listen.0;
    if listen.port() != 0 && settings.admin.listen == AdminAddress::At(listen) {
        mistakes.0.push(Mistake {
            key: "admin.listen".to_owned(),
            value: listen.to_string(),
            allowed: "another address than listen, or off".to_owned(),
        });
    }
}

/// Nothing at all would lock everyone out.
fn limits(settings: &Settings, mistakes: &mut Mistakes) {
    let limits = &settings.limits;
    for (key, number) in [
        ("limits.reads_per_minute", limits.reads_per_minute),
        ("limits.reads_burst", limits.reads_burst),
        ("limits.writes_per_minute", limits.writes_per_minute),
        ("limits.writes_burst", limits.writes_burst),
        ("limits.analyses_per_minute", limits.analyses_per_minute),
        ("limits.analyses_burst", limits.analyses_burst),
        ("limits.account_per_minute", limits.account_per_minute),
        ("limits.account_burst", limits.account_burst),
        ("limits.anonymous_per_minute", limits.anonymous_per_minute),
        ("limits.anonymous_burst", limits.anonymous_burst),
        (
            "limits.failed_tokens_per_minute",
            limits.failed_tokens_per_minute,
        ),
        ("limits.failed_tokens_burst", limits.failed_tokens_burst),
        ("limits.sign_ins_per_minute", limits.sign_ins_per_minute),
        ("limits.sign_ins_burst", limits.sign_ins_burst),
        (
            "limits.all_sign_ins_per_minute",
            limits.all_sign_ins_per_minute,
        ),
        ("limits.all_sign_ins_burst", limits.all_sign_ins_burst),
        ("limits.kept_answer_mib", limits.kept_answer_mib),
        ("limits.in_flight_per_token", limits.in_flight_per_token),
        ("limits.in_flight_per_account", limits.in_flight_per_account),
        ("limits.in_flight", limits.in_flight),
        ("limits.in_flight_unknown", limits.in_flight_unknown),
        ("limits.in_flight_per_address", limits.in_flight_per_address),
        ("limits.connections", limits.connections),
        (
            "limits.connections_per_address",
            limits.connections_per_address,
        ),
    ] {
        mistakes.within(key, number, &(1..=1_000_000_000), "1 to 1000000000");
    }
}

/// No less than the OWASP cheat sheet "Password Storage" names for two passes, and no more than a server has.
fn passwords(settings: &Settings, mistakes: &mut Mistakes) {
    let set = &settings.passwords;
    let (key, allowed) = ("passwords.memory_kib", "19456 to 1048576");
    mistakes.within(key, set.memory_kib, &(19_456..=1_048_576), allowed);
    mistakes.within("passwords.passes", set.passes, &(2..=20), "2 to 20");
}

/// A lease outlives a sign of life that comes late, and nothing spins.
fn queue(settings: &Settings, mistakes: &mut Mistakes) {
    let queue = &settings.queue;
    for (key, seconds) in [
        ("queue.heartbeat_seconds", queue.heartbeat_seconds),
        ("queue.sweep_seconds", queue.sweep_seconds),
        ("queue.first_delay_seconds", queue.first_delay_seconds),
        ("queue.turn_seconds", queue.turn_seconds),
    ] {
        mistakes.within(key, seconds, &(1..=3_600), "1 to 3600");
    }
    let running = queue.running_per_account;
    let key = "queue.running_per_account";
    mistakes.within(key, running, &(1..=1_000), "1 to 1000");
    let least = queue.heartbeat_seconds.saturating_mul(2);
    let allowed = format!(
        "{least} (twice queue.heartbeat_seconds, which is {}) to 7200",
        queue.heartbeat_seconds
    );
    let held = queue.lease_seconds;
    mistakes.within("queue.lease_seconds", held, &(least..=7_200), &allowed);
}

#[derive(Default)]
struct Mistakes(Vec<Mistake>);

impl Mistakes {
    fn within<T: PartialOrd + Display + Copy>(
        &mut self,
        key: impl Into<String>,
        value: T,
        range: &RangeInclusive<T>,
        allowed: &str,
    ) {
        if !range.contains(&value) {
            self.0.push(Mistake {
                key: key.into(),
                value: value.to_string(),
                allowed: allowed.to_owned(),
            });
        }
    }

    fn told(&self, origins: &BTreeMap<String, Origin>) -> Result<(), SettingsError> {
        let lines = self.0.iter().map(|it| {
            let Mistake {
                key,
                value,
                allowed,
            } = it;
            let origin = origins.get(key).unwrap_or(&Origin::Default);
            format!("the setting {key} takes {allowed}; it is {value} ({origin})")
        });
        match lines.collect::<Vec<_>>() {
            none if none.is_empty() => Ok(()),
            some => Err(SettingsError::Unusable(some.join("\n"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Mistake = fn(&mut Settings);

    #[test]
    fn the_defaults_can_be_used() {
        check(&Settings::default(), &BTreeMap::new()).unwrap();
    }

    #[test]
    fn a_value_out_of_range_is_refused_with_its_key_and_itself() {
        let broken: [(&str, &str, Mistake); 8] = [
            ("search.depth", "is 0", |it| it.search.depth = 0),
            ("worker.jobs", "is 0", |it| it.worker.jobs = 0),
            // What is billed and counted as nothing would pass every cap.
            ("search.serper.price_per_call", "is 0", |it| {
                it.search.serper.price_per_call = 0.0;
            }),
            ("search.most_per_call", "is NaN", |it| {
                it.search.most_per_call = Some(f64::NAN);
            }),
            ("search.most_per_day", "is -1", |it| {
                it.search.most_per_day = Some(-1.0);
            }),
            ("search.sandbox.failure_rate", "is 1.5", |it| {
                it.search.sandbox.failure_rate = 1.5;
            }),
            ("vitals.lab.run_seconds takes 55", "is 50", |it| {
                it.vitals.lab.run_seconds = 50;
            }),
            // One late heartbeat would lose such a lease.
            ("queue.lease_seconds takes 20", "is 19", |it| {
                it.queue.lease_seconds = 19;
            }),
        ];
        for (key, value, change) in broken {
            let mut settings = Settings::default();
            change(&mut settings);
            let told = check(&settings, &BTreeMap::new()).unwrap_err().to_string();
            assert!(told.contains(key) && told.contains(value), "{told}");
        }
    }

    #[test]
    fn a_mistake_of_a_model_is_refused_with_the_setting_and_its_origin() {
        let mut settings = Settings::default();
        settings.ai.chatgpt.most_searches = 0;
        settings.ai.compatible.model = "a b".to_owned();
        settings.ai.claude.price_per_million_input = Some(0.0);
        let name = "SIGHTLINE_AI__CHATGPT__MOST_SEARCHES".to_owned();
        let origin = (
            "ai.chatgpt.most_searches".to_owned(),
            Origin::Environment(name),
        );
        let told = check(&settings, &BTreeMap::from([origin]))
            .unwrap_err()
            .to_string();
        for line in [
            "the setting ai.chatgpt.most_searches takes 1 to 50; it is 0 (SIGHTLINE_AI__CHATGPT__MOST_SEARCHES)",
            "the setting ai.claude.price_per_million_input takes 0.000001 to 1000 US dollars; it is 0 (default)",
            "the setting ai.compatible.model takes the name of a model: letters, digits and . _ : / - @; it is \"a b\" (default)",
        ] {
            assert!(told.lines().any(|it| it == line), "{line}: {told}");
        }
        assert_eq!(told.lines().count(), 3, "{told}");
    }

    #[test]
    fn all_mistakes_are_told_at_once() {
        let mut settings = Settings::default();
        (settings.search.depth, settings.worker.jobs) = (0, 0);
        let told = check(&settings, &BTreeMap::new()).unwrap_err().to_string();
        assert_eq!(told.lines().count(), 2, "{told}");
    }
}
