//! The statements of a derivation about a program: one for each row, with its value. The solver finds a row bit by bit,
//! at least so many axes, then no others, then the place of the marker; a reader asks which axes it has and who asked
//! for them.

use std::collections::BTreeMap;
use std::fmt::Write;

use lozenge_solver::{Cited, Derivation, DerivationStep, Solver, Standing};
use lozenge_vocabulary::program::Span;
use lozenge_vocabulary::{Rule, Var};

use super::words::Explainer;
use super::{commits, some_of};

/// A row with its value, or a size as a step states it.
pub struct Statement {
    /// The row or the size, and its value.
    pub text: String,
    /// The earlier statements that it uses, by their numbers from 0.
    pub uses: Vec<usize>,
    /// The rules of the steps that it stands for.
    rules: Vec<(Rule, bool)>,
    /// The constraints behind it.
    cited: Vec<Cited>,
}

/// Returns the row of which a step says something, by the name of its variable.
fn subject<'s>(step: &'s DerivationStep, solver: &Solver) -> Option<&'s str> {
    let named = step.text.split('<').skip(1);
    let mut named = named.filter_map(|rest| rest.split_once('>').map(|(name, _)| name));
    named.find(|name| solver.solution().row(name).is_some())
}

/// Returns the statements of a derivation, each behind those that it uses. A row stands where the last of its steps
/// stood.
pub fn statements(
    explainer: &Explainer,
    solver: &Solver,
    derivation: &Derivation,
) -> Vec<Statement> {
    let steps = &derivation.steps;
    let about: Vec<Option<&str>> = steps.iter().map(|step| subject(step, solver)).collect();
    let mut last: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, row) in about.iter().enumerate() {
        if let Some(row) = row {
            last.insert(row, at);
        }
    }
    let is_last = |at: usize| about[at].is_none_or(|row| last[row] == at);
    let kept: Vec<usize> = (0..steps.len()).filter(|at| is_last(*at)).collect();
    let number: BTreeMap<usize, usize> = kept.iter().enumerate().map(|(n, at)| (*at, n)).collect();
    let statement_of = |at: usize| number[&about[at].map_or(at, |row| last[row])];
    let mut statements: Vec<Statement> = kept
        .iter()
        .map(|at| Statement {
            text: match about[*at].and_then(|row| Some((row, solver.solution().row(row)?))) {
                Some((row, value)) => format!("{} = {value}", explainer.row_in_words(row)),
                None => explainer.in_words(&steps[*at].text),
            },
            uses: Vec::new(),
            rules: Vec::new(),
            cited: Vec::new(),
        })
        .collect();
    for (at, step) in steps.iter().enumerate() {
        let own = statement_of(at);
        let uses = step.uses.iter().map(|used| statement_of(used - 1));
        let statement = &mut statements[own];
        statement.uses.extend(uses.filter(|used| *used < own));
        statement.rules.push((step.rule, step.policy));
        let known: Vec<usize> = statement.cited.iter().map(|cited| cited.index).collect();
        let new = step.constraints.iter();
        statement
            .cited
            .extend(new.filter(|cited| !known.contains(&cited.index)).cloned());
        statement.uses.sort_unstable();
        statement.uses.dedup();
    }
    statements
}

impl Statement {
    /// Writes the statement with its number, those that it uses, and the requirements behind it.
    pub fn render(&self, explainer: &Explainer, number: usize, out: &mut String) {
        let _ = write!(out, "{number}. {}", self.text);
        if !self.uses.is_empty() {
            let uses: Vec<String> = self
                .uses
                .iter()
                .map(|used| (used + 1).to_string())
                .collect();
            let _ = write!(out, ", by {}", uses.join(" and "));
        }
        if explainer.has_rules() {
            let rules: Vec<String> = self
                .rules
                .iter()
                .map(|(rule, policy)| format!("{rule}{}", if *policy { ", a choice" } else { "" }))
                .collect();
            let _ = write!(out, " [{}]", rules.join("; "));
        }
        out.push('\n');
        self.requirements(explainer, out);
    }

    /// Writes the requirements in words, those of one line of the program together. One that says nothing is left out.
    pub fn requirements(&self, explainer: &Explainer, out: &mut String) {
        let mut line: Option<(Span, String)> = None;
        for cited in &self.cited {
            let said = explainer.said(cited);
            if let Some((place, shown)) = &line
                && said.place.as_ref() != Some(place)
            {
                let _ = writeln!(out, "     {shown}");
            }
            if !said.says_nothing {
                let _ = writeln!(out, "     {}", said.words);
            }
            if explainer.has_rules() {
                let _ = writeln!(out, "     {}", cited.text);
            }
            line = said.place.zip(Some(said.line));
        }
        if let Some((_, shown)) = line {
            let _ = writeln!(out, "     {shown}");
        }
    }

    /// Returns the first requirement in words, with its line; `None` if there is none.
    pub fn reason(&self, explainer: &Explainer) -> Option<String> {
        let said = self.cited.iter().map(|cited| explainer.said(cited));
        let said = said.into_iter().find(|said| !said.says_nothing)?;
        Some(format!("{} ({})", said.words, said.number))
    }
}

/// Says why the value of a variable is final.
pub fn why_final(derivation: &Derivation, solver: &Solver, explainer: &Explainer) -> String {
    let more = match (&derivation.var, derivation.value.as_str()) {
        (Var::Dim(_), _) => "nothing asks for another size",
        (Var::Row(_), "[]") => "nothing asks for an axis",
        (Var::Row(_), _) => "nothing asks for more axes",
    };
    match solver.solution().standing(&derivation.var) {
        None | Some(Standing::Forced) => "nothing else fits".into(),
        Some(Standing::Free { .. }) => more.into(),
        Some(Standing::Chosen { steps }) if steps.iter().any(|step| commits(step.rule)) => {
            match derivation.value.as_str() {
                "[]" => "its uses ask for no axis".into(),
                _ => "its uses ask for this, and it gets no more than they ask for".into(),
            }
        }
        Some(Standing::Chosen { steps }) if steps.is_empty() => {
            "another value may do where other variables are 0".into()
        }
        Some(Standing::Chosen { steps }) => {
            let mut texts: Vec<String> = Vec::new();
            for step in steps {
                let text = choice_in_words(explainer, &step.text);
                if !texts.contains(&text) {
                    texts.push(text);
                }
            }
            format!("this rests on a choice: {}", some_of(&texts))
        }
    }
}

/// Puts a choice of the solver into words. The marker of a row is the place at which further axes would stand.
fn choice_in_words(explainer: &Explainer, text: &str) -> String {
    match text
        .strip_prefix("the marker of <")
        .and_then(|rest| rest.split_once('>'))
    {
        Some((row, _)) => format!(
            "the marker of {}, the place at which it would have further axes",
            explainer.row_in_words(row)
        ),
        None => explainer.in_words(text),
    }
}
