//! The order in which the row variables of a large text have their numbers.
//!
//! The numbers follow the order in which the text mentions the names, so that constraints which stand together are
//! about variables that lie together in memory. Where a text mentions its variables in no order, each constraint waits
//! for memory wherever its variables are looked at. Names with neighbouring numbers often have to do with each other,
//! so that the variables are then put in the order of their names.

use super::Problem;
use crate::ids::{FAR, RowVarId};

impl Problem {
    /// Puts the row variables in the order of their names, when the text mentions them in no order. References to them
    /// must not have been handed out.
    pub(super) fn arrange_rows(&mut self) {
        if self.row_names.len() <= FAR || !self.jumps() {
            return;
        }
        let numbers = self.row_names.arrange();
        let number = |var: RowVarId| numbers[var];
        for row in &mut self.rows {
            row.var = row.var.map(number);
        }
        self.declarations.renumber_rows(number);
    }

    /// Says whether more than an eighth of the rows have a variable far from that of the row before.
    fn jumps(&self) -> bool {
        let vars = self.rows.iter().filter_map(|row| row.var);
        let next = vars.clone().skip(1);
        let pairs = vars.zip(next);
        let far = |(a, b): &(RowVarId, RowVarId)| a.number().abs_diff(b.number()) > FAR as u32;
        pairs.filter(far).count() > self.rows.len() / 8
    }
}

#[cfg(test)]
mod tests {
    use lozenge_vocabulary::{RowVar, Tag, Var};

    use super::*;
    use crate::ids::Id;
    use crate::term::RowId;

    /// Returns a chain of rows below `[2, 3]`, each line `step` rows after the one before.
    fn chain(step: usize) -> String {
        const LINES: usize = 20_000;
        let rows = (0..LINES).map(|at| at * step % LINES);
        let lines = rows.map(|at| format!("<r{at}> <= <r{}>\n", at + 1));
        let end = format!("<last> ~ <r{LINES}>\n<r{LINES}> <= [2, 3]\nparam <r7>\n");
        lines.chain([end]).collect()
    }

    fn names(problem: &Problem) -> impl Iterator<Item = &str> {
        (0..problem.row_names.len()).map(|at| problem.row_names.name(RowVarId::at(at)))
    }

    #[test]
    fn rows_that_are_mentioned_in_no_order_are_put_in_the_order_of_their_names() {
        let problem = Problem::parse(&chain(7919)).expect("in the notation");
        let expected = (0..=20_000).map(|at| format!("r{at}"));
        assert!(names(&problem).eq(expected.chain(["last".into()])));
        let tag = |name| problem.tag(&Var::Row(RowVar::new(name)));
        assert_eq!(["r7", "r8"].map(tag), [Tag::Param, Tag::Interior]);
    }

    #[test]
    fn other_rows_keep_the_order_in_which_they_are_mentioned() {
        let problem = Problem::parse(&chain(19_999)).expect("in the notation");
        let first: Vec<&str> = names(&problem).take(4).collect();
        assert_eq!(first, ["r0", "r1", "r19999", "r20000"]);
    }

    /// Of 16 rows, two may be far from the row before, and of 24 three.
    #[test]
    fn an_eighth_of_the_rows_may_be_far_from_the_row_before() {
        let far = FAR + 1;
        let with = |mentioned: &[usize]| {
            let mut problem = Problem::new();
            for at in 0..=far {
                problem.row_names.intern(&format!("r{at}"));
            }
            problem.rows.extend(mentioned.iter().map(|at| RowId {
                start: 0,
                lead: 0,
                trail: 0,
                var: Some(RowVarId::at(*at)),
            }));
            problem.jumps()
        };
        let near = [0; 13];
        assert!(!with(&[&near[..], &[far, 0, 0]].concat()));
        assert!(with(&[&near[..], &[far, 0, far]].concat()));
        // Two numbers as far apart as may be are near.
        assert!(!with(&[&near[..], &[FAR, 0, FAR]].concat()));
        let near = [0; 20];
        assert!(!with(&[&near[..], &[far, 0, far, far]].concat()));
        assert!(with(&[&near[..], &[far, 0, far, 0]].concat()));
    }
}
