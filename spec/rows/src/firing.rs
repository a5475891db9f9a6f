//! The conclusions of a rule from one constraint. A rule changes nothing: it returns a [`Firing`], and
//! [`Configuration::apply`](crate::configuration::Configuration::apply) carries it out.

use std::collections::BTreeSet;

use crate::cause::Cause;
use crate::clash::Clash;
use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{DimTerm, DimVar, RowTerm, RowVar, Var};

/// The part of a binding that the constraints do not entail. A step that chooses something is a policy step
/// (Lemma 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Nothing: the binding is entailed.
    Nothing,
    /// The place of the marker. The flat content is entailed.
    Placement,
    /// The value itself, as in closing.
    Value,
}

/// A variable and the term that it is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// `α ↦ t`
    Dim(DimVar, DimTerm),
    /// `ρ ↦ R`
    Row(RowVar, RowTerm),
}

impl Value {
    /// Returns the variable.
    pub fn var(&self) -> Var {
        match self {
            Value::Dim(var, _) => Var::Dim(var.clone()),
            Value::Row(var, _) => Var::Row(var.clone()),
        }
    }

    /// Returns the variables of the term.
    pub fn occurrences(&self) -> Vec<Var> {
        match self {
            Value::Dim(_, term) => term.var().into_iter().collect(),
            Value::Row(_, term) => term.occurrences().collect(),
        }
    }

    /// Returns the term, in the notation.
    pub fn text(&self) -> String {
        match self {
            Value::Dim(_, term) => term.to_string(),
            Value::Row(_, term) => term.to_string(),
        }
    }
}

/// A binding, and what it chooses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The variable, and its value.
    pub value: Value,
    /// The part of it that the constraints do not entail.
    pub choice: Choice,
}

/// `|from| ≥ |to| + by` on a flank (Def. 4.5).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankFact {
    /// The flank.
    pub flank: Flank,
    /// The longer row.
    pub from: RowVar,
    /// The other one.
    pub to: RowVar,
    /// The least difference of their lengths.
    pub by: usize,
}

/// The conclusion of a rule applied to a constraint. Nothing has been carried out yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// The rule.
    pub rule: Rule,
    /// The causes of the bounds that the rule read. The cause of the constraint itself is added later.
    pub uses: Cause,
    /// Facts for the rank graph.
    pub facts: Vec<RankFact>,
    /// The binding that is made.
    pub binds: Option<Binding>,
    /// The constraint that is stored in B.
    pub stores: Option<Constraint>,
    /// A word equation that waits.
    pub defers: Option<Constraint>,
    /// The constraints that go into Φ, each with the causes that it rests on in addition to that of the constraint.
    pub emits: Vec<(Constraint, Cause)>,
    /// True if the constraint is processed again at once, under the new binding.
    pub again: bool,
    /// The contradiction. A firing that fails concludes nothing else.
    pub fails: Option<Clash>,
}

/// Returns a firing of the rule that discards the constraint, unless the methods below add a conclusion.
pub fn by(rule: Rule) -> Firing {
    Firing {
        rule,
        uses: Cause::default(),
        facts: Vec::new(),
        binds: None,
        stores: None,
        defers: None,
        emits: Vec::new(),
        again: false,
        fails: None,
    }
}

impl Firing {
    /// Makes the run fail.
    pub fn fails(mut self, clash: Clash) -> Firing {
        self.fails = Some(clash);
        self
    }

    /// Puts constraints into Φ.
    pub fn emits(mut self, constraints: impl IntoIterator<Item = Constraint>) -> Firing {
        let alone = |constraint| (constraint, Cause::default());
        self.emits.extend(constraints.into_iter().map(alone));
        self
    }

    /// Makes the axes that face each other equal.
    pub fn equates<'a>(
        self,
        facing: impl IntoIterator<Item = (&'a DimTerm, &'a DimTerm)>,
    ) -> Firing {
        let equal = |(a, b): (&DimTerm, &DimTerm)| Constraint::DimEq(a.clone(), b.clone());
        self.emits(facing.into_iter().map(equal))
    }

    /// Puts each result axis below the operand axis that it faces.
    pub fn orders<'a>(
        self,
        facing: impl IntoIterator<Item = (&'a DimTerm, &'a DimTerm)>,
    ) -> Firing {
        let below =
            |(low, high): (&DimTerm, &DimTerm)| Constraint::DimLe(low.clone(), high.clone());
        self.emits(facing.into_iter().map(below))
    }

    /// Puts constraints into Φ, each with further causes.
    pub fn forwards(
        mut self,
        constraints: impl IntoIterator<Item = (Constraint, Cause)>,
    ) -> Firing {
        self.emits.extend(constraints);
        self
    }

    /// Adds the cause of a bound that the rule read.
    pub fn because(mut self, cause: &Cause) -> Firing {
        self.uses.join(cause);
        self
    }

    /// Binds a dimension variable.
    pub fn binds_dim(mut self, var: &DimVar, term: DimTerm, choice: Choice) -> Firing {
        let value = Value::Dim(var.clone(), term);
        self.binds = Some(Binding { value, choice });
        self
    }

    /// Binds a row variable.
    pub fn binds_row(mut self, var: &RowVar, term: RowTerm, choice: Choice) -> Firing {
        let value = Value::Row(var.clone(), term);
        self.binds = Some(Binding { value, choice });
        self
    }

    /// Stores a bound.
    pub fn stores(mut self, bound: Constraint) -> Firing {
        self.stores = Some(bound);
        self
    }

    /// Keeps a constraint until one of its variables is bound.
    pub fn defers(mut self, constraint: Constraint) -> Firing {
        self.defers = Some(constraint);
        self
    }

    /// Records facts about ranks.
    pub fn records(mut self, facts: impl IntoIterator<Item = RankFact>) -> Firing {
        self.facts.extend(facts);
        self
    }

    /// Processes the constraint again at once.
    pub fn then_again(mut self) -> Firing {
        self.again = true;
        self
    }

    /// Tells whether the step chooses something that the constraints do not entail.
    pub fn is_policy(&self) -> bool {
        self.binds
            .as_ref()
            .is_some_and(|b| b.choice != Choice::Nothing)
            || self
                .fails
                .as_ref()
                .is_some_and(|clash| !clash.is_semantic())
    }
}

/// A source of variables that do not occur yet. Each rule gets its own copy, so a rule remains a pure function.
#[derive(Clone, Copy, Debug)]
pub struct Fresh<'a> {
    taken: &'a BTreeSet<Var>,
    next: usize,
}

impl<'a> Fresh<'a> {
    /// Makes a source of names that are not in `taken`, numbered from `next` on.
    pub fn new(taken: &'a BTreeSet<Var>, next: usize) -> Fresh<'a> {
        Fresh { taken, next }
    }

    /// Returns a dimension variable, named after another variable.
    pub fn dim(&mut self, after: &str) -> DimVar {
        loop {
            let var = DimVar::new(&self.name(after));
            if !self.taken.contains(&Var::Dim(var.clone())) {
                return var;
            }
        }
    }

    /// Returns a row variable, named after another one.
    pub fn row(&mut self, after: &str) -> RowVar {
        loop {
            let var = RowVar::new(&self.name(after));
            if !self.taken.contains(&Var::Row(var.clone())) {
                return var;
            }
        }
    }

    fn name(&mut self, after: &str) -> String {
        let stem = after.split('\'').next().filter(|stem| !stem.is_empty());
        let name = format!("{}'{}", stem.unwrap_or("x"), self.next);
        self.next += 1;
        name
    }
}
