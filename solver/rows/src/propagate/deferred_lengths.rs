//! The lengths of rows that deferred equations relate: whether there are some that satisfy all of them.
//!
//! An equation says how much longer the row variable of one side is than that of the other one, whatever their axes
//! are. The variables themselves have the lengths of equations that are resolved. A deferred equation was compared with
//! nothing yet, and which equations are deferred depends on what inequalities ask of their rows; without this, more
//! constraints could hide that fewer have no solution.

use std::collections::VecDeque;

use lozenge_vocabulary::{Rule, alignment::PerFlank};
use rustc_hash::FxHashMap;

use crate::ids::{DeferredId, RowTermId, RowVarId};
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::{Failure, Reason};
use crate::state::rows::Binding;

/// The length of a variable beyond the one that it was reached from, by which equation; none for the first one.
#[derive(Clone, Copy)]
struct Reached {
    longer: i64,
    from: Option<(RowVarId, DeferredId)>,
}

/// By variable, the others of its equations, and how much longer each of these is.
type Relations = FxHashMap<RowVarId, Vec<(RowVarId, i64, DeferredId)>>;

impl Engine {
    /// Refuses deferred equations that no lengths satisfy.
    #[inline]
    pub(crate) fn relate_lengths(&mut self) -> EngineResult {
        match self.progress.resolved as usize + 1 < self.deferred.len() {
            true => self.relate_deferred_lengths(),
            false => Ok(()),
        }
    }

    fn relate_deferred_lengths(&mut self) -> EngineResult {
        let mut relations = Relations::default();
        let mut first = Vec::new();
        for id in (self.progress.resolved as usize..self.deferred.len()).map(crate::ids::Id::at) {
            let deferred = self.deferred.get(id);
            if deferred.done {
                continue;
            }
            let sides = [deferred.row, deferred.row.right()].map(|row| self.length_of(row));
            if let [Some((a, more)), Some((b, less))] = sides {
                relations.entry(a).or_default().push((b, more - less, id));
                relations.entry(b).or_default().push((a, less - more, id));
                first.push(a);
            }
        }
        self.step(first.len())?;
        if first.len() < 2 {
            return Ok(());
        }
        let mut reached: FxHashMap<RowVarId, Reached> = FxHashMap::default();
        for first in first {
            if !reached.contains_key(&first) {
                self.relate_from(first, &relations, &mut reached)?;
            }
        }
        Ok(())
    }

    /// Finds how much longer each variable is than the first one that equations relate with it, and refuses two
    /// answers.
    fn relate_from(
        &mut self,
        first: RowVarId,
        relations: &Relations,
        reached: &mut FxHashMap<RowVarId, Reached>,
    ) -> EngineResult {
        let none = Reached {
            longer: 0,
            from: None,
        };
        reached.insert(first, none);
        let mut todo = VecDeque::from([first]);
        while let Some(var) = todo.pop_front() {
            for (other, longer, id) in relations.get(&var).into_iter().flatten() {
                let longer = reached[&var].longer + longer;
                match reached.get(other) {
                    Some(known) if known.longer == longer => {}
                    Some(_) => return Err(self.unequal_lengths([var, *other], *id, reached)?),
                    None => {
                        let from = Some((var, *id));
                        reached.insert(*other, Reached { longer, from });
                        todo.push_back(*other);
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the open variable in which a row ends, and how many axes the row has around it beyond those known of the
    /// variable.
    fn length_of(&self, row: RowTermId) -> Option<(RowVarId, i64)> {
        let mut row = self.row(row);
        let mut axes = 0;
        loop {
            axes += i64::from(row.lead + row.trail);
            let var = row.var?;
            row = match self.binding(var) {
                Binding::Open => return Some((var, axes)),
                Binding::Closed => return None,
                Binding::Content(content) | Binding::Alias(content) => {
                    let PerFlank([lead, trail]) = self.rows.nodes.at(var).len;
                    axes += i64::from(lead + trail);
                    self.row(self.rows.contents.at(content).row)
                }
            };
        }
    }

    /// Returns the failure of an equation between two variables whose lengths other equations relate otherwise.
    fn unequal_lengths(
        &mut self,
        ends: [RowVarId; 2],
        id: DeferredId,
        reached: &FxHashMap<RowVarId, Reached>,
    ) -> Result<Box<Failure>, Box<Failure>> {
        let mut equations = vec![id];
        for mut var in ends {
            while let Some((from, id)) = reached[&var].from {
                equations.push(id);
                var = from;
            }
        }
        equations.sort_unstable();
        equations.dedup();
        let mut reasons: Vec<Reason> = Vec::new();
        for id in equations {
            let deferred = self.deferred.get(id);
            reasons.push(deferred.reason);
            for row in [deferred.row, deferred.row.right()] {
                reasons.extend(self.spell(row)?.reason);
            }
        }
        Ok(Box::new(Failure {
            rule: Rule::ReSame,
            reasons,
            terms: Vec::new(),
            message: "no finite row is longer than itself".into(),
            is_limit: false,
        }))
    }
}
