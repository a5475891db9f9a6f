//! Temporary: smallest sets of each class of difference.
use std::collections::BTreeMap;
use lozenge_fuzz::{minimise::minimise, parties::Parties, target::TARGETS};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (name, seed, count, class): (&str, u64, u64, &str) = (&args[1], args[2].parse().unwrap(), args[3].parse().unwrap(), &args[4]);
    let target = TARGETS.iter().find(|t| t.name == name).unwrap();
    let mut parties = Parties::default();
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    let mut total = 0;
    for i in 0..count {
        let Some(input) = target.indexed(seed, i) else { continue };
        let Some(examined) = target.examine(&input, &mut parties) else { continue };
        let key = format!("{:?}", examined.outcome.key());
        if !key.contains(class) { continue }
        total += 1;
        let least = minimise(target, &input, &mut parties).to_string();
        *found.entry(least).or_default() += 1;
    }
    let mut all: Vec<_> = found.into_iter().collect();
    all.sort_by_key(|(text, n)| (std::cmp::Reverse(*n), text.len()));
    println!("{total} of {count}, {} smallest", all.len());
    for (text, n) in all.iter().take(60) { println!("-- {n}\n{text}"); }
}
