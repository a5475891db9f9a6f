//! The rows of the tables, printed figures beside ours.

use schemars::JsonSchema;
use serde::Serialize;

/// The tables.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Tables {
    /// Fig. 7: the benchmarks.
    pub benchmarks: Vec<BenchmarkRow>,
    /// Fig. 8: static migration, and migration under arithmetic constraints.
    pub migrations: Vec<MigrationRow>,
    /// Figs. 9 and 10: the branches that remain.
    pub branches: Vec<BranchesRow>,
}

/// A row of Fig. 7. A pair is what is printed and what our graph has.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BenchmarkRow {
    /// The name of the model.
    pub name: String,
    /// The nodes.
    pub nodes: (usize, usize),
    /// The calls of `flatten`.
    pub flatten: (usize, usize),
    /// The calls of `reshape` and `view`.
    pub reshape: (usize, usize),
}

/// A row of Fig. 8: two questions, with and without arithmetic constraints.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MigrationRow {
    /// The name of the model.
    pub name: String,
    /// The model that was asked, where it is not that of the name.
    pub asked: String,
    /// The arithmetic constraints.
    pub conditions: String,
    /// The printed answer.
    pub printed: String,
    /// Seconds that the paper prints.
    pub printed_seconds: f64,
    /// Seconds that the other tool took on a machine of the class on which ours was measured; nothing where it was not
    /// run.
    pub other_seconds: Option<f64>,
    /// Our answer.
    pub ours: String,
    /// Seconds from the text of the model to our answer, the median.
    pub seconds: f64,
    /// Sizes that were replayed, or the nodes that clash.
    pub evidence: String,
    /// The printed answer where ours is another one.
    pub difference: Option<String>,
}

/// A row of Figs. 9 and 10.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BranchesRow {
    /// The name of the model.
    pub name: String,
    /// The number of the figure.
    pub figure: u8,
    /// The constraints on the inputs.
    pub conditions: String,
    /// The printed numbers of branches: all, those that remain without constraints where that is printed, and those
    /// that remain with them.
    pub printed: (usize, Option<usize>, usize),
    /// Seconds that the paper prints.
    pub printed_seconds: f64,
    /// The same numbers of the other tool, from its recorded answers.
    pub other: Option<(usize, Option<usize>, usize)>,
    /// Our numbers.
    pub ours: (usize, usize, usize),
    /// Seconds from the text of the model to our answer, the median, without and with constraints.
    pub seconds: (f64, f64),
    /// The number of conditions that are not decided, with and without those of the question.
    pub unknown: usize,
    /// The conditions about which the other tool says something else, with our inputs.
    pub differences: Vec<String>,
}
