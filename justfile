# `just` lists what there is; everything here also works as a plain command.

default:
    @just --list

# Build and serve on http://127.0.0.1:8080
run *ARGS:
    cargo run --release -- {{ARGS}}

# What production runs: target/dist/sightline
dist:
    cargo build --profile dist --features dist --locked -p cli

# The Debian package of target/dist/sightline, installed, upgraded and removed in a Debian of its own: target/debian
deb:
    tests/packages/deb --program target/dist/sightline --output target/debian

# Tests every area on both databases; --all also what takes long
test *ARGS:
    ./tests/run {{ARGS}}

# What CI checks before the tests: format, lints, documentation
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps

# Hold the server to its OpenAPI document: Spectral, Redocly and schemathesis, on both databases
openapi *ARGS:
    ./tests/openapi/run {{ARGS}}

# Every test on PostgreSQL behind row-level security, behind pgbouncer, and serialisable
lanes *ARGS:
    ./tests/run --lane wall --lane serializable --lane pgbouncer {{ARGS}}

# Figures for docs/contribute/performance.md
bench *ARGS:
    ./tests/bench/run {{ARGS}}

# Compare broken-links with the files of Debian's documentation packages
compare-links *ARGS:
    ./tests/broken_links/compare.py {{ARGS}}

# Kill servers and workers at random under thousands of jobs, on both databases, and audit the tables
chaos *ARGS:
    ./tests/chaos/storm.py --database sqlite {{ARGS}}
    ./tests/chaos/storm.py --database postgres {{ARGS}}

# Kill workers while they send mail, on both databases, and compare with what arrived
kill-mail *ARGS:
    ./tests/chaos/kill_mail.py --database sqlite {{ARGS}}
    ./tests/chaos/kill_mail.py --database postgres {{ARGS}}

# How long others wait beside an account with thousands of due jobs, on both databases
fairness *ARGS:
    ./tests/chaos/fairness.py --database sqlite {{ARGS}}
    ./tests/chaos/fairness.py --database postgres {{ARGS}}

# Restart two servers and two workers one after the other under a load of a fixed rate
rolling-restart *ARGS:
    ./tests/chaos/rolling_restart.py {{ARGS}}

# Attack a server that the script starts itself, for example: just attack slow_bodies
attack NAME *ARGS:
    ./tests/attacks/{{NAME}}.py {{ARGS}}

# Simulate power failures from recorded writes, and look for what was acknowledged
power-loss *ARGS:
    ./tests/chaos/power_loss.py {{ARGS}}

# Replace the processes of one version by another's under load, and back: just upgrade --old PATH
upgrade *ARGS:
    ./tests/chaos/upgrade.py {{ARGS}}

# Upgrade an account with its session and token, add members, and go back: just members-upgrade --old PATH
members-upgrade *ARGS:
    ./tests/chaos/members_upgrade.py {{ARGS}}

# Transfer a million rows to PostgreSQL and back, killed three times each, and compare them
transfer *ARGS:
    ./tests/chaos/transfer.py {{ARGS}}

# Fills the disk of a server, as root.
full-disk *ARGS:
    ./tests/chaos/full_disk.py {{ARGS}}

# A day of the scheduler at a billion rank checks a month
simulate *ARGS:
    cargo run -q --release -p programs --example simulate_scheduler -- {{ARGS}}

# Look for bytes that break what has to hold: one target or all, for so many seconds each
fuzz TARGET="all" SECONDS="600":
    ./tests/fuzz/run --keep {{SECONDS}} {{TARGET}}

# Licences, versions and sources of what comes in from others
deny *ARGS="bans licenses sources":
    cargo deny --all-features --locked --config .cargo/deny.toml check {{ARGS}}

# Change the domain's rules one by one: some test has to notice each
mutants *ARGS:
    cargo mutants --package domain --package texts {{ARGS}}

# Take the account out of every condition of the storage, one at a time: some test has to notice each
account-filter *ARGS:
    ./tests/mutants/account_filter.py {{ARGS}}

# Kill workers amid calls that cost money, on both databases, and compare the bill with the tables
paid-kills *ARGS:
    ./tests/chaos/kill_paid_calls.py --database sqlite {{ARGS}}
    ./tests/chaos/kill_paid_calls.py --database postgres {{ARGS}}
