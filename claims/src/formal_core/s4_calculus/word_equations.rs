//! The word equations of Def. 4.3(c) and (d) in Z3, for words of any length. The solutions of `s·x = x·t` are prefixes
//! of `s·s·s…`; those of `s·x₁ = x₂·t` are one family and at most one more solution for each length below that of `s`.

use crate::machinery::{Effort, Finding};
use lozenge_vocabulary::{Constraint, DimTerm, RowTerm, RowVar};
use z3::ast::{Bool, Int};

use super::shapes::{longest, term};
use crate::symbolic::prover::{Dim, Prover};
use crate::symbolic::unbounded::{AnyRow, Fact, Values, number};

/// An equation between two open rows, the first with its axes in front and the second with its axes behind.
struct WordEquation {
    values: Values,
    left: RowTerm,
    right: RowTerm,
}

impl WordEquation {
    /// Makes the equation `s·⟨left⟩ ≈ ⟨right⟩·t`.
    fn new(s: usize, t: usize, left: &str, right: &str) -> WordEquation {
        let (left, right) = (
            term("s", (s, 0), Some(left)),
            term("t", (0, t), Some(right)),
        );
        let mut values = Values::default();
        values.extend(Constraint::RowEq(left.clone(), right.clone()).vars());
        WordEquation {
            values,
            left,
            right,
        }
    }

    fn equation_holds(&self) -> Vec<Fact> {
        let equation = Constraint::RowEq(self.left.clone(), self.right.clone());
        let equation_holds = self.values.says(&equation).unwrap_or_default();
        [self.values.formed(), equation_holds].concat()
    }

    fn axes(&self, axes: &[DimTerm]) -> Vec<Dim> {
        let dims = &self.values.dims;
        let axis = |axis: &DimTerm| match axis {
            DimTerm::Var(var) => dims.get(var).cloned(),
            DimTerm::Const(_) => None,
        };
        axes.iter().filter_map(axis).collect()
    }

    fn s(&self) -> Vec<Dim> {
        self.axes(&self.left.leading)
    }

    fn t(&self) -> Vec<Dim> {
        self.axes(&self.right.trailing)
    }

    fn value(&self, var: &Option<RowVar>) -> AnyRow {
        let value = var.as_ref().and_then(|var| self.values.rows.get(var));
        value.cloned().unwrap_or_else(|| AnyRow::any("none"))
    }
}

/// Returns the axis of `word·word·word…` at a place, counted from 0.
fn cyclic(word: &[Dim], place: &Int) -> Dim {
    let around = place.modulo(number(word.len()));
    let first = word.first().cloned().unwrap_or_else(Dim::unit);
    let at = |rest: Dim, (i, axis): (usize, &Dim)| Dim::select(&around.eq(number(i)), axis, &rest);
    word.iter().enumerate().skip(1).fold(first, at)
}

fn equal(a: &[Dim], b: &[Dim]) -> Bool {
    let pairs: Vec<Bool> = a.iter().zip(b).map(|(a, b)| a.equals(b)).collect();
    Bool::and(&pairs)
}

/// Proves about `s·x = x·t` with `|s| = |t| = n`: in every solution x is the prefix of `s·s·s…` of its length, and t is
/// s rotated by that length. Every such x is a solution, and `x = []` is one exactly when `s = t`.
pub fn rotational(prover: &mut Prover, n: usize) {
    let equation = WordEquation::new(n, n, "r", "r");
    let x = equation.value(&equation.left.var);
    let (equation_holds, length) = (equation.equation_holds(), x.rank());
    let periodic = |guarded: bool| {
        let (x, s) = (x.clone(), equation.s());
        Fact::each(x.rank(), move |place| {
            let own = |place: &Int| x.flat(place).equals(&cyclic(&s, place));
            let before = place - number(n);
            let known = place.lt(number(n)) | own(&before);
            if guarded {
                known.implies(own(place))
            } else {
                own(place)
            }
        })
    };
    let rotated: Vec<Dim> = (0..n)
        .map(|i| cyclic(&equation.s(), &(&length + number(i))))
        .collect();
    let rotated = Fact::Plain(equal(&equation.t(), &rotated));
    prover.entails(&equation_holds, &[periodic(true)], n, || {
        format!("a place of x repeats the one {n} before it, or is of s")
    });
    let premises = [equation_holds.clone(), vec![periodic(false)]].concat();
    prover.entails(&premises, std::slice::from_ref(&rotated), n, || {
        format!("t is s rotated, length {n}")
    });
    let family = [equation.values.formed(), vec![periodic(false), rotated]].concat();
    prover.entails(&family, &equation_holds, n, || {
        format!("every power of a rotation is a solution, length {n}")
    });
    let empty = [
        equation.values.formed(),
        vec![Fact::Plain(length.eq(number(0)))],
    ]
    .concat();
    let same = [Fact::Plain(equal(&equation.s(), &equation.t()))];
    prover.equivalent(&empty, &equation_holds, &same, n, || {
        format!("x = [], length {n}")
    });
}

/// Proves Def. 4.3(c), repaired: `s·x₁ = x₂·t`.
pub fn split(effort: Effort) -> Finding {
    let longest = longest(effort);
    let mut prover = Prover::new();
    for m in 1..=longest {
        for k in 1..=longest {
            principal(&mut prover, m, k);
            (0..m).for_each(|length| sporadic(&mut prover, m, k, length));
        }
    }
    prover
        .finding("words s and t within the bounds, values of any length")
        .within(format!("words up to {longest}"))
}

/// Proves that, where x₂ is at least as long as s, the solutions are exactly `x₂ = s·w`, `x₁ = w·t`.
fn principal(prover: &mut Prover, m: usize, k: usize) {
    let equation = WordEquation::new(m, k, "a", "b");
    let (x1, x2) = (
        equation.value(&equation.left.var),
        equation.value(&equation.right.var),
    );
    let rest = x2.rank() - number(m);
    let mut long = equation.values.formed();
    long.push(Fact::Plain(rest.ge(number(0))));
    let mut front: Vec<Dim> = (0..m).map(|i| x2.flat(&number(i))).collect();
    front.extend((0..k).map(|j| x1.flat(&(&rest + number(j)))));
    let known = [equation.s(), equation.t()].concat();
    let (one, two) = (x1.clone(), x2.clone());
    let family = [
        Fact::Plain(x1.rank().eq(&rest + number(k))),
        Fact::Plain(equal(&front, &known)),
        Fact::each(rest, move |place| {
            one.flat(place).equals(&two.flat(&(place + number(m))))
        }),
    ];
    prover.equivalent(&long, &equation.equation_holds(), &family, m.max(k), || {
        format!("the family, lengths {m} and {k}")
    });
}

/// Proves that, where x₂ is shorter than s, it is a prefix of s, and there is at most one solution of each length.
fn sporadic(prover: &mut Prover, m: usize, k: usize, length: usize) {
    let equation = WordEquation::new(m, k, "a", "b");
    let other = WordEquation::new(m, k, "c", "d");
    let x2 = equation.value(&equation.right.var);
    let of_this_length = |row: &AnyRow| Fact::Plain(row.rank().eq(number(length)));
    let mut equation_holds = equation.equation_holds();
    equation_holds.push(of_this_length(&x2));
    let own: Vec<Dim> = (0..length).map(|i| x2.flat(&number(i))).collect();
    let prefix = [Fact::Plain(equal(&own, &equation.s()))];
    prover.entails(&equation_holds, &prefix, m.max(k), || {
        format!("a prefix of {length}, lengths {m} and {k}")
    });
    equation_holds.extend(other.equation_holds());
    equation_holds.push(of_this_length(&other.value(&other.right.var)));
    let same = [
        equation
            .value(&equation.left.var)
            .same_content(&other.value(&other.left.var)),
        x2.same_content(&other.value(&other.right.var)),
    ]
    .concat();
    prover.entails(&equation_holds, &same, m.max(k), || {
        format!("another solution of length {length}, lengths {m} and {k}")
    });
}
