//! §2 in Z3: the orders of rows, for rows of any length.

use crate::machinery::{Effort, Finding};
use crate::symbolic::prover::Prover;
use crate::symbolic::unbounded::{AnyRow, Fact, Flank};
use z3::ast::{Bool, Int};

/// Makes a proof about any three rows.
fn about_rows(prove: fn(&mut Prover, &Rows)) -> Finding {
    let mut prover = Prover::new();
    let rows = ["a", "b", "c"].map(AnyRow::any);
    prove(&mut prover, &rows);
    prover.finding("rows of any length")
}

/// Decides Lemma 2.4.
pub fn monotone(_: Effort) -> Finding {
    about_rows(prove_monotone)
}

/// Decides Prop. 2.5.
pub fn partial_order(_: Effort) -> Finding {
    about_rows(prove_partial_order)
}

/// Decides Prop. 2.6.
pub fn top(_: Effort) -> Finding {
    about_rows(prove_top)
}

/// Decides Prop. 2.7.
pub fn join(_: Effort) -> Finding {
    about_rows(prove_join)
}

/// Decides Prop. 2.10(i).
pub fn antisymmetric(_: Effort) -> Finding {
    about_rows(prove_antisymmetric)
}

/// Decides Prop. 2.10(ii).
pub fn incomparable(_: Effort) -> Finding {
    about_rows(prove_incomparable)
}

/// Decides Prop. 2.10(iv), repaired.
pub fn distinguished(_: Effort) -> Finding {
    about_rows(prove_distinguished)
}

/// Decides Prop. 2.13.
pub fn two_sorted(_: Effort) -> Finding {
    about_rows(prove_two_sorted)
}

/// Decides Rem. 2.15(ii), repaired; Def. 3.4.
pub fn one_shot(_: Effort) -> Finding {
    about_rows(prove_one_shot)
}

/// Decides Rem. 2.15(iv).
pub fn strengthens(_: Effort) -> Finding {
    about_rows(prove_strengthens)
}

type Rows = [AnyRow; 3];

/// Returns the facts that hold of every row: lengths are not negative, and axes are well-formed.
fn formed(rows: &Rows) -> Vec<Fact> {
    let facts = |row: &AnyRow| [row.formed(), row.axes_formed()];
    rows.iter().flat_map(facts).collect()
}

/// Proves that premises on well-formed rows entail conclusions, where places face each other without a shift.
fn entails(prover: &mut Prover, rows: &Rows, premises: &[Vec<Fact>], goal: &[Fact], what: &str) {
    let premises = [formed(rows), premises.concat()].concat();
    prover.entails(&premises, goal, 0, || what.into());
}

fn prove_monotone(prover: &mut Prover, rows: &Rows) {
    let [a, b, _] = rows;
    let n = Int::new_const("n");
    let (low, high, at) = (a.clone(), b.clone(), n.clone());
    let goal = Fact::each(n.clone(), move |place| {
        low.expanded(&at, place).below(&high.expanded(&at, place))
    });
    let long = vec![Fact::Plain(n.ge(a.rank()))];
    entails(prover, rows, &[a.below(b), long], &[goal], "monotonicity");
}

fn prove_antisymmetric(prover: &mut Prover, rows: &Rows) {
    let [a, b, _] = rows;
    let mutual = [a.below(b), b.below(a)];
    entails(prover, rows, &mutual, &a.identical(b), "antisymmetry");
}

fn prove_partial_order(prover: &mut Prover, rows: &Rows) {
    let [a, b, c] = rows;
    entails(prover, rows, &[], &a.below(a), "reflexivity");
    prove_antisymmetric(prover, rows);
    let chain = [a.below(b), b.below(c)];
    entails(prover, rows, &chain, &a.below(c), "transitivity");
}

fn empty() -> AnyRow {
    let none = || Flank::around(Vec::new(), None);
    AnyRow {
        leading: none(),
        trailing: none(),
    }
}

fn prove_top(prover: &mut Prover, rows: &Rows) {
    let [a, ..] = rows;
    entails(
        prover,
        rows,
        &[],
        &a.below(&empty()),
        "the empty row is above",
    );
    let above = [empty().below(a)];
    entails(
        prover,
        rows,
        &above,
        &a.identical(&empty()),
        "nothing else is",
    );
}

fn prove_join(prover: &mut Prover, rows: &Rows) {
    let [a, b, c] = rows;
    let joined = |a: &Flank, b: &Flank| {
        let (x, y) = (a.clone(), b.clone());
        let shorter = a.length.le(&b.length).ite(&a.length, &b.length);
        Flank::new(shorter, move |place| x.axis(place).join(&y.axis(place)))
    };
    let join = AnyRow {
        leading: joined(&a.leading, &b.leading),
        trailing: joined(&a.trailing, &b.trailing),
    };
    let both = [a.below(c), b.below(c)];
    entails(prover, rows, &both, &join.below(c), "it is the least");
    for row in [a, b] {
        entails(prover, rows, &[], &row.below(&join), "it is above");
    }
}

fn prove_incomparable(prover: &mut Prover, rows: &Rows) {
    let [a, b, _] = rows;
    let comparable = [a.same_content(b), a.below(b)];
    entails(prover, rows, &comparable, &a.identical(b), "comparable");
}

/// Proves that, at a rank above their own, the expansions of `≈`-related rows agree if only units lie between the
/// markers. Otherwise they differ at the first axis there that is not the unit, or at the place to which the expansion
/// moves that axis.
fn prove_distinguished(prover: &mut Prover, rows: &Rows) {
    let [a, b, _] = rows;
    let n = Int::new_const("n");
    let known = |more: Vec<Fact>| {
        let first = a.leading.length.lt(&b.leading.length);
        let longer = n.gt(a.rank());
        let plain = vec![Fact::Plain(Bool::and(&[first, longer]))];
        [a.same_content(b), plain, more]
    };
    let (low, high, at) = (a.clone(), b.clone(), n.clone());
    let equal = Fact::each(n.clone(), move |place| {
        low.expanded(&at, place).equals(&high.expanded(&at, place))
    });
    let until = |end: &Int| {
        let (row, start, end) = (a.clone(), a.leading.length.clone(), end.clone());
        Fact::each(a.rank(), move |place| {
            let between = Bool::and(&[place.ge(&start), place.lt(&end)]);
            between.implies(row.flat(place).is_unit())
        })
    };
    let units = known(vec![until(&b.leading.length)]);
    entails(prover, rows, &units, std::slice::from_ref(&equal), "units");
    let first = Int::new_const("first");
    let inside = Bool::and(&[
        first.ge(&a.leading.length),
        first.lt(&b.leading.length),
        a.flat(&first).is_unit().not(),
    ]);
    // A fact about every place is used at this place and at the place to which the expansion moves it.
    let mut more = vec![until(&first), Fact::Plain(inside)];
    for place in [first.clone(), &first - &n + a.rank()] {
        for fact in [&equal, &until(&first)]
            .into_iter()
            .chain(&a.same_content(b))
        {
            more.push(Fact::Plain(fact.at(&place)));
        }
    }
    entails(
        prover,
        rows,
        &known(more),
        &[Fact::never()],
        "distinguished",
    );
}

/// States Def. 2.12: marked and rigid rows; a rigid row is its flat word.
fn below_two_sorted((a, a_rigid): (&AnyRow, bool), (b, b_rigid): (&AnyRow, bool)) -> Vec<Fact> {
    match (a_rigid, b_rigid) {
        (false, false) => a.below(b),
        (true, false) => a.below_one_shot(b),
        (true, true) => {
            let same_rank = vec![Fact::Plain(a.rank().eq(b.rank()))];
            [same_rank, a.below_one_shot(b)].concat()
        }
        (false, true) => vec![Fact::never()],
    }
}

fn prove_two_sorted(prover: &mut Prover, rows: &Rows) {
    let [a, b, c] = rows;
    let sorts = [false, true];
    for x in sorts {
        let reflexive = below_two_sorted((a, x), (a, x));
        entails(prover, rows, &[], &reflexive, "reflexivity");
        let above = [below_two_sorted((&empty(), false), (a, x))];
        let top = if x {
            vec![Fact::never()]
        } else {
            a.identical(&empty())
        };
        entails(prover, rows, &above, &top, "another top");
        let below_top = below_two_sorted((a, x), (&empty(), false));
        entails(prover, rows, &[], &below_top, "not the top");
        for y in sorts {
            let mutual = [
                below_two_sorted((a, x), (b, y)),
                below_two_sorted((b, y), (a, x)),
            ];
            let same = match (x, y) {
                (false, false) => a.identical(b),
                (true, true) => a.same_content(b),
                _ => vec![Fact::never()],
            };
            entails(prover, rows, &mutual, &same, "antisymmetry");
            for z in sorts {
                let chain = [
                    below_two_sorted((a, x), (b, y)),
                    below_two_sorted((b, y), (c, z)),
                ];
                let direct = below_two_sorted((a, x), (c, z));
                entails(prover, rows, &chain, &direct, "transitivity");
            }
        }
    }
}

fn prove_one_shot(prover: &mut Prover, rows: &Rows) {
    let [a, b, _] = rows;
    let mutual = [a.below_one_shot(b), b.below_one_shot(a)];
    entails(prover, rows, &mutual, &a.same_content(b), "mutual, not ≈");
    prove_strengthens(prover, rows);
    entails(
        prover,
        rows,
        &[a.below(b)],
        &a.below_one_shot(b),
        "not weaker",
    );
}

/// Proves that rows of equal content are below each other in the one-shot order, wherever their markers are.
fn prove_strengthens(prover: &mut Prover, rows: &Rows) {
    let [a, b, _] = rows;
    for (x, y) in [(a, b), (b, a)] {
        let equal = [a.same_content(b)];
        entails(prover, rows, &equal, &x.below_one_shot(y), "≈, not below");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// False statements about rows have a counterexample, so the method does not prove everything.
    #[test]
    fn false_claims_are_refuted() {
        let rows = ["a", "b", "c"].map(AnyRow::any);
        let [a, b, c] = &rows;
        let one = |row: &AnyRow| row.below_one_shot(a);
        let cases = [
            // Rem. 2.15(ii): the one-shot relation is not transitive.
            (
                [a.below_one_shot(b), b.below_one_shot(c)].to_vec(),
                a.below_one_shot(c),
            ),
            // Prop. 2.10(i): ≈ is not identity.
            (vec![a.same_content(b)], a.identical(b)),
            (vec![a.same_content(b)], a.below(b)),
            (vec![one(b)], b.below(a)),
            (vec![a.below(c), b.below(c)], a.below(b)),
        ];
        for (i, (premises, goal)) in cases.iter().enumerate() {
            let mut prover = Prover::new();
            entails(&mut prover, &rows, premises, goal, "false");
            assert!(prover.finding("").witness.is_some(), "case {i} is proved");
        }
    }

    #[test]
    fn the_orders_are_proved() {
        let proofs = [
            monotone,
            partial_order,
            top,
            join,
            antisymmetric,
            incomparable,
            distinguished,
            two_sorted,
            one_shot,
            strengthens,
        ];
        for (i, proof) in proofs.iter().enumerate() {
            let finding = proof(Effort::Quick);
            assert!(finding.witness.is_none(), "{i}: {:?}", finding.witness);
        }
    }
}
