//! Def. 4.5: the persistent graph of rank facts, and its cycle check.
//!
//! The document records facts about ranks. The marked order compares flanks one by one (Def. 2.3), so an inequality
//! entails one fact about leading lengths and one about trailing lengths. A single fact about ranks would be weaker: a
//! surplus on one flank would hide a deficit on the other (`docs/generated/errata.md`). So there is one graph for each
//! flank.

use std::collections::{BTreeMap, VecDeque};

use crate::cause::Cause;
use crate::firing::RankFact;
use lozenge_vocabulary::alignment::Flank;
use lozenge_vocabulary::term::RowVar;

/// A fact: `from` is longer than `to` by at least `weight ≥ 0` on this flank, in every solution.
#[derive(Clone, Debug)]
struct Edge {
    to: usize,
    weight: usize,
    cause: Cause,
}

/// The heaviest known walk to each node that was reached: its weight, and its last edge as node and index.
type Heaviest = BTreeMap<usize, (usize, Option<(usize, usize)>)>;

/// The rank facts of both flanks. Facts are never removed: they stay entailed when their variables are bound.
#[derive(Clone, Debug, Default)]
pub struct RankGraph {
    numbers: BTreeMap<(Flank, RowVar), usize>,
    edges: Vec<Vec<Edge>>,
}

impl RankGraph {
    fn number(&mut self, flank: Flank, var: &RowVar) -> usize {
        let next = self.edges.len();
        let number = *self.numbers.entry((flank, var.clone())).or_insert(next);
        if number == next {
            self.edges.push(Vec::new());
        }
        number
    }

    /// Records a fact.
    ///
    /// # Errors
    /// The joined cause of the facts on a cycle of positive weight, when the new edge closes one. Their sum says that a
    /// flank is longer than itself.
    pub fn record(&mut self, fact: &RankFact, cause: &Cause) -> Result<(), Cause> {
        let weight = fact.by;
        let (from, to) = (
            self.number(fact.flank, &fact.from),
            self.number(fact.flank, &fact.to),
        );
        if let Some(back) = self.heaviest_path(to, from, weight) {
            return Err(back.and(cause));
        }
        self.edges[from].push(Edge {
            to,
            weight,
            cause: cause.clone(),
        });
        Ok(())
    }

    /// Returns a path from `start` to `end` whose weight with `extra` is positive.
    fn heaviest_path(&self, start: usize, end: usize, extra: usize) -> Option<Cause> {
        let best = self.heaviest(start);
        let (length, _) = best.get(&end)?;
        (length + extra > 0).then(|| self.cause_of_path(&best, end))
    }

    /// Returns the weight of the heaviest walk between two variables of a flank, if there is a walk.
    pub fn weight(&self, flank: Flank, from: &RowVar, to: &RowVar) -> Option<usize> {
        let number = |var: &RowVar| self.numbers.get(&(flank, var.clone())).copied();
        let (start, end) = (number(from)?, number(to)?);
        self.heaviest(start).get(&end).map(|(weight, _)| *weight)
    }

    /// Returns the heaviest walks from a node, by the Bellman-Ford algorithm. It ends because the graph has no cycle of
    /// positive weight, for which reason the heaviest walks are paths.
    fn heaviest(&self, start: usize) -> Heaviest {
        let mut best: Heaviest = BTreeMap::from([(start, (0, None))]);
        let mut work = VecDeque::from([start]);
        while let Some(node) = work.pop_front() {
            let reached = best[&node].0;
            for (index, edge) in self.edges[node].iter().enumerate() {
                let length = reached + edge.weight;
                if best.get(&edge.to).is_none_or(|(known, _)| length > *known) {
                    best.insert(edge.to, (length, Some((node, index))));
                    work.push_back(edge.to);
                }
            }
        }
        best
    }

    fn cause_of_path(&self, best: &Heaviest, end: usize) -> Cause {
        let mut cause = Cause::default();
        let mut node = end;
        while let Some((_, Some((before, index)))) = best.get(&node) {
            cause.join(&self.edges[*before][*index].cause);
            node = *before;
        }
        cause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(
        graph: &mut RankGraph,
        flank: Flank,
        from: &str,
        to: &str,
        weight: usize,
        input: usize,
    ) -> Result<(), Cause> {
        let fact = RankFact {
            flank,
            from: RowVar::new(from),
            to: RowVar::new(to),
            by: weight,
        };
        graph.record(&fact, &Cause::input(input))
    }

    #[test]
    fn a_positive_cycle_is_refused_wherever_its_weight_lies() {
        for weights in [[1, 0, 0], [0, 1, 0], [0, 0, 1]] {
            let mut graph = RankGraph::default();
            assert!(record(&mut graph, Flank::Leading, "r", "s", weights[0], 0).is_ok());
            assert!(record(&mut graph, Flank::Leading, "s", "t", weights[1], 1).is_ok());
            // The other flank has its own cycles.
            assert!(record(&mut graph, Flank::Trailing, "t", "r", 1, 2).is_ok());
            let cause = record(&mut graph, Flank::Leading, "t", "r", weights[2], 3).unwrap_err();
            assert_eq!(
                cause.inputs,
                [0, 1, 3].into(),
                "every fact around the cycle"
            );
        }
    }

    #[test]
    fn cycles_of_weight_zero_are_legal() {
        let mut graph = RankGraph::default();
        assert!(record(&mut graph, Flank::Leading, "r", "s", 0, 0).is_ok());
        assert!(record(&mut graph, Flank::Leading, "s", "r", 0, 1).is_ok());
        assert!(record(&mut graph, Flank::Leading, "r", "r", 0, 2).is_ok());
        assert!(record(&mut graph, Flank::Leading, "r", "r", 1, 3).is_err());
    }

    #[test]
    fn of_two_facts_about_the_same_rows_the_heavier_counts() {
        for weights in [[0, 2], [2, 0]] {
            let mut graph = RankGraph::default();
            for weight in weights {
                assert!(record(&mut graph, Flank::Leading, "r", "s", weight, 0).is_ok());
            }
            let (r, s) = (RowVar::new("r"), RowVar::new("s"));
            assert_eq!(graph.weight(Flank::Leading, &r, &s), Some(2));
            let cycle = record(&mut graph, Flank::Leading, "s", "r", 0, 1);
            assert!(cycle.is_err(), "{weights:?}");
        }
    }

    #[test]
    fn the_weight_of_a_walk_is_that_of_its_facts_together() {
        let mut graph = RankGraph::default();
        for (from, to, weight) in [("r", "s", 1), ("s", "t", 3), ("r", "t", 2), ("u", "t", 0)] {
            assert!(record(&mut graph, Flank::Leading, from, to, weight, 0).is_ok());
        }
        let weight = |flank, from, to| graph.weight(flank, &RowVar::new(from), &RowVar::new(to));
        assert_eq!(
            weight(Flank::Leading, "r", "t"),
            Some(4),
            "not the shorter way"
        );
        assert_eq!(weight(Flank::Leading, "r", "r"), Some(0));
        assert_eq!(weight(Flank::Leading, "t", "r"), None, "no way back");
        assert_eq!(weight(Flank::Trailing, "r", "t"), None, "the other flank");
        // A cycle of weight 0 is legal, and going round it adds nothing.
        assert!(record(&mut graph, Flank::Leading, "v", "w", 0, 0).is_ok());
        assert!(record(&mut graph, Flank::Leading, "w", "v", 0, 0).is_ok());
        let round = graph.weight(Flank::Leading, &RowVar::new("v"), &RowVar::new("v"));
        assert_eq!(round, Some(0));
    }
}
