//! The tolerated differences between answers about constraint sets.

use lozenge_vocabulary::Rule;

use crate::known_difference::KnownDifference;

/// Every class.
pub const DIFFERENCES: &[KnownDifference] = &[
    GAP_PLACEMENT,
    GAP_NESTING,
    GAP_RESOLUTION,
    COMMITMENT,
    RESTATED,
    MIRRORED,
    BELOW_GREATEST,
];

/// Policy refuses a satisfiable set after it placed the marker of a closed content.
pub const GAP_PLACEMENT: KnownDifference = KnownDifference {
    name: "gap-placement",
    argument: "re_open_closed forces the content of a row variable and chooses the place of its marker (Lemma 5.1, Rem. 2.11). \
                   Where another place has a solution policy says `rejected`, never `unsat`.",
    target: "solver_oracle",
    witness: "<r> ~ [1_ <>]\n[1_] <= <r>\n",
};

/// Policy refuses a satisfiable set after it placed the marker of nested open rows.
pub const GAP_NESTING: KnownDifference = KnownDifference {
    name: "gap-nesting",
    argument: "re_nested forces the content of a row variable and chooses the place of its marker (Lemma 5.1). \
                   Where another place has a solution policy says `rejected`, never `unsat`.",
    target: "solver_oracle",
    witness: "<s> ~ [<r> 3]\n[<s> 1_] <= <s>\n",
};

/// Policy refuses a satisfiable set after it resolved a deferred word equation.
pub const GAP_RESOLUTION: KnownDifference = KnownDifference {
    name: "gap-resolution",
    argument: "A deferred word equation is resolved by closing one of its variables upward (Def. 4.3(c), (d)): one of its solutions is \
                   taken. Where another one would do policy says `rejected`, never `unsat`.",
    target: "solver_oracle",
    witness: "[1_ <s>] ~ [<r> 3]\n",
};

/// The two policy solvers took their policy steps in different orders.
pub const COMMITMENT: KnownDifference = KnownDifference {
    name: "commitment",
    argument: "The rules process a queue, the solver propagates first and commits in stages. What a policy step loses depends on when it is \
                   taken (Lemma 5.1, Cor. 5.5), so two answers may differ once either has taken one. `sat` and `unsat` are claims about \
                   the set and may never stand side by side; without a policy step, and where no variable occurs in two constraints, \
                   nothing may differ.",
    target: "spec_solver",
    witness: "[1_] ~ <s>\n[] <= [1_ <s>]\n",
};

/// The solver placed markers otherwise because the constraints were stated in another order.
pub const RESTATED: KnownDifference = KnownDifference {
    name: "restated",
    argument: "What several equations say of one marker is heard in the order in which they are stated: two of them nest the same two \
                   variables in two ways, one says again what another one has excluded by nesting, or two nest variables at the two ends of one row. Or rows on a cycle of inequalities, \
                   or in one group of deferred equations, get their markers in that order. Without a policy step nothing may differ, nor \
                   where there is one equation.",
    target: "order",
    witness: "<t> ~ [<r> 1_]\n[1_, 1_ <s>] ~ <t>\n",
};

/// Policy does not treat left and right alike: of two places that were declared for a marker the left one is taken.
pub const MIRRORED: KnownDifference = KnownDifference {
    name: "mirrored",
    argument: "Two equations declare different places for one marker that are equally near to the middle of its row, and the left one \
                   is taken. The witness is its own mirror image, and no place of the marker is, so no choice treats left and right \
                   alike. Without a policy step verdict and flat contents may not differ, and nothing where there is one equation.",
    target: "order",
    witness: "<r> ~ [1_]\n<r> ~ [1_ <>]\n",
};

/// Policy placed a marker whose place costs axes elsewhere, and closes below the greatest solution.
pub const BELOW_GREATEST: KnownDifference = KnownDifference {
    name: "below-greatest",
    argument: "An equation leaves the place of a marker open (Lemma 5.1), and policy places it before closing. A place that does not suit what \
                   is found later costs a row axes that the greatest solution does not have. Every constraint holds. The sets of programs \
                   have no such case (target `closed_programs`).",
    target: "greatest",
    witness: "[1_ <s>] <= <t>\n[1_] ~ <t>\n",
};

/// Returns the gap of policy that comes from a policy rule.
pub fn gap(rule: Rule) -> Option<&'static KnownDifference> {
    match rule {
        Rule::ReOpenClosed => Some(&GAP_PLACEMENT),
        Rule::ReNested => Some(&GAP_NESTING),
        Rule::CloseDeferred => Some(&GAP_RESOLUTION),
        _ => None,
    }
}
