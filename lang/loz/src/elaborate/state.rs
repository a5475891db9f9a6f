//! The state of an elaboration, in parts that are used apart: names, tensors, gradients, files, limits and messages.

use hashbrown::{HashMap, HashSet};
use std::collections::BTreeMap;
use std::sync::Arc;

use lozenge_vocabulary::operation::{Requirement, TensorId};
use lozenge_vocabulary::program::{Family, Span};

use super::Used;
use super::dependence::Writers;
use crate::diagnostic::Diagnostic;
use crate::parse::files::Files;

/// The sort of a block that has ended.
#[derive(Clone, Copy)]
pub(super) enum Ended {
    Loop,
    Section,
}

/// A name that a block has defined, after its end.
pub(super) struct EndedName {
    pub span: Span,
    pub sort: Ended,
    /// True if the name is that of a parameter or a state, which keeps its values.
    pub lasts: bool,
}

/// The names of a program and of its tensors.
#[derive(Default)]
pub(super) struct ProgramNames<'a> {
    /// The names of tensors and calls that are in use.
    pub taken: HashSet<Arc<str>>,
    /// The last number that was appended to a name to make another one.
    pub numbered: HashMap<String, usize>,
    /// The number of parts that the expressions of a tensor have so far.
    pub parts: HashMap<String, usize>,
    /// Names whose definition has an error that is already reported.
    pub broken: HashSet<&'a str>,
    /// True if a name is defined twice.
    pub is_doubled: bool,
    /// The place where each name of the program is first defined, before or after the current statement.
    pub later: HashMap<&'a str, Span>,
    /// The names defined in blocks at the left margin that have ended, each with its place and the sort of the block.
    pub ended: HashMap<&'a str, EndedName>,
    /// The names that the program defines, before or after the current statement, in the order of the text.
    pub written: Vec<&'a str>,
}

/// The properties of tensors that the program does not say.
#[derive(Default)]
pub(super) struct Tensors {
    /// The tensors of numbers, by their bits: each number has a single tensor.
    pub numbers: HashMap<u64, TensorId>,
    /// The tensors that consist of a single known value.
    pub statics: HashMap<TensorId, f64>,
    /// Parameters by their names and their statements: an instance has one parameter for each.
    pub params: BTreeMap<(Arc<str>, usize), TensorId>,
    /// The requirements of an operation by its family and its number of operands: most operations of a program share
    /// one of a few lists.
    pub requirements: HashMap<(Family, usize), Arc<Vec<Requirement>>>,
    /// The last operation that each tensor takes part in, with its slot.
    pub last_use: Vec<Option<(usize, usize)>>,
    /// The data tensors with the labels of their first axes.
    pub rows_of: Vec<(String, TensorId)>,
    /// The parameter whose initial values are being evaluated, and the number of random tensors in them so far.
    pub first_values_of: Option<(String, usize)>,
}

/// The gradients of tensors, and the operations that they come from.
#[derive(Default)]
pub(super) struct Gradients<'a> {
    /// The gradient of each tensor that has one so far.
    pub of: HashMap<TensorId, TensorId>,
    /// The names in front of `.grad`.
    pub read: HashSet<&'a str>,
    /// True if an earlier `backward` failed, for a reason that is already reported.
    pub are_missing: bool,
    /// The operations that write each tensor.
    pub writers: Writers,
    /// The paths of the states with which places of the program update parameters: a place by its text, its span, and
    /// those of the calls around it.
    pub optimisers: HashMap<(usize, Vec<Span>, TensorId), String>,
}

/// The progress of the elaboration of a file.
#[derive(Clone, Copy)]
pub(super) enum Progress {
    Unseen,
    /// The file is being elaborated: a file that uses it now is also used by it.
    Open,
    /// The file is elaborated, and its names are in this scope.
    Done(usize),
}

/// The files that a program uses.
pub(super) struct UsedFiles<'a> {
    /// Their texts.
    pub texts: &'a Files,
    /// The syntax of each.
    pub read: &'a [Used<'a>],
    /// The progress of each.
    pub progress: Vec<Progress>,
    /// True if a file could not be used, so that missing names may have a cause that is already reported.
    pub names_are_missing: bool,
}

impl<'a> UsedFiles<'a> {
    /// Creates the state in which no file is elaborated yet.
    pub fn new(texts: &'a Files, read: &'a [Used<'a>]) -> Self {
        UsedFiles {
            texts,
            read,
            progress: vec![Progress::Unseen; read.len()],
            names_are_missing: false,
        }
    }
}

/// The counts that are held against the limits of reading.
#[derive(Default)]
pub(super) struct Effort {
    /// The units of work that were done.
    pub work: u64,
    /// The number of calls and blocks that stand in each other.
    pub levels: u32,
    /// The number of instances of functions that were made so far.
    pub instances: usize,
    /// True if a limit was reached, after which nothing more is elaborated.
    pub stopped: bool,
}

/// The errors of a program.
pub(super) struct Reports<'e> {
    /// All errors so far.
    pub errors: &'e mut Vec<Diagnostic>,
    /// The errors that were already reported, so that a body that is elaborated several times reports each once.
    pub reported: HashSet<(usize, usize, String)>,
}

impl<'e> Reports<'e> {
    /// Creates the state with the errors of reading.
    pub fn new(errors: &'e mut Vec<Diagnostic>) -> Self {
        Reports {
            errors,
            reported: HashSet::new(),
        }
    }
}
