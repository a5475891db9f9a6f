//! Random sets, and random damage to certificates.

use lozenge_solver::{ConstraintSet, Order, Problem, Solver};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use serde_json::Value;

/// SplitMix64, whose outputs are specified: an input is a function of its number.
pub struct Draw(SplitMix64);

impl Draw {
    /// Returns the input with that number.
    pub fn of(number: u64) -> Draw {
        Draw(SplitMix64::from_seed(number.to_le_bytes()))
    }

    pub fn order(&mut self) -> Order {
        [Order::Marked, Order::Marked, Order::OneShot][self.below(3)]
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.0.next_u64() % n as u64) as usize
    }

    pub fn word(&mut self, least: usize, most: usize) -> String {
        let len = least + self.below(most - least + 1);
        let letters = ["2", "2", "3", "3", "a", "1_"];
        let word: Vec<&str> = (0..len).map(|_| letters[self.below(6)]).collect();
        word.join(", ")
    }

    pub fn row(&mut self) -> String {
        let (lead, trail) = (self.word(0, 3), self.word(0, 2));
        match self.below(4) {
            0 => format!("[{lead} <> {trail}]"),
            _ => format!("[{lead} <{}> {trail}]", ["r", "s", "t"][self.below(3)]),
        }
    }

    pub fn constraint(&mut self) -> String {
        let relation = ["~", "~", "<="][self.below(3)];
        match self.below(8) {
            0 => format!("a <= {}", self.word(1, 1)),
            _ => format!("{} {relation} {}", self.row(), self.row()),
        }
    }

    pub fn set(&mut self) -> Vec<String> {
        (0..1 + self.below(4)).map(|_| self.constraint()).collect()
    }
}

pub fn solver(set: &ConstraintSet, order: Order) -> Solver {
    let options = lozenge_solver::Options {
        order,
        ..Default::default()
    };
    Solver::with(Problem::from(set), options)
}

pub fn parsed(lines: &[String]) -> ConstraintSet {
    lines.join("\n").parse().expect("in the notation")
}

/// Damages one place of a certificate: a number or a word is changed, or a part left out or duplicated.
pub fn damage(value: &mut Value, draw: &mut Draw) {
    let mut at = value;
    loop {
        let children = match &*at {
            Value::Array(list) => list.len(),
            Value::Object(map) => map.len(),
            _ => 0,
        };
        if children == 0 || draw.below(12) == 0 {
            break;
        }
        let child = draw.below(children);
        let next = match at {
            Value::Array(list) => list.get_mut(child),
            Value::Object(map) => map.values_mut().nth(child),
            _ => None,
        };
        at = next.expect("counted");
    }
    match at {
        Value::Number(number) => {
            let by = [-2, -1, 1, 2][draw.below(4)];
            *at = Value::from(number.as_i64().unwrap_or(0).saturating_add(by));
        }
        Value::Array(list) if !list.is_empty() => {
            let place = draw.below(list.len());
            match draw.below(2) {
                0 => drop(list.remove(place)),
                _ => list.push(list[place].clone()),
            }
        }
        Value::Object(map) if !map.is_empty() => {
            let key = map
                .keys()
                .nth(draw.below(map.len()))
                .expect("counted")
                .clone();
            map.remove(&key);
        }
        Value::String(word) => {
            let words = [
                "left", "right", "leading", "trailing", "equal", "content", "X<r>", "Y<s>",
            ];
            *word = words[draw.below(words.len())].into();
        }
        _ => *at = Value::from(0),
    }
}
