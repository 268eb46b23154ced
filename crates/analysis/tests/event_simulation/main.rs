//! How often events report a fall where nothing changed, and how often a planted fall is reported. The model is that of
//! `docs/measurement/events.md`.
//!
//!     cargo test --release -p analysis --test event_simulation -- --ignored --nocapture

mod draws;
mod project;

use analysis::events::{AlarmBudget, EventRun, MeasuredRank, rank_event};
use chrono::DateTime;
use draws::{Draws, Series};
use project::{Falls, Simulated, World, day, position, sample, simulate};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

const WORLD: World = World {
    freedom: 5,
    phi: None,
    false_alarms: 0.25,
    days: 90,
    everything: true,
};
/// Events a project and month, all kinds together.
const COUNT: u64 = 400;
const PROMISE: f64 = 0.5;
const DAYS_OF_MONTH: f64 = 30.0;

fn projects(count: u64, world: &World) -> Vec<Simulated> {
    let halves: Vec<u64> = (0..count).collect();
    let halves = halves.chunks(usize::try_from(count.div_ceil(2)).unwrap_or(1));
    std::thread::scope(|scope| {
        let running: Vec<_> = halves
            .map(|seeds| {
                scope.spawn(|| {
                    seeds
                        .iter()
                        .map(|it| simulate(*it, world))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        let done = running
            .into_iter()
            .map(|it| it.join().expect("a simulation"));
        done.flatten().collect()
    })
}

/// Mean a month with the 95 % interval of a bootstrap over projects.
#[expect(clippy::cast_precision_loss, reason = "small")]
fn rate(world: &World, projects: &[&Simulated], of: impl Fn(&Falls) -> u32) -> (f64, f64, f64) {
    let months = world.days as f64 / DAYS_OF_MONTH;
    let rates: Vec<f64> = projects
        .iter()
        .map(|it| f64::from(of(&it.falls)) / months)
        .collect();
    let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / rates.len() as f64;
    let mut draws = Draws::seeded(7);
    let mut means: Vec<f64> = (0..2_000)
        .map(|_| mean(&mut (0..rates.len()).map(|_| draws.pick(&rates))))
        .collect();
    means.sort_by(f64::total_cmp);
    (mean(&mut rates.iter().copied()), means[49], means[1_949])
}

fn total(falls: &Falls) -> u32 {
    falls.values().sum()
}

/// Share of histories with a planted fall from 5 to 15 that are announced at once.
fn power(n: u64, deviation: f64, keywords: u64) -> f64 {
    let mut draws = Draws::seeded(n);
    let runs = 1_000_u32;
    let mut announced = 0;
    for _ in 0..runs {
        let mut series = Series::started(&mut draws, 0.0, deviation, 5);
        let mut at = |number: u64, base: f64| {
            let log = base.ln() + series.next(&mut draws);
            sample(day(number), position(log, 100), 100)
        };
        let past: Vec<_> = (0..n).map(|number| at(number, 5.0)).collect();
        let rank = MeasuredRank {
            keyword_id: 1,
            keyword: "",
            measured_at: DateTime::UNIX_EPOCH,
            now: at(n, 15.0),
            past: past.iter().rev().copied(),
        };
        let run = EventRun {
            job: 1,
            simulated: false,
            method: "rankings/2",
        };
        let event = rank_event(&run, &AlarmBudget::of_ranks(keywords), &rank);
        announced += u32::from(event.is_some_and(|it| it.fell()));
    }
    f64::from(announced) / f64::from(runs)
}

/// Of ranks and competitors; the slow test asserts it of all kinds together.
#[test]
fn falls_of_ranks_in_60_projects_stay_within_the_promise() {
    let world = World {
        everything: false,
        ..WORLD
    };
    let all = projects(60, &world);
    let all: Vec<&Simulated> = all.iter().collect();
    let (mean, _, high) = rate(&world, &all, total);
    assert!(high <= PROMISE, "{mean} a project and month, up to {high}");
    assert!(mean > 0.0, "a test without power would pass, too");
}

/// Too few to show that the promise holds: it would show a kind without control.
#[test]
fn few_projects_with_all_kinds_do_not_break_the_promise() {
    let world = World { days: 60, ..WORLD };
    let all = projects(24, &world);
    let all: Vec<&Simulated> = all.iter().collect();
    let (mean, low, _) = rate(&world, &all, total);
    assert!(low <= PROMISE, "{mean} a project and month, at least {low}");
}

#[test]
fn a_planted_fall_is_announced_at_once() {
    for (n, min) in [(27, 0.95), (8, 0.95), (3, 0.95)] {
        let found = power(n, 0.05, 30);
        assert!(found >= min, "{n} days: {found}");
    }
    assert!(power(27, 0.10, 30) >= 0.95);
}

#[test]
#[ignore = "slow: 400 projects of 90 days"]
fn falls_of_400_projects_stay_within_the_promise() {
    let mut out = std::io::stdout().lock();
    let count = COUNT;
    let all = projects(count, &WORLD);
    let all: Vec<&Simulated> = all.iter().collect();
    let kinds: BTreeSet<&str> = all.iter().flat_map(|it| it.falls.keys().copied()).collect();
    for kind in kinds {
        let found = rate(&WORLD, &all, |it| it.get(kind).copied().unwrap_or(0));
        writeln!(
            out,
            "{kind}: {:.3} ({:.3}-{:.3})",
            found.0, found.1, found.2
        )
        .expect("stdout");
    }
    let (mean, low, high) = rate(&WORLD, &all, total);
    writeln!(out, "all: {mean:.3} ({low:.3}-{high:.3})").expect("stdout");
    for (low, high) in [(5, 20), (20, 100), (100, 501)] {
        let some: Vec<&Simulated> = all
            .iter()
            .copied()
            .filter(|it| (low..high).contains(&it.keywords))
            .collect();
        let found = rate(&WORLD, &some, total);
        writeln!(
            out,
            "all, {low} to {} keywords: {:.3} ({:.3}-{:.3})",
            high - 1,
            found.0,
            found.1,
            found.2
        )
        .expect("stdout");
    }
    let ranks = World {
        everything: false,
        ..WORLD
    };
    let others: BTreeMap<&str, World> = [
        (
            "ranks, t3",
            World {
                freedom: 3,
                ..ranks
            },
        ),
        (
            "ranks, phi .95",
            World {
                phi: Some(0.95),
                ..ranks
            },
        ),
        (
            "ranks, B 1",
            World {
                false_alarms: 1.0,
                ..ranks
            },
        ),
        (
            "ranks, B 4",
            World {
                false_alarms: 4.0,
                ..ranks
            },
        ),
    ]
    .into();
    for (name, world) in others {
        let all = projects(count, &world);
        let all: Vec<&Simulated> = all.iter().collect();
        let without_competitors =
            |it: &Falls| total(it) - it.get("competitor.overtook").copied().unwrap_or(0);
        let found = rate(&world, &all, without_competitors);
        writeln!(
            out,
            "{name}: {:.3} ({:.3}-{:.3})",
            found.0, found.1, found.2
        )
        .expect("stdout");
    }
    for n in [27, 8, 3] {
        for keywords in [30, 100, 1_000] {
            let found = [0.05, 0.10, 0.15].map(|it| power(n, it, keywords));
            writeln!(out, "power n {n} K {keywords}: {found:?}").expect("stdout");
        }
    }
    assert!(high <= PROMISE, "{mean} a project and month, up to {high}");
}
