//! The table of known differences. Each class has an argument why two answers may differ, a witness that is re-run, and a
//! count in reports.

use std::fmt;

use lozenge_vocabulary::Rule;
use serde::Serialize;

/// A tolerated difference between two answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KnownDifference {
    /// Policy refuses a satisfiable set after it placed the marker of a closed content.
    GapPlacement,
    /// Policy refuses a satisfiable set after it placed the marker of nested open rows.
    GapNesting,
    /// Policy refuses a satisfiable set after it resolved a deferred word equation.
    GapResolution,
    /// The two policy solvers took their policy steps in different orders.
    Commitment,
    /// The solver placed markers otherwise because the constraints were stated in another order.
    Restated,
    /// Policy does not treat left and right alike: of two places that were declared for a marker the left one is taken.
    Mirrored,
    /// Policy placed a marker whose place costs axes elsewhere, and closes below the greatest solution.
    BelowGreatest,
    /// A use that constrains nothing moves a marker for which no place is the greatest.
    FreeMarker,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The class.
    pub class: KnownDifference,
    /// Its name.
    pub name: &'static str,
    /// Why the difference is not a defect of either party.
    pub argument: &'static str,
    /// The target in which it was met.
    pub target: &'static str,
    /// An input that shows it.
    pub witness: &'static str,
}

/// Every class, in the order of [`KnownDifference`].
pub const TABLE: &[Row] = &[
    Row {
        class: KnownDifference::GapPlacement,
        name: "gap-placement",
        argument: "re_open_closed forces the content of a row variable and chooses the place of its marker (Lemma 5.1, Rem. 2.11). \
                   Where another place has a solution policy says `rejected`, never `unsat`.",
        target: "solver_oracle",
        witness: "<r> ~ [1_ <>]\n[1_] <= <r>\n",
    },
    Row {
        class: KnownDifference::GapNesting,
        name: "gap-nesting",
        argument: "re_nested forces the content of a row variable and chooses the place of its marker (Lemma 5.1). \
                   Where another place has a solution policy says `rejected`, never `unsat`.",
        target: "solver_oracle",
        witness: "<s> ~ [<r> 3]\n[<s> 1_] <= <s>\n",
    },
    Row {
        class: KnownDifference::GapResolution,
        name: "gap-resolution",
        argument: "A deferred word equation is resolved by closing one of its variables upward (Def. 4.3(c), (d)): one of its solutions is \
                   taken. Where another one would do policy says `rejected`, never `unsat`.",
        target: "solver_oracle",
        witness: "[1_ <s>] ~ [<r> 3]\n",
    },
    Row {
        class: KnownDifference::Commitment,
        name: "commitment",
        argument: "The rules process a queue, the solver propagates first and commits in stages. What a policy step loses depends on when it is \
                   taken (Lemma 5.1, Cor. 5.5), so two answers may differ once either has taken one. `sat` and `unsat` are claims about \
                   the set and may never stand side by side; without a policy step, and where no variable occurs in two constraints, \
                   nothing may differ.",
        target: "spec_solver",
        witness: "[1_] ~ <s>\n[] <= [1_ <s>]\n",
    },
    Row {
        class: KnownDifference::Restated,
        name: "restated",
        argument: "What several equations say of one marker is heard in the order in which they are stated: two of them nest the same two \
                   variables in two ways, one says again what another one has excluded by nesting, or two nest variables at the two ends of one row. Or rows on a cycle of inequalities, \
                   or in one group of deferred equations, get their markers in that order. Without a policy step nothing may differ, nor \
                   where there is one equation.",
        target: "order",
        witness: "<t> ~ [<r> 1_]\n[1_, 1_ <s>] ~ <t>\n",
    },
    Row {
        class: KnownDifference::Mirrored,
        name: "mirrored",
        argument: "Two equations declare different places for one marker that are equally near to the middle of its row, and the left one \
                   is taken. The witness is its own mirror image, and no place of the marker is, so no choice treats left and right \
                   alike. Without a policy step verdict and flat contents may not differ, and nothing where there is one equation.",
        target: "order",
        witness: "<r> ~ [1_]\n<r> ~ [1_ <>]\n",
    },
    Row {
        class: KnownDifference::BelowGreatest,
        name: "below-greatest",
        argument: "An equation leaves the place of a marker open (Lemma 5.1), and policy places it before closing. A place that does not suit what \
                   is found later costs a row axes that the greatest solution does not have. Every constraint holds. The sets of programs \
                   have no such case (target `closed_programs`).",
        target: "greatest",
        witness: "[1_ <s>] <= <t>\n[1_] ~ <t>\n",
    },
    Row {
        class: KnownDifference::FreeMarker,
        name: "free-marker",
        argument: "No row has other axes, and no number is another one: only markers of rows for which equations leave the place open (Lemma 5.1) \
                   stand elsewhere. Z3 finds that both places satisfy everything that is required with the use, so neither solution is above \
                   the other one and there is no greatest one.",
        target: "uses",
        witness: "data t0 : 2, 2|-> = range(4)\nlet t1 = map(t0, \"a, b, ..r..|->..v.. => b, a, ..v..|->..r..\")\n\
                  let t4 = t1 @| (_, 1)\n",
    },
];

impl KnownDifference {
    /// Its row in the table.
    pub fn row(self) -> &'static Row {
        &TABLE[self as usize]
    }

    /// The policy gap that comes from a policy rule.
    pub fn gap(rule: Rule) -> Option<KnownDifference> {
        match rule {
            Rule::ReOpenClosed => Some(KnownDifference::GapPlacement),
            Rule::ReNested => Some(KnownDifference::GapNesting),
            Rule::CloseDeferred => Some(KnownDifference::GapResolution),
            _ => None,
        }
    }
}

impl fmt::Display for KnownDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.row().name)
    }
}
