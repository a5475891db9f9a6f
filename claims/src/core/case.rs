//! One constraint set with what the claims ask of it, each computed once.

use std::cell::{Cell, OnceCell};
use std::time::{Duration, Instant};

use crate::core::Witness;
use lozenge_spec::literal::Literal;
use lozenge_spec::solve::{End, Options, Run, solve};
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::{Nature, Rule};
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{Substitution, Var};
use lozenge_vocabulary::verdict::Order;

/// The four ways to choose the next constraint that are compared.
pub const STRATEGIES: [Strategy; 4] = [
    Strategy::First,
    Strategy::Last,
    Strategy::Random(1),
    Strategy::Adversarial,
];

/// Every order of three things.
pub(super) const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// The work after which a run on a small set is taken to have no end.
pub const WORK: u64 = 30_000;

/// Says whether a set has a solution, of any rank; `None` when that is not found out.
pub type Decide = fn(&ConstraintSet) -> Option<bool>;

/// A constraint set under examination.
pub struct Case {
    /// The set.
    pub set: ConstraintSet,
    decide: Option<Decide>,
    exists: OnceCell<Option<bool>>,
    shared: Cell<Duration>,
    runs: [OnceCell<Run>; 4],
    printed: OnceCell<Run>,
    closed: OnceCell<Run>,
    solutions: OnceCell<Vec<Ground>>,
}

/// Runs a small set.
pub fn run(set: &ConstraintSet, strategy: Strategy, literal: Literal, close: bool) -> Run {
    let options = Options {
        strategy,
        close,
        literal,
        work: WORK,
        ..Options::default()
    };
    solve(set, &options)
}

/// The dimensions that ground substitutions range over: the unit and two atoms.
pub fn universe(rank: usize) -> Universe {
    let dims = [Some(Dim::Unit), Dim::new(3), Dim::new(5)];
    Universe {
        dims: dims.into_iter().flatten().collect(),
        rank,
    }
}

impl Case {
    /// Nothing is computed yet. Solutions are looked for in a finite universe only.
    pub fn new(set: ConstraintSet) -> Case {
        Case::asking(set, None)
    }

    /// Nothing is computed yet. Where the finite universe holds no solution, this is asked whether there is one.
    pub fn asking(set: ConstraintSet, decide: Option<Decide>) -> Case {
        Case {
            set,
            decide,
            exists: OnceCell::new(),
            shared: Cell::default(),
            runs: Default::default(),
            printed: OnceCell::new(),
            closed: OnceCell::new(),
            solutions: OnceCell::new(),
        }
    }

    /// The run by the oldest constraint first.
    pub fn run(&self) -> &Run {
        self.by(0)
    }

    /// The run by one of the four strategies.
    pub fn by(&self, strategy: usize) -> &Run {
        self.runs[strategy].get_or_init(|| {
            self.timed(|| run(&self.set, STRATEGIES[strategy], Literal::default(), false))
        })
    }

    /// What is computed once for all claims is timed by itself.
    fn timed<T>(&self, compute: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let computed = compute();
        self.shared.set(self.shared.get() + start.elapsed());
        computed
    }

    /// How long it took so far to compute what claims share.
    pub fn shared_time(&self) -> Duration {
        self.shared.get()
    }

    /// The run with Defs. 4.3 and 4.5 by totals, as printed.
    pub fn printed(&self) -> &Run {
        self.printed.get_or_init(|| {
            let literal = Literal {
                totals: true,
                ..Literal::default()
            };
            self.timed(|| run(&self.set, Strategy::First, literal, false))
        })
    }

    /// The run through closing.
    pub fn closed(&self) -> &Run {
        self.closed.get_or_init(|| {
            self.timed(|| run(&self.set, Strategy::First, Literal::default(), true))
        })
    }

    /// The solutions over the unit and two atoms, rows up to rank 2.
    pub fn solutions(&self) -> &[Ground] {
        self.solutions.get_or_init(|| {
            self.timed(|| Solutions::new(&self.set, &universe(2), Order::Marked).collect())
        })
    }

    /// Whether there is a solution: one over the unit and two atoms, rows up to rank 2, or else what is said of all
    /// solutions by the one who is asked. `None` when that is not known. With nobody to ask, the universe is all there is.
    pub fn has_solution(&self) -> Option<bool> {
        *self.exists.get_or_init(|| {
            self.timed(|| {
                let found = match self.solutions.get() {
                    Some(all) => !all.is_empty(),
                    None => Solutions::new(&self.set, &universe(2), Order::Marked)
                        .next()
                        .is_some(),
                };
                match self.decide {
                    Some(decide) if !found => decide(&self.set),
                    _ => Some(found),
                }
            })
        })
    }

    /// Whether γ satisfies the set.
    pub fn is_solution(&self, gamma: &Ground) -> bool {
        gamma
            .first_violated(&self.set.constraints, Order::Marked)
            .is_none()
    }

    /// Whether no inequality between rows could look at a marker: then nothing can discriminate a placement.
    pub fn has_no_row_inequality(&self) -> bool {
        !self
            .set
            .constraints
            .iter()
            .any(|c| matches!(c, Constraint::RowLe(..)))
    }
}

/// Whether a run reached solved form.
pub fn solved(run: &Run) -> bool {
    matches!(run.end, End::Solved)
}

/// Whether a run reached solved form by semantic steps alone.
pub fn purely_semantic(run: &Run) -> bool {
    solved(run) && run.config.commitments.is_empty()
}

/// Whether every commitment of a run is a placement: no word equation was resolved.
pub fn only_placements(run: &Run) -> bool {
    run.config
        .commitments
        .iter()
        .all(|c| matches!(c.rule, Rule::ReOpenClosed | Rule::ReNested))
}

/// Whether a run took a policy step of any kind.
pub fn took_policy(run: &Run) -> bool {
    run.config
        .trace
        .iter()
        .flatten()
        .any(|step| step.rule.nature() == Nature::Policy)
}

/// `constr(B)` of a final configuration.
pub fn store(run: &Run) -> Vec<Constraint> {
    run.config.bounds.constraints().cloned().collect()
}

/// `eqns(σ)` of a substitution, `≈` between rows.
pub fn equations(sigma: &Substitution) -> Vec<Constraint> {
    let dims = sigma
        .dims
        .iter()
        .map(|(var, term)| Constraint::DimEq(var.clone().into(), term.clone()));
    let rows = sigma
        .rows
        .iter()
        .map(|(var, term)| Constraint::RowEq(var.clone().into(), term.clone()));
    dims.chain(rows).collect()
}

/// `γ ∘ σ` on the variables that σ binds, added to γ.
pub fn through(sigma: &Substitution, gamma: &Ground) -> Ground {
    let mut all = gamma.clone();
    for (var, term) in &sigma.dims {
        all.dims
            .extend(gamma.dim(term).map(|dim| (var.clone(), dim)));
    }
    for (var, term) in &sigma.rows {
        all.rows
            .extend(gamma.row(term).map(|row| (var.clone(), row)));
    }
    all
}

/// γ on some variables only.
pub fn restricted(gamma: &Ground, vars: &std::collections::BTreeSet<Var>) -> Ground {
    let mut all = gamma.clone();
    all.dims
        .retain(|var, _| vars.contains(&Var::Dim(var.clone())));
    all.rows
        .retain(|var, _| vars.contains(&Var::Row(var.clone())));
    all
}

/// The first variable at which γ is not below δ; rows are compared by `below`.
pub fn not_below(gamma: &Ground, delta: &Ground, below: fn(&Row, &Row) -> bool) -> Option<String> {
    let dims = gamma.dims.iter().find_map(|(var, low)| {
        let high = delta.dims.get(var)?;
        (!low.below(high)).then(|| format!("{var} = {low} is not below {var} = {high}"))
    });
    let rows = || {
        gamma.rows.iter().find_map(|(var, low)| {
            let high = delta.rows.get(var)?;
            (!below(low, high)).then(|| format!("{var} ~ {low} is not below {var} ~ {high}"))
        })
    };
    dims.or_else(rows)
}

/// γ on one line.
pub fn line(gamma: &Ground) -> String {
    let text = gamma.to_string();
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        "the empty substitution".into()
    } else {
        lines.join(", ")
    }
}

/// A constraint set as a witness.
pub fn witness(set: &ConstraintSet, why: String) -> Witness {
    Witness {
        text: set.to_string().trim_end().to_string(),
        why,
    }
}
