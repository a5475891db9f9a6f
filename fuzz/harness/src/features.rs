//! The features that an input reaches: the coverage that reports show, and by which a corpus is kept small.

use std::collections::BTreeSet;

use lozenge_spec::elaboration::elaborate;
use lozenge_spec::{Options, solve};
use lozenge_vocabulary::{ConstraintSet, Row, RowTerm, Rule};

use crate::execution::read;
use crate::input::Input;
use crate::outcome::Comparison;

/// The rules that fire on an input and the rule that fails on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The rules that fire, in this order, each pair of neighbours once.
    pub fired: Vec<Rule>,
    /// The rule that fails.
    pub failed: Option<Rule>,
}

fn of_set(set: &ConstraintSet) -> Rules {
    let options = Options {
        close: true,
        ..Options::default()
    };
    let run = solve(set, &options);
    let steps = run.config.trace.iter().flatten();
    Rules {
        fired: steps.map(|step| step.rule).collect(),
        failed: run.failure().map(|failure| failure.rule),
    }
}

/// The rules of a program: those of its constraints, and P1 to P6 where it closes.
fn of_program(text: &str) -> Rules {
    let Ok((program, constraints)) = read(text) else {
        return Rules::default();
    };
    let mut rules = of_set(&constraints.set);
    let options = Options {
        close: true,
        traced: false,
        ..Options::default()
    };
    let Some(ground) = solve(&constraints.set, &options).greatest() else {
        return rules;
    };
    let row = |term: &RowTerm| -> Row { ground.row(term).unwrap_or_default() };
    for operation in program.operations() {
        let shape = |id| program[id].shape.map(|_, term| row(term));
        if let Ok(elaborated) = elaborate(operation, shape) {
            let read = elaborated.equations.iter().map(|(rule, _)| *rule);
            rules.fired.extend(read);
        }
    }
    rules
}

/// The rules that an input reaches.
pub fn rules(input: &Input) -> Rules {
    match input {
        Input::Set(set) => of_set(set),
        Input::Program(text) => of_program(text),
        Input::System(_) | Input::Operation(_) | Input::Text(_) => Rules::default(),
    }
}

/// The messages about a text, without the parts that they quote from it.
fn messages(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    if let Err(error) = lozenge_vocabulary::notation::parse(text) {
        all.push(format!("notation: {}", error.expected));
    }
    if let Err(errors) = lozenge_lang::parse(text) {
        let unquoted = |message: &str| -> String {
            message.split('`').step_by(2).collect::<Vec<_>>().join("`")
        };
        all.extend(
            errors
                .iter()
                .map(|error| format!("surface: {}", unquoted(&error.message))),
        );
    }
    all
}

/// The features that distinguish an input from others: its outcome and answer, rules, pairs of successive rules, errors.
pub fn features(input: &Input, examined: &Comparison) -> BTreeSet<String> {
    let rules = rules(input);
    let mut all = BTreeSet::from([
        examined.outcome.key(),
        format!("answer {}", examined.answer),
    ]);
    all.extend(rules.fired.iter().map(|rule| format!("fires {rule}")));
    let neighbours = rules.fired.windows(2);
    all.extend(neighbours.map(|pair| format!("{} then {}", pair[0], pair[1])));
    all.extend(rules.failed.iter().map(|rule| format!("fails {rule}")));
    match input {
        Input::Text(text) => all.extend(messages(text)),
        Input::System(system) => {
            all.insert(format!("{} slots", system.sizes.len()));
            all.insert(format!("{} equations", system.equations.len()));
        }
        Input::Set(_) | Input::Program(_) | Input::Operation(_) => {}
    }
    all
}
