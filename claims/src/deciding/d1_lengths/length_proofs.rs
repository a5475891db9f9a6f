//! Proofs by Z3 about terms whose flanks and values have any length.

use z3::ast::{Bool, Int};

use crate::deciding::any_words::{Term, any_number, at};
use crate::machinery::{Effort, Finding};
use crate::symbolic::prover::{Dim, Prover};
use crate::symbolic::unbounded::{AnyRow, Flank, number};

const SCOPE: &str = "written flanks and rows of any length";

fn terms() -> (Term, Term, Vec<Bool>) {
    let (result, operand) = (Term::any("r"), Term::any("s"));
    let formed = [result.formed(), operand.formed()].concat();
    (result, operand, formed)
}

/// Returns the inequalities of lengths in the marked order.
fn fit(result: &Term, operand: &Term) -> Bool {
    let (low, high) = (&result.whole, &operand.whole);
    Bool::and(&[
        low.leading.length.ge(&high.leading.length),
        low.trailing.length.ge(&high.trailing.length),
    ])
}

fn units(term: Term) -> Term {
    let flank = |flank: &Flank| Flank::new(flank.length.clone(), |_| Dim::unit());
    let row = AnyRow {
        leading: flank(&term.row.leading),
        trailing: flank(&term.row.trailing),
    };
    Term::new(flank(&term.left), row, flank(&term.right))
}

/// Decides Decision.1.
pub fn lengths(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let (result, operand, formed) = terms();
    let (low, high) = (&result.whole, &operand.whole);
    let place = any_number("place");
    let ranks = low.rank().ge(high.rank());
    let equal = low.rank().eq(high.rank());
    let (unit_low, unit_high) = (units(Term::any("r")).whole, units(Term::any("s")).whole);
    let cases = [
        (
            "<=",
            low.below(high),
            fit(&result, &operand),
            unit_low.below(&unit_high),
        ),
        (
            "<=, one-shot",
            low.below_one_shot(high),
            ranks,
            unit_low.below_one_shot(&unit_high),
        ),
        (
            "~",
            low.same_content(high),
            equal,
            unit_low.same_content(&unit_high),
        ),
    ];
    for (relation, holds, lengths, of_units) in cases {
        let premises = [formed.clone(), at(&holds, &place)].concat();
        prover.prove(&premises, &lengths, || {
            format!("{relation} without its lengths")
        });
        let premises = [formed.clone(), vec![lengths]].concat();
        let goal = Bool::and(&at(&of_units, &place));
        prover.prove(&premises, &goal, || format!("{relation} not of units"));
    }
    prover.finding(SCOPE)
}

/// Decides Decision.3.
pub fn ranks(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let (result, operand, formed) = terms();
    let (low, high) = (&result.whole, &operand.whole);
    let place = any_number("place");
    // The constant depends on the written axes alone.
    let constant = result.written() - operand.written();
    let bounded = operand.row.rank().le(result.row.rank() + &constant);
    let differ = operand.row.rank().eq(result.row.rank() + &constant);
    for (relation, holds, goal) in [
        ("<=", low.below(high), &bounded),
        ("<=, one-shot", low.below_one_shot(high), &bounded),
        ("~", low.same_content(high), &differ),
    ] {
        let premises = [formed.clone(), at(&holds, &place)].concat();
        prover.prove(&premises, goal, || {
            format!("{relation} where the rank grows")
        });
    }
    cycle(&mut prover);
    prover.finding(&format!(
        "{SCOPE}; cycles by induction on their length, of which base and step are proved"
    ))
}

/// Proves that along a path from a row of rank `n` to one of rank `m ≤ n + c`, and back to one of rank `n ≤ m + e`,
/// they differ by constants. The bound of a path is the sum of the bounds of its constraints: the step of the
/// induction.
fn cycle(prover: &mut Prover) {
    let [n, m, o, c, e] = ["n", "m", "o", "c", "e"].map(any_number);
    let path = [m.le(&n + &c), o.le(&m + &e)];
    prover.prove(&path, &o.le(&n + &c + &e), || "a path of two".into());
    let around = [m.le(&n + &c), n.le(&m + &e)];
    let between = Bool::and(&[(&m - &n).le(&c), (&m - &n).ge(-&e)]);
    prover.prove(&around, &between, || "a cycle".into());
}

/// Decides Decision.4.
pub fn shift(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let (result, operand, formed) = terms();
    let place = any_number("place");
    // From the content of the operand into the flat word, across, and into the content of the result.
    let index = &place + &operand.left.length;
    let back = operand.whole.rank() - number(1) - &index;
    let across = [
        ("leading", index.clone(), number(0)),
        (
            "trailing",
            result.whole.rank() - number(1) - back,
            result.whole.rank() - operand.whole.rank(),
        ),
    ];
    for (by, index, further) in across {
        let lands = index - &result.left.length;
        let moved = &operand.left.length - &result.left.length + further;
        prover.prove(&formed, &(lands - &place).eq(moved), || by.into());
    }
    // Two parts of a walk that move by c and by e move together by c + e, from each place.
    let [c, e, end] = ["c", "e", "end"].map(any_number);
    let middle = any_number("middle");
    let parts = [middle.eq(&place + &c), end.eq(&middle + &e)];
    prover.prove(&parts, &(end - &place).eq(c + e), || "a sequence".into());
    prover.finding(&format!("{SCOPE}; sequences by induction on their length"))
}

/// Decides Decision.5.
pub fn rounds(_: Effort) -> Finding {
    loop_rule(|k| k - number(1))
}

/// Decides the loop rule, with this round as the last one. A condition is `a + b·P ≥ 0`, where b is any number.
fn loop_rule(last: fn(&Int) -> Int) -> Finding {
    let mut prover = Prover::new();
    let [a, b, first, d, k, i] = ["a", "b", "first", "d", "k", "i"].map(any_number);
    let holds = |round: &Int| (&a + &b * (&first + round * &d)).ge(number(0));
    // Only the product of slope and drift matters; the condition of a round is linear in the round.
    let [slope, start] = ["slope", "start"].map(any_number);
    let linear = |round: &Int| (&start + &slope * round).ge(number(0));
    let same = [slope.eq(&b * &d), start.eq(&a + &b * &first)];
    prover.prove(&same, &holds(&i).eq(linear(&i)), || {
        "linear in the round".into()
    });
    let ends = [linear(&number(0)), linear(&last(&k))];
    let between = [i.ge(number(0)), i.lt(&k)];
    // The product of the slope and the distance to one of the ends is not negative, whichever sign the slope has.
    prover.prove(&[&ends[..], &between].concat(), &linear(&i), || {
        "a round between the first and the last".into()
    });
    // After i rounds the walk is i·d places further: the step of the induction.
    let [at, after] = ["at", "after"].map(any_number);
    let step = [at.eq(&first + &i * &d), after.eq(&at + &d)];
    let next = after.eq(&first + (&i + number(1)) * &d);
    prover.prove(&step, &next, || "the place after a round".into());
    prover.finding("any condition that is linear in the place, any drift and any number of rounds")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lemmas_are_proved() {
        for (i, proof) in [lengths, ranks, shift, rounds].iter().enumerate() {
            let finding = proof(Effort::Quick);
            assert!(finding.witness.is_none(), "{i}: {:?}", finding.witness);
        }
    }

    /// Neither the round before the last one nor a constant that is too small by one is enough.
    #[test]
    fn false_statements_are_refuted() {
        assert!(loop_rule(|k| k - number(2)).witness.is_some());
        let mut prover = Prover::new();
        let (result, operand, formed) = terms();
        let holds = result.whole.below(&operand.whole);
        let premises = [formed, at(&holds, &any_number("place"))].concat();
        let constant = result.written() - operand.written() - number(1);
        let goal = operand.row.rank().le(result.row.rank() + constant);
        prover.prove(&premises, &goal, || "one less".into());
        assert!(prover.finding("").witness.is_some());
    }
}
