//! Programs generated from known shapes. Some of the given tensors then lose their written shapes, as long as the rest
//! of the program determines them.
//!
//! A network is a program in a small part of the language. A removed shape is kept in a comment:
//!
//! ```text
//! data x : 8|->3 = range(24)
//! param w # 3->5
//! let y = w * x
//! data t : 8|->5 = range(40)
//! let d = y - t
//! ```

use std::collections::BTreeMap;
use std::fmt;

use arbitrary::{Result, Unstructured};

/// A shape: batch, input and output row.
pub type Sizes = [Vec<u64>; 3];

const BATCH: usize = 0;
const INPUT: usize = 1;
const OUTPUT: usize = 2;

/// The origin of a tensor. Operands are given by their places among the tensors.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// Data with its shape.
    Given,
    /// A parameter whose shape was removed.
    Asked,
    /// A function of each cell.
    Unary(String, usize),
    /// Input and output row exchanged.
    Transposed(usize),
    /// Cell by cell, with an operator.
    Pointwise(usize, String, usize),
    /// The input of the first contracted with the output of the second.
    Composed(usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Tensor {
    name: String,
    origin: Origin,
    sizes: Sizes,
}

/// A program, with the shape of each tensor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Network {
    tensors: Vec<Tensor>,
}

const UNARY: [&str; 3] = ["relu", "neg", "square"];
const POINTWISE: [&str; 3] = ["+", "-", "*."];

/// Returns the row that results from broadcasting two rows, if one of them is empty or both are the same.
fn broadcast(a: &[u64], b: &[u64]) -> Option<Vec<u64>> {
    match (a, b) {
        ([], row) | (row, []) => Some(row.to_vec()),
        _ => (a == b).then(|| a.to_vec()),
    }
}

impl Network {
    /// Returns the tensors with their names and shapes, in the order of the program.
    pub fn shapes(&self) -> impl Iterator<Item = (&str, &Sizes)> {
        self.tensors
            .iter()
            .map(|tensor| (tensor.name.as_str(), &tensor.sizes))
    }

    /// Counts the shapes that were removed.
    pub fn asked(&self) -> usize {
        self.tensors
            .iter()
            .filter(|tensor| tensor.origin == Origin::Asked)
            .count()
    }

    /// Returns the shape of a result; `None` where the operands do not fit each other.
    fn result(&self, origin: &Origin) -> Option<Sizes> {
        let sizes = |at: &usize| &self.tensors[*at].sizes;
        let both = |a: &usize, b: &usize, row: usize| broadcast(&sizes(a)[row], &sizes(b)[row]);
        match origin {
            Origin::Given | Origin::Asked => None,
            Origin::Unary(_, of) => Some(sizes(of).clone()),
            Origin::Transposed(of) => {
                let [batch, input, output] = sizes(of).clone();
                Some([batch, output, input])
            }
            Origin::Pointwise(a, _, b) => {
                Some([both(a, b, BATCH)?, both(a, b, INPUT)?, both(a, b, OUTPUT)?])
            }
            Origin::Composed(a, b) => {
                let contracted = &sizes(a)[INPUT];
                let fits = !contracted.is_empty() && *contracted == sizes(b)[OUTPUT];
                let rest = [
                    both(a, b, BATCH)?,
                    sizes(b)[INPUT].clone(),
                    sizes(a)[OUTPUT].clone(),
                ];
                fits.then_some(rest)
            }
        }
    }

    /// Says whether the rest of the program determines every removed shape.
    ///
    /// Rows that an operation aligns and that are not empty are equal. So a row is determined when a chain of
    /// operations leads from it to a written row. An empty row broadcasts: it does not determine the rows with which it
    /// is aligned, and no constraint forces a parameter's row to be empty.
    pub fn is_determined(&self) -> bool {
        let mut rows = Rows::new(self.tensors.len());
        for (at, tensor) in self.tensors.iter().enumerate() {
            let mut join = |of: usize, row: usize, other: usize| {
                let empty =
                    self.tensors[of].sizes[row].is_empty() || tensor.sizes[other].is_empty();
                if !empty {
                    rows.join((of, row), (at, other));
                }
            };
            match tensor.origin {
                Origin::Given | Origin::Asked => {}
                Origin::Unary(_, of) => [BATCH, INPUT, OUTPUT]
                    .map(|row| join(of, row, row))
                    .into_iter()
                    .collect(),
                Origin::Transposed(of) => {
                    join(of, BATCH, BATCH);
                    join(of, INPUT, OUTPUT);
                    join(of, OUTPUT, INPUT);
                }
                Origin::Pointwise(a, _, b) => {
                    for row in [BATCH, INPUT, OUTPUT] {
                        join(a, row, row);
                        join(b, row, row);
                    }
                }
                Origin::Composed(a, b) => {
                    join(a, BATCH, BATCH);
                    join(b, BATCH, BATCH);
                    join(b, INPUT, INPUT);
                    join(a, OUTPUT, OUTPUT);
                    rows.join((a, INPUT), (b, OUTPUT));
                }
            }
        }
        let all = self.tensors.iter().enumerate();
        let written = all
            .clone()
            .filter(|(_, tensor)| tensor.origin == Origin::Given);
        let known: Vec<usize> = written
            .flat_map(|(at, _)| [INPUT, OUTPUT].map(|row| (at, row)))
            .map(|row| rows.root(row))
            .collect();
        let mut asked = all.filter(|(_, tensor)| tensor.origin == Origin::Asked);
        asked.all(|(at, tensor)| {
            // A parameter has no batch axes, and an empty row of it would have to be guessed.
            let [batch, input, output] = &tensor.sizes;
            batch.is_empty()
                && !input.is_empty()
                && !output.is_empty()
                && [INPUT, OUTPUT]
                    .iter()
                    .all(|row| known.contains(&rows.root((at, *row))))
        })
    }

    /// Adds a tensor and returns its place; `None` where the operands do not fit each other.
    fn define(&mut self, origin: Origin) -> Option<usize> {
        let sizes = self.result(&origin)?;
        Some(self.push(origin, sizes))
    }

    fn push(&mut self, origin: Origin, sizes: Sizes) -> usize {
        let at = self.tensors.len();
        let name = format!("t{at}");
        self.tensors.push(Tensor {
            name,
            origin,
            sizes,
        });
        at
    }
}

/// Classes of equal rows.
struct Rows(Vec<usize>);

impl Rows {
    fn new(tensors: usize) -> Rows {
        Rows((0..3 * tensors).collect())
    }

    fn root(&self, (tensor, row): (usize, usize)) -> usize {
        let mut at = 3 * tensor + row;
        while self.0[at] != at {
            at = self.0[at];
        }
        at
    }

    fn join(&mut self, a: (usize, usize), b: (usize, usize)) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b;
    }
}

/// Draws a network of up to 7 operations, with as many shapes removed as the rest determines.
///
/// # Errors
/// Never for lack of bytes.
pub fn network(u: &mut Unstructured<'_>) -> Result<Network> {
    let mut row = || -> Result<Vec<u64>> {
        let length = 1 + u.int_in_range(0..=2)? / 2;
        (0..length).map(|_| u.int_in_range(2..=5)).collect()
    };
    let rows = [row()?, row()?, row()?];
    let mut network = Network::default();
    for _ in 0..u.int_in_range(1..=2)? {
        let sizes = [batch(u)?, some_row(u, &rows)?, u.choose(&rows)?.clone()];
        network.push(Origin::Given, sizes);
    }
    for _ in 0..u.int_in_range(2..=7)? {
        operation(u, &mut network, &rows)?;
    }
    take_away(u, &mut network)?;
    Ok(network)
}

fn batch(u: &mut Unstructured<'_>) -> Result<Vec<u64>> {
    Ok(if u.ratio(1, 3)? { vec![6] } else { Vec::new() })
}

/// Draws a row that is occasionally empty.
fn some_row(u: &mut Unstructured<'_>, rows: &[Vec<u64>]) -> Result<Vec<u64>> {
    Ok(if u.ratio(1, 3)? {
        Vec::new()
    } else {
        u.choose(rows)?.clone()
    })
}

/// Adds an operation. A new operand that fits is added when there is none, and occasionally anyway.
fn operation(u: &mut Unstructured<'_>, network: &mut Network, rows: &[Vec<u64>]) -> Result<()> {
    let of = u.int_in_range(0..=network.tensors.len() - 1)?;
    let other = u.int_in_range(0..=network.tensors.len() - 1)?;
    let fresh = u.ratio(1, 2)?;
    let [_, input, output] = network.tensors[of].sizes.clone();
    let operator = (*u.choose(&POINTWISE)?).to_owned();
    let defined = match u.int_in_range(0..=6)? {
        0 => {
            let function = (*u.choose(&UNARY)?).to_owned();
            network.define(Origin::Unary(function, of))
        }
        1 => network.define(Origin::Transposed(of)),
        2..=3 if !fresh => network.define(Origin::Pointwise(of, operator.clone(), other)),
        4..=6 if !fresh => network.define(Origin::Composed(other, of)),
        4..=6 if !output.is_empty() => {
            let weight = [Vec::new(), output.clone(), u.choose(rows)?.clone()];
            let weight = network.push(Origin::Given, weight);
            network.define(Origin::Composed(weight, of))
        }
        _ => None,
    };
    if defined.is_none() {
        let operand = network.push(Origin::Given, [batch(u)?, input, output]);
        network.define(Origin::Pointwise(of, operator, operand));
    }
    Ok(())
}

/// Removes the shapes of given tensors one by one, in a random order, and restores those that the rest does not
/// determine.
fn take_away(u: &mut Unstructured<'_>, network: &mut Network) -> Result<()> {
    let mut given: Vec<usize> = (0..network.tensors.len())
        .filter(|at| network.tensors[*at].origin == Origin::Given)
        .collect();
    while !given.is_empty() {
        let at = given.remove(u.int_in_range(0..=given.len() - 1)?);
        network.tensors[at].origin = Origin::Asked;
        if !network.is_determined() {
            network.tensors[at].origin = Origin::Given;
        }
    }
    Ok(())
}

/// Returns a shape as the language writes it.
pub fn shape_text([batch, input, output]: &Sizes) -> String {
    let row = |row: &[u64]| row.iter().map(u64::to_string).collect::<Vec<_>>().join(",");
    let bar = if batch.is_empty() { "" } else { "|" };
    format!("{}{bar}{}->{}", row(batch), row(input), row(output))
}

fn read_shape(text: &str) -> Option<Sizes> {
    let (before, output) = text.trim().split_once("->")?;
    let (batch, input) = before.split_once('|').unwrap_or(("", before));
    let row = |text: &str| -> Option<Vec<u64>> {
        match text.trim() {
            "" => Some(Vec::new()),
            text => text
                .split(',')
                .map(|size| size.trim().parse().ok())
                .collect(),
        }
    };
    Some([row(batch)?, row(input)?, row(output)?])
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |at: &usize| &self.tensors[*at].name;
        for Tensor {
            name: own,
            origin,
            sizes,
        } in &self.tensors
        {
            let shape = shape_text(sizes);
            match origin {
                Origin::Given => {
                    let count: u64 = sizes.iter().flatten().product();
                    writeln!(f, "data {own} : {shape} = range({count})")?;
                }
                Origin::Asked => writeln!(f, "param {own} # {shape}")?,
                Origin::Unary(function, of) => writeln!(f, "let {own} = {function}({})", name(of))?,
                Origin::Transposed(of) => writeln!(f, "let {own} = transpose({})", name(of))?,
                Origin::Pointwise(a, operator, b) => {
                    writeln!(f, "let {own} = {} {operator} {}", name(a), name(b))?;
                }
                Origin::Composed(a, b) => writeln!(f, "let {own} = {} * {}", name(a), name(b))?,
            }
        }
        Ok(())
    }
}

impl Network {
    /// Reads a network back from its text; `None` for any other program, or one whose shapes do not fit each other.
    pub fn read(text: &str) -> Option<Network> {
        let mut network = Network::default();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for line in text
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        {
            let (word, rest) = line.split_once(' ')?;
            let (name, at) = match word {
                "data" => {
                    let (name, rest) = rest.split_once(" : ")?;
                    let (shape, _) = rest.split_once(" = ")?;
                    (name, network.push(Origin::Given, read_shape(shape)?))
                }
                "param" => {
                    let (name, shape) = rest.split_once(" # ")?;
                    (name, network.push(Origin::Asked, read_shape(shape)?))
                }
                "let" => {
                    let (name, expression) = rest.split_once(" = ")?;
                    let origin = read_expression(expression, &places)?;
                    (name, network.define(origin)?)
                }
                _ => return None,
            };
            network.tensors[at].name = name.to_owned();
            places.insert(name, at);
        }
        Some(network)
    }
}

fn read_expression(text: &str, places: &BTreeMap<&str, usize>) -> Option<Origin> {
    let place = |name: &str| places.get(name).copied();
    if let Some((function, of)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let of = place(of)?;
        return match function {
            "transpose" => Some(Origin::Transposed(of)),
            _ => UNARY
                .contains(&function)
                .then(|| Origin::Unary(function.into(), of)),
        };
    }
    let mut words = text.split(' ');
    let (a, operator, b) = (place(words.next()?)?, words.next()?, place(words.next()?)?);
    match (operator, words.next()) {
        (_, Some(_)) => None,
        ("*", None) => Some(Origin::Composed(a, b)),
        _ => POINTWISE
            .contains(&operator)
            .then(|| Origin::Pointwise(a, operator.into(), b)),
    }
}

#[cfg(test)]
mod tests {
    use lozenge_testkit::random::Random;

    use super::*;

    fn drawn(index: u64) -> Network {
        let bytes = Random::indexed(index).bytes(256);
        network(&mut Unstructured::new(&bytes)).unwrap()
    }

    #[test]
    fn networks_are_read_as_they_are_printed() {
        let mut asked = 0;
        for index in 0..500 {
            let network = drawn(index);
            assert_eq!(
                Network::read(&network.to_string()),
                Some(network.clone()),
                "{network}"
            );
            assert!(network.is_determined());
            asked += network.asked();
        }
        assert!(
            asked >= 400,
            "{asked} shapes of 500 programs were taken away"
        );
    }

    #[test]
    fn a_width_is_determined_by_what_is_added_to_it() {
        let text = "param t0 # 5->2\ndata t1 : 8|->3 = range(24)\nparam t2 # 3->5\nlet t3 = t2 * t1\nlet t4 = t0 * t3\n\
                    data t5 : 8|->2 = range(16)\nlet t6 = t4 - t5\n";
        let hidden = Network::read(text).unwrap();
        assert!(!hidden.is_determined());
        let known = format!("{text}data t7 : 8|->5 = range(40)\nlet t8 = t3 - t7\n");
        assert!(Network::read(&known).unwrap().is_determined());
    }

    #[test]
    fn what_does_not_fit_is_no_network() {
        assert_eq!(
            Network::read("data x : ->3 = range(3)\ndata y : ->2 = range(2)\nlet z = x + y\n"),
            None
        );
        assert_eq!(Network::read("let z = x + x\n"), None);
    }
}
