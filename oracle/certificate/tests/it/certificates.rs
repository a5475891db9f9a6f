//! Certificates written by the solver are accepted. A damaged certificate, or one for another set, never refutes a
//! satisfiable set.

use lozenge_certificate::{Proved, verify};
use lozenge_solver::{Order, Verdict};
use serde_json::Value;

use crate::drawn::{Draw, damage, parsed, solver};

#[test]
fn what_the_solver_refutes_is_verified_and_nothing_with_a_solution_is() {
    let tries = std::env::var("LOZENGE_SETS").ok();
    let tries = tries.and_then(|n| n.parse().ok()).unwrap_or(3000);
    let (mut accepted, mut attacks, mut survived) = (0, 0, 0);
    for seed in 0..tries {
        let mut draw = Draw::of(seed);
        let order = draw.order();
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
            Ok(Proved::Unsat),
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
