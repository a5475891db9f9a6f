//! Damaged copies of the examples: each is read or refused, and nothing panics or hangs.

use std::fs;
use std::ops::Range;
use std::time::{Duration, Instant};

use lozenge_graph::{Limits, read};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::examples::{folder, fx_text, names};

/// The copies in one run. `LOZENGE_DAMAGED` gives other ones, for a campaign: as a number, or as `FROM..UNTIL`, since
/// each copy has a seed of its own.
const COPIES: u64 = 100_000;

/// The copies after which a campaign says where it is.
const PROGRESS: u64 = 1_000_000;

/// The longest that one copy may take.
const PATIENCE: Duration = Duration::from_secs(5);

fn originals() -> Vec<Vec<u8>> {
    let onnx = names("onnx", ".onnx")
        .into_iter()
        .filter(|name| name != "constants");
    let onnx = onnx.map(|name| format!("onnx/{name}.onnx"));
    let programs = names("torch_export", ".pt2");
    let programs = programs
        .into_iter()
        .map(|name| format!("torch_export/{name}.pt2"));
    let files = onnx
        .chain(programs)
        .map(|path| fs::read(folder(&path)).expect("the file is there"));
    let texts = ["ConvExample", "ConvPoolFlatten", "ReshapeControlFlow"].map(fx_text);
    files.chain(texts).collect()
}

/// Returns the numbers of the copies in this run.
fn numbers() -> Range<u64> {
    let number = |text: &str| text.parse().expect("a number of copies");
    match std::env::var("LOZENGE_DAMAGED").ok() {
        None => 0..COPIES,
        Some(text) => match text.split_once("..") {
            Some((from, until)) => number(from)..number(until),
            None => 0..number(&text),
        },
    }
}

/// Changes a few bytes, or takes some out, or doubles some.
fn damage(content: &mut Vec<u8>, random: &mut Xoshiro256PlusPlus) {
    for _ in 0..1 + random.next_u64() % 4 {
        let length = content.len() as u64;
        if length == 0 {
            return;
        }
        let at = (random.next_u64() % length) as usize;
        let until = (at + 1 + (random.next_u64() % 16) as usize).min(content.len());
        match random.next_u64() % 6 {
            0 => content[at] ^= 1 << (random.next_u64() % 8),
            1 => content[at] = random.next_u64() as u8,
            2 => content[at] = [0, 1, 0x7f, 0x80, 0xff][(random.next_u64() % 5) as usize],
            3 => drop(content.drain(at..until)),
            4 => {
                let part = content[at..until].to_vec();
                content.splice(at..at, part);
            }
            _ => content.truncate(at),
        }
    }
}

#[test]
fn damaged_copies_are_read_or_refused() {
    let numbers = numbers();
    let copies = numbers.end.saturating_sub(numbers.start);
    let originals = originals();
    let (mut read_again, mut refused) = (0, 0);
    for copy in numbers {
        if copy % PROGRESS == 0 {
            eprintln!("copy {copy}: {read_again} read, {refused} refused");
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(copy);
        let mut content = originals[(copy % originals.len() as u64) as usize].clone();
        damage(&mut content, &mut random);
        let start = Instant::now();
        match read(content.clone(), &Limits::default()) {
            Ok(graph) => {
                read_again += 1;
                // A graph that is read is whole: its text names every value.
                assert!(!graph.to_string().is_empty());
            }
            Err(error) => {
                refused += 1;
                assert!(!error.message.is_empty());
            }
        }
        assert!(
            start.elapsed() < PATIENCE,
            "copy {copy} took {:?}",
            start.elapsed()
        );
    }
    assert!(
        read_again * 50 > copies && refused * 50 > copies,
        "{read_again} read, {refused} refused"
    );
}
