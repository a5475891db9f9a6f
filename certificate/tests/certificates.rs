//! Certificates written by the solver are accepted. A damaged certificate, or one for another set, never refutes a satisfiable
//! set.

use lozenge_certificate::verify;
use lozenge_solver::{ConstraintSet, Order, Problem, Solver, Verdict};
use serde_json::Value;

struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    fn word(&mut self, least: usize, most: usize) -> String {
        let len = least + self.below(most - least + 1);
        let letters = ["2", "2", "3", "3", "a", "1_"];
        let word: Vec<&str> = (0..len).map(|_| letters[self.below(6)]).collect();
        word.join(", ")
    }

    fn row(&mut self) -> String {
        let (lead, trail) = (self.word(0, 3), self.word(0, 2));
        match self.below(4) {
            0 => format!("[{lead} <> {trail}]"),
            _ => format!("[{lead} <{}> {trail}]", ["r", "s", "t"][self.below(3)]),
        }
    }

    fn constraint(&mut self) -> String {
        let relation = ["~", "~", "<="][self.below(3)];
        match self.below(8) {
            0 => format!("a <= {}", self.word(1, 1)),
            _ => format!("{} {relation} {}", self.row(), self.row()),
        }
    }

    fn set(&mut self) -> Vec<String> {
        (0..1 + self.below(4)).map(|_| self.constraint()).collect()
    }
}

fn solver(set: &ConstraintSet, order: Order) -> Solver {
    let options = lozenge_solver::Options {
        order,
        ..Default::default()
    };
    Solver::with(Problem::from(set), options)
}

fn parsed(lines: &[String]) -> ConstraintSet {
    lines.join("\n").parse().expect("in the notation")
}

/// Damages one place of a certificate: a number or a word is changed, or a part left out or duplicated.
fn damage(value: &mut Value, draw: &mut Draw) {
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

#[test]
fn what_the_solver_refutes_is_verified_and_nothing_with_a_solution_is() {
    let tries = std::env::var("LOZENGE_SETS").ok();
    let tries = tries.and_then(|n| n.parse().ok()).unwrap_or(3000);
    let (mut accepted, mut attacks, mut survived) = (0, 0, 0);
    for seed in 0..tries {
        let mut draw = Draw(0x9E37_79B9_7F4A_7C15_u64.wrapping_mul(seed + 1) | 1);
        let order = [Order::Marked, Order::Marked, Order::OneShot][draw.below(3)];
        let lines = draw.set();
        let set = parsed(&lines);
        let (decision, certificate) = solver(&set, order).certify();
        assert_eq!(certificate.is_some(), decision.verdict == Verdict::Unsat);
        let Some(certificate) = certificate else {
            continue;
        };
        let text = serde_json::to_string(&certificate).expect("plain data");
        assert_eq!(
            verify(&text, &set, order),
            Ok(Verdict::Unsat),
            "{set}\n{text}"
        );
        accepted += 1;
        let other = match order {
            Order::Marked => Order::OneShot,
            Order::OneShot => Order::Marked,
        };
        assert!(verify(&text, &set, other).is_err());
        // A set that differs in one constraint and has a solution.
        let mut near = lines.clone();
        let place = draw.below(near.len());
        near[place] = draw.constraint();
        let near = parsed(&near);
        let has_solution = solver(&near, order).decide().solution.is_some();
        let value: Value = serde_json::from_str(&text).expect("just written");
        for number in 0..20 {
            let mut damaged = value.clone();
            for _ in 0..number % 4 {
                damage(&mut damaged, &mut draw);
            }
            let damaged = damaged.to_string();
            survived += u32::from(verify(&damaged, &set, order).is_ok());
            if has_solution {
                attacks += 1;
                assert!(verify(&damaged, &near, order).is_err(), "{near}\n{damaged}");
            }
        }
    }
    println!(
        "{accepted} accepted; {attacks} attacks; {survived} damaged ones that still show their set"
    );
    assert!(
        accepted > tries / 10 && attacks > tries,
        "{accepted} {attacks}"
    );
}
