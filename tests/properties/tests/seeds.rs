//! Every property holds for its seeds, which include all former failures, and for mutations of them.

use properties::{ALL, Mutator, seeds};

/// Mutations per property; `tests/fuzz/run` tries many more.
const CHANGES: usize = 300;

#[test]
fn every_property_holds_for_its_seeds() {
    for property in ALL {
        let seeds = seeds::load(property.name).expect("a folder of seeds");
        assert!(!seeds.is_empty(), "{} has no seeds", property.name);
        for (name, seed) in seeds {
            let outcome = std::panic::catch_unwind(|| property.check(&seed));
            assert!(outcome.is_ok(), "{}/{name}", property.name);
        }
    }
}

#[test]
fn every_property_holds_for_mutated_seeds() {
    for property in ALL {
        let seeds = seeds::load(property.name).expect("a folder of seeds");
        let seeds = seeds.into_iter().map(|it| it.1).collect();
        let mut mutator = Mutator::new(property.name, seeds, seeds::words(property.name));
        for _ in 0..CHANGES {
            let input = mutator.next_input();
            let outcome = std::panic::catch_unwind(|| property.check(&input));
            assert!(
                outcome.is_ok(),
                "{}: {:?}",
                property.name,
                String::from_utf8_lossy(&input)
            );
        }
    }
}

#[test]
fn properties_and_fuzz_targets_correspond() {
    let folder = seeds::folder();
    for property in ALL {
        let target = folder.join(format!("fuzz_targets/{}.rs", property.name));
        assert!(target.exists(), "{}", target.display());
    }
    let kept = std::fs::read_dir(folder.join("seeds")).expect("a folder");
    assert_eq!(kept.count(), ALL.len());
}
