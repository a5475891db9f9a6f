//! PyTorch's own samples of its operators, with those that it says must be refused.

use crate::recorded::{Outcome, read};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Every sample has the recorded shapes, and every refused one is refused, but for the rows of `docs/runtimes.md` about
/// PyTorch.
#[test]
fn the_samples_of_operators() {
    let records = read("opinfo.jsonl.gz");
    let mut agree = 0;
    let mut others: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for record in &records {
        for outcome in record.outcomes_at_points() {
            let (kind, why) = match outcome {
                Outcome::Agrees => {
                    agree += 1;
                    continue;
                }
                Outcome::Open(why) => ("open", why),
                Outcome::Wrong(why) => ("differs", why),
            };
            let operator = record.name.split(' ').next().unwrap();
            let first = || (0, format!("{}, {:?}: {why}", record.name, record.runs[0].0));
            others
                .entry(format!("{kind} {operator}"))
                .or_insert_with(first)
                .0 += 1;
        }
    }
    let mut text = format!("{agree} of {} samples agree\n\n", records.len());
    for (name, (count, why)) in others {
        writeln!(text, "{name}: {count}, {why}").unwrap();
    }
    let different = text
        .lines()
        .filter_map(|line| line.strip_prefix("differs "));
    let different: Vec<&str> = different
        .map(|line| line.split(':').next().unwrap())
        .collect();
    assert_eq!(different, ["amax", "nn.functional.batch_norm"]);
    assert!(agree > 3_500, "{text}");
    insta::assert_snapshot!(text);
}
