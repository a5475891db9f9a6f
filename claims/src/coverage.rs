//! For each rule a smallest constraint set in which it fires and, where it can, one in which it fails; for each premise one
//! in which it does not hold. Generated from traces.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::index_coverage;
use super::situations::SITUATIONS;
use lozenge_spec::{Options, solve};
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::{Constraint, ConstraintSet, Dim, DimTerm, RowTerm, Rule, Tag};

pub(super) type Holds = fn(&Constraint) -> Option<bool>;

/// The premises of the rules of shapes: what each asks of the constraint that it consumes. `None`: of another relation.
const SHAPE_PREMISES: &[(Rule, &str, Holds)] = &[
    (Rule::DeRefl, "the sides are the same term", |c| {
        dim_eq(c, |a, b| a == b)
    }),
    (Rule::DeClash, "both sides are constants", |c| {
        dim_eq(c, |a, b| constant(a) && constant(b))
    }),
    (Rule::DeClash, "the sides differ", |c| {
        dim_eq(c, |a, b| a != b)
    }),
    (Rule::DeBind, "one side is a variable", |c| {
        dim_eq(c, |a, b| !constant(a) || !constant(b))
    }),
    (Rule::DeBind, "the other side is another term", |c| {
        dim_eq(c, |a, b| a != b)
    }),
    (Rule::DiTop, "the operand is the unit", |c| {
        dim_le(c, |_, b| unit(b))
    }),
    (Rule::DiRefl, "the sides are the same term", |c| {
        dim_le(c, |a, b| a == b)
    }),
    (Rule::DiGround, "both sides are constants", |c| {
        dim_le(c, |a, b| constant(a) && constant(b))
    }),
    (Rule::DiPin, "the result is a variable", |c| {
        dim_le(c, |a, _| !constant(a))
    }),
    (Rule::DiPin, "the operand is an atom", |c| {
        dim_le(c, |_, b| atom(b))
    }),
    (Rule::DiPinTop, "the result is the unit", |c| {
        dim_le(c, |a, _| unit(a))
    }),
    (Rule::DiPinTop, "the operand is a variable", |c| {
        dim_le(c, |_, b| !constant(b))
    }),
    (Rule::DiCap, "the result is an atom", |c| {
        dim_le(c, |a, _| atom(a))
    }),
    (Rule::DiCap, "the operand is a variable", |c| {
        dim_le(c, |_, b| !constant(b))
    }),
    (Rule::DiAdj, "both sides are variables", |c| {
        dim_le(c, |a, b| !constant(a) && !constant(b))
    }),
    (Rule::DiAdj, "the variables differ", |c| {
        dim_le(c, |a, b| a != b)
    }),
    (Rule::ReClosed, "both rows are closed", |c| {
        row_eq(c, |a, b| a.var.is_none() && b.var.is_none())
    }),
    (Rule::ReClosed, "the ranks are equal", |c| {
        row_eq(c, |a, b| a.explicit() == b.explicit())
    }),
    (Rule::ReOpenClosed, "exactly one row is open", |c| {
        row_eq(c, |a, b| a.var.is_some() != b.var.is_some())
    }),
    (Rule::ReOpenClosed, "the open row has no more axes", |c| {
        row_eq(c, |a, b| {
            (a.var.is_some() || a.explicit() >= b.explicit())
                && (b.var.is_some() || b.explicit() >= a.explicit())
        })
    }),
    (Rule::ReNested, "the variables differ", |c| {
        row_eq(c, |a, b| a.var != b.var)
    }),
    (Rule::ReNested, "the surpluses are on one side", |c| {
        row_eq(c, |a, b| !crossed(a, b))
    }),
    (Rule::ReSplit, "the variables differ", |c| {
        row_eq(c, |a, b| a.var != b.var)
    }),
    (Rule::ReSplit, "each side has a surplus", |c| {
        row_eq(c, crossed)
    }),
    (Rule::ReSame, "the variables are the same", |c| {
        row_eq(c, |a, b| a.var == b.var)
    }),
    (Rule::ReSame, "there is no surplus", |c| {
        row_eq(c, |a, b| {
            a.leading.len() == b.leading.len() && a.trailing.len() == b.trailing.len()
        })
    }),
    (Rule::ReRotational, "the totals are equal", |c| {
        row_eq(c, |a, b| a.explicit() == b.explicit())
    }),
    (Rule::ReRotational, "the splits are shifted", |c| {
        row_eq(c, crossed)
    }),
    (Rule::RiCap, "the operand is open", |c| {
        row_le(c, |_, b| b.var.is_some())
    }),
    (Rule::RiCap, "no flank of the result is shorter", |c| {
        row_le(c, |a, b| !short(a, b))
    }),
    (Rule::RiClosedOperand, "the operand is closed", |c| {
        row_le(c, |_, b| b.var.is_none())
    }),
    (
        Rule::RiClosedOperand,
        "no flank of the result is shorter",
        |c| row_le(c, |a, b| !short(a, b)),
    ),
    (Rule::RiShort, "the result is closed", |c| {
        row_le(c, |a, _| a.var.is_none())
    }),
    (Rule::RiShort, "a flank of the result is shorter", |c| {
        row_le(c, short)
    }),
    (Rule::RiDeficit, "the result is open", |c| {
        row_le(c, |a, _| a.var.is_some())
    }),
    (Rule::RiDeficit, "a flank of the result is shorter", |c| {
        row_le(c, short)
    }),
];

fn premises() -> impl Iterator<Item = &'static (Rule, &'static str, Holds)> {
    SHAPE_PREMISES.iter().chain(index_coverage::PREMISES)
}

fn constant(term: &DimTerm) -> bool {
    term.ground().is_some()
}

fn unit(term: &DimTerm) -> bool {
    term.ground() == Some(&Dim::Unit)
}

fn atom(term: &DimTerm) -> bool {
    term.ground().is_some_and(Dim::is_atom)
}

/// A surplus on each side.
fn crossed(a: &RowTerm, b: &RowTerm) -> bool {
    let longer = |a: &RowTerm, b: &RowTerm| {
        a.leading.len() > b.leading.len() || a.trailing.len() > b.trailing.len()
    };
    longer(a, b) && longer(b, a)
}

fn short(result: &RowTerm, operand: &RowTerm) -> bool {
    result.leading.len() < operand.leading.len() || result.trailing.len() < operand.trailing.len()
}

fn dim_eq(c: &Constraint, f: fn(&DimTerm, &DimTerm) -> bool) -> Option<bool> {
    if let Constraint::DimEq(a, b) = c {
        Some(f(a, b))
    } else {
        None
    }
}

fn dim_le(c: &Constraint, f: fn(&DimTerm, &DimTerm) -> bool) -> Option<bool> {
    if let Constraint::DimLe(a, b) = c {
        Some(f(a, b))
    } else {
        None
    }
}

pub(super) fn row_eq(c: &Constraint, f: fn(&RowTerm, &RowTerm) -> bool) -> Option<bool> {
    if let Constraint::RowEq(a, b) = c {
        Some(f(a, b))
    } else {
        None
    }
}

pub(super) fn row_le(c: &Constraint, f: fn(&RowTerm, &RowTerm) -> bool) -> Option<bool> {
    if let Constraint::RowLe(a, b) = c {
        Some(f(a, b))
    } else {
        None
    }
}

/// What was met, each with the first set in which it was.
#[derive(Default)]
pub struct Coverage {
    fires: BTreeMap<Rule, String>,
    fails: BTreeMap<Rule, String>,
    refused: BTreeMap<usize, String>,
    situations: BTreeMap<usize, String>,
}

/// Goes through small sets, each with no leaves, with all variables leaves, with all of them parameters.
pub fn coverage() -> Coverage {
    let dims: Vec<Dim> = [Some(Dim::Unit), Dim::new(3), Dim::new(5)]
        .into_iter()
        .flatten()
        .collect();
    let scopes = [
        Scope {
            constraints: 1,
            axes: 1,
            dims: dims.clone(),
            dim_vars: 2,
            row_vars: 2,
        },
        Scope {
            constraints: 1,
            axes: 2,
            dims: vec![],
            dim_vars: 1,
            row_vars: 2,
        },
        Scope {
            constraints: 1,
            axes: 2,
            dims: dims.clone(),
            dim_vars: 1,
            row_vars: 0,
        },
        Scope {
            constraints: 2,
            axes: 0,
            dims,
            dim_vars: 2,
            row_vars: 2,
        },
        Scope {
            constraints: 2,
            axes: 1,
            dims: vec![],
            dim_vars: 1,
            row_vars: 2,
        },
    ];
    let mut coverage = Coverage::default();
    for family in scopes.iter().map(Family::new) {
        for set in (0..family.starts()).flat_map(|i| family.starting_at(i)) {
            for tag in [Tag::Interior, Tag::Leaf, Tag::Param] {
                let mut set = set.clone();
                if tag != Tag::Interior {
                    set.tags = set.vars().into_iter().map(|v| (v, tag)).collect();
                }
                coverage.take(&set);
            }
        }
    }
    coverage
}

impl Coverage {
    /// What is met in one set.
    pub fn of(set: &ConstraintSet) -> Coverage {
        let mut coverage = Coverage::default();
        coverage.take(set);
        coverage
    }

    fn take(&mut self, set: &ConstraintSet) {
        let run = solve(
            set,
            &Options {
                close: true,
                ..Options::default()
            },
        );
        let text = || set.to_string().trim_end().replace('\n', "; ");
        let mut met: Vec<&Constraint> = Vec::new();
        for step in run.config.trace.iter().flatten() {
            self.fires.entry(step.rule).or_insert_with(text);
            met.extend(&step.constraint);
        }
        if let Some(failure) = run.failure() {
            self.fails.entry(failure.rule).or_insert_with(text);
            // The hole of a parameter has no constraint of the set to it.
            if failure.rule != Rule::CloseLeaf {
                met.push(&failure.constraint);
            }
        }
        for constraint in &set.constraints {
            for rule in index_coverage::fired(constraint) {
                self.fires.entry(rule).or_insert_with(text);
            }
        }
        for (index, (_, _, is_met)) in SITUATIONS.iter().enumerate() {
            if !self.situations.contains_key(&index) && is_met(set, &run) {
                self.situations.insert(index, text());
            }
        }
        self.take_premises(set, &met, text);
    }

    /// The premises that do not hold of a constraint that was met.
    fn take_premises(
        &mut self,
        set: &ConstraintSet,
        met: &[&Constraint],
        text: impl Fn() -> String,
    ) {
        // The rules of indices read what an operation states, not what a run makes of it.
        let stated: Vec<&Constraint> = set.constraints.iter().collect();
        for (index, (_, _, holds)) in premises().enumerate() {
            let read = if index < SHAPE_PREMISES.len() {
                met
            } else {
                stated.as_slice()
            };
            if !self.refused.contains_key(&index) && read.iter().any(|c| holds(c) == Some(false)) {
                self.refused.insert(index, text());
            }
        }
    }

    /// Rules that neither fire nor fail, premises that never fail, and situations that are never met.
    pub fn missing(&self) -> Vec<String> {
        let rules = Rule::ALL
            .iter()
            .filter(|r| !self.fires.contains_key(r) && !self.fails.contains_key(r));
        let premises = premises()
            .enumerate()
            .filter(|(i, _)| !self.refused.contains_key(i));
        let situations = SITUATIONS
            .iter()
            .enumerate()
            .filter(|(i, _)| !self.situations.contains_key(i));
        rules
            .map(|r| r.to_string())
            .chain(premises.map(|(_, (r, what, _))| format!("{r}: {what}")))
            .chain(situations.map(|(_, (r, what, _))| format!("{r}: {what}")))
            .collect()
    }

    /// A line for each rule and each premise.
    pub fn text(&self) -> String {
        let mut text = String::from(
            "# Generated from traces: where each rule fires and fails, and where each premise does not hold.\n",
        );
        for rule in Rule::ALL {
            for (what, cases) in [("fires", &self.fires), ("fails", &self.fails)] {
                if let Some(case) = cases.get(rule) {
                    let _ = writeln!(text, "{rule} {what}: {case}");
                }
            }
            let of_rule = premises().enumerate().filter(|(_, (r, _, _))| r == rule);
            for (index, (_, what, _)) in of_rule {
                if let Some(case) = self.refused.get(&index) {
                    let _ = writeln!(text, "{rule} needs that {what}; not so in: {case}");
                }
            }
            let of_rule = SITUATIONS
                .iter()
                .enumerate()
                .filter(|(_, (r, ..))| r == rule);
            for (index, (_, what, _)) in of_rule {
                if let Some(case) = self.situations.get(&index) {
                    let _ = writeln!(text, "{rule}: {what}: {case}");
                }
            }
        }
        text
    }
}
