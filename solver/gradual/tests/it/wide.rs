//! Graphs whose conditions fall into many alternatives: the set and a pass on numbers agree at every point that is
//! drawn.

use crate::large::Writer;
use lozenge_gradual_solver::{Given, Options, Point, Sizes};
use lozenge_graph_vocabulary::{Argument, Graph, ValueId};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Arc;

/// The graphs in one run. `LOZENGE_WIDE` gives another number, for a campaign.
const GRAPHS: u64 = 200;

/// The points at which each graph is asked.
const POINTS: u64 = 60;

/// Draws a number below an end.
fn draw(random: &mut Xoshiro256PlusPlus, end: usize) -> usize {
    (random.next_u64() % end as u64) as usize
}

/// A graph that is being drawn: its values with the ranks that they have where the graph runs.
struct Drawn {
    writer: Writer,
    ranks: Vec<usize>,
    values: Vec<(ValueId, usize)>,
}

impl Drawn {
    /// Begins a graph of two to four inputs, whose sizes are all free.
    fn new(random: &mut Xoshiro256PlusPlus) -> Self {
        let mut drawn = Self {
            writer: Writer::new(),
            ranks: Vec::new(),
            values: Vec::new(),
        };
        for input in 0..2 + draw(random, 3) {
            let rank = 1 + draw(random, 5);
            let names: Vec<String> = (0..rank).map(|at| format!("s{input}_{at}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let value = drawn.writer.input(&format!("x{input}"), &names);
            drawn.ranks.push(rank);
            drawn.values.push((value, rank));
        }
        drawn
    }

    fn value(&self, random: &mut Xoshiro256PlusPlus) -> (ValueId, usize) {
        self.values[draw(random, self.values.len())]
    }

    /// Adds a node.
    fn grow(&mut self, random: &mut Xoshiro256PlusPlus) {
        let (first, rank) = self.value(random);
        let (second, other) = self.value(random);
        let ints = |numbers: &[i64]| {
            Argument::List(
                numbers
                    .iter()
                    .map(|number| Argument::Int(*number))
                    .collect(),
            )
        };
        let writer = &mut self.writer;
        let made = match draw(random, 8) {
            0..=2 => (writer.node("Add", &[first, second], &[]), rank.max(other)),
            3 => {
                let (third, last) = self.value(random);
                let all = [first, second, third];
                let node = self.writer.node("Max", &all, &[]);
                (node, rank.max(other).max(last))
            }
            4 if rank >= 2 && other >= 2 => (
                writer.node("MatMul", &[first, second], &[]),
                rank.max(other),
            ),
            5 if rank == other => {
                let axis = draw(random, rank) as i64;
                let axis = ("axis", Argument::Int(axis));
                (writer.node("Concat", &[first, second], &[axis]), rank)
            }
            6 if rank >= 3 => {
                let window = vec![2; rank - 2];
                let attributes = [("kernel_shape", ints(&window)), ("strides", ints(&window))];
                (writer.node("MaxPool", &[first], &attributes), rank)
            }
            7 if rank >= 2 => {
                let axis = ("axis", Argument::Int(draw(random, rank) as i64));
                (writer.node("Flatten", &[first], &[axis]), 2)
            }
            _ => {
                let shape = writer.node("Shape", &[second], &[]);
                let node = writer.node("Expand", &[first, shape], &[]);
                (node, rank.max(other))
            }
        };
        self.values.push(made);
    }

    fn finish(self) -> (Arc<Graph>, Vec<usize>) {
        let (last, _) = *self.values.last().expect("a value");
        (self.writer.finish(last), self.ranks)
    }
}

/// Draws sizes of which few are different, so that sizes that have to be equal often are.
fn point(random: &mut Xoshiro256PlusPlus, ranks: &[usize]) -> Point {
    let few = [1, 1 + draw(random, 4) as u64, 1 + draw(random, 4) as u64];
    let mut point = Point::new();
    for (input, rank) in ranks.iter().enumerate() {
        let usual = draw(random, 3);
        let size = |random: &mut Xoshiro256PlusPlus| match draw(random, 4) {
            0 => few[draw(random, 3)],
            _ => few[usual],
        };
        let sizes = (0..*rank).map(|_| size(random)).collect();
        point.insert(format!("x{input}"), Given::Sizes(sizes));
    }
    point
}

#[test]
fn a_set_of_many_alternatives_holds_what_runs() {
    let given = std::env::var("LOZENGE_WIDE").ok();
    let graphs = given.map_or(GRAPHS, |text| text.parse().expect("a number of graphs"));
    let (mut admitted, mut refused, mut open) = (0u64, 0u64, 0u64);
    for seed in 0..graphs {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut drawn = Drawn::new(&mut random);
        for _ in 0..1 + draw(&mut random, 4) {
            drawn.grow(&mut random);
        }
        let (graph, ranks) = drawn.finish();
        let answer = Sizes::of(graph.clone(), &Options::default());
        for _ in 0..POINTS {
            let point = point(&mut random, &ranks);
            let runs = Sizes::at(&graph, &Options::default(), &point).admitted;
            match (runs, answer.set_holds(&point)) {
                (Some(true), Some(true)) => admitted += 1,
                (Some(false), Some(false)) => refused += 1,
                (None, _) | (_, None) => open += 1,
                (runs, holds) => {
                    panic!(
                        "seed {seed}: {runs:?} at {point:?}, and the set says {holds:?}\n{graph}"
                    )
                }
            }
        }
    }
    let all = graphs * POINTS;
    assert!(
        admitted > all / 10 && refused > all / 10 && open < all / 10,
        "{admitted} admitted, {refused} refused, {open} open"
    );
    eprintln!("{admitted} admitted, {refused} refused, {open} open");
}
