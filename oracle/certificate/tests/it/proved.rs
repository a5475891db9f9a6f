//! This checker and the one that is extracted from the proofs, on the same certificates and on the same definitions.
//! Without the extracted program (`make -C proofs checker`) these tests are left out; with `LOZENGE_REQUIRE_PROOFS`
//! that is a failure. `LOZENGE_PROVED` sets how many sets are drawn.

mod definitions;
mod program;

use std::collections::BTreeMap;

use lozenge_certificate::{Proved, VERSION, verify};
use lozenge_solver::{Constraint, ConstraintSet, Entailment, Order, Solver};
use serde_json::{Value, json};

use crate::drawn::{Draw, damage, parsed, solver};
use program::Program;

/// The number of times that each pair of answers came, of this checker and of the proved one, by the kind of the
/// certificate and its order.
type Counts = BTreeMap<(&'static str, Order, &'static str), u64>;

fn tries(otherwise: u64) -> u64 {
    let asked = std::env::var("LOZENGE_PROVED").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(otherwise)
}

fn kind(certificate: &Value) -> &'static str {
    let kinds = [("model", "sat"), ("entails", "entails")];
    let written = kinds
        .iter()
        .find(|(field, _)| certificate.get(field).is_some());
    written.map_or("unsat", |(_, kind)| kind)
}

/// Counts the pairs of a kind, or of all kinds.
fn sum(counts: &Counts, of: &str) -> u64 {
    let own = counts.iter().filter(|((_, _, pair), _)| *pair == of);
    own.map(|(_, count)| count).sum()
}

fn shown(counts: &Counts) -> String {
    let line = |((kind, order, pair), count): (&(&str, Order, &str), &u64)| {
        let order = word(*order);
        format!("  {kind}, {order}, {pair}: {count}\n")
    };
    counts.iter().map(line).collect()
}

/// Returns every certificate that the solver writes about a set, and about one constraint.
fn certificates(set: &ConstraintSet, goal: &Constraint, order: Order) -> Vec<Value> {
    let mut own = solver(set, order);
    let mut written = Vec::new();
    let model = |own: &Solver, ground| json!({"version": VERSION, "order": own.options().order, "model": ground});
    let (decision, refutation) = own.certify();
    written.extend(refutation.map(|refutation| json!(refutation)));
    written.extend(decision.solution.map(|ground| model(&own, json!(ground))));
    if let (Entailment::Holds(_), Some(certificate)) = own.entails(goal) {
        written.push(json!(certificate));
    }
    match own.solve() {
        Ok(()) => {
            own.conclude_sizes();
            written.push(model(&own, json!(own.solution().ground())));
        }
        Err(refusal) => {
            let refutation = own.certify_refusal(&refusal);
            written.extend(refutation.map(|refutation| json!(refutation)));
        }
    }
    written
}

/// A certificate that both checkers are asked about.
struct Asked {
    kind: &'static str,
    text: String,
    set: ConstraintSet,
    order: Order,
    is_damaged: bool,
}

impl Asked {
    fn request(&self) -> Value {
        json!({"verify": {"certificate": self.text, "set": self.set.to_string()}})
    }

    /// Compares the answers. The proved checker may accept more for one reason alone: it has no largest number.
    fn pair(&self, answer: &Value) -> &'static str {
        let own = verify(&self.text, &self.set, self.order);
        let proved = match (&answer["verdict"], &answer["entails"]) {
            (Value::String(word), _) if word == "sat" => Some(Proved::Sat),
            (Value::String(word), _) if word == "unsat" => Some(Proved::Unsat),
            (_, Value::String(goal)) => {
                Some(Proved::Entails(goal.parse().expect("in the notation")))
            }
            _ => None,
        };
        let (set, text) = (&self.set, &self.text);
        let shown = || format!("{set}{text}\nthis checker: {own:?}\nthe proved one: {answer}");
        // Every certificate that is issued is accepted, without exception.
        assert!(self.is_damaged || own.is_ok(), "{}", shown());
        match (&own, proved) {
            (Ok(own), Some(proved)) => {
                assert_eq!(*own, proved, "{}", shown());
                "accepted by both"
            }
            (Err(_), None) => "accepted by neither",
            (Err(why), Some(_)) if why.to_string().contains("more than 128 bits") => {
                "accepted by the proved one, which has no largest number"
            }
            // The order of the certificate is not the one that is asked for, of which the proved checker is not told.
            (Err(_), Some(_)) if !text.contains(word(self.order)) => "for the other order",
            _ => panic!("{}", shown()),
        }
    }
}

fn word(order: Order) -> &'static str {
    match order {
        Order::Marked => "\"marked\"",
        Order::OneShot => "\"one-shot\"",
    }
}

/// Returns a set that differs in one constraint.
fn other_set(set: &ConstraintSet, draw: &mut Draw) -> ConstraintSet {
    let mut other = set.clone();
    let at = draw.below(other.constraints.len());
    other.constraints[at] = draw.constraint().parse().expect("in the notation");
    other
}

/// Returns the certificates about the set of this number, each with a damaged copy.
fn drawn(number: u64) -> Vec<Asked> {
    let mut draw = Draw::of(number);
    let order = [Order::Marked, Order::OneShot][draw.below(2)];
    let mut set = parsed(&draw.set());
    if draw.below(4) == 0 {
        set.constraints.push(definitions::of_sizes(&mut draw));
    }
    let goal = draw.constraint().parse().expect("in the notation");
    let mut asked = Vec::new();
    for certificate in certificates(&set, &goal, order) {
        let kind = kind(&certificate);
        let ask = |text: String, set: ConstraintSet, is_damaged| Asked {
            kind,
            text,
            set,
            order,
            is_damaged,
        };
        asked.push(ask(certificate.to_string(), set.clone(), false));
        let mut changed = certificate;
        (0..1 + draw.below(3)).for_each(|_| damage(&mut changed, &mut draw));
        let other = match draw.below(2) {
            0 => other_set(&set, &mut draw),
            _ => set.clone(),
        };
        asked.push(ask(changed.to_string(), other, true));
    }
    asked
}

/// The number of sets whose certificates are sent together.
const TOGETHER: usize = 100;

fn hold_against(program: &mut Program, numbers: &[u64]) -> [Counts; 2] {
    let (mut whole, mut damaged) = (Counts::new(), Counts::new());
    for (at, numbers) in numbers.chunks(TOGETHER).enumerate() {
        let asked: Vec<Asked> = numbers.iter().flat_map(|number| drawn(*number)).collect();
        let requests: Vec<Value> = asked.iter().map(Asked::request).collect();
        for (asked, answer) in asked.iter().zip(program.ask_each(&requests)) {
            let counts = match asked.is_damaged {
                true => &mut damaged,
                false => &mut whole,
            };
            let pair = asked.pair(&answer);
            *counts.entry((asked.kind, asked.order, pair)).or_default() += 1;
        }
        if at % 50 == 49 {
            let sets = (at + 1) * TOGETHER;
            let [whole, damaged] = [&whole, &damaged].map(shown);
            println!("{sets} sets of a thread\nas written:\n{whole}damaged:\n{damaged}");
        }
    }
    [whole, damaged]
}

#[test]
fn both_checkers_give_the_same_answer_about_each_certificate() {
    if Program::start().is_none() {
        return;
    }
    let (tries, threads) = (tries(1000), 2);
    let counted: Vec<[Counts; 2]> = std::thread::scope(|scope| {
        let part = |thread| {
            scope.spawn(move || {
                let mut program = Program::start().expect("it was there");
                let numbers: Vec<u64> = (thread..tries).step_by(threads).collect();
                hold_against(&mut program, &numbers)
            })
        };
        let parts: Vec<_> = (0..threads as u64).map(part).collect();
        let joined = parts.into_iter().map(|part| part.join());
        joined
            .map(|counts| counts.expect("no difference"))
            .collect()
    });
    let mut together = [Counts::new(), Counts::new()];
    for counts in counted {
        for (sum, part) in together.iter_mut().zip(counts) {
            part.into_iter()
                .for_each(|(pair, n)| *sum.entry(pair).or_default() += n);
        }
    }
    let [whole, damaged] = together;
    println!(
        "as written:\n{}damaged:\n{}",
        shown(&whole),
        shown(&damaged)
    );
    for kind in ["sat", "unsat", "entails"] {
        for order in [Order::Marked, Order::OneShot] {
            let written = whole.get(&(kind, order, "accepted by both"));
            assert!(
                written.is_some_and(|n| *n > tries / 50),
                "{kind}: {written:?}"
            );
        }
    }
    assert!(sum(&whole, "accepted by both") > tries / 2);
    assert!(sum(&damaged, "accepted by neither") > tries / 4);
}

/// Whatever the proved checker reads, it answers, and goes on.
#[test]
fn the_proved_checker_answers_bad_input_with_an_error() {
    let Some(mut program) = Program::start() else {
        return;
    };
    let deep = "[".repeat(100_000);
    let long = format!("{{\"print\":{{\"set\":\"a = {}\"}}}}", "9".repeat(5000));
    let bad = [
        "",
        "{",
        "null",
        "{\"print\":{}}",
        "{\"verify\":{\"set\":\"a = 3\"}}",
        "{\"x\":{\"y\":1}}",
        "\"\\u12\"",
        &deep,
        &long,
        "{\"print\":{\"set\":\"a = -3\"}}",
        "{\"print\":{\"set\":\"a = 3_\"}}",
        "{\"print\":{\"set\":\"a = 0\"}}",
        "{\"print\":{\"set\":\"[3 <> <>] ~ <r>\"}}",
        "{\"print\":{\"set\":\"[3,] ~ <r>\"}}",
        "{\"print\":{\"set\":\"<> ~ <r>\"}}",
        "{\"print\":{\"set\":\"leaf a\\nparam a\"}}",
        "{\"print\":{\"set\":\"a = 2*o + 2\"}}",
        "{\"print\":{\"set\":\"3rgb = a\"}}",
        "{\"satisfies\":{\"order\":\"marked\",\"model\":{},\"constraint\":\"a = 3\"}}",
    ];
    for line in bad {
        let answer = program.ask_line(line);
        assert!(answer["error"].is_string(), "{line}: {answer}");
    }
    // Bytes of good requests are changed: each line gets a line, whatever it says.
    let good = json!({"verify": {"set": "[3 <r>] ~ <s>\na = 2*o + k", "certificate": json!({"version": 1, "order": "marked",
        "quotients": [{"form": {"X<r>": 2}, "by": 3}], "clashes": [], "tree": [{"sum": [[{"natural": "P"}, 1]]}]}).to_string()}});
    for number in 0..tries(3000) {
        let mut draw = Draw::of(number);
        let mut bytes = good.to_string().into_bytes();
        for _ in 0..1 + draw.below(6) {
            let at = draw.below(bytes.len());
            match draw.below(3) {
                0 => drop(bytes.remove(at)),
                1 => bytes[at] = 32 + draw.below(95) as u8,
                _ => bytes.insert(at, b"{}[]\",:<>0129-_~"[draw.below(16)]),
            }
        }
        let line = String::from_utf8_lossy(&bytes).replace('\n', " ");
        assert!(program.ask_line(&line).is_object(), "{line}");
    }
}
