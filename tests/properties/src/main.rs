//! Unguided, deterministic fuzzing for toolchains without a fuzzer: every seed, then mutations until the time is over.
//!
//! `replay [SECONDS [TARGET…]]`

use properties::{ALL, Mutator, Property, seeds};
use std::{
    fs,
    io::{self, Write},
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    time::{Duration, Instant},
};

const MAX_INPUT_TIME: Duration = Duration::from_secs(10);

fn main() -> io::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().and_then(|it| it.parse().ok()).unwrap_or(0);
    let chosen: Vec<String> = arguments.collect();
    let is_chosen = |it: &Property| chosen.is_empty() || chosen.iter().any(|name| name == it.name);
    let mut sound = true;
    for property in ALL.into_iter().filter(is_chosen) {
        sound &= run(property, Duration::from_secs(seconds))?;
    }
    Ok(if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn run(property: Property, time: Duration) -> io::Result<bool> {
    let name = property.name;
    let seeds: Vec<Vec<u8>> = seeds::load(name)?.into_iter().map(|it| it.1).collect();
    let (begun, mut runs) = (Instant::now(), seeds.len());
    for seed in &seeds {
        if !holds(property, seed)? {
            return Ok(false);
        }
    }
    let mut mutator = Mutator::new(name, seeds, seeds::words(name));
    while begun.elapsed() < time {
        runs += 1;
        if !holds(property, &mutator.next_input())? {
            return Ok(false);
        }
    }
    writeln!(io::stdout(), "{name}: {runs} inputs, it held for all")?;
    Ok(true)
}

/// Whether the property holds; a failing input is stored.
fn holds(property: Property, input: &[u8]) -> io::Result<bool> {
    let begun = Instant::now();
    let is_sound = catch_unwind(AssertUnwindSafe(|| property.check(input))).is_ok();
    if is_sound && begun.elapsed() <= MAX_INPUT_TIME {
        return Ok(true);
    }
    let folder = seeds::folder().join("artifacts").join(property.name);
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!(
        "replay-{:016x}",
        properties::SeededRandom::from_bytes(input).next_u64()
    ));
    fs::write(&path, input)?;
    let failure = if is_sound {
        "took too long"
    } else {
        "does not hold"
    };
    writeln!(
        io::stderr(),
        "{} {failure} for {}",
        property.name,
        path.display()
    )?;
    Ok(false)
}
