//! All metrics. The table of docs/reference/metrics.md is made of them.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Counter,
    Gauge,
    Histogram,
}

/// `name` is the name under which the metric is recorded.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    pub name: &'static str,
    pub kind: Kind,
    pub help: &'static str,
}

impl Metric {
    /// The served name has our prefix, except for the standard Prometheus process metrics.
    pub fn served_name(self) -> String {
        let prefix = if self.is_process_metric() {
            ""
        } else {
            "sightline_"
        };
        format!("{prefix}{}", self.name)
    }

    pub fn is_process_metric(self) -> bool {
        self.name.starts_with("process_")
    }
}

impl Kind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram => "histogram",
        }
    }
}

const fn counter(name: &'static str, help: &'static str) -> Metric {
    let kind = Kind::Counter;
    Metric { name, kind, help }
}

const fn gauge(name: &'static str, help: &'static str) -> Metric {
    let kind = Kind::Gauge;
    Metric { name, kind, help }
}

const fn histogram(name: &'static str, help: &'static str) -> Metric {
    let kind = Kind::Histogram;
    Metric { name, kind, help }
}

pub const CATALOGUE: [Metric; 42] = [
    histogram(
        "http_server_request_duration_seconds",
        "Requests; `route` as documented, or `_unmatched`; unknown methods are `_OTHER`",
    ),
    gauge("http_server_active_requests", "Requests in progress"),
    histogram(
        "http_client_request_duration_seconds",
        "Attempts of calls to suppliers, without the sandbox; `outcome` is `ok` or a failure code",
    ),
    histogram(
        "db_client_operation_duration_seconds",
        "Database operations: `read`, `statement` (in a transaction), `commit`",
    ),
    gauge(
        "db_pool_connections",
        "Open connections, `used` and `idle`, SQLite's writer included",
    ),
    histogram("db_pool_wait_seconds", "Wait for a connection"),
    gauge(
        "sqlite_writer_queue_depth",
        "Writes that wait for the only writer of SQLite; not on PostgreSQL",
    ),
    histogram(
        "sqlite_writer_wait_seconds",
        "Wait of writes for the only writer of SQLite",
    ),
    gauge(
        "sqlite_wal_bytes",
        "Size of SQLite's write-ahead log, which shrinks to 64 MiB",
    ),
    gauge(
        "sqlite_integrity_ok",
        "1 if SQLite's check at the start found no fault, 0 if it found one, NaN until then",
    ),
    gauge(
        "data_dir_free_bytes",
        "Free space on the SQLite file's disk",
    ),
    gauge(
        "last_backup_timestamp_seconds",
        "Unix time at which the last complete `sightline backup` began, 0 before the first",
    ),
    gauge(
        "clock_offset_seconds",
        "By how much this machine's clock is ahead of the database's",
    ),
    counter(
        "jobs_enqueued_total",
        "Jobs queued by requests or schedules of this process",
    ),
    counter(
        "jobs_finished_total",
        "Jobs that ended in this process: `succeeded`, `partial`, `failed`, `canceled`, `expired`",
    ),
    histogram(
        "job_wait_seconds",
        "Wait of due jobs for a worker, before each attempt",
    ),
    histogram("job_run_seconds", "Duration of attempts"),
    counter(
        "job_retries_total",
        "Failed attempts that are followed by another; `reason` is the code in the job's errors",
    ),
    counter(
        "job_rescues_total",
        "Jobs taken back: `worker-lost`, `deadline-passed`",
    ),
    gauge(
        "jobs_queued",
        "Unfinished jobs of all accounts, `waiting` or `running`; the same from every process",
    ),
    gauge(
        "job_oldest_ready_seconds",
        "Time for which the oldest due job waits",
    ),
    gauge(
        "job_sweep_overdue_seconds",
        "Time for which an expired lease or deadline waits for a sweep; above a minute no worker runs, or its sweep fails",
    ),
    gauge(
        "job_fairness_jain",
        "Jain's index of service to accounts (up to 1,000) with waiting jobs over five minutes: 1 is even",
    ),
    counter(
        "auth_failures_total",
        "Requests refused because of their sender, by problem code",
    ),
    counter(
        "rate_limited_total",
        "Requests refused by a limit: the rate policy, `in-flight`, `in-flight-…` or `connections`",
    ),
    counter(
        "untrusted_proxy_requests_total",
        "Requests with `X-Forwarded-For` from a private address not in `trusted_proxies`, probably a proxy",
    ),
    counter(
        "quota_rejected_total",
        "Requests refused by a quota, an allowance, a budget or the queue",
    ),
    counter(
        "idempotency_replays_total",
        "Requests answered with a stored response",
    ),
    counter(
        "provider_cost_micro_usd_total",
        "Cost of suppliers in millionths of a US dollar, as budgets count it",
    ),
    gauge(
        "provider_breaker_state",
        "Circuit breaker after the last call: 0 closed, 1 half-open, 2 open",
    ),
    counter(
        "crawler_blocked_total",
        "Requests that the crawler did not send: `scheme`, `port`, `literal`, `name`, `address`, `own`, `robots`",
    ),
    counter(
        "crawler_bytes_total",
        "Bytes of bodies that the crawler read, as sent; without Chromium's traffic",
    ),
    counter(
        "mcp_tool_calls_total",
        "Tool calls: `ok`, `refused`, `failed`",
    ),
    gauge("build_info", "1; the version is in the label"),
    counter(
        "process_cpu_seconds_total",
        "Total user and system CPU time spent in seconds.",
    ),
    gauge("process_open_fds", "Number of open file descriptors."),
    gauge(
        "process_max_fds",
        "Maximum number of open file descriptors.",
    ),
    gauge(
        "process_virtual_memory_bytes",
        "Virtual memory size in bytes.",
    ),
    gauge(
        "process_virtual_memory_max_bytes",
        "Maximum amount of virtual memory available in bytes.",
    ),
    gauge(
        "process_resident_memory_bytes",
        "Resident memory size in bytes.",
    ),
    gauge(
        "process_start_time_seconds",
        "Start time of the process since unix epoch in seconds.",
    ),
    gauge("process_threads", "Number of OS threads in the process."),
];
