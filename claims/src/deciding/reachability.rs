//! A constraint set at given lengths: whether they fit, and the graph of Lemma 1. Written from Defs. 1.2, 2.3 and 2.9.

use std::collections::BTreeMap;

use lozenge_vocabulary::{
    Constraint, ConstraintSet, Dim, DimTerm, DimVar, Ground, Order, Row, RowTerm, RowVar, Var,
};

/// The numbers of axes that the value of each row variable has in front of the marker and behind it.
pub type Lengths = BTreeMap<RowVar, (usize, usize)>;

/// An axis to be decided, or a written one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// An atom or the unit.
    Written(Dim),
    /// A dimension variable.
    Dim(DimVar),
    /// A place in the value of a row variable, counted from the left.
    Place(RowVar, usize),
}

/// A constraint set at given lengths.
pub struct Graph {
    /// The atoms that each node reaches; an atom reaches itself.
    pub reached: BTreeMap<Node, Vec<Dim>>,
}

impl Graph {
    /// Returns the graph; `None` where the lengths do not fit the set.
    pub fn new(set: &ConstraintSet, lengths: &Lengths, order: Order) -> Option<Graph> {
        let mut edges = Vec::new();
        for constraint in &set.constraints {
            match constraint {
                Constraint::DimLe(a, b) => edges.push((node(a), node(b))),
                Constraint::DimEq(a, b) => edges.extend(both_ways(node(a), node(b))),
                Constraint::RowEq(a, b) => {
                    let (a, b) = (row(a, lengths).flat(), row(b, lengths).flat());
                    if a.len() != b.len() {
                        return None;
                    }
                    edges.extend(a.into_iter().zip(b).flat_map(|(a, b)| both_ways(a, b)));
                }
                Constraint::RowLe(a, b) => {
                    below(&row(a, lengths), &row(b, lengths), order, &mut edges)?
                }
                Constraint::Window(_)
                | Constraint::Composite(_)
                | Constraint::Elements(_)
                | Constraint::Flat(_)
                | Constraint::AtLeast { .. } => {
                    return None;
                }
            }
        }
        let mut reached: BTreeMap<Node, Vec<Dim>> = all_nodes(set, lengths);
        for (a, b) in &edges {
            for end in [a, b] {
                reached.entry(end.clone()).or_default();
            }
        }
        for (node, atoms) in &mut reached {
            if let Node::Written(dim) = node
                && dim.is_atom()
            {
                atoms.push(dim.clone());
            }
        }
        while edges.iter().any(|(a, b)| spread(&mut reached, a, b)) {}
        Some(Graph { reached })
    }

    /// Tells whether the condition of Lemma 1 holds.
    pub fn is_satisfiable(&self) -> bool {
        self.reached.iter().all(|(node, atoms)| match node {
            Node::Written(Dim::Unit) => atoms.is_empty(),
            _ => atoms.len() <= 1,
        })
    }

    /// Returns the axis that Lemma 1 gives a node: the atom that it reaches, or else the unit.
    pub fn axis(&self, node: &Node) -> Dim {
        let atom = self.reached.get(node).and_then(|atoms| atoms.first());
        atom.cloned().unwrap_or(Dim::Unit)
    }
}

/// Tells whether the first of two nodes reaches more than before.
fn spread(reached: &mut BTreeMap<Node, Vec<Dim>>, low: &Node, high: &Node) -> bool {
    let more = reached.get(high).cloned().unwrap_or_default();
    let own = reached.entry(low.clone()).or_default();
    let before = own.len();
    for atom in more {
        if !own.contains(&atom) {
            own.push(atom);
        }
    }
    own.len() > before
}

fn all_nodes(set: &ConstraintSet, lengths: &Lengths) -> BTreeMap<Node, Vec<Dim>> {
    let dims = set.vars().into_iter().filter_map(|var| match var {
        Var::Dim(var) => Some(Node::Dim(var)),
        Var::Row(_) => None,
    });
    let places = lengths
        .iter()
        .flat_map(|(var, (x, y))| (0..x + y).map(|place| Node::Place(var.clone(), place)));
    dims.chain(places).map(|node| (node, Vec::new())).collect()
}

fn both_ways(a: Node, b: Node) -> [(Node, Node); 2] {
    [(a.clone(), b.clone()), (b, a)]
}

fn node(term: &DimTerm) -> Node {
    match term {
        DimTerm::Const(dim) => Node::Written(dim.clone()),
        DimTerm::Var(var) => Node::Dim(var.clone()),
    }
}

/// Returns the value of a term at these lengths.
fn row(term: &RowTerm, lengths: &Lengths) -> Row<Node> {
    let written = |axes: &[DimTerm]| axes.iter().map(node).collect::<Vec<Node>>();
    let (mut leading, mut trailing) = (written(&term.leading), Vec::new());
    if let Some(var) = &term.var {
        let (x, y) = lengths.get(var).copied().unwrap_or_default();
        let place = |place| Node::Place(var.clone(), place);
        leading.extend((0..x).map(place));
        trailing.extend((x..x + y).map(place));
    }
    trailing.extend(written(&term.trailing));
    Row::new(leading, trailing)
}

/// Adds the edges of Def. 2.3 or Rem. 2.15(ii); `None` where the rows do not fit. The result's axes that face inserted
/// units have none.
fn below(
    low: &Row<Node>,
    high: &Row<Node>,
    order: Order,
    edges: &mut Vec<(Node, Node)>,
) -> Option<()> {
    let fits = match order {
        Order::Marked => {
            low.leading.len() >= high.leading.len() && low.trailing.len() >= high.trailing.len()
        }
        Order::OneShot => low.rank() >= high.rank(),
    };
    let flat = low.flat();
    let from_the_back = flat.len().checked_sub(high.trailing.len())?;
    if fits {
        edges.extend(flat.iter().cloned().zip(high.leading.iter().cloned()));
        let back = flat[from_the_back..].iter().cloned();
        edges.extend(back.zip(high.trailing.iter().cloned()));
    }
    fits.then_some(())
}

/// Advances to the next number in this base; `false` after the last one.
pub fn advance(digits: &mut [usize], base: usize) -> bool {
    for digit in digits {
        *digit += 1;
        if *digit < base {
            return true;
        }
        *digit = 0;
    }
    false
}

/// Returns the values of all variables, each axis given by its node.
pub fn values(graph: &Graph, lengths: &Lengths, axis: &dyn Fn(&Node) -> Dim) -> Ground {
    let mut ground = Ground::default();
    for node in graph.reached.keys() {
        if let Node::Dim(var) = node {
            ground.dims.insert(var.clone(), axis(node));
        }
    }
    for (var, (x, y)) in lengths {
        let flank = |places: std::ops::Range<usize>| {
            places
                .map(|place| axis(&Node::Place(var.clone(), place)))
                .collect()
        };
        let row = Row::new(flank(0..*x), flank(*x..x + y));
        ground.rows.insert(var.clone(), row);
    }
    ground
}

/// Returns every choice of lengths with at most `longest` axes on each side of each marker.
pub fn all_lengths(set: &ConstraintSet, longest: usize) -> Vec<Lengths> {
    let rows: Vec<RowVar> = set
        .vars()
        .into_iter()
        .filter_map(|var| match var {
            Var::Row(row) => Some(row),
            Var::Dim(_) => None,
        })
        .collect();
    let mut digits = vec![0; 2 * rows.len()];
    let mut all = Vec::new();
    loop {
        let sides = digits.chunks(2).map(|pair| (pair[0], pair[1]));
        all.push(rows.iter().cloned().zip(sides).collect());
        if !advance(&mut digits, longest + 1) {
            return all;
        }
    }
}
