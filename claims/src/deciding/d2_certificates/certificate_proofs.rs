//! Proofs by Z3 of the rules that the checker of certificates applies.

use z3::ast::{Bool, Int};

use crate::deciding::any_words::{Term, any_number, at, is_atom, none, one};
use crate::machinery::{Effort, Finding};
use crate::symbolic::prover::{Dim, Prover};
use crate::symbolic::unbounded::{AnyRow, Fact, number};

const SCOPE: &str = "written flanks and rows of any length";

/// The operand's condition on a place `j`, and the place of the result that gets its atom.
type Step = fn(&Term, &Term, &Int) -> (Bool, Int);

fn from_the_left(operand: &Term, _: &Term, j: &Int) -> (Bool, Int) {
    (j.lt(&operand.whole.leading.length), j.clone())
}

fn from_the_right(operand: &Term, result: &Term, j: &Int) -> (Bool, Int) {
    let lands = j + result.whole.rank() - operand.whole.rank();
    (j.ge(&operand.whole.leading.length), lands)
}

fn everywhere(operand: &Term, _: &Term, j: &Int) -> (Bool, Int) {
    (j.lt(operand.whole.rank()), j.clone())
}

type Relation = fn(&AnyRow, &AnyRow) -> Vec<Fact>;

/// Proves that under each relation, of the result to the operand, an atom is carried by this step.
fn carried(relations: &[Relation], step: Step) -> Finding {
    let mut prover = Prover::new();
    for relation in relations {
        let (result, operand) = (Term::any("r"), Term::any("s"));
        let (j, atom) = (any_number("j"), Dim::any("a"));
        let (condition, lands) = step(&operand, &result, &j);
        let mut premises = [result.formed(), operand.formed()].concat();
        premises.extend(at(&relation(&result.whole, &operand.whole), &lands));
        premises.extend([condition, is_atom(&atom)]);
        premises.extend([j.ge(number(0)), j.lt(operand.whole.rank())]);
        premises.push(operand.whole.flat(&j).equals(&atom));
        let inside = [lands.ge(number(0)), lands.lt(result.whole.rank())];
        let same = result.whole.flat(&lands).equals(&atom);
        let goal = Bool::and(&[Bool::and(&inside), same]);
        prover.prove(&premises, &goal, || "an atom that is not carried".into());
    }
    prover.finding(SCOPE)
}

/// Decides Decision.6(leading).
pub fn leading(_: Effort) -> Finding {
    carried(&[AnyRow::below, AnyRow::below_one_shot], from_the_left)
}

/// Decides Decision.6(trailing).
pub fn trailing(_: Effort) -> Finding {
    carried(&[AnyRow::below, AnyRow::below_one_shot], from_the_right)
}

/// Decides Decision.6(equal).
pub fn equal(_: Effort) -> Finding {
    let swapped: Relation = |a, b| b.same_content(a);
    carried(&[AnyRow::same_content, swapped], everywhere)
}

/// Decides Decision.6(dimensions).
pub fn dimensions(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let (a, b) = (Dim::any("a"), Dim::any("b"));
    let row = |axis: &Dim| AnyRow {
        leading: one(axis),
        trailing: none(),
    };
    let (low, high) = (row(&a), row(&b));
    // The only place.
    let says = |facts: &[Fact]| Bool::and(&at(facts, &number(0)));
    let formed = [a.well_formed(), b.well_formed()];
    for (dims, rows) in [
        (a.below(&b), low.below(&high)),
        (a.below(&b), low.below_one_shot(&high)),
        (a.equals(&b), low.same_content(&high)),
    ] {
        prover.prove(&formed, &dims.eq(says(&rows)), || "a dimension".into());
    }
    prover.finding("any dimensions")
}

/// Decides Decision.6(land).
pub fn land(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let term = Term::any("r");
    let (j, k) = (any_number("j"), any_number("k"));
    let (left, rank) = (&term.left.length, term.row.rank());
    let content = [j.ge(left), j.lt(left + &rank)];
    let goal = term.whole.flat(&j).equals(&term.row.flat(&(&j - left)));
    let inside = (&j - left).lt(&rank);
    prove_with(&mut prover, &term, &content, &Bool::and(&[goal, inside]));
    let in_left = [k.ge(number(0)), k.lt(left)];
    let goal = term.whole.flat(&k).equals(&term.left.axis(&k));
    prove_with(&mut prover, &term, &in_left, &goal);
    // The right flank is counted from its edge.
    let in_right = [k.ge(number(0)), k.lt(&term.right.length)];
    let from_the_edge = &term.right.length - number(1) - &k;
    let place = left + &rank + &k;
    let goal = term
        .whole
        .flat(&place)
        .equals(&term.right.axis(&from_the_edge));
    prove_with(&mut prover, &term, &in_right, &goal);
    prover.finding(SCOPE)
}

fn prove_with(prover: &mut Prover, term: &Term, premises: &[Bool], goal: &Bool) {
    let premises = [&term.formed(), premises].concat();
    prover.prove(&premises, goal, || "a place that is another axis".into());
}

/// Decides Decision.6(clash).
pub fn clash(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let row = AnyRow::any("r");
    let [a, b] = ["a", "b"].map(Dim::any);
    let [p, q] = ["p", "q"].map(any_number);
    let never = Bool::from_bool(false);
    let other = [is_atom(&a), Bool::or(&[b.is_unit(), a.equals(&b).not()])];
    let one_axis = [row.flat(&p).equals(&a), row.flat(&p).equals(&b)];
    let two_places = [row.flat(&p).equals(&a), row.flat(&q).equals(&b), p.eq(&q)];
    for ends in [&one_axis[..], &two_places] {
        let premises = [&other[..], ends].concat();
        prover.prove(&premises, &never, || "both at once".into());
    }
    prover.finding("rows of any length")
}

/// Decides Decision.7(quotient).
pub fn quotient(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let [f, d, q, p, u] = ["f", "d", "q", "p", "u"].map(any_number);
    let defines = |q: &Int| {
        let rest = &f - &d * q;
        Bool::and(&[rest.ge(number(0)), (&d - number(1) - &rest).ge(number(0))])
    };
    let positive = d.ge(number(1));
    // Two quotients that differ by at least 1 have rests that differ by at least d.
    let apart = (&d * (&q - &p - number(1))).ge(number(0));
    prover.prove(&[positive.clone(), q.gt(&p)], &apart, || "products".into());
    let two = [positive.clone(), defines(&q), defines(&p), q.gt(&p), apart];
    prover.prove(&two, &Bool::from_bool(false), || "two quotients".into());
    // Existence, by induction on f upward and downward from 0: the next number has the same quotient or one that is
    // larger by 1.
    prover.prove(
        &[positive.clone(), f.eq(number(0))],
        &defines(&number(0)),
        || "the quotient of 0".into(),
    );
    for by in [Int::from_i64(1), Int::from_i64(-1)] {
        let next = &f + &by;
        let of = |q: &Int| {
            let rest = &next - &d * q;
            Bool::and(&[rest.ge(number(0)), (&d - number(1) - &rest).ge(number(0))])
        };
        let some = Bool::or(&[of(&q), of(&u)]);
        let premises = [positive.clone(), defines(&q), u.eq(&q + &by)];
        prover.prove(&premises, &some, || {
            "the quotient of the next number".into()
        });
    }
    prover.finding("any numbers; existence by induction, of which base and steps are proved")
}

/// Decides Decision.7(round).
pub fn round(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let [g, h, q, rest] = ["g", "h", "q", "rest"].map(any_number);
    // The constant is g·q + rest; the sum is g·(h + q) + rest.
    let rest_of = [g.ge(number(1)), rest.ge(number(0)), rest.lt(&g)];
    let form = &g * (&h + &q) + &rest;
    let equivalent = form.ge(number(0)).eq((&h + &q).ge(number(0)));
    prover.prove(&rest_of, &equivalent, || "rounding".into());
    prover.finding("any integers")
}

/// Decides Decision.7(split).
pub fn split(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let f = any_number("f");
    let (one, other) = (f.ge(number(0)), (-&f - number(1)).ge(number(0)));
    prover.prove(&[], &one.xor(&other), || "neither or both".into());
    prover.finding("any integer")
}

/// Decides Decision.7(sum).
pub fn sum(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let [sum, form, factor] = ["sum", "form", "factor"].map(any_number);
    let not_negative = [&sum, &form, &factor].map(|n| n.ge(number(0)));
    let more = (&sum + &factor * &form).ge(number(0));
    prover.prove(&not_negative, &more, || "one more summand".into());
    let negative = [sum.ge(number(0)), sum.lt(number(0))];
    prover.prove(&negative, &Bool::from_bool(false), || "negative".into());
    prover.finding(
        "any number of forms, by induction, of which the step is proved (the empty sum is 0)",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_are_proved() {
        let proofs = [
            leading, trailing, equal, dimensions, land, clash, quotient, round, split, sum,
        ];
        for (i, proof) in proofs.iter().enumerate() {
            let finding = proof(Effort::Quick);
            assert!(finding.witness.is_none(), "{i}: {:?}", finding.witness);
        }
    }

    /// With a condition that is weaker by one place, or in the other direction, an atom is not carried.
    #[test]
    fn wrong_rules_are_refuted() {
        let wrong: [Step; 3] = [
            |operand, _, j| (j.le(&operand.whole.leading.length), j.clone()),
            |operand, result, j| {
                let lands = j + result.whole.rank() - operand.whole.rank();
                (j.ge(&operand.whole.leading.length - number(1)), lands)
            },
            |operand, _, j| (j.lt(operand.whole.rank()), j.clone()),
        ];
        for (i, step) in wrong.into_iter().enumerate() {
            assert!(carried(&[AnyRow::below], step).witness.is_some(), "{i}");
        }
        let upward: Relation = |a, b| b.below(a);
        assert!(carried(&[upward], from_the_left).witness.is_some());
    }
}
