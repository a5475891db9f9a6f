//! The bound store B of Def. 4.1.

use std::collections::{BTreeMap, BTreeSet};

use crate::cause::{Cause, Pending};
use crate::records::is_atom;
use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar, Var};

/// The bounds known of unsolved variables, as constraints in the order in which they were recorded: atoms below a
/// dimension variable, inequalities between two dimension variables (adjacencies), and caps `R ⊑ ⟨ρ⟩`.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    stored: Vec<Pending>,
}

impl Bounds {
    /// Returns every stored bound with its cause, in the order of recording.
    pub fn iter(&self) -> impl Iterator<Item = (&Constraint, &Cause)> {
        self.stored
            .iter()
            .map(|bound| (&bound.constraint, &bound.cause))
    }

    /// Returns `constr(B)`: the stored bounds as constraints (Lemma 5.1).
    pub fn constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.iter().map(|(constraint, _)| constraint)
    }

    /// Counts the stored bounds.
    pub fn len(&self) -> usize {
        self.stored.len()
    }

    /// Tells whether no bound is stored.
    pub fn is_empty(&self) -> bool {
        self.stored.is_empty()
    }

    /// Returns `lb(α)`: the atom recorded below a dimension variable.
    pub fn lower_bound(&self, var: &DimVar) -> Option<(&Dim, &Cause)> {
        self.iter().find_map(|(bound, cause)| match bound {
            Constraint::DimLe(DimTerm::Const(atom), DimTerm::Var(above)) if above == var => {
                Some((atom, cause))
            }
            _ => None,
        })
    }

    /// Returns the reason why a dimension variable is an atom, if B records that it is one (§8).
    pub fn atom(&self, var: &DimVar) -> Option<&Cause> {
        let record = is_atom(var);
        self.iter()
            .find_map(|(bound, cause)| (*bound == record).then_some(cause))
    }

    /// Returns the adjacencies `α ⊑ β`, as `(α, β, cause)`.
    pub fn adjacencies(&self) -> impl Iterator<Item = (&DimVar, &DimVar, &Cause)> {
        self.iter().filter_map(|(bound, cause)| match bound {
            Constraint::DimLe(DimTerm::Var(low), DimTerm::Var(high)) => Some((low, high, cause)),
            _ => None,
        })
    }

    /// Returns the dimension variables directly above this one, each with the cause of its adjacency.
    pub fn above(&self, var: &DimVar) -> impl Iterator<Item = (&DimVar, &Cause)> {
        self.adjacencies()
            .filter(move |(low, ..)| *low == var)
            .map(|(_, high, cause)| (high, cause))
    }

    /// Returns the row variables that lie above this one along caps, including itself.
    pub fn rows_above(&self, var: &RowVar) -> BTreeSet<RowVar> {
        self.rows_along(var, |low, high| (low, high))
    }

    /// Returns the row variables that lie below this one along caps, including itself.
    pub fn rows_below(&self, var: &RowVar) -> BTreeSet<RowVar> {
        self.rows_along(var, |low, high| (high, low))
    }

    /// Returns the row variables that are reached from one along caps; `step` decides in which direction a cap is
    /// followed.
    fn rows_along(
        &self,
        var: &RowVar,
        step: impl for<'a> Fn(&'a RowVar, &'a RowVar) -> (&'a RowVar, &'a RowVar),
    ) -> BTreeSet<RowVar> {
        let mut rows = BTreeSet::from([var.clone()]);
        loop {
            let before = rows.len();
            for (cap, high, _) in self.caps() {
                let Some(low) = &cap.var else { continue };
                let (from, to) = step(low, high);
                if rows.contains(from) {
                    rows.insert(to.clone());
                }
            }
            if rows.len() == before {
                return rows;
            }
        }
    }

    /// Returns the causes along a chain of adjacencies from `low` up to `high`, when there is one.
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

    /// Returns the caps `R ⊑ ⟨ρ⟩`, as `(R, ρ, cause)`.
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

    /// Returns the candidates that have no other candidate below them, directly or indirectly. The members of a cycle
    /// do not wait for each other. A variable on an axis of a row's cap lies below the row only where `counts` holds of
    /// that axis, whose position is counted from the outer edge.
    pub fn lowest(
        &self,
        candidates: &[Var],
        counts: impl Fn(&RowVar, Flank, usize) -> bool,
    ) -> Vec<Var> {
        let below = self.directly_below(counts);
        let reached: BTreeMap<&Var, BTreeSet<&Var>> = candidates
            .iter()
            .map(|var| (var, reachable(var, &below)))
            .collect();
        let waits = |var: &&Var| {
            let mut lower = reached[*var].iter().filter_map(|low| reached.get(*low));
            lower.any(|back| !back.contains(*var))
        };
        let lowest = candidates.iter().filter(|var| !waits(var));
        lowest.cloned().collect()
    }

    /// Returns, for each variable, the variables directly below it. A cap puts its own row variable and the variables
    /// of its axes below the row that it bounds.
    fn directly_below(
        &self,
        counts: impl Fn(&RowVar, Flank, usize) -> bool,
    ) -> BTreeMap<Var, BTreeSet<Var>> {
        let mut below: BTreeMap<Var, BTreeSet<Var>> = BTreeMap::new();
        for (low, high, _) in self.adjacencies() {
            let lower = below.entry(Var::Dim(high.clone())).or_default();
            lower.insert(Var::Dim(low.clone()));
        }
        for (cap, high, _) in self.caps() {
            let lower = below.entry(Var::Row(high.clone())).or_default();
            let leading = (0..).map(|at| (Flank::Leading, at)).zip(&cap.leading);
            let trailing = (0..)
                .map(|at| (Flank::Trailing, at))
                .zip(cap.trailing.iter().rev());
            let axes = leading
                .chain(trailing)
                .filter(|((flank, at), _)| counts(high, *flank, *at));
            lower.extend(axes.filter_map(|(_, axis)| axis.var()));
            lower.extend(cap.var.clone().map(Var::Row));
        }
        below
    }
}

fn reachable<'a>(from: &Var, below: &'a BTreeMap<Var, BTreeSet<Var>>) -> BTreeSet<&'a Var> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<&Var> = below.get(from).into_iter().flatten().collect();
    while let Some(var) = work.pop() {
        if seen.insert(var) {
            work.extend(below.get(var).into_iter().flatten());
        }
    }
    seen
}
