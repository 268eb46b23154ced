//! All metrics. A test compares them with the documentation.

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
        "How long requests took to be answered",
    ),
    gauge("http_server_active_requests", "Requests under way"),
    histogram(
        "http_client_request_duration_seconds",
        "How long calls to suppliers took",
    ),
    histogram(
        "db_client_operation_duration_seconds",
        "How long the database took, without waiting for a connection",
    ),
    gauge("db_pool_connections", "Open connections to the database"),
    histogram(
        "db_pool_wait_seconds",
        "How long was waited for a connection",
    ),
    gauge(
        "sqlite_writer_queue_depth",
        "Writes that wait for the one writer of SQLite",
    ),
    histogram(
        "sqlite_writer_wait_seconds",
        "How long writes waited for the one writer of SQLite",
    ),
    gauge("sqlite_wal_bytes", "Size of the write-ahead log of SQLite"),
    gauge(
        "sqlite_integrity_ok",
        "Whether SQLite's own check at the start found no fault in its file",
    ),
    gauge("data_dir_free_bytes", "Room on the disk of SQLite's file"),
    gauge(
        "last_backup_timestamp_seconds",
        "When the last backup of this database was taken, 0 before the first",
    ),
    gauge(
        "clock_offset_seconds",
        "By how much this machine's clock is before the database's",
    ),
    counter("jobs_enqueued_total", "Jobs that this process queued"),
    counter("jobs_finished_total", "Jobs that ended in this process"),
    histogram(
        "job_wait_seconds",
        "How long jobs that were due waited for a worker",
    ),
    histogram("job_run_seconds", "How long attempts at jobs took"),
    counter(
        "job_retries_total",
        "Attempts at jobs after which another one follows",
    ),
    counter(
        "job_rescues_total",
        "Jobs taken back from a worker that sent no heartbeat, or exceeded the deadline",
    ),
    gauge("jobs_queued", "Unfinished jobs of all accounts"),
    gauge(
        "job_oldest_ready_seconds",
        "For how long the first job that is due has been due",
    ),
    gauge(
        "job_sweep_overdue_seconds",
        "For how long a job has waited for a worker's sweep: its lease, its deadline or its time to begin is over",
    ),
    gauge(
        "job_fairness_jain",
        "Jain index of what accounts with waiting jobs were served in the last minutes",
    ),
    counter(
        "auth_failures_total",
        "Requests refused because of who sent them",
    ),
    counter(
        "rate_limited_total",
        "Requests refused because of a limit of requests",
    ),
    counter(
        "untrusted_proxy_requests_total",
        "Requests with X-Forwarded-For from a private address that is not in trusted_proxies",
    ),
    counter(
        "quota_rejected_total",
        "Requests refused because of a quota, an allowance or a budget",
    ),
    counter(
        "idempotency_replays_total",
        "Requests answered with the answer to an earlier one of the same key",
    ),
    counter(
        "provider_cost_micro_usd_total",
        "What suppliers cost, in millionths of a US dollar",
    ),
    gauge(
        "provider_breaker_state",
        "Whether a supplier is asked: 0 yes, 1 a few calls to see, 2 no",
    ),
    counter(
        "crawler_blocked_total",
        "What was not asked of sites, by why",
    ),
    counter("crawler_bytes_total", "Bytes of bodies read from sites"),
    counter("mcp_tool_calls_total", "Calls of tools"),
    gauge("build_info", "Which version it is"),
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
