//! Pins, doubling and the exact sum: proofs by Z3 about rows of any length.

use z3::ast::{Bool, Int};

use crate::deciding::any_words::{Term, any_number, at, is_atom, none, one};
use crate::machinery::{Effort, Finding};
use crate::symbolic::prover::{Dim, Prover};
use crate::symbolic::unbounded::{AnyRow, Fact, number};

const SCOPE: &str = "rows of any length";

fn formed(row: &AnyRow) -> Vec<Bool> {
    let lengths = [&row.leading, &row.trailing].map(|flank| flank.length.ge(number(0)));
    lengths.to_vec()
}

/// Returns the facts that `[c <x>] <= <x>` states.
fn pinned_left(c: &Dim, x: &AnyRow) -> Vec<Fact> {
    Term::new(one(c), x.clone(), none()).whole.below(x)
}

/// Returns the facts that `[<x> c] <= <x>` states.
fn pinned_right(c: &Dim, x: &AnyRow) -> Vec<Fact> {
    Term::new(none(), x.clone(), one(c)).whole.below(x)
}

/// Decides Decision.8(left).
pub fn left(_: Effort) -> Finding {
    let (c, x) = (Dim::any("c"), AnyRow::any("x"));
    let length = x.leading.length.clone();
    edge(
        &c,
        &x,
        &pinned_left(&c, &x),
        &number(0),
        &length,
        &number(0),
    )
}

/// Decides Decision.8(right).
pub fn right(_: Effort) -> Finding {
    let (c, x) = (Dim::any("c"), AnyRow::any("x"));
    let (length, edge_of_result) = (x.trailing.length.clone(), x.rank());
    let last = x.rank() - number(1);
    edge(
        &c,
        &x,
        &pinned_right(&c, &x),
        &edge_of_result,
        &length,
        &last,
    )
}

/// Proves that a pin holds if the length is 0, and only then if the outermost axis, at `outermost`, is an atom other
/// than c. The pin compares c with it at the place `facing` of the result.
fn edge(c: &Dim, x: &AnyRow, pin: &[Fact], facing: &Int, length: &Int, outermost: &Int) -> Finding {
    let mut prover = Prover::new();
    let place = any_number("place");
    let empty = [formed(x), vec![length.eq(number(0))]].concat();
    let holds = Bool::and(&at(pin, &place));
    prover.prove(&empty, &holds, || "no axis, and not pinned".into());
    let axis = x.flat(outermost);
    let other = [is_atom(&axis), axis.equals(c).not(), x.rank().gt(number(0))];
    let premises = [&formed(x)[..], &other, &at(pin, facing)].concat();
    prover.prove(&premises, &length.eq(number(0)), || {
        "pinned, and not at the edge".into()
    });
    prover.finding(SCOPE)
}

/// Decides Decision.8(place).
pub fn place(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let (c, x, i) = (Dim::any("c"), AnyRow::any("x"), any_number("i"));
    let (first, next) = (number(0), &i + number(1));
    let is_passed = |place: &Int| {
        let axis = x.leading.axis(place);
        Bool::or(&[axis.is_unit(), axis.equals(&c)])
    };
    let inside = |place: &Int| Bool::and(&[place.ge(number(0)), place.lt(&x.leading.length)]);
    let base = [
        formed(&x),
        at(&pinned_left(&c, &x), &first),
        vec![inside(&first)],
    ]
    .concat();
    prover.prove(&base, &is_passed(&first), || "the first axis".into());
    let before = vec![i.ge(number(0)), inside(&next), is_passed(&i)];
    let step = [formed(&x), at(&pinned_left(&c, &x), &next), before].concat();
    prover.prove(&step, &is_passed(&next), || "the next axis".into());
    prover
        .finding("rows of any length, by induction on the place, of which base and step are proved")
}

/// Decides Decision.9(doubling).
pub fn doubling(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let [a, b, r] = ["a", "b", "r"].map(AnyRow::any);
    let place = any_number("place");
    let mut premises = [formed(&a), formed(&b), formed(&r)].concat();
    for facts in [a.same_content(&b), r.below(&a), r.below(&b)] {
        premises.extend(at(&facts, &place));
    }
    premises.push(a.trailing.length.eq(number(0)));
    premises.push(b.leading.length.eq(number(0)));
    let twice = r.rank().ge(a.rank() + a.rank());
    prover.prove(&premises, &twice, || "less than twice".into());
    prover.finding(SCOPE)
}

/// Decides Decision.10(at most). The set is `super::gadget_sets::exact_sum`. That no axis in front of the marker of
/// `<v1>`, or behind that of `<v2>`, is an atom follows from Decision.8(place) and its mirror image, with c the unit.
pub fn sum(_: Effort) -> Finding {
    let mut prover = Prover::new();
    let names = ["i", "j", "c", "d", "e", "f", "u", "v", "v1", "v2"];
    let [i, j, c, d, e, f, u, v, v1, v2] = names.map(AnyRow::any);
    let (seven, five) = (numbered(7), numbered(5));
    let with_seven_behind = Term::new(none(), i.clone(), one(&seven)).whole;
    let with_seven_in_front = Term::new(one(&seven), j.clone(), none()).whole;
    let rows = [&i, &j, &c, &d, &e, &f, &u, &v, &v1, &v2];
    let mut premises: Vec<Bool> = rows.iter().flat_map(|row| formed(row)).collect();
    // The place of 7 in each row, and the places at which the pins compare it with 5.
    let (in_c, in_d) = (i.rank(), number(0));
    let in_v_from_the_right = v.rank() - number(1) - j.rank();
    let facts = [
        (c.same_content(&with_seven_behind), vec![in_c.clone()]),
        (pinned_right(&five, &c), vec![c.rank()]),
        (d.same_content(&with_seven_in_front), vec![in_d.clone()]),
        (pinned_left(&five, &d), vec![in_d]),
        (e.same_content(&i), vec![]),
        (c.below(&e), vec![]),
        (f.same_content(&j), vec![]),
        (d.below(&f), vec![]),
        (u.below(&e), vec![]),
        (u.below(&f), vec![]),
        (v.below(&c), vec![in_c.clone()]),
        (v.below(&d), vec![in_v_from_the_right.clone()]),
        (v1.same_content(&v), vec![in_c.clone()]),
        (v2.same_content(&v), vec![in_v_from_the_right.clone()]),
        (v1.below(&u), vec![]),
        (v2.below(&u), vec![]),
    ];
    for (facts, places) in facts {
        let lengths = facts.iter().filter_map(|fact| match fact {
            Fact::Plain(holds) => Some(holds.clone()),
            Fact::Each(..) => None,
        });
        premises.extend(lengths);
        premises.extend(places.iter().flat_map(|place| at(&facts, place)));
    }
    let units = |row: &AnyRow, place: &Int, inside: Bool| inside.implies(row.flat(place).is_unit());
    premises.push(units(&v1, &in_c, in_c.lt(&v1.leading.length)));
    let behind = in_v_from_the_right.ge(&v2.leading.length);
    premises.push(units(&v2, &in_v_from_the_right, behind));
    let goal = u.rank().eq(i.rank() + j.rank());
    prover.prove(&premises, &goal, || "another rank than the sum".into());
    prover.finding("rows of any length")
}

fn numbered(size: usize) -> Dim {
    Dim {
        size: number(size),
        basis: number(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gadgets_are_proved() {
        let proofs = [left, right, place, doubling, sum];
        for (i, proof) in proofs.iter().enumerate() {
            let finding = proof(Effort::Quick);
            assert!(finding.witness.is_none(), "{i}: {:?}", finding.witness);
        }
    }

    /// Two rows with their markers at the same edge do not double anything.
    #[test]
    fn a_false_gadget_is_refuted() {
        let mut prover = Prover::new();
        let [a, b, r] = ["a", "b", "r"].map(AnyRow::any);
        let mut premises = [formed(&a), formed(&b), formed(&r)].concat();
        for facts in [a.same_content(&b), r.below(&a), r.below(&b)] {
            premises.extend(at(&facts, &number(0)));
        }
        premises.push(a.trailing.length.eq(number(0)));
        let twice = r.rank().ge(a.rank() + a.rank());
        prover.prove(&premises, &twice, || "less".into());
        assert!(prover.finding("").witness.is_some());
    }
}
