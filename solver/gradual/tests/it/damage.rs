//! Damaged copies of recorded models: those that are still models get an answer, and nothing panics or hangs.

use crate::recorded::read;
use lozenge_gradual_solver::{Given, Options, Point, Sizes};
use lozenge_graph::Limits;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::ops::Range;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// The copies in one run. `LOZENGE_DAMAGED` gives other ones, for a campaign: as a number, or as `FROM..UNTIL`, since
/// each copy has a seed of its own.
const COPIES: u64 = 1_000;

/// The seeds beyond the first ones of copies at which a campaign ended: one divided by 0 where a product is no integer.
const ENDED: [u64; 1] = [1_000_556];

/// The copies after which a campaign says where it is.
const PROGRESS: u64 = 10_000;

/// The longest time on the processor that one copy may take, also in a program that is not optimised.
const PATIENCE: Duration = Duration::from_secs(30);

/// Returns the time that this thread was on a processor, which does not depend on what else the machine does; where the
/// system does not tell it, the time of a clock.
fn on_processor() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let told = told.and_then(|text| text.split_whitespace().next()?.parse().ok());
    told.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Returns the seeds of the copies in this run.
fn seeds() -> Range<u64> {
    let number = |text: &str| text.parse().expect("a number of copies");
    match std::env::var("LOZENGE_DAMAGED").ok() {
        None => 0..COPIES,
        Some(text) => match text.split_once("..") {
            Some((from, until)) => number(from)..number(until),
            None => 0..number(&text),
        },
    }
}

/// Changes a number or two: a digit of a text, a small byte of a file, which keeps most of what the format states about
/// lengths.
fn damage(content: &mut [u8], random: &mut Xoshiro256PlusPlus) {
    let is_text = content.first() == Some(&b'{');
    let is_number = |byte: u8| {
        if is_text {
            byte.is_ascii_digit()
        } else {
            byte < 10
        }
    };
    let places: Vec<usize> = (0..content.len())
        .filter(|at| is_number(content[*at]))
        .collect();
    for _ in 0..1 + random.next_u64() % 2 {
        let Some(at) = places.get((random.next_u64() % places.len().max(1) as u64) as usize) else {
            return;
        };
        content[*at] = match random.next_u64() % 8 {
            _ if is_text => b'0' + (random.next_u64() % 10) as u8,
            0 => random.next_u64() as u8,
            _ => (random.next_u64() % 10) as u8,
        };
    }
}

#[test]
fn damaged_models_get_an_answer() {
    let seeds = seeds();
    let copies = seeds.end.saturating_sub(seeds.start);
    let files = ["kinds.jsonl.gz", "opinfo.jsonl.gz", "node-tests.jsonl.gz"];
    let records: Vec<_> = files.into_iter().map(read).collect();
    let (mut answered, mut slowest) = (0, (Duration::ZERO, 0));
    for seed in seeds.chain(ENDED) {
        if seed % PROGRESS == 0 {
            eprintln!("copy {seed}: {answered} answered, the slowest {slowest:?}");
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let records = &records[(random.next_u64() % 3) as usize];
        let record = &records[(random.next_u64() % records.len() as u64) as usize];
        let mut content = record.content();
        damage(&mut content, &mut random);
        let Ok(graph) = lozenge_graph::read(content, &Limits::default()) else {
            continue;
        };
        let inputs = graph.main().inputs.iter();
        let point: Point = inputs
            .map(|id| (graph[*id].name.clone(), Given::Sizes(vec![2, 3])))
            .collect();
        let start = on_processor();
        let mut answer = Sizes::of(Arc::new(graph), &Options::default());
        let text = answer.text();
        let found = answer.at(&point);
        let time = on_processor().saturating_sub(start);
        assert!(!text.is_empty() || found.admitted.is_some() || answer.limits().is_empty());
        assert!(time < PATIENCE, "copy {seed} takes {time:?}: {text}");
        slowest = slowest.max((time, seed));
        answered += 1;
    }
    eprintln!("{answered} of {copies} copies answered, the slowest {slowest:?}");
    assert!(
        answered > copies / 4,
        "{answered} of {copies} copies are models"
    );
}
