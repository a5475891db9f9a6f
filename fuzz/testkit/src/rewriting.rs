//! Equivalent rewritings of constraint sets and their solutions: with other names, mirrored, in another order, with
//! axes named, with constraints that follow.

use std::collections::BTreeMap;
use std::num::NonZeroU64;

use lozenge_vocabulary::{
    Basis, Constraint, ConstraintSet, Dim, DimTerm, DimVar, Ground, Row, RowTerm, RowVar, Var,
};

/// Other names for variables. A variable that is not in the map keeps its name.
#[derive(Clone, Debug, Default)]
pub struct Naming {
    dims: BTreeMap<DimVar, DimVar>,
    rows: BTreeMap<RowVar, RowVar>,
}

impl Naming {
    /// Gives each variable of the first list the name at the same place of the second list, which holds the same
    /// variables.
    pub fn new(from: &[Var], to: &[Var]) -> Naming {
        let mut naming = Naming::default();
        for pair in from.iter().zip(to) {
            match pair {
                (Var::Dim(a), Var::Dim(b)) => drop(naming.dims.insert(a.clone(), b.clone())),
                (Var::Row(a), Var::Row(b)) => drop(naming.rows.insert(a.clone(), b.clone())),
                _ => {}
            }
        }
        naming
    }

    /// Returns the naming that reverses the alphabetical order of a set's variables of each sort.
    pub fn reversed(set: &ConstraintSet) -> Naming {
        let vars: Vec<Var> = set.vars().into_iter().collect();
        let dims = vars.iter().filter(|var| matches!(var, Var::Dim(_)));
        let rows = vars.iter().filter(|var| matches!(var, Var::Row(_)));
        let from: Vec<Var> = dims.clone().chain(rows.clone()).cloned().collect();
        let to: Vec<Var> = dims.rev().chain(rows.rev()).cloned().collect();
        Naming::new(&from, &to)
    }

    fn dim(&self, var: &DimVar) -> DimVar {
        self.dims.get(var).unwrap_or(var).clone()
    }

    fn row(&self, var: &RowVar) -> RowVar {
        self.rows.get(var).unwrap_or(var).clone()
    }

    fn axis(&self, term: &DimTerm) -> DimTerm {
        match term {
            DimTerm::Var(var) => DimTerm::Var(self.dim(var)),
            DimTerm::Const(_) => term.clone(),
        }
    }

    fn term(&self, row: &RowTerm) -> RowTerm {
        let axes = |flank: &[DimTerm]| flank.iter().map(|axis| self.axis(axis)).collect();
        RowTerm {
            leading: axes(&row.leading),
            var: row.var.as_ref().map(|var| self.row(var)),
            trailing: axes(&row.trailing),
        }
    }

    /// Returns the set with the other names.
    pub fn set(&self, set: &ConstraintSet) -> ConstraintSet {
        let mut other = mapped(set, |axis| self.axis(axis), |row| self.term(row));
        let tags = set.tags.iter().map(|(var, tag)| match var {
            Var::Row(var) => (Var::Row(self.row(var)), *tag),
            Var::Dim(var) => (Var::Dim(self.dim(var)), *tag),
        });
        other.tags = tags.collect();
        other.summands = set.summands.iter().map(|var| self.dim(var)).collect();
        other
    }

    /// Returns the solution with the other names.
    pub fn ground(&self, ground: &Ground) -> Ground {
        let (dims, rows) = (ground.dims.iter(), ground.rows.iter());
        Ground {
            dims: dims.map(|(v, dim)| (self.dim(v), dim.clone())).collect(),
            rows: rows.map(|(v, row)| (self.row(v), row.clone())).collect(),
            zeros: ground.zeros.iter().map(|var| self.dim(var)).collect(),
        }
    }
}

fn mapped(
    set: &ConstraintSet,
    axis: impl Fn(&DimTerm) -> DimTerm,
    row: impl Fn(&RowTerm) -> RowTerm,
) -> ConstraintSet {
    let constraints = set
        .constraints
        .iter()
        .map(|constraint| constraint.map(&axis, &row));
    ConstraintSet {
        constraints: constraints.collect(),
        ..set.clone()
    }
}

fn backwards<T: Clone>(flank: &[T]) -> Vec<T> {
    flank.iter().rev().cloned().collect()
}

/// Exchanges left and right in every row.
pub fn mirrored(set: &ConstraintSet) -> ConstraintSet {
    mapped(set, DimTerm::clone, |row| RowTerm {
        leading: backwards(&row.trailing),
        var: row.var.clone(),
        trailing: backwards(&row.leading),
    })
}

/// Exchanges left and right in every value.
pub fn mirrored_ground(ground: &Ground) -> Ground {
    let mirror = |row: &Row| Row::new(backwards(&row.trailing), backwards(&row.leading));
    Ground {
        dims: ground.dims.clone(),
        rows: ground
            .rows
            .iter()
            .map(|(var, row)| (var.clone(), mirror(row)))
            .collect(),
        zeros: ground.zeros.clone(),
    }
}

/// Returns the atom of size 2 whose basis stands for this dimension; the unit stays.
fn based(dim: &Dim) -> Dim {
    match dim {
        Dim::Unit => Dim::Unit,
        Dim::Atom { size, basis } => Dim::Atom {
            size: NonZeroU64::MIN.saturating_add(1),
            basis: Basis::named(&format!("{}{size}", basis.name())),
        },
    }
}

/// Returns the set with other atoms: all of size 2, each with its own basis.
pub fn rebased(set: &ConstraintSet) -> ConstraintSet {
    let axis = |term: &DimTerm| match term {
        DimTerm::Const(dim) => DimTerm::Const(based(dim)),
        DimTerm::Var(_) => term.clone(),
    };
    mapped(set, axis, |row| RowTerm {
        leading: row.leading.iter().map(axis).collect(),
        var: row.var.clone(),
        trailing: row.trailing.iter().map(axis).collect(),
    })
}

/// Returns the solution with the other atoms.
pub fn rebased_ground(ground: &Ground) -> Ground {
    let (dims, rows) = (ground.dims.iter(), ground.rows.iter());
    let flank = |flank: &[Dim]| flank.iter().map(based).collect();
    let row = |row: &Row| Row::new(flank(&row.leading), flank(&row.trailing));
    Ground {
        dims: dims.map(|(var, dim)| (var.clone(), based(dim))).collect(),
        rows: rows.map(|(var, value)| (var.clone(), row(value))).collect(),
        zeros: ground.zeros.clone(),
    }
}

/// Returns the constraints in the opposite order.
pub fn reversed(set: &ConstraintSet) -> ConstraintSet {
    ConstraintSet {
        constraints: backwards(&set.constraints),
        ..set.clone()
    }
}

/// Returns the constraints rotated by one: beginning with the second.
pub fn rotated(set: &ConstraintSet) -> ConstraintSet {
    let mut other = set.clone();
    if !other.constraints.is_empty() {
        other.constraints.rotate_left(1);
    }
    other
}

/// Returns the set with a variable for each dimension that is written in a row, and, behind all other constraints, what
/// the variable is. The variables are called `named0`, `named1` and so on.
pub fn named(set: &ConstraintSet) -> ConstraintSet {
    let mut names: BTreeMap<Dim, DimVar> = BTreeMap::new();
    let mut axis = |term: &DimTerm| match term {
        DimTerm::Const(dim) => {
            let next = names.len();
            let name = names.entry(dim.clone());
            DimTerm::Var(
                name.or_insert_with(|| DimVar::new(&format!("named{next}")))
                    .clone(),
            )
        }
        DimTerm::Var(_) => term.clone(),
    };
    let row = |row: &RowTerm| RowTerm {
        leading: row.leading.iter().map(&mut axis).collect(),
        var: row.var.clone(),
        trailing: row.trailing.iter().map(&mut axis).collect(),
    };
    let mut other = set.clone();
    let mut row = row;
    for constraint in &mut other.constraints {
        *constraint = constraint.map(DimTerm::clone, &mut row);
    }
    let is = |(dim, var): (Dim, DimVar)| Constraint::DimEq(DimTerm::Var(var), DimTerm::Const(dim));
    other.constraints.extend(names.into_iter().map(is));
    other
}

/// Returns the solution without the variables that [`named`] adds.
pub fn named_ground(ground: &Ground) -> Ground {
    let mut ground = ground.clone();
    ground
        .dims
        .retain(|var, _| !var.name().starts_with("named"));
    ground
}

/// Returns the set with constraints in front that follow from it and mention nothing else: each equation with its sides
/// exchanged, each inequality once more, and what two inequalities in succession say.
pub fn with_consequences(set: &ConstraintSet) -> ConstraintSet {
    let mut more = Vec::new();
    for constraint in &set.constraints {
        match constraint {
            Constraint::DimEq(a, b) => more.push(Constraint::DimEq(b.clone(), a.clone())),
            Constraint::RowEq(a, b) => more.push(Constraint::RowEq(b.clone(), a.clone())),
            Constraint::RowLe(low, between) => {
                more.push(constraint.clone());
                more.extend(set.constraints.iter().filter_map(|next| match next {
                    Constraint::RowLe(same, high) if same == between => {
                        Some(Constraint::RowLe(low.clone(), high.clone()))
                    }
                    _ => None,
                }));
            }
            other => more.push(other.clone()),
        }
    }
    more.extend(set.constraints.iter().cloned());
    ConstraintSet {
        constraints: more,
        ..set.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str) -> ConstraintSet {
        text.parse().unwrap()
    }

    #[test]
    fn sets_are_rewritten() {
        let given = set("[2, a <r> b] ~ <s>\na <= b\nleaf a, <r>");
        assert_eq!(
            mirrored(&given),
            set("[b <r> a, 2] ~ <s>\na <= b\nleaf a, <r>")
        );
        assert_eq!(
            reversed(&given),
            set("a <= b\n[2, a <r> b] ~ <s>\nleaf a, <r>")
        );
        assert_eq!(rotated(&given), reversed(&given));
        assert_eq!(
            Naming::reversed(&given).set(&given),
            set("[2, b <s> a] ~ <r>\nb <= a\nleaf b, <s>")
        );
        assert_eq!(
            rebased(&set("[2, 3_b <r> 1_] ~ <s>\na <= 2\nleaf a")),
            set("[2_default2, 2_b3 <r> 1_] ~ <s>\na <= 2_default2\nleaf a")
        );
        assert_eq!(
            named(&set("[2, 1_ <r> 2] <= <s>\na <= 2")),
            set("[named0, named1 <r> named0] <= <s>\na <= 2\nnamed1 = 1_\nnamed0 = 2")
        );
        assert_eq!(
            with_consequences(&set("<r> <= <s>\n<s> <= [2]\n<s> ~ <t>")),
            set("<r> <= <s>\n<r> <= [2]\n<s> <= [2]\n<t> ~ <s>\n<r> <= <s>\n<s> <= [2]\n<s> ~ <t>")
        );
    }
}
