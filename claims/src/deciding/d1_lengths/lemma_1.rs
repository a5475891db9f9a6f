//! Lemma 1 against trying every assignment of axes, on every small set at all small lengths.

use lozenge_testkit::sets::{Family, Scope};
use lozenge_vocabulary::{ConstraintSet, Dim, Ground, Order};

use crate::deciding::reachability::{Graph, Lengths, Node, advance, all_lengths, values};
use crate::machinery::{Effort, Finding, Witness};

/// Returns the scopes, and how many axes a row has at most on each side of its marker.
fn scopes(effort: Effort) -> Vec<(Scope, usize)> {
    let atom = |size| Dim::new(size).unwrap_or(Dim::Unit);
    let scope = |constraints, axes, dims: &[Dim], dim_vars, row_vars| Scope {
        constraints,
        axes,
        dims: dims.to_vec(),
        dim_vars,
        row_vars,
    };
    let (unit, three, five) = (Dim::Unit, atom(3), atom(5));
    match effort {
        Effort::Quick => vec![
            (scope(1, 1, &[unit.clone(), three.clone()], 1, 2), 1),
            (scope(2, 0, &[unit, three, five], 3, 1), 1),
        ],
        Effort::Full | Effort::Long => vec![
            (scope(1, 2, &[unit.clone(), three.clone()], 1, 2), 1),
            (scope(2, 1, std::slice::from_ref(&three), 0, 2), 1),
            (scope(3, 0, &[unit, three, five], 3, 1), 1),
        ],
    }
}

/// Decides Decision.2.
pub fn lemma(effort: Effort) -> Finding {
    let mut instances = 0;
    let mut witness = None;
    let mut described = Vec::new();
    for (scope, longest) in scopes(effort) {
        let family = Family::new(&scope);
        let sets = (0..family.starts()).flat_map(|start| family.starting_at(start));
        for set in sets {
            for order in [Order::Marked, Order::OneShot] {
                for lengths in all_lengths(&set, longest) {
                    let Some(graph) = Graph::new(&set, &lengths, order) else {
                        continue;
                    };
                    instances += 1;
                    let wrong = compare(&set, &graph, &lengths, order).err();
                    witness = witness.or(wrong.map(|why| Witness::new(set.to_string(), why)));
                }
            }
        }
        described.push(format!(
            "{scope}, up to {longest} axes on each side of a marker"
        ));
    }
    let scope = format!(
        "every set up to symmetry at all lengths that fit, in both orders, against every assignment of the atoms that occur, another \
         atom and the unit: {}",
        described.join("; ")
    );
    Finding::exhaustive(scope, instances, witness)
}

fn compare(
    set: &ConstraintSet,
    graph: &Graph,
    lengths: &Lengths,
    order: Order,
) -> Result<(), String> {
    let greatest = values(graph, lengths, &|node| graph.axis(node));
    let holds = |ground: &Ground| ground.first_violated(&set.constraints, order).is_none();
    if graph.is_satisfiable() && !holds(&greatest) {
        return Err(format!("what the nodes reach is no solution:\n{greatest}"));
    }
    let free: Vec<&Node> = graph
        .reached
        .keys()
        .filter(|node| !matches!(node, Node::Written(_)))
        .collect();
    let alphabet = alphabet(graph);
    let mut digits = vec![0; free.len()];
    loop {
        let axis = |node: &Node| match free.binary_search(&node) {
            Ok(at) => alphabet[digits[at]].clone(),
            Err(_) => Dim::Unit,
        };
        let ground = values(graph, lengths, &axis);
        if holds(&ground) {
            if !graph.is_satisfiable() {
                return Err(format!("there is a solution:\n{ground}"));
            }
            if free.iter().any(|node| !axis(node).below(&graph.axis(node))) {
                return Err(format!(
                    "a solution that is not below the greatest:\n{ground}"
                ));
            }
        }
        if !advance(&mut digits, alphabet.len()) {
            return Ok(());
        }
    }
}

/// Returns the unit, the atoms that are written, and one that is not.
fn alphabet(graph: &Graph) -> Vec<Dim> {
    let written = graph.reached.keys().filter_map(|node| match node {
        Node::Written(dim) if dim.is_atom() => Some(dim.clone()),
        _ => None,
    });
    let other = Dim::new(97);
    [Dim::Unit]
        .into_iter()
        .chain(written)
        .chain(other)
        .collect()
}
