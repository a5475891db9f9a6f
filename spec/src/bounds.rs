//! The bound store B of Def. 4.1.

use std::collections::BTreeMap;

use crate::cause::Cause;
use crate::configuration::Pending;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar, Var};

/// What is known of unsolved variables, as constraints in the order in which they were recorded: atoms below a
/// dimension variable, inequalities between two of them (adjacencies), and caps `R ⊑ ⟨ρ⟩`.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    stored: Vec<Pending>,
}

impl Bounds {
    /// Everything that is stored, with its causes.
    pub fn iter(&self) -> impl Iterator<Item = (&Constraint, &Cause)> {
        self.stored
            .iter()
            .map(|bound| (&bound.constraint, &bound.cause))
    }

    /// `constr(B)` (Lemma 5.1).
    pub fn constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.iter().map(|(constraint, _)| constraint)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty()
    }

    /// `lb(α)`: the atom recorded below a dimension variable.
    pub fn lower_bound(&self, var: &DimVar) -> Option<(&Dim, &Cause)> {
        self.iter().find_map(|(bound, cause)| match bound {
            Constraint::DimLe(DimTerm::Const(atom), DimTerm::Var(above)) if above == var => {
                Some((atom, cause))
            }
            _ => None,
        })
    }

    /// The adjacencies `α ⊑ β`, as `(α, β, cause)`.
    pub fn adjacencies(&self) -> impl Iterator<Item = (&DimVar, &DimVar, &Cause)> {
        self.iter().filter_map(|(bound, cause)| match bound {
            Constraint::DimLe(DimTerm::Var(low), DimTerm::Var(high)) => Some((low, high, cause)),
            _ => None,
        })
    }

    /// What is directly above a dimension variable.
    pub fn above(&self, var: &DimVar) -> impl Iterator<Item = (&DimVar, &Cause)> {
        self.adjacencies()
            .filter(move |(low, ..)| *low == var)
            .map(|(_, high, cause)| (high, cause))
    }

    /// The causes along a chain of adjacencies from `low` up to `high`, when there is one.
    pub fn path(&self, low: &DimVar, high: &DimVar) -> Option<Cause> {
        let mut above: BTreeMap<&DimVar, Vec<(&DimVar, &Cause)>> = BTreeMap::new();
        for (low, high, cause) in self.adjacencies() {
            above.entry(low).or_default().push((high, cause));
        }
        let mut before: BTreeMap<&DimVar, Option<(&DimVar, &Cause)>> =
            BTreeMap::from([(low, None)]);
        let mut work = vec![low];
        while let Some(var) = work.pop() {
            for (next, cause) in above.get(var).into_iter().flatten() {
                if !before.contains_key(next) {
                    before.insert(next, Some((var, cause)));
                    work.push(next);
                }
            }
        }
        let mut cause = Cause::default();
        let mut step = *before.get(high)?;
        while let Some((var, edge)) = step {
            cause.join(edge);
            step = before[var];
        }
        Some(cause)
    }

    /// The caps `R ⊑ ⟨ρ⟩`, as `(R, ρ, cause)`.
    pub fn caps(&self) -> impl Iterator<Item = (&RowTerm, &RowVar, &Cause)> {
        self.iter().filter_map(|(bound, cause)| match bound {
            Constraint::RowLe(cap, operand) => Some((cap, operand.var.as_ref()?, cause)),
            _ => None,
        })
    }

    /// Records a bound, once.
    pub(crate) fn record(&mut self, constraint: Constraint, cause: Cause) {
        if self.constraints().all(|known| *known != constraint) {
            self.stored.push(Pending { constraint, cause });
        }
    }

    /// Takes out every bound that mentions the variable, in the order of recording.
    pub(crate) fn take(&mut self, var: &Var) -> Vec<Pending> {
        let all = std::mem::take(&mut self.stored);
        let (taken, kept) = all
            .into_iter()
            .partition(|bound| bound.constraint.mentions(var));
        self.stored = kept;
        taken
    }
}
