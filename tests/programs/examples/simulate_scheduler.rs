//! Simulates the scheduler with a billion rank checks a month: how long jobs wait.
//!
//! `simulate_scheduler [CHECKS_A_MONTH]` simulates one day, event by event, with the workers' rule (`job::turns`):
//! which accounts are next, how many jobs of an account run, how many candidates are considered. Accounts have up to a
//! hundred thousand keywords (Zipf), all checked once a day, most of them in the account's night. A check takes the
//! supplier's time. Prints the tables of docs/operate/scale.md; the seed is fixed.
#![expect(clippy::print_stdout, reason = "figures are printed")]
#![expect(
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of a simulation are far below 2^52"
)]

use domain::{
    ids::AccountId,
    job::{
        account_queue::AccountQueue,
        fair_queue::{CANDIDATES, SERVICE_PER_JOB, allocate, free_capacity},
    },
};
use rand::{RngExt, SeedableRng, rngs::SmallRng};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque},
};

const DAY: f64 = 86_400.0;
/// Running jobs of one account, as in the queue.
const CAP: u32 = 4;
/// Maximum keywords of a job, which is a project.
const KEYWORDS_OF_A_JOB: u64 = 1_000;
/// Seconds of a supplier call, and concurrent calls.
const SECONDS_OF_A_CHECK: f64 = 2.0;
const CHECKS_AT_ONCE: f64 = 16.0;
/// Fixed seconds of a job.
const SECONDS_OF_A_JOB: f64 = 0.5;

fn main() {
    let month: f64 = std::env::args()
        .nth(1)
        .map_or(1e9, |it| it.parse().unwrap_or(1e9));
    let accounts = market(month / 30.0);
    let jobs: usize = accounts.iter().map(|it| it.jobs.len()).sum();
    let checks: u64 = accounts
        .iter()
        .flat_map(|it| &it.jobs)
        .map(|it| it.keywords)
        .sum();
    let work: f64 = accounts
        .iter()
        .flat_map(|it| &it.jobs)
        .map(Job::seconds)
        .sum();
    println!(
        "{} accounts, {jobs} jobs and {checks} checks a day; {:.0} slots are busy on average",
        accounts.len(),
        work / DAY
    );
    println!();
    println!("| slots | busy | jobs of | jobs | median wait, s | p95 | p99 | longest |");
    println!("|--:|--:|---|--:|--:|--:|--:|--:|");
    for share in [1.1, 1.5, 2.5, 4.0] {
        let slots = (work / DAY * share).ceil() as usize;
        print_row(slots, (&simulate(&accounts, slots), &accounts), work);
    }
    println!();
    println!("| the others | p95 of their waits, s |");
    println!("|---|--:|");
    for (name, giant) in [("alone", 0), ("beside an account with 10,000 jobs", 10_000)] {
        let waits = simulate(&neighbours(giant), 12);
        let others: Vec<f64> = { waits.iter() }
            .filter(|it| it.account != 0)
            .map(|it| it.seconds)
            .collect();
        println!("| {name} | {:.1} |", percentile(&others, 0.95));
    }
}

struct Job {
    at: f64,
    keywords: u64,
}

impl Job {
    fn seconds(&self) -> f64 {
        SECONDS_OF_A_JOB + self.keywords as f64 / CHECKS_AT_ONCE * SECONDS_OF_A_CHECK
    }
}

struct Account {
    keywords: u64,
    jobs: Vec<Job>,
}

/// Accounts that together check that many keywords a day.
fn market(checks_a_day: f64) -> Vec<Account> {
    let mut rng = SmallRng::seed_from_u64(1);
    let mut accounts = Vec::new();
    let mut left = checks_a_day;
    while left > 0.0 {
        // Zipf over five decades: half of the accounts have fewer than forty keywords.
        let even: f64 = rng.random_range(1e-5..1.0);
        let keywords = (20.0 / even.powf(0.95)).min(100_000.0).min(left).ceil();
        left -= keywords;
        // Most schedules run at three in the morning, local time.
        let zone = f64::from(rng.random_range(0..24_u32)) * 3_600.0;
        let mut jobs = Vec::new();
        let mut rest = keywords as u64;
        while rest > 0 {
            let of_job = rest.min(KEYWORDS_OF_A_JOB);
            rest -= of_job;
            let at = if rng.random_range(0.0..1.0) < 0.7 {
                zone + rng.random_range(0.0..3_600.0)
            } else {
                rng.random_range(0.0..DAY)
            };
            jobs.push(Job {
                at: at % DAY,
                keywords: of_job,
            });
        }
        accounts.push(Account {
            keywords: keywords as u64,
            jobs,
        });
    }
    accounts
}

/// Twenty accounts that request ten jobs each every twenty minutes, and one that requested very many at once.
fn neighbours(giant: usize) -> Vec<Account> {
    let job = |at: f64| Job { at, keywords: 100 };
    let mut accounts = vec![Account {
        keywords: 100,
        jobs: (0..giant).map(|_| job(0.0)).collect(),
    }];
    for n in 0..20 {
        let jobs = (0..600).map(|at| job(f64::from(at / 10) * 1_200.0 + f64::from(n) / 20.0));
        accounts.push(Account {
            keywords: 100,
            jobs: jobs.collect(),
        });
    }
    accounts
}

struct Wait {
    account: usize,
    seconds: f64,
}

/// A time with an order, for heaps.
#[derive(PartialEq)]
struct At(f64);

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    End(usize),
    Arrival(usize, usize),
}

#[derive(Default)]
struct SimulatedQueue {
    waiting: VecDeque<usize>,
    running: u32,
    served: f64,
}

impl SimulatedQueue {
    fn account_queue(&self, account: usize) -> AccountQueue {
        AccountQueue {
            account: AccountId(account as i64),
            waiting: self.waiting.len() as u32,
            running: self.running,
            next_run_at: None,
            next_short_run_at: None,
            attention_at: None,
            virtual_time: self.served,
        }
    }

    fn is_open(&self) -> bool {
        !self.waiting.is_empty() && self.running < CAP
    }
}

struct Simulation<'a> {
    accounts: &'a [Account],
    queues: Vec<SimulatedQueue>,
    /// Accounts with a job to claim, least served first, as workers query them.
    open: BTreeSet<(u64, usize)>,
    /// The service of accounts with unfinished jobs: a new one starts at the minimum.
    busy: BTreeMap<u64, u32>,
    events: BinaryHeap<Reverse<(At, Event)>>,
    free: usize,
    waits: Vec<Wait>,
}

fn simulate(accounts: &[Account], slots: usize) -> Vec<Wait> {
    let mut play = Simulation {
        accounts,
        queues: accounts.iter().map(|_| SimulatedQueue::default()).collect(),
        open: BTreeSet::new(),
        busy: BTreeMap::new(),
        events: BinaryHeap::new(),
        free: slots,
        waits: Vec::new(),
    };
    for (account, it) in accounts.iter().enumerate() {
        for (job, it) in it.jobs.iter().enumerate() {
            play.events
                .push(Reverse((At(it.at), Event::Arrival(account, job))));
        }
    }
    while let Some(Reverse((At(now), event))) = play.events.pop() {
        match event {
            Event::Arrival(account, job) => play.arrive(account, job),
            Event::End(account) => play.change(account, |line| line.running -= 1, 1),
        }
        play.claim(now);
    }
    play.waits
}

/// Times as sortable keys: the bits of non-negative floats are ordered.
fn key(served: f64) -> u64 {
    served.to_bits()
}

impl Simulation<'_> {
    /// Changes an account's queue and its entries in the indexes.
    fn change(&mut self, account: usize, act: impl FnOnce(&mut SimulatedQueue), freed: usize) {
        let line = &mut self.queues[account];
        let is_busy = |line: &SimulatedQueue| line.running > 0 || !line.waiting.is_empty();
        self.open.remove(&(key(line.served), account));
        if is_busy(line) {
            let served = key(line.served);
            if let Some(number) = self.busy.get_mut(&served) {
                *number -= 1;
                if *number == 0 {
                    self.busy.remove(&served);
                }
            }
        }
        act(line);
        if is_busy(line) {
            *self.busy.entry(key(line.served)).or_default() += 1;
        }
        if line.is_open() {
            self.open.insert((key(line.served), account));
        }
        self.free += freed;
    }

    fn arrive(&mut self, account: usize, job: usize) {
        let min_served = self
            .busy
            .keys()
            .next()
            .map_or(0.0, |it| f64::from_bits(*it));
        self.change(
            account,
            |line| {
                if line.running == 0 && line.waiting.is_empty() {
                    line.served = line.served.max(min_served);
                }
                line.waiting.push_back(job);
            },
            0,
        );
    }

    /// Like a worker with all free slots.
    fn claim(&mut self, now: f64) {
        while self.free > 0 && !self.open.is_empty() {
            let wanted = self.free.min(CANDIDATES[0] as usize);
            let seen = self.open.iter().take(CANDIDATES[0] as usize);
            let seen: Vec<AccountQueue> = seen
                .map(|(_, it)| self.queues[*it].account_queue(*it))
                .collect();
            let min_served = seen[0].virtual_time;
            for (queue, granted) in seen.iter().zip(allocate(
                &seen,
                min_served,
                |it| free_capacity(it, CAP),
                wanted as u32,
            )) {
                let account = queue.account.0 as usize;
                for _ in 0..granted.min(free_capacity(queue, CAP)) {
                    self.start(account, min_served, now);
                }
            }
        }
    }

    fn start(&mut self, account: usize, min_served: f64, now: f64) {
        let Some(job) = self.queues[account].waiting.front().copied() else {
            return;
        };
        let job = &self.accounts[account].jobs[job];
        self.waits.push(Wait {
            account,
            seconds: now - job.at,
        });
        self.events
            .push(Reverse((At(now + job.seconds()), Event::End(account))));
        self.free -= 1;
        self.change(
            account,
            |line| {
                line.waiting.pop_front();
                line.running += 1;
                line.served = line.served.max(min_served) + SERVICE_PER_JOB;
            },
            0,
        );
    }
}

fn print_row(slots: usize, (waits, accounts): (&[Wait], &[Account]), work: f64) {
    let sizes = [
        ("up to 100 keywords", 0, 100),
        ("up to 10,000", 101, 10_000),
        ("more", 10_001, u64::MAX),
    ];
    for (name, min, max) in sizes {
        let of_size: Vec<f64> = { waits.iter() }
            .filter(|it| (min..=max).contains(&accounts[it.account].keywords))
            .map(|it| it.seconds)
            .collect();
        let longest = of_size.iter().copied().fold(0.0, f64::max);
        println!(
            "| {slots} | {:.0} % | accounts with {name} | {} | {:.1} | {:.1} | {:.1} | {longest:.0} |",
            100.0 * work / DAY / slots as f64,
            of_size.len(),
            percentile(&of_size, 0.5),
            percentile(&of_size, 0.95),
            percentile(&of_size, 0.99),
        );
    }
}

fn percentile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len() as f64).ceil() as usize;
    sorted.get(place.max(1) - 1).copied().unwrap_or_default()
}
