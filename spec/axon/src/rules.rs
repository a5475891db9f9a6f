//! The rules of §5 as data, in the printed order.

mod append;
mod arithmetic;
mod basic;
mod empty;
mod reordering;
mod simplification;
mod unpacking;

use lozenge_axon_vocabulary::Pool;

use crate::constraints::Constraints;
use crate::reading::Reading;

/// The result of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The new set.
    Set(Constraints),
    /// FAIL.
    Fail,
}

/// The groups of §5.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    /// Basic rules.
    Basic,
    /// Reordering.
    Reordering,
    /// Unpacking.
    Unpacking,
    /// Empty shapes.
    Empty,
    /// Append unpacking.
    AppendUnpacking,
    /// Append dimensionality.
    AppendDimensionality,
    /// Simplification.
    Simplification,
    /// Arithmetic simplification.
    Arithmetic,
    /// Partial expression simplification.
    PartialExpression,
}

/// A rule: from a set `C ∪ {ṡ1 = ṡ2}` and the index of the constraint to the result; none where the rule does not
/// match.
pub type Apply = fn(&mut Pool, Reading, &Constraints, usize) -> Option<Outcome>;

/// A rule.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The name, ours.
    pub name: &'static str,
    /// The group.
    pub group: Group,
    /// The printed line.
    pub printed: &'static str,
    /// The rule.
    pub apply: Apply,
}

impl Rule {
    /// Tells whether the rule only ever fails.
    pub fn fails(&self) -> bool {
        self.printed.contains("FAIL")
    }

    /// Returns the rule with this name.
    pub fn named(name: &str) -> Option<&'static Rule> {
        RULES.iter().find(|rule| rule.name == name)
    }
}

const fn rule(name: &'static str, group: Group, printed: &'static str, apply: Apply) -> Rule {
    Rule {
        name,
        group,
        printed,
        apply,
    }
}

/// The rules of §5.
pub const RULES: &[Rule] = &[
    rule(
        "tautology",
        Group::Basic,
        "C ∪ {ṡ1 = ṡ2} ⇒ C if ṡ1 ≡ ṡ2",
        basic::tautology,
    ),
    rule(
        "substitute",
        Group::Basic,
        "C ∪ {a = ṡ} ⇒ C[ṡ/a] ∪ {a = ṡ} if a ∈ fsv(C) and a ∉ fsv(ṡ)",
        basic::substitute,
    ),
    rule(
        "constants_differ",
        Group::Basic,
        "C ∪ {c1 = c2} ⇒ FAIL if c1 ≢ c2",
        basic::constants_differ,
    ),
    rule(
        "constant_left",
        Group::Reordering,
        "C ∪ {c = ṡ} ⇒ C ∪ {ṡ = c}",
        reordering::constant_left,
    ),
    rule(
        "constant_name",
        Group::Reordering,
        "C ∪ {c = a} ⇒ C ∪ {a = c}",
        reordering::constant_name,
    ),
    rule(
        "ragged_left",
        Group::Reordering,
        "C ∪ {* = a} ⇒ C ∪ {a = *}",
        reordering::ragged_left,
    ),
    rule(
        "operator_left",
        Group::Reordering,
        "C ∪ {(op d1 d2) = a} ⇒ C ∪ {a = (op d1 d2)}",
        reordering::operator_left,
    ),
    rule(
        "list_left",
        Group::Reordering,
        "C ∪ {[d1,…,dn] = a} ⇒ C ∪ {a = [d1,…,dn]}",
        reordering::list_left,
    ),
    rule(
        "append_left",
        Group::Reordering,
        "C ∪ {s1@…@sn = a} ⇒ C ∪ {a = s1@…@sn}",
        reordering::append_left,
    ),
    rule(
        "unpack",
        Group::Unpacking,
        "C ∪ {[d1,…,dn] = [d'1,…,d'n]} ⇒ C ∪ {d1 = d'1, …, dn = d'n}",
        unpacking::unpack,
    ),
    rule(
        "ranks_differ",
        Group::Unpacking,
        "C ∪ {[d1,…,dn] = [d'1,…,d'm]} ⇒ FAIL if n ≠ m",
        unpacking::ranks_differ,
    ),
    rule(
        "empty_right",
        Group::Empty,
        "C ∪ {[d1,…,dn] = s1@…@sj@[d'1,…,d'n]@sj+1@…@sm} ⇒ C ∪ {[d1,…,dn] = [d'1,…,d'n], s1 = [], …, sm = []}",
        empty::empty_right,
    ),
    rule(
        "empty_left",
        Group::Empty,
        "C ∪ {s1@…@sj@[d'1,…,d'n]@sj+1@…@sm = [d1,…,dn]} ⇒ C ∪ {[d1,…,dn] = [d'1,…,d'n], s1 = [], …, sm = []}",
        empty::empty_left,
    ),
    rule(
        "last_axes",
        Group::AppendUnpacking,
        "C ∪ {s@[d1,…,dn] = s'@[d'1,…,d'm]} ⇒ C ∪ {s@[d1,…,dn-1] = s'@[d'1,…,d'm-1], dn = d'm}",
        append::last_axes,
    ),
    rule(
        "first_axes",
        Group::AppendUnpacking,
        "C ∪ {[d1,…,dn]@s = [d'1,…,d'm]@s'} ⇒ C ∪ {[d2,…,dn]@s = [d'2,…,d'm]@s', d1 = d'1}",
        append::first_axes,
    ),
    rule(
        "too_many_left",
        Group::AppendDimensionality,
        "C ∪ {s1@…@sn = [d1,…,dm]} ⇒ FAIL if number of dimensions in s1, …, sn > m",
        append::too_many_left,
    ),
    rule(
        "too_many_right",
        Group::AppendDimensionality,
        "C ∪ {[d1,…,dm] = s1@…@sn} ⇒ FAIL if number of dimensions in s1, …, sn > m",
        append::too_many_right,
    ),
    rule(
        "simplify",
        Group::Simplification,
        "C ∪ {ṡ1 = ṡ2} ⇒ C ∪ {ṡ'1 = ṡ'2} where ṡ'1 = simp(ṡ1), ṡ'2 = simp(ṡ2) if ṡ1 ≢ ṡ'1 or ṡ2 ≢ ṡ'2",
        simplification::simplify,
    ),
    rule(
        "times",
        Group::Arithmetic,
        "C ∪ {(* d c1) = c2} ⇒ C ∪ {d = c2/c1} if c2 mod c1 = 0",
        arithmetic::times,
    ),
    rule(
        "plus",
        Group::Arithmetic,
        "C ∪ {(+ d c1) = c2} ⇒ C ∪ {d = c2 - c1} if c2 - c1 > 0",
        arithmetic::plus,
    ),
    rule(
        "minus",
        Group::Arithmetic,
        "C ∪ {(- d c1) = c2} ⇒ C ∪ {d = c1 + c2}",
        arithmetic::minus,
    ),
    rule(
        "partial_expression",
        Group::PartialExpression,
        "C + {(op s1 s2) = c} ⇒ C[c/(op s1 s2)] + {(op s1 s2) = c} if (op s1 s2) ∈ C",
        arithmetic::partial_expression,
    ),
];
