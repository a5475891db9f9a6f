//! The ways in which the printed rules of Axon stop short or accept too much.

use lozenge_axon_spec::{Constraint, Constraints, Side};
use lozenge_axon_vocabulary::Pool;

use crate::known_difference::KnownDifference;

/// Every class.
pub const DIFFERENCES: &[KnownDifference] = &[
    STUCK_INSIDE_ITSELF,
    STUCK_LIST,
    STUCK_APPENDS,
    STUCK_ARITHMETIC,
    NO_SIZE,
];

/// The printed rules stop at a name that stands inside its own value.
pub const STUCK_INSIDE_ITSELF: KnownDifference = KnownDifference {
    name: "stuck-inside-itself",
    argument: "`a = ṡ` with `a` inside `ṡ` is not substituted (§5, Basic rules), and no rule fails on it, so the set is accepted whatever \
               its solutions are. Only Fig. 3 has a check of this kind, and it is for types.",
    target: "shapes",
    witness: "s = s@s\n",
};

/// The printed rules stop at a list and an append that has no list of its rank.
pub const STUCK_LIST: KnownDifference = KnownDifference {
    name: "stuck-list",
    argument: "The rules for a list and an append need a list of the same rank in the append, or more axes in it than the list has (§5, \
               Empty shapes and Append dimensionality). What lies between matches no rule.",
    target: "shapes",
    witness: "s@s = []\n",
};

/// The printed rules stop at two appends whose ends are no lists.
pub const STUCK_APPENDS: KnownDifference = KnownDifference {
    name: "stuck-appends",
    argument: "Two appends are unpacked where both end, or both begin, with a list (§5, Append unpacking). Equal names are never cancelled, \
               and ranks are not compared.",
    target: "shapes",
    witness: "s@s = t@t\n",
};

/// The printed rules stop at an equation of dimensions.
pub const STUCK_ARITHMETIC: KnownDifference = KnownDifference {
    name: "stuck-arithmetic",
    argument: "Arithmetic is done for one operator whose second operand and result are constants (§5, Arithmetic simplification), division \
               excepted. Other equations of dimensions match no rule, and none fails on them.",
    target: "shapes",
    witness: "(+ a 0) = 0\n",
};

/// The printed rules accept a dimension below 1, or a quotient by 0.
pub const NO_SIZE: KnownDifference = KnownDifference {
    name: "no-size",
    argument: "§3.1 says that dimensions are positive, and no rule asks it: a value that a rule computes may be 0 or negative, and an \
               equation whose sides are equal as written is dropped although they have no value.",
    target: "shapes",
    witness: "0 = 0\n",
};

/// Returns the class of a set at which the rules stop, with the constraint that no rule matches.
pub(super) fn stopped<'c>(
    pool: &Pool,
    constraints: &'c Constraints,
) -> (&'static KnownDifference, &'c Constraint) {
    let classes: [(&KnownDifference, Is); 3] = [
        (&STUCK_INSIDE_ITSELF, is_inside_itself),
        (&STUCK_LIST, is_list_and_append),
        (&STUCK_APPENDS, are_appends),
    ];
    for (class, is_it) in classes {
        let found = constraints.0.iter().find(|one| is_it(pool, one));
        if let Some(found) = found {
            return (class, found);
        }
    }
    let open = |one: &&Constraint| one.left.variable(pool).is_none();
    let found = constraints.0.iter().find(open);
    // A set that is not solved has a constraint.
    (&STUCK_ARITHMETIC, found.unwrap_or(&constraints.0[0]))
}

type Is = fn(&Pool, &Constraint) -> bool;

fn is_inside_itself(pool: &Pool, constraint: &Constraint) -> bool {
    let Some(name) = constraint.left.variable(pool) else {
        return false;
    };
    constraint.right.mentions(pool, name)
}

fn is_list_and_append(_: &Pool, constraint: &Constraint) -> bool {
    let Constraint { left, right } = constraint;
    let one_way = |list: &Side, append: &Side| list.list().is_some() && append.append().is_some();
    one_way(left, right) || one_way(right, left)
}

fn are_appends(_: &Pool, constraint: &Constraint) -> bool {
    constraint.left.append().is_some() && constraint.right.append().is_some()
}
