//! One constraint set with the results that several claims need, each computed once.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::formal_core::reading::Reading;
use crate::machinery::{Subject, Witness};
use lozenge_oracle::{Limits, Oracle};
use lozenge_spec::rules::Rules;
use lozenge_spec::solve::{End, Options, Run, solve_by};
use lozenge_spec::strategy::Strategy;
use lozenge_testkit::enumeration::{Solutions, Universe};
use lozenge_testkit::minimise;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::dim::Dim;
use lozenge_vocabulary::row::Row;
use lozenge_vocabulary::rule::{Nature, Rule};
use lozenge_vocabulary::satisfaction::Ground;
use lozenge_vocabulary::term::{Substitution, Var};
use lozenge_vocabulary::verdict::{Order, Verdict};

/// The four ways of choosing the next constraint that are compared.
pub const STRATEGIES: [Strategy; 4] = [
    Strategy::First,
    Strategy::Last,
    Strategy::Random(1),
    Strategy::Adversarial,
];

/// Every order of three things.
pub const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// The work after which a run on a small set is taken not to end.
pub const WORK: u64 = 30_000;

/// A constraint set under one reading of the rules.
#[derive(Clone)]
pub struct Case {
    /// The set.
    pub set: Rc<ConstraintSet>,
    reading: Reading,
    computed: Rc<Computed>,
}

/// The results that several claims need of a set, each computed once. Runs are kept by reading.
#[derive(Default)]
struct Computed {
    time: Cell<Duration>,
    runs: [[OnceCell<Run>; STRATEGIES.len()]; Reading::ALL.len()],
    closed: [OnceCell<Run>; Reading::ALL.len()],
    solutions: OnceCell<Vec<Ground>>,
    exists: OnceCell<Option<bool>>,
}

/// Runs a small set.
pub fn run(set: &ConstraintSet, strategy: Strategy, rules: Rules, close: bool) -> Run {
    let options = Options {
        strategy,
        close,
        work: WORK,
        ..Options::default()
    };
    solve_by(rules, set, &options)
}

/// Returns the dimensions that ground substitutions range over: the unit and two atoms.
pub fn universe(rank: usize) -> Universe {
    let dims = [Some(Dim::Unit), Dim::new(3), Dim::new(5)];
    Universe {
        dims: dims.into_iter().flatten().collect(),
        rank,
    }
}

/// Tells whether a set has a solution of any rank and over any atoms, according to Z3, which knows no rule. `None` when
/// Z3 does not decide it.
pub fn by_z3(set: &ConstraintSet) -> Option<bool> {
    let limits = Limits {
        time: Duration::from_secs(10),
        ..Limits::default()
    };
    let oracle = Oracle::new(Order::Marked).with_limits(limits);
    match oracle.sat(set).verdict() {
        Verdict::Sat => Some(true),
        Verdict::Unsat => Some(false),
        Verdict::Rejected | Verdict::Unknown => None,
    }
}

impl Subject for Case {
    type Instance = ConstraintSet;
    type Rules = Reading;

    const RULES: &'static [Reading] = &Reading::ALL;

    fn new(set: ConstraintSet) -> Case {
        Case {
            set: Rc::new(set),
            reading: Reading::Repaired,
            computed: Rc::default(),
        }
    }

    fn under(&self, reading: Reading) -> Case {
        Case {
            reading,
            ..self.clone()
        }
    }

    fn instance(&self) -> &ConstraintSet {
        &self.set
    }

    fn shared_time(&self) -> Duration {
        self.computed.time.get()
    }

    fn outcome(&self) -> String {
        let run = if self.set.tags.is_empty() {
            self.run()
        } else {
            self.closed()
        };
        match (run.failure(), run.greatest()) {
            (Some(failure), _) => format!("refused: {}", failure.to_string().replace('\n', ";")),
            (None, Some(gamma)) if gamma.dims.is_empty() && gamma.rows.is_empty() => {
                "accepted".into()
            }
            (None, Some(gamma)) => format!("accepted with {}", line(&gamma)),
            (None, None) => format!("no end within {WORK} units of work"),
        }
    }

    fn smaller(set: &ConstraintSet) -> Vec<ConstraintSet> {
        minimise::smaller(set)
    }
}

impl Case {
    /// Returns the rules under which the set is run.
    pub fn reading(&self) -> Reading {
        self.reading
    }

    /// Returns the run that processes the oldest constraint first.
    pub fn run(&self) -> &Run {
        self.by(0)
    }

    /// Returns the run by one of the four strategies.
    pub fn by(&self, strategy: usize) -> &Run {
        self.computed.runs[self.reading as usize][strategy].get_or_init(|| {
            self.timed(|| run(&self.set, STRATEGIES[strategy], self.reading.rules(), false))
        })
    }

    /// Returns the run that processes the oldest constraint first, without the cycle check of Def. 4.5.
    pub fn unguarded(&self) -> Run {
        run(&self.set, Strategy::First, self.reading.unguarded(), false)
    }

    /// Returns the run through closing.
    pub fn closed(&self) -> &Run {
        self.computed.closed[self.reading as usize].get_or_init(|| {
            self.timed(|| run(&self.set, Strategy::First, self.reading.rules(), true))
        })
    }

    /// Times separately what is computed once for all claims.
    fn timed<T>(&self, compute: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let computed = compute();
        let time = &self.computed.time;
        time.set(time.get() + start.elapsed());
        computed
    }

    /// Returns the solutions over the unit and two atoms, rows up to rank 2.
    pub fn solutions(&self) -> &[Ground] {
        self.computed.solutions.get_or_init(|| {
            self.timed(|| Solutions::new(&self.set, &universe(2), Order::Marked).collect())
        })
    }

    /// Tells whether there is a solution: first by enumeration over the unit and two atoms with rows up to rank 2, then
    /// by Z3. `None` when Z3 does not decide it.
    pub fn has_solution(&self) -> Option<bool> {
        *self.computed.exists.get_or_init(|| {
            self.timed(|| {
                let found = match self.computed.solutions.get() {
                    Some(all) => !all.is_empty(),
                    None => Solutions::new(&self.set, &universe(2), Order::Marked)
                        .next()
                        .is_some(),
                };
                if found { Some(true) } else { by_z3(&self.set) }
            })
        })
    }

    /// Tells whether γ satisfies the set.
    pub fn is_solution(&self, gamma: &Ground) -> bool {
        gamma
            .first_violated(&self.set.constraints, Order::Marked)
            .is_none()
    }

    /// Tells whether the set has no inequality between rows, so that nothing can distinguish two placements of a
    /// marker.
    pub fn has_no_row_inequality(&self) -> bool {
        !self
            .set
            .constraints
            .iter()
            .any(|c| matches!(c, Constraint::RowLe(..)))
    }
}

/// Tells whether a run reached solved form.
pub fn solved(run: &Run) -> bool {
    matches!(run.end, End::Solved)
}

/// Tells whether a run reached solved form by semantic steps alone.
pub fn purely_semantic(run: &Run) -> bool {
    solved(run) && run.config.commitments.is_empty()
}

/// Tells whether every commitment of a run is a placement: no word equation was resolved.
pub fn only_placements(run: &Run) -> bool {
    run.config
        .commitments
        .iter()
        .all(|c| matches!(c.rule, Rule::ReOpenClosed | Rule::ReNested))
}

/// Tells whether a run took a policy step of any kind. A `rejected` run did so by definition, even if the failing step
/// is not in its trace.
pub fn took_policy(run: &Run) -> bool {
    let mut steps = run.config.trace.iter().flatten();
    run.verdict() == Verdict::Rejected || steps.any(|step| step.rule.nature() == Nature::Policy)
}

/// Returns `constr(B)` of a final configuration.
pub fn store(run: &Run) -> Vec<Constraint> {
    run.config.bounds.constraints().cloned().collect()
}

/// Returns `eqns(σ)` of a substitution, `≈` between rows.
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

/// Returns `γ ∘ σ` on the variables that σ binds, added to γ.
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

/// Returns γ on some variables only.
pub fn restricted(gamma: &Ground, vars: &std::collections::BTreeSet<Var>) -> Ground {
    let mut all = gamma.clone();
    all.dims
        .retain(|var, _| vars.contains(&Var::Dim(var.clone())));
    all.rows
        .retain(|var, _| vars.contains(&Var::Row(var.clone())));
    all
}

/// Returns the first variable at which γ is not below δ; rows are compared by `below`.
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

/// Writes γ on one line.
pub fn line(gamma: &Ground) -> String {
    let text = gamma.to_string();
    let lines: Vec<&str> = text.lines().collect();
    if lines.is_empty() {
        "the empty substitution".into()
    } else {
        lines.join(", ")
    }
}

/// Returns a constraint set as a witness.
pub fn witness(set: &ConstraintSet, why: impl Into<String>) -> Witness {
    Witness::new(set.to_string().trim_end(), why)
}

/// Returns a set that is written in the source code.
pub fn parsed(text: &str) -> ConstraintSet {
    // A text that cannot be read gives the empty set; then no claim that uses it holds, so that the mistake is noticed.
    text.parse().unwrap_or_default()
}
