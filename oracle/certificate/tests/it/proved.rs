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

/// The number of times that each pair of answers came: of this checker, and of the proved one.
type Counts = BTreeMap<&'static str, u64>;

fn tries(otherwise: u64) -> u64 {
    let asked = std::env::var("LOZENGE_PROVED").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(otherwise)
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

/// Asks both checkers about one certificate. The proved one may accept more for one reason alone: it has no largest
/// number.
fn ask(
    program: &mut Program,
    text: &str,
    set: &ConstraintSet,
    order: Order,
) -> (bool, &'static str) {
    let own = verify(text, set, order);
    let answer = program.ask(&json!({"verify": {"certificate": text, "set": set.to_string()}}));
    let proved = match (&answer["verdict"], &answer["entails"]) {
        (Value::String(word), _) if word == "sat" => Some(Proved::Sat),
        (Value::String(word), _) if word == "unsat" => Some(Proved::Unsat),
        (_, Value::String(goal)) => Some(Proved::Entails(goal.parse().expect("in the notation"))),
        _ => None,
    };
    let shown = || format!("{set}{text}\nthis checker: {own:?}\nthe proved one: {answer}");
    match (&own, proved) {
        (Ok(own), Some(proved)) => {
            assert_eq!(*own, proved, "{}", shown());
            (true, "accepted by both")
        }
        (Err(_), None) => (false, "accepted by neither"),
        (Err(why), Some(_)) if why.to_string().contains("more than 128 bits") => (
            false,
            "accepted by the proved one, which has no largest number",
        ),
        // The order of the certificate is not the one that is asked for, of which the proved checker is not told.
        (Err(_), Some(_)) if !text.contains(word(order)) => (false, "for the other order"),
        _ => panic!("{}", shown()),
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

fn hold_against(program: &mut Program, numbers: impl Iterator<Item = u64>) -> [Counts; 2] {
    let (mut whole, mut damaged) = (Counts::new(), Counts::new());
    for number in numbers {
        let mut draw = Draw::of(number);
        let order = [Order::Marked, Order::OneShot][draw.below(2)];
        let mut set = parsed(&draw.set());
        if draw.below(4) == 0 {
            set.constraints.push(definitions::of_sizes(&mut draw));
        }
        let goal = draw.constraint().parse().expect("in the notation");
        for certificate in certificates(&set, &goal, order) {
            let text = certificate.to_string();
            let (is_accepted, pair) = ask(program, &text, &set, order);
            // Every certificate that is issued is accepted, without exception.
            assert!(is_accepted, "{set}{text}\n{:?}", verify(&text, &set, order));
            *whole.entry(pair).or_default() += 1;
            let mut changed = certificate.clone();
            (0..1 + draw.below(3)).for_each(|_| damage(&mut changed, &mut draw));
            let other = match draw.below(2) {
                0 => other_set(&set, &mut draw),
                _ => set.clone(),
            };
            let (_, pair) = ask(program, &changed.to_string(), &other, order);
            *damaged.entry(pair).or_default() += 1;
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
                hold_against(&mut program, (thread..tries).step_by(threads))
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
    println!("as written: {whole:?}\ndamaged: {damaged:?}");
    assert!(whole["accepted by both"] > tries / 2, "{whole:?}");
    assert!(damaged["accepted by neither"] > tries / 4, "{damaged:?}");
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
