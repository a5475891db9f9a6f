//! Causes of restricted sizes: the nodes that restrict them, none of which can be left out.

use super::{Answer, Refusal};
use crate::integers::Integers;
use crate::pass::domain;
use crate::term::Symbol;
use crate::unary;
use serde::Serialize;

/// The nodes that restrict one symbol by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cause {
    /// The name of the symbol.
    pub axis: String,
    /// The nodes with what they want.
    pub nodes: Vec<Refusal>,
}

impl Answer {
    /// Returns for each symbol that nodes restrict by itself in a case, a set of them that is minimal under deletion.
    #[must_use]
    pub fn causes(&mut self, case: usize) -> Vec<Cause> {
        let Some(found) = self.cases.get(case).and_then(|case| case.boxes.first()) else {
            return Vec::new();
        };
        let symbols: Vec<Symbol> = found.domains.keys().copied().collect();
        symbols
            .into_iter()
            .filter_map(|symbol| self.cause(case, symbol))
            .collect()
    }

    fn cause(&mut self, case: usize, symbol: Symbol) -> Option<Cause> {
        let all = domain(&self.terms, symbol);
        let mut restricting: Vec<(usize, Integers)> = Vec::new();
        for (at, demand) in self.cases[case].demands.iter().enumerate() {
            if *self.terms.formula_symbols(demand.formula) == [symbol] {
                let solutions = unary::solve(&mut self.terms, demand.formula, symbol, &all).ok()?;
                if solutions != all {
                    restricting.push((at, solutions));
                }
            }
        }
        let together = |kept: &[(usize, Integers)]| {
            kept.iter().try_fold(all.clone(), |left, (_, solutions)| {
                left.intersect(solutions).ok()
            })
        };
        let goal = together(&restricting)?;
        for at in (0..restricting.len()).rev() {
            let mut fewer = restricting.clone();
            fewer.remove(at);
            if together(&fewer).as_ref() == Some(&goal) {
                restricting = fewer;
            }
        }
        let nodes: Vec<Refusal> = restricting
            .iter()
            .map(|(at, _)| {
                let demand = &self.cases[case].demands[*at];
                Refusal::of_demand(&self.graph, &self.inputs, &self.terms, demand)
            })
            .collect();
        (!nodes.is_empty()).then(|| Cause {
            axis: self.terms.name(symbol).to_owned(),
            nodes,
        })
    }
}
