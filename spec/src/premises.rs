//! The premises of the rules as data: the cases in which each rule acts, and the conditions on the constraint and the
//! bounds in each of them.
//!
//! The rules themselves are `match` expressions, to be read beside the printed lines. Here the same cases are a table, from
//! which coverage is derived. A test compares the two: on every small constraint exactly one case has all its premises, its
//! rule is the one that fires, and the rule refuses the constraint exactly where the case says so.

use crate::bounds::Bounds;
use lozenge_vocabulary::alignment::{aligned, total};
use lozenge_vocabulary::constraint::Constraint::{self, DimEq, DimLe, RowEq, RowLe};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::rule::Rule::{self, *};
use lozenge_vocabulary::term::{DimTerm, RowTerm};

/// One condition of a rule.
#[derive(Clone, Copy, Debug)]
pub struct Premise {
    /// The condition in words, as a clause.
    pub text: &'static str,
    /// Whether it holds of a constraint of the rule's relation, with these bounds.
    pub holds: fn(&Constraint, &Bounds) -> bool,
}

/// A case in which a rule acts.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The rule.
    pub rule: Rule,
    /// Whether the rule refuses the constraint in this case.
    pub refuses: bool,
    /// All of its conditions.
    pub premises: &'static [Premise],
}

impl Case {
    /// Whether the case is met.
    pub fn is_met(&self, constraint: &Constraint, bounds: &Bounds) -> bool {
        let mut premises = self.premises.iter();
        premises.all(|premise| (premise.holds)(constraint, bounds))
    }
}

const fn acts(rule: Rule, premises: &'static [Premise]) -> Case {
    Case {
        rule,
        refuses: false,
        premises,
    }
}

const fn refuses(rule: Rule, premises: &'static [Premise]) -> Case {
    Case {
        rule,
        refuses: true,
        premises,
    }
}

macro_rules! premises {
    ($sort:ident: $($name:ident $text:literal |$a:ident, $b:ident $(, $bounds:ident)?| $holds:expr;)*) => {
        $(const $name: Premise = Premise {
            text: $text,
            holds: |constraint, _bounds| {
                let Some(($a, $b)) = $sort(constraint) else { return false };
                $(let $bounds = _bounds;)?
                $holds
            },
        };)*
    };
}

fn dims(constraint: &Constraint) -> Option<(&DimTerm, &DimTerm)> {
    match constraint {
        DimEq(a, b) | DimLe(a, b) => Some((a, b)),
        _ => None,
    }
}

fn rows(constraint: &Constraint) -> Option<(&RowTerm, &RowTerm)> {
    match constraint {
        RowEq(a, b) | RowLe(a, b) => Some((a, b)),
        _ => None,
    }
}

fn is_unit(term: &DimTerm) -> bool {
    term.ground() == Some(&Dim::Unit)
}

fn is_atom(term: &DimTerm) -> bool {
    term.ground().is_some_and(Dim::is_atom)
}

/// The atom known below the operand of an inequality.
fn known<'a>(operand: &DimTerm, bounds: &'a Bounds) -> Option<&'a Dim> {
    match operand {
        DimTerm::Var(var) => bounds.lower_bound(var).map(|(atom, _)| atom),
        DimTerm::Const(_) => None,
    }
}

fn is_known_below(low: &DimTerm, high: &DimTerm, bounds: &Bounds) -> bool {
    match (low, high) {
        (DimTerm::Var(low), DimTerm::Var(high)) => bounds.path(low, high).is_some(),
        _ => false,
    }
}

/// How many axes each side has beyond the other's flanks.
fn surpluses(a: &RowTerm, b: &RowTerm) -> [usize; 2] {
    let rows = aligned(a.flanks(), b.flanks());
    [total(rows.left), total(rows.right)]
}

fn is_shorter(result: &RowTerm, operand: &RowTerm) -> bool {
    surpluses(result, operand)[1] > 0
}

premises! { dims:
    SAME "the sides are the same term" |a, b| a == b;
    OTHER "the sides are different terms" |a, b| a != b;
    CONSTANTS "both sides are constants" |a, b| a.ground().is_some() && b.ground().is_some();
    A_VARIABLE "one side is a variable" |a, b| a.ground().is_none() || b.ground().is_none();
    VARIABLES "both sides are variables" |a, b| a.ground().is_none() && b.ground().is_none();
    TOP_OPERAND "the operand is the unit" |_a, b| is_unit(b);
    NO_TOP_OPERAND "the operand is not the unit" |_a, b| !is_unit(b);
    ATOM_OPERAND "the operand is an atom" |_a, b| is_atom(b);
    VARIABLE_OPERAND "the operand is a variable" |_a, b| b.ground().is_none();
    VARIABLE_RESULT "the result is a variable" |a, _b| a.ground().is_none();
    TOP_RESULT "the result is the unit" |a, _b| is_unit(a);
    ATOM_RESULT "the result is an atom" |a, _b| is_atom(a);
    NO_ATOM_KNOWN "no atom is known below the operand" |_a, b, bounds| known(b, bounds).is_none();
    SAME_ATOM_KNOWN "this atom is known below the operand" |a, b, bounds| known(b, bounds).is_some_and(|d| a.ground() == Some(d));
    OTHER_ATOM_KNOWN "another atom is known below the operand" |a, b, bounds| known(b, bounds).is_some_and(|d| a.ground() != Some(d));
    ROUND "the operand is known to be below the result" |a, b, bounds| is_known_below(b, a, bounds);
    NOT_ROUND "the operand is not known to be below the result" |a, b, bounds| !is_known_below(b, a, bounds);
    ORDERED "the result's dimension is below the operand's" |a, b| a.ground().zip(b.ground()).is_some_and(|(a, b)| a.below(b));
    UNORDERED "the result's dimension is not below the operand's" |a, b| a.ground().zip(b.ground()).is_some_and(|(a, b)| !a.below(b));
    ONE_POSITION "the operand axis has size 1" |_a, b| b.ground().is_some_and(|b| b.size() == 1);
    MORE_POSITIONS "the operand axis is longer than 1" |_a, b| b.ground().is_some_and(|b| b.size() > 1);
}

premises! { rows:
    CLOSED "both rows are closed" |a, b| a.var.is_none() && b.var.is_none();
    ONE_OPEN "exactly one row is open" |a, b| a.var.is_some() != b.var.is_some();
    OPEN "both rows are open" |a, b| a.var.is_some() && b.var.is_some();
    ONE_VARIABLE "the variables are the same" |a, b| a.var == b.var;
    TWO_VARIABLES "the variables differ" |a, b| a.var != b.var;
    EQUAL_RANKS "the ranks are equal" |a, b| a.explicit() == b.explicit();
    OTHER_RANKS "the ranks differ" |a, b| a.explicit() != b.explicit();
    ROOM "the open row has no more axes" |a, b| match a.var { Some(_) => a.explicit() <= b.explicit(), None => b.explicit() <= a.explicit() };
    OVERFLOW "the open row has more axes" |a, b| match a.var { Some(_) => a.explicit() > b.explicit(), None => b.explicit() > a.explicit() };
    NO_SURPLUS "there is no surplus" |a, b| surpluses(a, b) == [0, 0];
    ONE_SURPLUS "the surpluses are on one side" |a, b| surpluses(a, b).contains(&0);
    TWO_SURPLUSES "each side has a surplus" |a, b| !surpluses(a, b).contains(&0);
    UNEQUAL_SURPLUSES "the surpluses are of different totals" |a, b| { let [m, n] = surpluses(a, b); m != n };
    EQUAL_SURPLUSES "the surpluses are of one total" |a, b| { let [m, n] = surpluses(a, b); m == n };
    CLOSED_OPERAND "the operand is closed" |_a, b| b.var.is_none();
    OPEN_OPERAND "the operand is open" |_a, b| b.var.is_some();
    CLOSED_RESULT "the result is closed" |a, _b| a.var.is_none();
    OPEN_RESULT "the result is open" |a, _b| a.var.is_some();
    SHORTER "a flank of the result is shorter" |a, b| is_shorter(a, b);
    NOT_SHORTER "no flank of the result is shorter" |a, b| !is_shorter(a, b);
    FREE_AXIS "an axis of the result faces no axis of the operand" |a, b| surpluses(a, b)[0] > 0;
    AN_AXIS "a tensor has an axis" |a, b| a.explicit() + b.explicit() > 0;
}

const DIM_EQ: &[Case] = &[
    acts(DeRefl, &[SAME]),
    refuses(DeClash, &[CONSTANTS, OTHER]),
    acts(DeBind, &[A_VARIABLE, OTHER]),
];

const DIM_LE: &[Case] = &[
    acts(DiTop, &[TOP_OPERAND]),
    acts(DiRefl, &[SAME, NO_TOP_OPERAND]),
    refuses(DiGround, &[CONSTANTS, OTHER, NO_TOP_OPERAND]),
    acts(DiPin, &[VARIABLE_RESULT, ATOM_OPERAND]),
    acts(DiPinTop, &[TOP_RESULT, VARIABLE_OPERAND]),
    acts(DiCap, &[ATOM_RESULT, VARIABLE_OPERAND, NO_ATOM_KNOWN]),
    acts(DiCap, &[ATOM_RESULT, VARIABLE_OPERAND, SAME_ATOM_KNOWN]),
    acts(DiCap, &[ATOM_RESULT, VARIABLE_OPERAND, OTHER_ATOM_KNOWN]),
    acts(DiAdj, &[VARIABLES, OTHER, NOT_ROUND]),
    acts(DiAntisym, &[VARIABLES, OTHER, ROUND]),
];

const ROW_EQ: &[Case] = &[
    acts(ReClosed, &[CLOSED, EQUAL_RANKS]),
    refuses(ReClosed, &[CLOSED, OTHER_RANKS]),
    acts(ReOpenClosed, &[ONE_OPEN, ROOM]),
    refuses(ReOpenClosed, &[ONE_OPEN, OVERFLOW]),
    acts(ReNested, &[OPEN, TWO_VARIABLES, ONE_SURPLUS]),
    acts(ReSplit, &[OPEN, TWO_VARIABLES, TWO_SURPLUSES]),
    acts(ReSame, &[OPEN, ONE_VARIABLE, NO_SURPLUS]),
    refuses(ReSame, &[OPEN, ONE_VARIABLE, UNEQUAL_SURPLUSES]),
    acts(
        ReRotational,
        &[OPEN, ONE_VARIABLE, EQUAL_SURPLUSES, TWO_SURPLUSES],
    ),
];

const ROW_LE: &[Case] = &[
    acts(RiCap, &[OPEN_OPERAND, NOT_SHORTER]),
    acts(RiClosedOperand, &[CLOSED_OPERAND, NOT_SHORTER]),
    refuses(RiShort, &[CLOSED_RESULT, SHORTER]),
    acts(RiDeficit, &[OPEN_RESULT, SHORTER]),
];

// The rules of Def. 7.2 read closed rows without variables and, axis by axis, the pairs that face each other.
const GROUND_DIM_EQ: &[Case] = &[acts(P1, &[SAME]), refuses(P1, &[OTHER])];
const GROUND_DIM_LE: &[Case] = &[
    acts(P2, &[ORDERED, ONE_POSITION]),
    acts(P3, &[ORDERED, MORE_POSITIONS]),
    refuses(P3, &[UNORDERED]),
];
const GROUND_ROW_EQ: &[Case] = &[
    acts(P4, &[EQUAL_RANKS]),
    refuses(P4, &[OTHER_RANKS]),
    acts(P6, &[AN_AXIS]),
];
const GROUND_ROW_LE: &[Case] = &[
    acts(P5, &[NOT_SHORTER, FREE_AXIS]),
    refuses(P5, &[SHORTER]),
    acts(P6, &[AN_AXIS]),
];

/// The cases of the shape rules (Defs. 4.2 and 4.3) for the relation of a constraint. They exclude each other.
pub fn of_shapes(constraint: &Constraint) -> &'static [Case] {
    match constraint {
        DimEq(..) => DIM_EQ,
        DimLe(..) => DIM_LE,
        RowEq(..) => ROW_EQ,
        RowLe(..) => ROW_LE,
        Constraint::Window(_) | Constraint::Composite(_) | Constraint::AtLeast { .. } => &[],
    }
}

/// The cases of the projection rules (Def. 7.2) for the relation of a ground constraint.
pub fn of_projections(constraint: &Constraint) -> &'static [Case] {
    match constraint {
        DimEq(..) => GROUND_DIM_EQ,
        DimLe(..) => GROUND_DIM_LE,
        RowEq(..) => GROUND_ROW_EQ,
        RowLe(..) => GROUND_ROW_LE,
        Constraint::Window(_) | Constraint::Composite(_) | Constraint::AtLeast { .. } => &[],
    }
}

/// Every case, in the order of the document.
pub fn all() -> impl Iterator<Item = &'static Case> {
    let shapes = [DIM_EQ, DIM_LE, ROW_EQ, ROW_LE];
    let projections = [GROUND_DIM_EQ, GROUND_DIM_LE, GROUND_ROW_EQ, GROUND_ROW_LE];
    shapes.into_iter().chain(projections).flatten()
}

/// A ground constraint together with the constraints between the axes that face each other, where its rows can be
/// aligned. Empty unless the constraint is ground.
pub fn read_by_projections(constraint: &Constraint) -> Vec<Constraint> {
    let ground = |row: &RowTerm| row.ground().is_some();
    let pairs: Vec<Constraint> = match constraint {
        RowEq(a, b) | RowLe(a, b) if !ground(a) || !ground(b) => return Vec::new(),
        RowEq(a, b) if a.explicit() == b.explicit() => {
            let pairs = a.axes().zip(b.axes());
            pairs.map(|(a, b)| DimEq(a.clone(), b.clone())).collect()
        }
        RowLe(a, b) if !is_shorter(a, b) => {
            let facing = aligned(a.flanks(), b.flanks()).facing.into_iter();
            facing.map(|(a, b)| DimLe(a.clone(), b.clone())).collect()
        }
        RowEq(..) | RowLe(..) => Vec::new(),
        _ => return Vec::new(),
    };
    std::iter::once(constraint.clone()).chain(pairs).collect()
}
