//! Entering the constraints that were asserted since the last solve.
//!
//! Inequalities between rows are sorted by the variable of their result. Equations between rows whose variables are far
//! apart in memory are sorted by variable too, so that consecutive steps touch neighbouring cache lines: a million
//! constraints in random order would cost a cache miss each. The conclusions do not depend on the order (Lemma
//! 5.1).

use std::hint::black_box;

use lozenge_vocabulary::alignment::PerFlank;
use lozenge_vocabulary::{Order, Rule, Tag};

use crate::ids::{AssertedId, FAR, Id, RowTermId, RowVarId};
use crate::problem::Asserted;
use crate::state::agenda::Equation;
use crate::state::engine::{Engine, EngineResult};
use crate::state::inferences::Reason;
use crate::term::RowId;

/// The number of rows that are read ahead before the first of them is processed.
const AT_ONCE: usize = 64;

impl Engine {
    /// Enters every constraint asserted since the last call. Dimension constraints take effect at once.
    pub(crate) fn assert_pending(&mut self) -> EngineResult {
        self.dims.grow(self.problem.dim_names.len());
        self.rows.grow(self.problem.row_names.len());
        let first = self.progress.entered;
        if first == 0 {
            // Most constraints lead to a conclusion.
            self.inferences.reserve(self.problem.asserted.len());
        }
        let (mut equations, mut inequalities) = (0, 0);
        while self.progress.entered < self.problem.asserted.len() {
            let id = AssertedId::at(self.progress.entered);
            let asserted = self.problem.asserted[self.progress.entered];
            self.progress.entered += 1;
            let reason = Reason::constraint(id);
            match asserted {
                Asserted::DimEq(a, b) => {
                    self.dims
                        .equal(a, b, Rule::DeBind, reason, &mut self.inferences)?
                }
                Asserted::DimLe(a, b) => self.dims.below(a, b, reason, &mut self.inferences)?,
                Asserted::RowEq(_) => equations += 1,
                Asserted::RowLe(_) => inequalities += 1,
                // Rows side by side are left to the oracle.
                Asserted::Flat(_) => {}
                Asserted::Window(_)
                | Asserted::Composite(_)
                | Asserted::Elements(_)
                | Asserted::AtLeast(..) => {
                    self.assert_sizes(id)?;
                }
            }
        }
        self.queue_equations(first, equations);
        self.register_inequalities(first, inequalities);
        if first == 0 && equations + inequalities == 0 {
            // Dimensions have concluded what they will, so that room that was made for more is not needed.
            self.inferences.shrink();
        }
        Ok(())
    }

    /// Returns the next equation to process. Asserted equations come first, in the order of assertion.
    pub(crate) fn next_equation(&mut self) -> Option<Equation> {
        while self.equated < self.progress.entered {
            let index = self.equated;
            self.equated += 1;
            if let Asserted::RowEq(row) = self.problem.asserted[index] {
                return Some(asserted_equation(row, AssertedId::at(index)));
            }
        }
        self.agenda.equations.pop_front()
    }

    /// Returns the row constraints asserted since constraint `first`, which are so many, each with its left row.
    fn asserted_since(
        &self,
        first: usize,
        count: usize,
        row: impl Fn(Asserted) -> Option<RowTermId>,
    ) -> Vec<Entered> {
        let asserted = self.problem.asserted[first..].iter().zip(first..);
        let mut rows = Vec::with_capacity(count);
        rows.extend(
            asserted.filter_map(|(asserted, index)| Some((row(*asserted)?, AssertedId::at(index)))),
        );
        rows
    }

    /// Sorts the asserted equations by variable when many consecutive ones have variables far apart. Otherwise they are
    /// processed in the order of assertion.
    fn queue_equations(&mut self, first: usize, count: usize) {
        if self.progress.entered - first < FAR {
            return;
        }
        let rows = self.asserted_since(first, count, |asserted| match asserted {
            Asserted::RowEq(row) => Some(row),
            _ => None,
        });
        let key = |row: RowTermId| {
            let vars = [self.row(row).var, self.row(row.right()).var];
            vars.into_iter().flatten().min()
        };
        let pairs = rows.windows(2);
        let jumps =
            pairs.filter(|pair| place(key(pair[0].0)).abs_diff(place(key(pair[1].0))) > FAR);
        if jumps.count() <= rows.len() / 8 {
            return;
        }
        let mut rows = sorted_by(&rows, self.rows.nodes.len(), key);
        self.agenda.equations.reserve_exact(rows.len());
        for some in rows.chunks_mut(AT_ONCE) {
            self.gather(some, |_| true);
            let due = some.iter();
            let due = due.map(|(row, id)| asserted_equation(*row, *id));
            self.agenda.equations.extend(due);
        }
        self.equated = self.progress.entered;
    }

    fn register_inequalities(&mut self, first: usize, count: usize) {
        let mut rows = self.asserted_since(first, count, |asserted| match asserted {
            Asserted::RowLe(row) => Some(row),
            _ => None,
        });
        self.rows.inequalities.reserve(rows.len());
        self.agenda.lengths.reserve(rows.len());
        // Markers are placed in the order in which inequalities ask about them.
        let result = |row: RowTermId| self.row(row).var;
        let in_order =
            self.rows.contents.len() > 0 || rows.is_sorted_by_key(|(row, _)| place(result(*row)));
        if !in_order {
            rows = sorted_by(&rows, self.rows.nodes.len(), result);
        }
        for some in rows.chunks_mut(AT_ONCE) {
            if !in_order {
                self.gather(some, with_axes);
            }
            for (row, id) in some {
                let reason = Reason::constraint(*id);
                if self.problem.order() == Order::OneShot {
                    *row = self.with_content_of_result(*row, reason);
                }
                self.register(*row, reason, PerFlank::both(0));
            }
        }
    }

    /// Returns the inequality that says of a new row with the content of the result what the one-shot order says of the
    /// result (Rem. 2.15(ii)): the new row's marker may stand elsewhere.
    fn with_content_of_result(&mut self, row: RowTermId, reason: Reason) -> RowTermId {
        let [result, operand] = [self.row(row), self.row(row.right())];
        let content = self.problem.unnamed_row(Tag::Interior);
        self.rows.grow(content.index() + 1);
        let content = self.problem.row_of(&[], Some(content), &[]);
        let equation = self.problem.pair(content, result);
        self.agenda.equations.push_back(Equation {
            row: equation,
            reason,
            deferred: None,
        });
        self.problem.pair(content, operand)
    }

    /// Reads pairs of rows ahead. Pairs with a row that is `kept` are copied, so that they lie beside the pairs that
    /// are processed before and after them.
    fn gather(&mut self, some: &mut [Entered], kept: impl Fn(&RowId) -> bool) {
        // All reads are begun before the first is waited for.
        let pairs: Vec<[RowId; 2]> = some
            .iter()
            .map(|(row, _)| [self.row(*row), self.row(row.right())])
            .collect();
        let rows = pairs.iter().flatten().filter(|row| with_axes(row));
        let axes = rows.map(|row| self.problem.terms[row.start as usize].word());
        axes.for_each(|word| {
            black_box(word);
        });
        for ((row, _), pair) in some.iter_mut().zip(pairs) {
            if pair.iter().any(&kept) {
                *row = self.copy(pair);
            }
        }
    }

    fn copy(&mut self, pair: [RowId; 2]) -> RowTermId {
        let terms = &mut self.problem.terms;
        let [left, right] = pair.map(|mut row| {
            let axes = row.start as usize..(row.start + row.lead + row.trail) as usize;
            row.start = terms.len() as u32;
            axes.for_each(|at| terms.push(terms[at]));
            row
        });
        self.problem.pair(left, right)
    }
}

/// A row constraint: its left row, and its number.
type Entered = (RowTermId, AssertedId);

fn asserted_equation(row: RowTermId, id: AssertedId) -> Equation {
    Equation {
        row,
        reason: Reason::constraint(id),
        deferred: None,
    }
}

/// Returns the place of a variable; behind all others where there is none.
fn place(var: Option<RowVarId>) -> usize {
    var.map_or(usize::MAX, RowVarId::index)
}

fn with_axes(row: &RowId) -> bool {
    row.lead + row.trail > 0
}

/// Returns a stable sort of row constraints by the variable that `key` gives, of which there are `keys`; those without
/// one come last.
fn sorted_by(
    rows: &[Entered],
    keys: usize,
    key: impl Fn(RowTermId) -> Option<RowVarId>,
) -> Vec<Entered> {
    let key = |row: RowTermId| place(key(row)).min(keys);
    if rows.len() < keys / 8 {
        let mut sorted = rows.to_vec();
        sorted.sort_by_key(|(row, _)| key(*row));
        return sorted;
    }
    let mut next = vec![0u32; keys + 2];
    for (row, _) in rows {
        next[key(*row) + 1] += 1;
    }
    for at in 0..=keys {
        next[at + 1] += next[at];
    }
    let mut sorted = rows.to_vec();
    for entry in rows {
        let next = &mut next[key(entry.0)];
        sorted[*next as usize] = *entry;
        *next += 1;
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problem;

    /// Writes `before` constraints taken in; then `<r0> ~ <x>`, `<r1> ~ <x>`, … in the order of `at`, taken in as well.
    /// Where `low` is set, x is stated before every r.
    fn taken_in(before: usize, count: usize, at: impl Fn(usize) -> usize, low: bool) -> Engine {
        let mut problem = Problem::new();
        let x = low.then(|| problem.intern_row(&[], Some("x"), &[]));
        let rows: Vec<RowId> = (0..3 * FAR)
            .map(|at| problem.intern_row(&[], Some(&format!("r{at}")), &[]))
            .collect();
        let x = x.unwrap_or_else(|| problem.intern_row(&[], Some("x"), &[]));
        for _ in 0..before {
            let unit = crate::term::Term::UNIT;
            problem.assert_dim_eq(unit, unit);
        }
        let mut engine = Engine::new(problem);
        assert!(engine.assert_pending().is_ok());
        for index in 0..count {
            engine.problem.assert_row_eq(rows[at(index)], x);
        }
        assert!(engine.assert_pending().is_ok());
        engine
    }

    /// Jumps between one end of the variables and the other, `step` apart.
    fn jumping(step: usize) -> impl Fn(usize) -> usize {
        move |index| (index % 2) * step + index / 2
    }

    #[test]
    fn many_equations_that_jump_about_are_put_in_order() {
        let are_sorted = |engine: Engine| {
            let due: Vec<_> = engine
                .agenda
                .equations
                .iter()
                .map(|equation| engine.row(equation.row).var)
                .collect();
            assert!(due.is_sorted());
            !due.is_empty()
        };
        let far = jumping(FAR + FAR / 2);
        assert!(are_sorted(taken_in(0, FAR, &far, false)));
        // One fewer are processed in the order of assertion, whatever was entered before.
        assert!(!are_sorted(taken_in(0, FAR - 1, &far, false)));
        assert!(!are_sorted(taken_in(FAR, FAR - 1, &far, false)));
        // Steps of not more than what lies together in memory, there and back.
        assert!(!are_sorted(taken_in(0, FAR, jumping(FAR), false)));
        assert!(are_sorted(taken_in(0, FAR, jumping(FAR + 2), false)));
        assert!(!are_sorted(taken_in(0, FAR, |index| index, false)));
        // The variable that was mentioned first is the one that lies where the next does.
        assert!(!are_sorted(taken_in(0, FAR, &far, true)));
    }

    #[test]
    fn a_few_that_jump_among_many_that_do_not_are_left_where_they_are() {
        let jumps = |many: usize| {
            move |index| {
                if index < many {
                    (index % 2) * 2 * FAR
                } else {
                    index
                }
            }
        };
        assert_eq!(
            taken_in(0, FAR, jumps(FAR / 8 - 2), false)
                .agenda
                .equations
                .len(),
            0
        );
        let sorted = taken_in(0, FAR, jumps(FAR / 8 + 2), false);
        assert_eq!(sorted.agenda.equations.len(), FAR);
        assert_eq!(sorted.equated, sorted.progress.entered);
    }

    #[test]
    fn rows_with_axes_are_copied_in_the_order_in_which_they_are_read() {
        let copied = |text: &str| {
            let mut engine = Engine::new(Problem::parse(text).unwrap());
            let asserted = engine.problem.rows.len();
            assert!(engine.assert_pending().is_ok());
            let copies = asserted..engine.problem.rows.len();
            copies
                .map(|at| engine.problem.rows[at].var)
                .collect::<Vec<_>>()
        };
        assert!(copied("<r> <= [2 <s>]\n<s> <= [2 <t>]").is_empty());
        assert_eq!(
            copied("[<s> 2] <= <r>\n<r> <= [2 <t>]\n<s> <= <r>"),
            [0, 1, 1, 2].map(|at| Some(RowVarId::of(at)))
        );
        assert!(copied("<s> <= <r>\n<r> <= <s>").is_empty());
    }
}
