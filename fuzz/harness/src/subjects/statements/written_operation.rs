//! Random statements with specs, and the points that they visit by the pointwise definition of concatenated axes,
//! windows and products (§8).
//!
//! A point gives a label a position or leaves it out. A label that is an axis, or is in a window or in a product,
//! always has a position. A point belongs to a statement when of each concatenated axis exactly one part has a
//! position, and each index lies on its axis. All of them are tried; nothing is derived, and regions, guards and loops
//! do not occur here.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use lozenge_vocabulary::window::{Mode, Window};
use serde::{Deserialize, Serialize};

use super::written_shape::shape;
use crate::data;
use crate::subjects::sets::walking::in_front;

mod drawing;
mod smaller;

pub use drawing::draw;

/// A label, by its number in the list of sizes.
pub type Label = usize;

/// A part of a concatenated axis, or a factor of a product.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// A label.
    Label(Label),
    /// A part of this size over which nothing iterates.
    Gap(u64),
    /// In a product, a position of an axis of some size.
    At {
        /// The position, counted from 0.
        position: u64,
        /// The size.
        size: u64,
    },
}

/// An axis as the spec writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Axis {
    /// A label.
    Label(Label),
    /// A fixed position of an axis of some size.
    At {
        /// The position, counted from 0.
        position: u64,
        /// The size.
        size: u64,
    },
    /// A window over labels, and the size of its axis.
    Window {
        /// The window; the axis itself has no label.
        window: Window<Option<Label>>,
        /// The number of cells of the axis.
        size: u64,
    },
    /// Parts behind each other.
    Concat(Vec<Piece>),
    /// Each place of a factor with each of the others, the last one fastest.
    Product(Vec<Piece>),
}

/// The combination of values in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sign {
    /// `=:`
    Replace,
    /// `=:+`
    Add,
    /// `=:max`
    Max,
}

/// A statement: operands, a spec, a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrittenOperation {
    /// The size of each label.
    pub sizes: Vec<u64>,
    /// The labels whose sizes are left out.
    pub unstated: BTreeSet<Label>,
    /// The template of the result, then those of the operands; for each how many of its axes are batch axes.
    pub templates: Vec<(Vec<Axis>, usize)>,
    /// True if the operands fill parts of the result; otherwise they are multiplied with each other.
    pub alternatives: bool,
    /// The combination of values in a cell.
    pub sign: Sign,
}

/// The accesses of a statement at one point: the address that is written, and what is read there, by operand and
/// address.
pub type Visit = (u64, Vec<(usize, u64)>);

impl Axis {
    /// Returns the labels, those of a concatenation too.
    pub fn labels(&self) -> Vec<Label> {
        let of_pieces = |pieces: &[Piece]| {
            let label = |piece: &Piece| match piece {
                Piece::Label(label) => Some(*label),
                Piece::Gap(_) | Piece::At { .. } => None,
            };
            pieces.iter().filter_map(label).collect()
        };
        match self {
            Axis::Label(label) => vec![*label],
            Axis::At { .. } => Vec::new(),
            Axis::Window { window, .. } => window.axes().flatten().copied().collect(),
            Axis::Concat(pieces) | Axis::Product(pieces) => of_pieces(pieces),
        }
    }

    /// Returns the number of its cells.
    pub fn size(&self, sizes: &[u64]) -> u64 {
        match self {
            Axis::Label(label) => sizes[*label],
            Axis::At { size, .. } | Axis::Window { size, .. } => *size,
            Axis::Concat(pieces) => pieces.iter().map(|piece| piece.size(sizes)).sum(),
            Axis::Product(pieces) => pieces.iter().map(|piece| piece.size(sizes)).product(),
        }
    }

    /// Returns the cell at a point; `None` where the point does not belong to the axis.
    fn cell(&self, point: &[Option<u64>], sizes: &[u64]) -> Option<u64> {
        match self {
            Axis::Label(label) => point[*label],
            Axis::At { position, .. } => Some(*position),
            Axis::Window { window, size } => {
                let cell = cell_of_window(window, *size, point, sizes)?;
                u64::try_from(cell).ok().filter(|cell| cell < size)
            }
            Axis::Concat(pieces) => {
                let (mut before, mut cells) = (0, Vec::new());
                for piece in pieces {
                    if let Piece::Label(label) = piece {
                        cells.extend(point[*label].map(|position| before + position));
                    }
                    before += piece.size(sizes);
                }
                match cells.as_slice() {
                    [cell] => Some(*cell),
                    _ => None,
                }
            }
            Axis::Product(pieces) => pieces.iter().try_fold(0, |cell, piece| {
                let position = match piece {
                    Piece::Label(label) => point[*label]?,
                    Piece::At { position, .. } => *position,
                    Piece::Gap(_) => return None,
                };
                Some(cell * piece.size(sizes) + position)
            }),
        }
    }
}

/// Computes it by walking: the window's first cell is behind those in front of the axis.
fn cell_of_window(
    window: &Window<Option<Label>>,
    size: u64,
    point: &[Option<u64>],
    sizes: &[u64],
) -> Option<i128> {
    let mut cell = i128::from(window.phase);
    for (coefficient, label) in window.terms() {
        cell += i128::from(coefficient.get()) * i128::from(point[(*label)?]?);
    }
    let sized = window.map(|label| label.map_or(size, |label| sizes[label]));
    Some(cell - i128::from(in_front(&sized)))
}

impl Piece {
    /// Returns the number of its cells.
    pub fn size(&self, sizes: &[u64]) -> u64 {
        match self {
            Piece::Label(label) => sizes[*label],
            Piece::Gap(size) | Piece::At { size, .. } => *size,
        }
    }
}

impl WrittenOperation {
    /// Returns the size of each axis of a template.
    pub fn axes(&self, template: usize) -> Vec<u64> {
        let axes = self.templates[template].0.iter();
        axes.map(|axis| axis.size(&self.sizes)).collect()
    }

    /// Returns the operands that are read at one point: all of them, or one after the other.
    fn together(&self) -> Vec<Vec<usize>> {
        let operands = 1..self.templates.len();
        match self.alternatives {
            true => operands.map(|operand| vec![operand]).collect(),
            false => vec![operands.collect()],
        }
    }

    fn mentions(&self, template: usize, label: Label) -> bool {
        let mut axes = self.templates[template].0.iter();
        axes.any(|axis| axis.labels().contains(&label))
    }

    /// Returns the labels of some templates, each with whether a point may leave it out, and whether it may have a
    /// position.
    fn choices(&self, read: &[usize]) -> Vec<(Label, bool, bool)> {
        let templates = || [&0].into_iter().chain(read);
        let axes = || templates().flat_map(|template| &self.templates[*template].0);
        let labels: BTreeSet<Label> = axes().flat_map(Axis::labels).collect();
        let others = || (1..self.templates.len()).filter(|operand| !read.contains(operand));
        let choice = |label: Label| {
            let mut own = axes().filter(|axis| !matches!(axis, Axis::Concat(_)));
            let always = own.any(|axis| axis.labels().contains(&label));
            // A part of the result belongs to the operand that mentions it.
            let of_others = others().any(|operand| self.mentions(operand, label))
                && !read.iter().any(|operand| self.mentions(*operand, label));
            (label, !always, always || !of_others)
        };
        labels.into_iter().map(choice).collect()
    }

    /// Counts the points to try.
    pub fn work(&self) -> u64 {
        let counted = self.together().into_iter().map(|read| {
            let choices = self.choices(&read);
            let options = choices
                .into_iter()
                .map(|(label, out, _)| self.sizes[label] + u64::from(out));
            options.product::<u64>()
        });
        counted.sum()
    }

    /// Lists what is read and written at each point, in ascending order.
    pub fn visits(&self) -> Vec<Visit> {
        let mut visits = Vec::new();
        for read in self.together() {
            let choices = self.choices(&read);
            let mut point = vec![None; self.sizes.len()];
            for (label, may_be_left_out, _) in &choices {
                point[*label] = (!may_be_left_out).then_some(0);
            }
            loop {
                visits.extend(self.visit(&point, &read));
                if !self.advance(&mut point, &choices) {
                    break;
                }
            }
        }
        visits.sort_unstable();
        visits
    }

    /// Goes to the next point; false after the last one.
    fn advance(&self, point: &mut [Option<u64>], choices: &[(Label, bool, bool)]) -> bool {
        for (label, may_be_left_out, may_have_a_position) in choices {
            let next = point[*label].map_or(0, |position| position + 1);
            if *may_have_a_position && next < self.sizes[*label] {
                point[*label] = Some(next);
                return true;
            }
            point[*label] = (!may_be_left_out).then_some(0);
        }
        false
    }

    fn visit(&self, point: &[Option<u64>], read: &[usize]) -> Option<Visit> {
        let address = |template: usize| {
            let axes = self.templates[template].0.iter();
            axes.into_iter().try_fold(0, |address, axis| {
                let cell = axis.cell(point, &self.sizes)?;
                Some(address * axis.size(&self.sizes) + cell)
            })
        };
        let operands = read
            .iter()
            .map(|operand| Some((*operand, address(*operand)?)));
        Some((address(0)?, operands.collect::<Option<_>>()?))
    }

    /// Returns the name of the result, then those of the operands.
    pub fn name(template: usize) -> String {
        match template {
            0 => "result".into(),
            _ => format!("x{template}"),
        }
    }

    /// Returns the number of cells of a template.
    pub fn cells(&self, template: usize) -> u64 {
        self.axes(template).iter().product()
    }

    fn written(&self, template: usize, shown: &mut BTreeSet<Label>) -> String {
        let (axes, batch) = &self.templates[template];
        let mut texts: Vec<String> = axes.iter().map(|axis| self.axis(axis, shown)).collect();
        let output = texts.split_off(*batch);
        shape(&[texts, Vec::new(), output])
    }

    /// Returns a label, with its size where it occurs first.
    fn label(&self, label: Label, shown: &mut BTreeSet<Label>) -> String {
        let name = lozenge_testkit::generate::letter(b'a', label);
        match shown.insert(label) && !self.unstated.contains(&label) {
            true => format!("{name}:{}", self.sizes[label]),
            false => name,
        }
    }

    fn pieces(&self, pieces: &[Piece], sign: &str, shown: &mut BTreeSet<Label>) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Label(label) => self.label(*label, shown),
            Piece::Gap(size) => format!("_:{size}"),
            Piece::At { position, size } => format!("{position}:{size}"),
        };
        pieces.iter().map(piece).collect::<Vec<_>>().join(sign)
    }

    fn axis(&self, axis: &Axis, shown: &mut BTreeSet<Label>) -> String {
        match axis {
            Axis::Label(label) => self.label(*label, shown),
            Axis::At { position, size } => format!("{position}:{size}"),
            Axis::Concat(pieces) => self.pieces(pieces, "^", shown),
            Axis::Product(pieces) => format!("({})", self.pieces(pieces, ", ", shown)),
            Axis::Window { window, .. } => {
                let terms = window.terms().map(|(coefficient, label)| {
                    let label = self.label(label.unwrap_or_default(), shown);
                    match coefficient.get() {
                        1 => label,
                        many => format!("{many}*{label}"),
                    }
                });
                let mut sum = terms.collect::<Vec<_>>().join(" + ");
                if window.taps.is_empty() {
                    sum = format!("{sum} + {}", window.phase);
                }
                let margins = match (window.low, window.high) {
                    (0, 0) => String::new(),
                    (low, high) => format!(", {low}, {high}"),
                };
                match (window.mode, margins.is_empty()) {
                    (Mode::Exact, true) => sum,
                    (mode, _) => format!("{}({sum}{margins})", mode.word()),
                }
            }
        }
    }

    /// Returns the statement with its data, as a program.
    pub fn program(&self) -> String {
        let mut program = String::new();
        let mut shown = BTreeSet::new();
        let mut specs = Vec::new();
        for operand in 1..self.templates.len() {
            specs.push(self.written(operand, &mut shown));
            let mut sizes: Vec<String> = self.axes(operand).iter().map(u64::to_string).collect();
            let output = sizes.split_off(self.templates[operand].1);
            let axes = shape(&[sizes, Vec::new(), output]);
            let (name, cells) = (Self::name(operand), self.cells(operand));
            program += &format!("data {name} : {axes} = range({cells})\n");
        }
        let names: Vec<String> = (1..self.templates.len()).map(Self::name).collect();
        let value = match self.alternatives {
            true => format!("concat({})", names.join(", ")),
            false => names.join(" * "),
        };
        let sign = match self.sign {
            Sign::Replace => "=:",
            Sign::Add => "=:+",
            Sign::Max => "=:max",
        };
        let spec = format!("{} => {}", specs.join("; "), self.written(0, &mut shown));
        program + &format!("{} {sign} {value} \"{spec}\"\n", Self::name(0))
    }
}

/// The statement as data, below the program.
impl fmt::Display for WrittenOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        data::print(f, &self.program(), self)
    }
}

impl FromStr for WrittenOperation {
    type Err = String;

    fn from_str(text: &str) -> Result<WrittenOperation, String> {
        let statement: WrittenOperation = data::read(text)?;
        statement.check().map(|()| statement)
    }
}

/// The most points of a statement that is read.
const POINTS: u64 = 1 << 20;

impl WrittenOperation {
    /// Checks that every label has a size and each axis is of a form that a spec has.
    ///
    /// # Errors
    /// The part that is wrong.
    pub fn check(&self) -> Result<(), String> {
        if self.templates.len() < 2 {
            return Err(
                "expected the template of a result and of an operand in `templates`".into(),
            );
        }
        if let Some(size) = self.sizes.iter().find(|size| !(1..=POINTS).contains(*size)) {
            return Err(format!("expected sizes from 1 to {POINTS}, found {size}"));
        }
        for (number, (axes, batch)) in self.templates.iter().enumerate() {
            if *batch > axes.len() {
                return Err(format!(
                    "template {number} has {} axes, and {batch} of them are batch axes",
                    axes.len()
                ));
            }
            axes.iter().try_for_each(|axis| self.check_axis(axis))?;
            let cells = self
                .axes(number)
                .into_iter()
                .try_fold(1u64, u64::checked_mul);
            if cells.is_none_or(|cells| cells > POINTS) {
                return Err(format!("template {number} has more than {POINTS} cells"));
            }
        }
        let mut left = POINTS;
        for (_, size) in self.labels().into_iter().zip(&self.sizes) {
            left /= size + 1;
        }
        match left {
            0 => Err(format!("the statement has more than {POINTS} points")),
            _ => Ok(()),
        }
    }

    fn labels(&self) -> BTreeSet<Label> {
        let axes = self.templates.iter().flat_map(|(axes, _)| axes);
        axes.flat_map(Axis::labels).collect()
    }

    fn check_axis(&self, axis: &Axis) -> Result<(), String> {
        if let Some(label) = axis
            .labels()
            .into_iter()
            .find(|label| *label >= self.sizes.len())
        {
            return Err(format!(
                "label {label} has no size: there are {}",
                self.sizes.len()
            ));
        }
        let is_position = |position: u64, size: u64| position < size && size <= POINTS;
        let is_piece = |piece: &Piece, is_product: bool| match piece {
            Piece::Label(_) => true,
            Piece::Gap(size) => !is_product && (1..=POINTS).contains(size),
            Piece::At { position, size } => is_product && is_position(*position, *size),
        };
        let is_right = match axis {
            Axis::Label(_) => true,
            Axis::At { position, size } => is_position(*position, *size),
            Axis::Concat(pieces) => {
                !pieces.is_empty() && pieces.iter().all(|piece| is_piece(piece, false))
            }
            Axis::Product(pieces) => {
                !pieces.is_empty() && pieces.iter().all(|piece| is_piece(piece, true))
            }
            Axis::Window { window, size } => {
                let has_labels = window.terms().all(|(_, label)| label.is_some());
                let mut numbers = window
                    .terms()
                    .map(|(coefficient, _)| coefficient.get())
                    .chain([window.phase, window.low, window.high]);
                has_labels
                    && window.axis.is_none()
                    && (1..=POINTS).contains(size)
                    && numbers.all(|number| number <= POINTS)
            }
        };
        match is_right {
            true => Ok(()),
            false => Err(format!("an axis of a form that no spec has: {axis:?}")),
        }
    }
}
