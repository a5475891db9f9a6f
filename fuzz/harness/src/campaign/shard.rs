//! Parts of a campaign, so that several machines can run one campaign, and the merging of these parts.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::State;

/// One of `of` parts of a campaign: every `of`-th input of each target, from the `number`-th on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(deny_unknown_fields)
)]
pub struct Shard {
    number: u64,
    of: u64,
}

impl Shard {
    /// The whole campaign.
    pub const WHOLE: Shard = Shard { number: 0, of: 1 };

    /// Returns the number, in the campaign, of an input of this part; both are counted from 0.
    pub fn index(self, place: u64) -> u64 {
        place.saturating_mul(self.of).saturating_add(self.number)
    }

    /// Counts the inputs, among the first `count` of the campaign, that belong to this part.
    pub fn share(self, count: u64) -> u64 {
        count.saturating_sub(self.number).div_ceil(self.of)
    }
}

impl Default for Shard {
    fn default() -> Shard {
        Shard::WHOLE
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number + 1, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Reads `i/n`, where `i` is from 1 to `n`.
    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(i, n)| Some((i.parse::<u64>().ok()?, n.parse::<u64>().ok()?)));
        match parts {
            Some((i, of)) if (1..=of).contains(&i) => Ok(Shard { number: i - 1, of }),
            _ => Err("a part is written i/n with i from 1 to n, such as 3/8".to_string()),
        }
    }
}

/// Merges the parts of a campaign into the state that one run of as many inputs would have.
///
/// # Errors
/// When the parts do not belong to one campaign, one is missing or given twice, or one is shorter than the others.
pub fn merge(states: &[State]) -> Result<State, String> {
    let parts = complete(states)?;
    let mut whole = State::new(parts[0].seed);
    whole.seconds = parts.iter().map(|state| state.seconds).sum();
    for state in &parts {
        for (name, tally) in &state.tallies {
            let sum = whole.tallies.entry(name.clone()).or_default();
            sum.add(tally);
            sum.seconds += tally.seconds;
        }
    }
    whole
        .tallies
        .keys()
        .try_for_each(|name| even(&parts, name))?;
    Ok(whole)
}

/// Returns the parts in order. The error says which is missing or given twice.
fn complete(states: &[State]) -> Result<Vec<&State>, String> {
    let first = states.first().ok_or("there is nothing to put together")?;
    let mut parts: BTreeMap<u64, &State> = BTreeMap::new();
    for state in states {
        if state.seed != first.seed {
            return Err(format!(
                "one part has the seed {}, another {}: they are of two campaigns",
                first.seed, state.seed
            ));
        }
        if state.shard.of != first.shard.of {
            return Err(format!(
                "one part is {}, another {}: they are of two divisions",
                first.shard, state.shard
            ));
        }
        if parts.insert(state.shard.number, state).is_some() {
            return Err(format!("the part {} is given twice", state.shard));
        }
    }
    let of = first.shard.of;
    match (0..of).find(|number| !parts.contains_key(number)) {
        Some(number) => Err(format!(
            "the part {} is missing: run it with --shard {0}",
            Shard { number, of }
        )),
        None => Ok(parts.into_values().collect()),
    }
}

/// Checks that the parts of a target together cover a prefix of the campaign's inputs without gaps.
fn even(parts: &[&State], name: &str) -> Result<(), String> {
    let inputs = |state: &State| state.tallies.get(name).map_or(0, |tally| tally.inputs);
    let upto = |state: &&State| {
        let last = inputs(state).checked_sub(1);
        last.map_or(0, |last| state.shard.index(last) + 1)
    };
    let count = parts.iter().map(upto).max().unwrap_or(0);
    let short = |state: &&&State| inputs(state) != state.shard.share(count);
    match parts.iter().find(short) {
        None => Ok(()),
        Some(state) => Err(format!(
            "the part {} has {} of its {} inputs of {name}: run it on, with the --count of the others",
            state.shard,
            inputs(state),
            state.shard.share(count)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_apart_and_together_everything() {
        for of in 1..7 {
            let shards: Vec<Shard> = (0..of).map(|number| Shard { number, of }).collect();
            for count in 0..40 {
                let inputs = shards
                    .iter()
                    .flat_map(|shard| (0..shard.share(count)).map(|place| shard.index(place)));
                let mut inputs: Vec<u64> = inputs.collect();
                inputs.sort_unstable();
                assert_eq!(inputs, (0..count).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_part_is_read_as_it_is_written() {
        let shard: Shard = "3/8".parse().unwrap();
        assert_eq!(shard.to_string(), "3/8");
        assert_eq!(shard.index(0), 2);
        for wrong in ["0/8", "9/8", "1", "/", "1/0", "-1/2", "a/b", "1/2/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
