//! Infinite runs, confirmed by an argument: a configuration that recurs again and again, up to the names of its
//! variables and the lengths to which its flanks have grown.

use lozenge_spec::cause::Pending;
use lozenge_spec::configuration::Configuration;
use lozenge_spec::rules::Rules;
use lozenge_spec::solve::{Options, Runner};
use lozenge_spec::strategy::Strategy;
use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::constraint::{Constraint, ConstraintSet};
use lozenge_vocabulary::rule::Rule;
use lozenge_vocabulary::term::{RowTerm, RowVar};

/// The evidence that a run does not end: everything that the row rules read (variables, lengths, order in the queue,
/// rank facts between live variables) recurs up to the names of variables. Row rules never read sizes, so only a
/// failing dimension constraint could end the run, and a witness over the unit alone has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The number of deficit steps in one turn.
    pub period: usize,
    /// The number of turns that were compared.
    pub turns: usize,
    /// The longest flank at the end of each turn: all equal, or growing while everything else stays the same.
    pub flanks: Vec<usize>,
}

impl std::fmt::Display for Divergence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let growing = self.flanks.windows(2).all(|pair| pair[0] < pair[1]);
        write!(
            f,
            "the row constraints and the rank facts between live variables come back up to renaming every {} deficit steps, {} \
             times in a row, ",
            self.period, self.turns
        )?;
        if growing {
            let flanks: Vec<String> = self.flanks.iter().map(usize::to_string).collect();
            write!(f, "with flanks that only grow: {}", flanks.join(", "))
        } else {
            f.write_str("with the same lengths")
        }
    }
}

/// The number of steps within which a recurrence is looked for.
const STEPS: usize = 1500;
/// The largest number of deficit steps that are examined; the second constant is the number of times that a turn has to
/// recur.
const DEFICITS: usize = 60;
const TURNS: usize = 6;

/// Looks for an infinite run. `None` if the run ends or no recurrence was found.
pub fn divergence(set: &ConstraintSet, rules: Rules, strategy: Strategy) -> Option<Divergence> {
    let options = Options {
        strategy,
        ..Options::default()
    };
    let mut config = Configuration::new(set, true);
    let mut runner = Runner::new(rules, &options);
    let mut portraits: Vec<Portrait> = Vec::new();
    let mut read = 0;
    for _ in 0..STEPS {
        if portraits.len() >= DEFICITS {
            break;
        }
        match runner.step(&mut config) {
            Ok(true) => {}
            Ok(false) | Err(_) => return None,
        }
        let trace = config.trace.as_deref().unwrap_or_default();
        let grew = trace[read..]
            .iter()
            .any(|step| step.rule == Rule::RiDeficit);
        read = trace.len();
        if grew {
            portraits.push(Portrait::of(&config));
        }
    }
    recurrence(&portraits)
}

/// Returns a period at the end of the portraits: with equal lengths, or with lengths that only grow.
fn recurrence(portraits: &[Portrait]) -> Option<Divergence> {
    let n = portraits.len();
    (1..=n / TURNS).find_map(|period| {
        let tail = &portraits[n - TURNS * period..];
        let again = |same: fn(&Portrait, &Portrait) -> bool| {
            tail.iter().zip(&tail[period..]).all(|(a, b)| same(a, b))
        };
        let longest = |turn: usize| {
            tail[turn * period..(turn + 1) * period]
                .iter()
                .map(|p| p.longest)
                .max()
        };
        let flanks: Vec<usize> = (0..TURNS).filter_map(longest).collect();
        let grows = flanks.windows(2).all(|pair| pair[0] < pair[1]);
        let found = again(|a, b| a.exact == b.exact) || grows && again(|a, b| a.shape == b.shape);
        found.then_some(Divergence {
            period,
            turns: TURNS,
            flanks,
        })
    })
}

/// The part of a configuration that row rules read, with its variables numbered by first occurrence.
struct Portrait {
    exact: String,
    /// The same with each length and weight reduced to whether it is zero.
    shape: String,
    longest: usize,
}

impl Portrait {
    fn of(config: &Configuration) -> Portrait {
        let substituted = |p: &Pending| config.substituted(p).constraint;
        let flight = config.next.iter().chain(&config.pending);
        let mut constraints: Vec<Constraint> = flight.map(substituted).collect();
        constraints.extend(config.deferred.iter().map(substituted));
        constraints.retain(|c| matches!(c, Constraint::RowEq(..) | Constraint::RowLe(..)));
        let flight = constraints.len();
        let row = |c: &&Constraint| matches!(c, Constraint::RowLe(..));
        constraints.extend(config.bounds.constraints().filter(row).cloned());
        let mut numbers = Numbering::default();
        let exact: Vec<String> = constraints
            .iter()
            .map(|c| numbers.constraint(c, usize::MAX))
            .collect();
        let shape: Vec<String> = constraints
            .iter()
            .map(|c| numbers.constraint(c, 1))
            .collect();
        Portrait {
            exact: format!(
                "{flight} {} {}",
                exact.join("; "),
                numbers.facts(config, usize::MAX)
            ),
            shape: format!("{flight} {} {}", shape.join("; "), numbers.facts(config, 1)),
            longest: constraints.iter().map(longest_flank).max().unwrap_or(0),
        }
    }
}

fn longest_flank(constraint: &Constraint) -> usize {
    match constraint {
        Constraint::RowEq(a, b) | Constraint::RowLe(a, b) => [a, b]
            .iter()
            .flat_map(|row| [row.leading.len(), row.trailing.len()])
            .max()
            .unwrap_or(0),
        _ => 0,
    }
}

#[derive(Default)]
struct Numbering {
    rows: Vec<RowVar>,
}

impl Numbering {
    fn number(&mut self, var: &RowVar) -> usize {
        let known = self.rows.iter().position(|known| known == var);
        known.unwrap_or_else(|| {
            self.rows.push(var.clone());
            self.rows.len() - 1
        })
    }

    fn row(&mut self, row: &RowTerm, cut: usize) -> String {
        let var = row
            .var
            .as_ref()
            .map_or("⋄".to_string(), |var| format!("r{}", self.number(var)));
        format!(
            "[{} {var} {}]",
            row.leading.len().min(cut),
            row.trailing.len().min(cut)
        )
    }

    fn constraint(&mut self, constraint: &Constraint, cut: usize) -> String {
        match constraint {
            Constraint::RowEq(a, b) => format!("{} ~ {}", self.row(a, cut), self.row(b, cut)),
            Constraint::RowLe(a, b) => format!("{} <= {}", self.row(a, cut), self.row(b, cut)),
            _ => String::new(),
        }
    }

    /// Returns the facts with which later ones can still form a cycle: the heaviest walks between live variables.
    fn facts(&self, config: &Configuration, cut: usize) -> String {
        let mut facts = String::new();
        for flank in [Flank::Leading, Flank::Trailing] {
            for (i, from) in self.rows.iter().enumerate() {
                for (j, to) in self.rows.iter().enumerate() {
                    if let Some(weight) = config
                        .ranks
                        .weight(flank, from, to)
                        .filter(|w| i != j || *w > 0)
                    {
                        facts.push_str(&format!("{flank:?} r{i} {} r{j}; ", weight.min(cut)));
                    }
                }
            }
        }
        facts
    }
}
