//! Helpers for tests of limits: a question that takes long, and the time that a thread spent on it.

use std::fs;
use std::time::{Duration, Instant};

use lozenge_vocabulary::{ConstraintSet, notation};

/// Makes `n + 1` dimensions of `n` axes that differ pairwise: there is no solution, and no short proof.
///
/// `[w <q>] ~ [<q> x, y, …]` makes `x, y` neighbours in the cyclic word `w`; in this word any two different axes are
/// neighbours once.
///
/// # Panics
/// When the notation cannot read the text of the set.
pub fn pigeons(n: usize) -> ConstraintSet {
    let pairs = (0..n).flat_map(|i| (i + 1..n).flat_map(move |j| [i, j]));
    let word: Vec<String> = pairs.map(|axis| (axis + 2).to_string()).collect();
    let mut text = String::new();
    for i in 0..=n {
        for j in 0..i {
            let rest: Vec<String> = (2..word.len()).map(|k| format!("u{i}_{j}_{k}")).collect();
            let (word, rest) = (word.join(", "), rest.join(", "));
            text += &format!("[{word} <q{i}_{j}>] ~ [<q{i}_{j}> x{i}, x{j}, {rest}]\n");
        }
    }
    notation::parse(&text).expect("the notation").set
}

/// Returns the result, with the processor time of the calling thread where the system reports it, else the elapsed
/// time. A busy machine may let a thread wait, which does not count.
pub fn work<T>(ask: impl FnOnce() -> T) -> (T, Duration) {
    let so_far = || {
        let told = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        let nanoseconds = told.split_whitespace().next()?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    };
    let (start, before) = (Instant::now(), so_far());
    let answer = ask();
    let worked = so_far().zip(before).map(|(now, before)| now - before);
    (answer, worked.unwrap_or_else(|| start.elapsed()))
}
