//! The premises of the rules, derived from the rules: they are run on every small constraint, and the premises of a
//! case are the shortest conjunction of `conditions` that holds exactly where a rule concludes what it concludes in
//! this case.
//!
//! Where no conjunction describes all of these constraints, several cases that may overlap describe them. Constraints
//! that no conjunction tells from those of another conclusion are in no case. A test finds them, and it finds every
//! case that is wrong of a larger constraint.
//!
//! The rules of sizes (§8) are run on the sets of [`crate::sized_sets`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::conditions::{Condition, conditions, is_shorter};
use crate::sized_sets::sized_sets;
use lozenge_spec::bounds::Bounds;
use lozenge_spec::clash::Clash;
use lozenge_spec::configuration::Configuration;
use lozenge_spec::elaboration::{ProjectionError, elaborate};
use lozenge_spec::firing::{Choice, Firing};
use lozenge_spec::rules::RULES;
use lozenge_spec::sizes::Sizes;
use lozenge_spec::solve::{Options, Runner};
use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::alignment::aligned;
use lozenge_vocabulary::composite::Composition;
use lozenge_vocabulary::constraint::Constraint::{self, DimEq, DimLe, RowEq, RowLe};
use lozenge_vocabulary::operation::{
    Accumulator, Combine, Function, Kind, Operation, Requirement, Shape, Side, TensorId,
};
use lozenge_vocabulary::{ConstraintSet, Dim, Row, RowTerm, Rule};

/// The effect of a rule on a constraint, apart from the constraints that it emits between the axes of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// The rule discards the constraint, or goes on to the axes that face each other.
    GoesOn,
    /// The rule replaces a dimension constraint by others.
    Replaces,
    /// The rule binds a variable without a choice.
    Binds,
    /// The rule binds a variable, and chooses something.
    Chooses,
    /// The rule stores a bound.
    Stores,
    /// The rule defers the constraint.
    Defers,
    /// The rule refuses the constraint.
    Refuses,
}

impl Effect {
    /// Returns the effect of a firing on a constraint.
    pub fn of(firing: &Firing, constraint: &Constraint) -> Effect {
        let is_of_dims = matches!(constraint, DimEq(..) | DimLe(..));
        match &firing.binds {
            _ if firing.fails.is_some() => Effect::Refuses,
            Some(binding) if binding.choice == Choice::Nothing => Effect::Binds,
            Some(_) => Effect::Chooses,
            None if firing.stores.is_some() => Effect::Stores,
            None if firing.defers.is_some() => Effect::Defers,
            None if is_of_dims && !firing.emits.is_empty() => Effect::Replaces,
            None => Effect::GoesOn,
        }
    }
}

/// A case in which a rule acts.
#[derive(Clone, Debug)]
pub struct Case {
    /// The rule.
    pub rule: Rule,
    /// Its effect in this case.
    pub effect: Effect,
    /// All of its conditions.
    pub premises: Vec<&'static Condition>,
}

impl Case {
    /// Tells whether the case is met.
    pub fn is_met(&self, constraint: &Constraint, sizes: Sizes) -> bool {
        let mut premises = self.premises.iter();
        premises.all(|premise| (premise.holds)(constraint, sizes))
    }

    /// Tells whether the rule refuses the constraint in this case.
    pub fn refuses(&self) -> bool {
        self.effect == Effect::Refuses
    }
}

/// The conditions of a list that hold: bit `i` stands for condition `i`.
type Holding = u32;

/// The observations on the constraints with one relation: the conditions, and for each combination of them the effects
/// that rules had, or did not have, where it occurred.
#[derive(Default)]
struct Seen {
    conditions: Vec<&'static Condition>,
    does: BTreeMap<(Rule, Effect), BTreeSet<Holding>>,
    does_not: BTreeMap<(Rule, Effect), BTreeSet<Holding>>,
}

impl Seen {
    fn holding(&mut self, constraint: &Constraint, sizes: Sizes) -> Holding {
        self.conditions = conditions(constraint).collect();
        let holding = self.conditions.iter().enumerate();
        let holding = holding.filter(|(_, condition)| (condition.holds)(constraint, sizes));
        holding.map(|(bit, _)| 1 << bit).sum()
    }

    fn note(&mut self, outcome: (Rule, Effect), does: bool, holding: Holding) {
        let seen = match does {
            true => &mut self.does,
            false => &mut self.does_not,
        };
        seen.entry(outcome).or_default().insert(holding);
    }

    /// Returns the cases of every rule, in the order of the document.
    fn cases(&self) -> Vec<Case> {
        let cases = self.does.iter().flat_map(|(&(rule, effect), own)| {
            let none = BTreeSet::new();
            let others = self.does_not.get(&(rule, effect)).unwrap_or(&none);
            let conjunctions = conjunctions(own, others, self.conditions.len());
            conjunctions.into_iter().map(move |conjunction| Case {
                rule,
                effect,
                premises: self.stated(conjunction),
            })
        });
        cases.collect()
    }

    fn stated(&self, conjunction: Holding) -> Vec<&'static Condition> {
        let conditions = self.conditions.iter().enumerate();
        let stated = conditions.filter(|(bit, _)| conjunction & (1 << bit) != 0);
        stated.map(|(_, condition)| *condition).collect()
    }
}

/// Finds short conjunctions that together hold of all of `own` and of none of the `others`: one if possible, else one
/// for each condition that is needed to tell them apart, the condition first that tells most of them apart.
fn conjunctions(
    own: &BTreeSet<Holding>,
    others: &BTreeSet<Holding>,
    conditions: usize,
) -> Vec<Holding> {
    let mut left = own.clone();
    let mut found = Vec::new();
    while !left.is_empty() {
        let single = (0..conditions).map(|bit| 1 << bit);
        let parts = std::iter::once(0)
            .chain(single)
            .filter_map(|split: Holding| {
                let part = own.iter().filter(|&&one| one & split == split);
                let common = part.copied().reduce(|a, b| a & b)?;
                let new = left.iter().filter(|&&one| one & split == split).count();
                (new > 0 && excludes(common, others)).then_some((new, common))
            });
        // Of equally large parts the first, in the order of the conditions.
        let Some((_, common)) = parts.rev().max_by_key(|(new, _)| *new) else {
            break;
        };
        let conjunction = shortest(common, others);
        left.retain(|&one| one & conjunction != conjunction);
        found.push(conjunction);
    }
    found
}

fn excludes(conjunction: Holding, others: &BTreeSet<Holding>) -> bool {
    others
        .iter()
        .all(|other| other & conjunction != conjunction)
}

/// Returns the part with the fewest conditions that still excludes the others; of equally short ones that with the
/// first conditions.
fn shortest(conjunction: Holding, others: &BTreeSet<Holding>) -> Holding {
    let mut parts = vec![conjunction];
    while let Some(next) = parts.last().filter(|part| **part != 0) {
        parts.push((next - 1) & conjunction);
    }
    let sound = parts.into_iter().filter(|part| excludes(*part, others));
    let shortest = sound.min_by_key(|part| (part.count_ones(), Reverse(part.reverse_bits())));
    shortest.unwrap_or(conjunction)
}

/// The number of relations that are told apart.
const RELATIONS: usize = 10;

/// The cases for each relation, in the order of [`relation`].
type Cases = [Vec<Case>; RELATIONS];

/// Returns the number of the relation of a constraint. A product whose rows are all closed is a product of axes.
fn relation(constraint: &Constraint) -> usize {
    match constraint {
        DimEq(..) => 0,
        DimLe(..) => 1,
        RowEq(..) => 2,
        RowLe(..) => 3,
        Constraint::Window(_) => 4,
        Constraint::Composite(of) if of.composition == Composition::Concat => 5,
        Constraint::Composite(_) => 6,
        Constraint::Elements(of) if of.closed().is_some() => 6,
        Constraint::Elements(_) => 7,
        Constraint::AtLeast { .. } => 8,
        Constraint::Flat(_) => 9,
    }
}

fn of(cases: &'static Cases, constraint: &Constraint) -> &'static [Case] {
    &cases[relation(constraint)]
}

/// Returns the cases of the shape rules (Defs. 4.2 and 4.3, and §8) for the relation of a constraint.
pub fn of_shapes(constraint: &Constraint) -> &'static [Case] {
    of(&SHAPES, constraint)
}

/// Returns the cases of the projection rules (Def. 7.2) for the relation of a ground constraint. Where one refuses, no
/// other acts.
pub fn of_projections(constraint: &Constraint) -> &'static [Case] {
    of(&PROJECTIONS, constraint)
}

/// Returns every case, those of the shape rules first.
pub fn all() -> impl Iterator<Item = &'static Case> {
    SHAPES.iter().chain(PROJECTIONS.iter()).flatten()
}

/// Returns every set of these scopes.
pub fn sets(scopes: &[Scope]) -> impl Iterator<Item = ConstraintSet> {
    let families = scopes.iter().map(Family::new);
    families.flat_map(|family| {
        let starts = (0..family.starts()).flat_map(|i| family.starting_at(i));
        starts.collect::<Vec<_>>()
    })
}

/// Returns the constants of the constraints on which the rules are run.
fn constants() -> Vec<Dim> {
    let sizes = [1, 3, 5].into_iter().filter_map(Dim::new);
    std::iter::once(Dim::Unit).chain(sizes).collect()
}

static SHAPES: LazyLock<Cases> = LazyLock::new(|| {
    let dims = Scope {
        constraints: 1,
        axes: 2,
        dims: constants(),
        dim_vars: 2,
        row_vars: 0,
    };
    let ordered = Scope {
        constraints: 2,
        axes: 0,
        ..dims.clone()
    };
    let rows = Scope {
        dims: Vec::new(),
        dim_vars: 1,
        row_vars: 2,
        ..dims.clone()
    };
    let mut concluded: BTreeSet<(usize, Holding, (Rule, Effect))> = BTreeSet::new();
    let mut seen: [Seen; RELATIONS] = Default::default();
    let mut look = |constraint: &Constraint, sizes: Sizes, firing: &Firing| {
        let relation = relation(constraint);
        let holding = seen[relation].holding(constraint, sizes);
        let outcome = (firing.rule, Effect::of(firing, constraint));
        concluded.insert((relation, holding, outcome));
    };
    for mut set in sets(&[dims, ordered, rows]).chain(sized_sets()) {
        each_firing(&set, &mut look);
        set.constraints.reverse();
        each_firing(&set, &mut look);
    }
    // Exactly one rule of a relation fires, so what one does the others do not.
    for (relation, seen) in seen.iter_mut().enumerate() {
        let own = concluded.iter().filter(|(own, ..)| *own == relation);
        let outcomes: BTreeSet<_> = own.clone().map(|(.., outcome)| *outcome).collect();
        for (_, holding, does) in own {
            for outcome in &outcomes {
                seen.note(*outcome, outcome == does, *holding);
            }
        }
    }
    seen.map(|seen| seen.cases())
});

/// Solves a set, and shows each constraint at the moment when it is processed, with what the rules read beside it and
/// what the rule concludes.
pub fn each_firing(set: &ConstraintSet, mut look: impl FnMut(&Constraint, Sizes, &Firing)) {
    let mut config = Configuration::new(set, false);
    let mut runner = Runner::new(RULES, &Options::default());
    loop {
        let next = config.next.as_ref().or_else(|| config.pending.front());
        let Some(next) = next else { return };
        let constraint = config.substituted(next).constraint;
        look(
            &constraint,
            config.sizes(),
            &RULES.fire(&constraint, &config),
        );
        if runner.step(&mut config).is_err() {
            return;
        }
    }
}

/// The effect of the rules of Def. 7.2 on a constraint between two ground rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elaboration {
    /// The rules that gave equations, and P4, which gives those of P1.
    Equations(BTreeSet<Rule>),
    /// The rule that refused the constraint.
    Refused(Rule),
}

/// Reads a constraint between two rows as that of an operation on two tensors, the result first. `None` unless it is
/// one between ground rows.
pub fn elaboration(constraint: &Constraint) -> Option<Elaboration> {
    let (RowEq(a, b) | RowLe(a, b)) = constraint else {
        return None;
    };
    let rows: [Row; 2] = [a.ground()?, b.ground()?];
    let shape = |tensor: TensorId| Shape {
        output: rows[tensor.0].clone(),
        ..Shape::default()
    };
    match elaborate(&operation(constraint), shape) {
        Ok(found) => {
            let aligned = matches!(constraint, RowEq(..)).then_some(Rule::P4);
            let rules = found.equations.iter().map(|(rule, _)| *rule);
            Some(Elaboration::Equations(rules.chain(aligned).collect()))
        }
        Err(ProjectionError::Misaligned { reason, .. }) => {
            refusing(&reason).map(Elaboration::Refused)
        }
        Err(_) => None,
    }
}

/// Returns the rule of Def. 7.2 that reads the relation that does not hold.
fn refusing(clash: &Clash) -> Option<Rule> {
    match clash {
        Clash::Unequal(..) => Some(Rule::P1),
        Clash::NotBelow { .. } => Some(Rule::P3),
        Clash::Ranks(..) => Some(Rule::P4),
        Clash::Short { .. } => Some(Rule::P5),
        _ => None,
    }
}

fn operation(constraint: &Constraint) -> Operation {
    let [low, high] = [0, 1].map(|slot| Side::Slot(slot, Kind::Output));
    Operation {
        slots: vec![TensorId(0), TensorId(1)],
        requirements: vec![match constraint {
            RowEq(..) => Requirement::Equal(low, high),
            _ => Requirement::Below(low, high),
        }]
        .into(),
        pins: BTreeMap::new(),
        region: Default::default(),
        accumulator: Accumulator {
            erase: true,
            combine: Combine::Add,
        },
        function: Function::Multiply,
    }
}

static PROJECTIONS: LazyLock<Cases> = LazyLock::new(|| {
    let scope = Scope {
        constraints: 1,
        axes: 2,
        dims: constants(),
        dim_vars: 0,
        row_vars: 0,
    };
    let mut seen: [Seen; RELATIONS] = Default::default();
    let bounds = Bounds::default();
    for set in sets(&[scope]) {
        let [constraint] = &set.constraints[..] else {
            continue;
        };
        let Some(elaboration) = elaboration(constraint) else {
            continue;
        };
        // The rules about axes are seen where a row has a single one, which faces the only one of the other.
        let read = read_by_projections(constraint);
        for (relation, constraint) in read.iter().map(|c| (relation(c), c)) {
            if read.len() > 2 {
                continue;
            }
            let holding = seen[relation].holding(constraint, nothing_known(&bounds));
            for rule in READERS.get(relation).copied().unwrap_or_default() {
                note(&mut seen[relation], *rule, &elaboration, holding);
            }
        }
    }
    seen.map(|seen| seen.cases())
});

/// Returns the input of the rules at closed shapes, where nothing is stored and nothing waits.
pub fn nothing_known(none: &Bounds) -> Sizes<'_> {
    Sizes {
        bounds: none,
        deferred: &[],
    }
}

/// The rules of Def. 7.2 that read each relation.
const READERS: [&[Rule]; 4] = [
    &[Rule::P1],
    &[Rule::P2, Rule::P3],
    &[Rule::P4, Rule::P6],
    &[Rule::P5, Rule::P6],
];

/// Notes that a rule refuses, or another one does, or it acts or does not act where none refuses.
fn note(seen: &mut Seen, rule: Rule, elaboration: &Elaboration, holding: Holding) {
    let refuses = *elaboration == Elaboration::Refused(rule);
    seen.note((rule, Effect::Refuses), refuses, holding);
    if let Elaboration::Equations(rules) = elaboration {
        seen.note((rule, Effect::GoesOn), rules.contains(&rule), holding);
    }
}

/// Returns a ground constraint together with the constraints between the axes that face each other, where its rows can
/// be aligned. Empty unless the constraint is ground.
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
