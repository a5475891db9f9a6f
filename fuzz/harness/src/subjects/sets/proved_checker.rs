//! The checker of certificates that is extracted from the proofs, as a second opinion on each certificate of a
//! campaign. It is asked where `LOZENGE_PROVED_CHECKER` has the path of the program (`make -C proofs checker`).

use std::cell::RefCell;
use std::ffi::OsString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;

use lozenge_certificate::{Proved, Rejected, verify};
use lozenge_testkit::conversation::Conversation;
use lozenge_vocabulary::{ConstraintSet, Order};
use serde_json::{Value, json};

use crate::any_subject::AnyTarget;

/// The variable of the environment with the path of the program.
pub const PROGRAM: &str = "LOZENGE_PROVED_CHECKER";

/// The targets that check certificates.
const TARGETS: [&str; 3] = ["certificates", "entailment", "large_certificates"];

/// Says that one checker alone is asked in these targets, where they ask for one and none is named beside it.
pub fn one_alone(targets: &[&dyn AnyTarget]) -> Option<String> {
    let asks = |target: &&dyn AnyTarget| TARGETS.contains(&target.name());
    let is_alone = targets.iter().any(asks) && std::env::var_os(PROGRAM).is_none();
    is_alone.then(|| {
        format!(
            "certificates are checked by the Rust checker alone: {PROGRAM} names no proved one (make -C proofs checker)"
        )
    })
}

thread_local! {
    static CHECKER: RefCell<Option<Conversation>> = const { RefCell::new(None) };
}

/// Describes the difference between the two checkers on a certificate or on a damaged copy of it; `None` where there is
/// none, or only one checker is there.
pub fn difference(certificate: &str, set: &ConstraintSet, order: Order) -> Option<String> {
    let program = std::env::var_os(PROGRAM)?;
    let damaged = damaged(certificate);
    [certificate, &damaged].into_iter().find_map(|text| {
        let own = verify(text, set, order);
        match asked(&program, text, set) {
            Ok(answer) => differ(&own, &answer).then(|| {
                format!("for {text}\nthe Rust checker says {own:?}, the proved one {answer}")
            }),
            Err(error) => Some(format!("the proved checker does not answer: {error}")),
        }
    })
}

fn asked(program: &OsString, certificate: &str, set: &ConstraintSet) -> io::Result<Value> {
    let request = json!({"verify": {"certificate": certificate, "set": set.to_string()}});
    let answer = CHECKER.with_borrow_mut(|checker| {
        let running = match checker.take() {
            Some(running) => running,
            None => Conversation::start(program, &["--requests"])?,
        };
        checker.insert(running).ask(&request.to_string())
    })?;
    Ok(serde_json::from_str(&answer)?)
}

/// Says whether only one checker accepts, or they read the certificate otherwise. The numbers of the proved checker
/// have no limit.
fn differ(own: &Result<Proved, Rejected>, answer: &Value) -> bool {
    let verdict = answer["verdict"].as_str();
    match own {
        Ok(Proved::Sat) => verdict != Some("sat"),
        Ok(Proved::Unsat) => verdict != Some("unsat"),
        Ok(Proved::Entails(goal)) => answer["entails"].as_str() != Some(goal.to_string().as_str()),
        Err(why) if why.to_string().contains("more than 128 bits") => false,
        Err(_) => answer["refused"].is_null() && answer["error"].is_null(),
    }
}

/// Returns the certificate with another digit at a place that depends on the text alone.
fn damaged(certificate: &str) -> String {
    let digits: Vec<usize> = certificate
        .bytes()
        .enumerate()
        .filter_map(|(at, byte)| byte.is_ascii_digit().then_some(at))
        .collect();
    let mut hasher = DefaultHasher::new();
    certificate.hash(&mut hasher);
    let drawn = hasher.finish();
    let mut bytes = certificate.as_bytes().to_vec();
    if let Some(at) = digits.get((drawn % digits.len().max(1) as u64) as usize) {
        let by = 1 + (drawn >> 32) as u8 % 9;
        bytes[*at] = b'0' + (bytes[*at] - b'0' + by) % 10;
    }
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_digit_is_damaged() {
        let text = r#"{"version":1,"tree":[12]}"#;
        let other = damaged(text);
        let differing = text.bytes().zip(other.bytes()).filter(|(a, b)| a != b);
        assert_eq!((differing.count(), other.len()), (1, text.len()));
    }

    #[test]
    fn a_verdict_of_one_checker_alone_is_a_difference() {
        let set: ConstraintSet = "a = 3".parse().unwrap();
        let model = r#"{"version":1,"order":"marked","model":{"a":"3"}}"#;
        let accepted = verify(model, &set, Order::Marked);
        assert!(!differ(&accepted, &json!({"verdict": "sat"})));
        assert!(differ(&accepted, &json!({"verdict": "unsat"})));
        assert!(differ(&accepted, &json!({"refused": "why"})));
        let refused = verify("{}", &set, Order::Marked);
        assert!(!differ(&refused, &json!({"refused": "why"})));
        assert!(differ(&refused, &json!({"verdict": "sat"})));
    }
}
