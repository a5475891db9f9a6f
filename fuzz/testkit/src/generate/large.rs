//! Constraint sets that are larger than those of [`sets`](super::sets), with what makes complete mode work: many
//! variables, long flanks, chains of equal contents whose markers are pinned at the edges, words with periods,
//! colourings, sums of lengths.

use arbitrary::{Result, Unstructured};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, DimTerm, DimVar, RowTerm, RowVar};

use super::plausible::plausible;
use super::sets::{Bias, biased};
use super::{Knobs, dim, letter};

/// Draws a set with 8 to 32 row variables, with flanks of 5 to 30 axes, or made of gadgets that `docs/decidability.md`
/// describes.
///
/// # Errors
/// Never for lack of bytes.
pub fn large(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    match u.int_in_range(0..=5)? {
        0 | 1 => wide(u),
        2 => long_flanks(u),
        3 => pinned_chain(u),
        4 => periods(u),
        _ => match u.arbitrary()? {
            true => colouring(u),
            false => sum(u),
        },
    }
}

/// Draws many variables: several small sets over variables that partly overlap, joined by inequalities.
fn wide(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let groups = u.int_in_range(3..=10)?;
    let knobs = Knobs {
        constraints: 6,
        flank: 2,
        dim_vars: 2,
        row_vars: 3,
        atoms: 2,
        tags: false,
    };
    let mut set = ConstraintSet::default();
    for group in 0..groups {
        let bias = match u.int_in_range(0..=7)? {
            0 => Bias::Deferring,
            1 => Bias::Cyclic,
            2 => Bias::Collapsing,
            _ => Bias::Satisfiable,
        };
        let part = biased(u, &knobs, bias)?;
        let moved = part.constraints.iter();
        set.constraints.extend(moved.map(|c| of_group(c, group)));
        if group > 0 && u.ratio(1, 2)? {
            let var = |u: &mut Unstructured<'_>, group| -> Result<RowTerm> {
                let number = u.int_in_range(0..=2)?;
                Ok(row_var(&letter(b'r', number), group).into())
            };
            let (low, high) = (var(u, group)?, var(u, group - 1)?);
            set.constraints.push(Constraint::RowLe(low, high));
        }
    }
    Ok(set)
}

fn row_var(name: &str, group: usize) -> RowVar {
    RowVar::new(&format!("{name}_{group}"))
}

/// Returns a constraint with the variables of a group.
fn of_group(constraint: &Constraint, group: usize) -> Constraint {
    let dim = |term: &DimTerm| match term {
        DimTerm::Var(var) => DimTerm::Var(DimVar::new(&format!("{}_{group}", var.name()))),
        DimTerm::Const(_) => term.clone(),
    };
    let row = |term: &RowTerm| RowTerm {
        leading: term.leading.iter().map(dim).collect(),
        var: term.var.as_ref().map(|var| row_var(var.name(), group)),
        trailing: term.trailing.iter().map(dim).collect(),
    };
    match constraint {
        Constraint::DimEq(a, b) => Constraint::DimEq(dim(a), dim(b)),
        Constraint::DimLe(a, b) => Constraint::DimLe(dim(a), dim(b)),
        Constraint::RowEq(a, b) => Constraint::RowEq(row(a), row(b)),
        Constraint::RowLe(a, b) => Constraint::RowLe(row(a), row(b)),
        other => other.clone(),
    }
}

/// Draws few variables between flanks of 5 to 30 axes, mostly of one letter.
fn long_flanks(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let count = u.int_in_range(2..=5)?;
    let constraints = (0..count).map(|_| likely(u, long_constraint));
    Ok(ConstraintSet::from_iter(
        constraints.collect::<Result<Vec<_>>>()?,
    ))
}

/// Draws a plausible constraint, or else one that always holds. A few are tried.
fn likely(
    u: &mut Unstructured<'_>,
    draw: fn(&mut Unstructured<'_>) -> Result<Constraint>,
) -> Result<Constraint> {
    for _ in 0..4 {
        let drawn = draw(u)?;
        if plausible(&drawn) {
            return Ok(drawn);
        }
    }
    let var = RowVar::new(&letter(b'r', u.int_in_range(0..=2)?));
    Ok(Constraint::RowLe(var.clone().into(), var.into()))
}

fn long_constraint(u: &mut Unstructured<'_>) -> Result<Constraint> {
    let (low, high) = (long_row(u)?, long_row(u)?);
    Ok(match u.ratio(1, 3)? {
        true => Constraint::RowEq(low, high),
        false => Constraint::RowLe(low, high),
    })
}

fn long_row(u: &mut Unstructured<'_>) -> Result<RowTerm> {
    let var = match u.ratio(3, 4)? {
        true => Some(RowVar::new(&letter(b'r', u.int_in_range(0..=2)?))),
        false => None,
    };
    Ok(RowTerm {
        leading: long_flank(u)?,
        var,
        trailing: long_flank(u)?,
    })
}

/// Draws in one of two rows nothing, else 5 to 30 axes: a word, and one letter again and again.
fn long_flank(u: &mut Unstructured<'_>) -> Result<Vec<DimTerm>> {
    if u.ratio(1, 2)? {
        return Ok(Vec::new());
    }
    let length = u.int_in_range(5..=30)?;
    let knobs = Knobs {
        atoms: 2,
        dim_vars: 2,
        ..Knobs::default()
    };
    let period = u.int_in_range(1..=4)?;
    let word: Vec<DimTerm> = (0..period).map(|_| dim(u, &knobs)).collect::<Result<_>>()?;
    let mut flank: Vec<DimTerm> = word.iter().cycle().take(length).cloned().collect();
    if u.ratio(1, 4)? {
        let at = u.int_in_range(0..=length - 1)?;
        flank[at] = dim(u, &knobs)?;
    }
    Ok(flank)
}

fn var(name: &str) -> RowVar {
    RowVar::new(name)
}

fn atom(size: u64) -> DimTerm {
    DimTerm::Const(Dim::new(size).unwrap_or(Dim::Unit))
}

/// Rows of one content whose markers stand at opposite edges, level below level, so that the least rank may double with
/// each level. Some of the conditions are left out, and one constraint is drawn at random.
fn pinned_chain(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let is_whole = u.ratio(1, 3)?;
    let is_disturbed = !is_whole && u.arbitrary()?;
    // Runs of equal letters cost nothing, but those of different letters double as well.
    let is_run = u.arbitrary()?;
    let levels = u.int_in_range(1..=if is_whole && is_run { 9 } else { 4 })?;
    let width = u.int_in_range(1..=4)?;
    let letters: Vec<DimTerm> = (0..width)
        .map(|_| Ok(atom(if is_run { 3 } else { u.int_in_range(2..=3)? })))
        .collect::<Result<_>>()?;
    let mut constraints = vec![
        Constraint::RowEq(var("a0").into(), RowTerm::closed(letters, Vec::new())),
        Constraint::RowEq(var("b0").into(), var("a0").into()),
    ];
    for level in 0..levels {
        let [a, b, r] = ["a", "b", "r"].map(|name| var(&format!("{name}{level}")));
        let [next_a, next_b] = ["a", "b"].map(|name| var(&format!("{name}{}", level + 1)));
        let pin = atom(5);
        if is_whole || u.ratio(9, 10)? {
            let front = RowTerm::open(vec![pin.clone()], a.clone(), Vec::new());
            constraints.push(Constraint::RowLe(front, a.clone().into()));
        }
        if is_whole || u.ratio(9, 10)? {
            let back = RowTerm::open(Vec::new(), b.clone(), vec![pin]);
            constraints.push(Constraint::RowLe(back, b.clone().into()));
        }
        constraints.push(Constraint::RowLe(r.clone().into(), a.into()));
        constraints.push(Constraint::RowLe(r.clone().into(), b.into()));
        constraints.push(Constraint::RowEq(next_a.into(), r.clone().into()));
        constraints.push(Constraint::RowEq(next_b.into(), r.into()));
    }
    if is_disturbed {
        let drawn = |u: &mut Unstructured<'_>| -> Result<RowTerm> {
            let name = *u.choose(&["a", "b", "r"])?;
            let level = u.int_in_range(0..=levels - 1)?;
            let mut axes = || -> Result<Vec<DimTerm>> {
                let count = u.int_in_range(0..=2)?;
                (0..count)
                    .map(|_| Ok(atom(u.int_in_range(2..=5)?)))
                    .collect()
            };
            let (leading, trailing) = (axes()?, axes()?);
            Ok(RowTerm::open(
                leading,
                var(&format!("{name}{level}")),
                trailing,
            ))
        };
        let (low, high) = (drawn(u)?, drawn(u)?);
        constraints.push(Constraint::RowLe(low, high));
    }
    Ok(ConstraintSet::from_iter(constraints))
}

/// Words of one length, each with its own period, which end where none of them has a letter.
fn periods(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    let unit = DimTerm::Const(Dim::Unit);
    let around = |lead: Vec<DimTerm>, name: &str, trail| RowTerm::open(lead, var(name), trail);
    let mut constraints = vec![
        Constraint::RowEq(
            around(vec![unit.clone()], "m", Vec::new()),
            around(Vec::new(), "m", vec![unit]),
        ),
        Constraint::RowEq(var("z").into(), around(Vec::new(), "m", vec![atom(7)])),
        Constraint::RowLe(around(Vec::new(), "z", vec![atom(5)]), var("z").into()),
    ];
    let count = u.int_in_range(1..=2)?;
    for number in 0..count {
        let period = u.int_in_range(2..=5)?;
        let (w, q) = (format!("w{number}"), format!("q{number}"));
        let threes = vec![atom(3); period - 1];
        let (mut lead, mut trail) = (threes.clone(), vec![atom(5)]);
        lead.push(atom(5));
        trail.extend(threes);
        let equation =
            Constraint::RowEq(around(lead, &w, Vec::new()), around(Vec::new(), &w, trail));
        constraints.push(equation);
        let more = u.int_in_range(0..=2)?;
        let mut end = vec![atom(3); more];
        end.push(atom(7));
        constraints.push(Constraint::RowEq(
            var(&q).into(),
            around(Vec::new(), &w, end),
        ));
        constraints.push(Constraint::RowLe(var(&q).into(), var("z").into()));
    }
    Ok(ConstraintSet::from_iter(constraints))
}

/// Draws the colouring of a graph of three or four nodes with three colours. Each graph that is drawn has one: those
/// that have none are the class of sets that complete mode is known not to decide.
fn colouring(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    const EDGES: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)];
    let count = u.int_in_range(1..=EDGES.len())?;
    let mut constraints = Vec::new();
    for (at, (a, b)) in EDGES.iter().take(count).enumerate() {
        let node = |n: &usize| DimTerm::from(DimVar::new(&format!("n{n}")));
        let more = ["x", "y", "z", "t"].map(|name| DimVar::new(&format!("{name}{at}")).into());
        let lead: Vec<DimTerm> = [node(a), node(b)].into_iter().chain(more).collect();
        let trail = [3, 5, 7, 3, 7, 5].map(atom).to_vec();
        let w = var(&format!("w{at}"));
        constraints.push(Constraint::RowEq(
            RowTerm::open(lead, w.clone(), Vec::new()),
            RowTerm::open(Vec::new(), w, trail),
        ));
    }
    let node = |number: usize| DimTerm::from(DimVar::new(&format!("n{number}")));
    match u.int_in_range(0..=2)? {
        // Both are joined to two nodes that are joined to each other.
        0 => constraints.push(Constraint::DimEq(node(1), node(3))),
        1 => {
            let colour = atom(3 + 2 * u.int_in_range(0..=2)?);
            constraints.push(Constraint::DimEq(node(u.int_in_range(0..=3)?), colour));
        }
        _ => {}
    }
    Ok(ConstraintSet::from_iter(constraints))
}

/// Draws a row whose rank is the sum of two others' (`docs/decidability.md`), with lengths that are drawn, some of them
/// left open.
fn sum(u: &mut Unstructured<'_>) -> Result<ConstraintSet> {
    const SUM: &str = "<c> ~ [<i> 7]\n[<c> 5] <= <c>\n<d> ~ [7 <j>]\n[5 <d>] <= <d>\n<e> ~ <i>\n<c> <= <e>\n<f> ~ <j>\n<d> <= <f>\n\
                       <u> <= <e>\n<u> <= <f>\n<v> <= <c>\n<v> <= <d>\n<v1> ~ <v>\n<v2> ~ <v>\n[1_ <v1>] <= <v1>\n[<v2> 1_] <= <v2>\n\
                       <v1> <= <u>\n<v2> <= <u>\n";
    let mut set: ConstraintSet = SUM.parse().unwrap_or_default();
    for name in ["i", "j", "u"] {
        if u.ratio(3, 4)? {
            let length = u.int_in_range(0..=9)?;
            let units = vec![DimTerm::Const(Dim::Unit); length];
            let row = RowTerm::closed(units, Vec::new());
            set.constraints
                .push(Constraint::RowEq(var(name).into(), row));
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{bytes, variables};

    fn drawn(index: u64) -> ConstraintSet {
        large(&mut Unstructured::new(&bytes(5, index, 1024))).unwrap_or_default()
    }

    #[test]
    fn the_sets_are_large() {
        let (mut most_rows, mut most_constraints, mut longest) = (0, 0, 0);
        for index in 0..2000 {
            let set = drawn(index);
            assert_eq!(set.to_string().parse::<ConstraintSet>().as_ref(), Ok(&set));
            most_rows = most_rows.max(variables(&set).1);
            most_constraints = most_constraints.max(set.constraints.len());
            for constraint in &set.constraints {
                if let Constraint::RowEq(a, b) | Constraint::RowLe(a, b) = constraint {
                    let flanks = [&a.leading, &a.trailing, &b.leading, &b.trailing];
                    longest = longest.max(flanks.map(Vec::len).into_iter().max().unwrap_or(0));
                }
            }
        }
        assert!(most_rows >= 26, "{most_rows}");
        assert!(most_constraints >= 40, "{most_constraints}");
        assert_eq!(longest, 30);
    }

    #[test]
    fn the_gadget_of_sums_is_read() {
        let read = |index| drawn(index).to_string().contains("[<c> 5] <= <c>");
        assert!((0..200).any(read));
    }
}
