//! The arguments of the commands about model files.

use std::path::PathBuf;

use clap::Args as ClapArgs;

/// A model file, and what is read of it at most.
#[derive(Debug, ClapArgs)]
pub struct Model {
    /// A model: ONNX, a program of torch.export (.pt2), or a torch.fx graph as JSON. Its first bytes decide which, not
    /// its name.
    pub model: PathBuf,
    /// The most nodes that the graph may have, after functions are inlined.
    #[arg(long, default_value_t = 500_000, value_name = "NODES")]
    pub max_nodes: u64,
    /// The greatest depth of bodies and of calls of functions.
    #[arg(long, default_value_t = 64, value_name = "LEVELS")]
    pub max_levels: u32,
    /// The most integers of one constant that are read. Larger constants are taken for unknown.
    #[arg(long, default_value_t = 1 << 16, value_name = "VALUES")]
    pub max_values: u64,
    /// The most bytes that the file may have.
    #[arg(long, default_value_t = 1 << 31, value_name = "BYTES")]
    pub max_file_bytes: u64,
}

/// The question about the sizes of a model.
#[derive(Debug, ClapArgs)]
pub struct Asked {
    /// Ask about one point, such as 'x=[1,3,40,64], sr=16000': a list is a shape, a number the value of an integer
    /// input. An input that is left out is free. May be given again: a line for each point.
    #[arg(long, value_name = "POINT")]
    pub at: Vec<String>,
    /// Ask only about sizes for which these comparisons hold, such as 'h % 32 = 0, x[1] <= 4, x.rank = 4'. May be given
    /// again.
    #[arg(long = "where", value_name = "CONDITIONS")]
    pub conditions: Vec<String>,
    /// Free the declared sizes of these inputs, with commas between them; of all inputs without names.
    #[arg(long, value_name = "NAMES", num_args = 0..=1, default_missing_value = "", require_equals = false)]
    pub relax: Option<String>,
}

impl Asked {
    /// Returns the flag that is given, if there is one: only models have an answer to them.
    pub fn flag(&self) -> Option<&'static str> {
        let given = [
            (!self.at.is_empty(), "--at"),
            (!self.conditions.is_empty(), "--where"),
            (self.relax.is_some(), "--relax"),
        ];
        given
            .into_iter()
            .find_map(|(is_given, flag)| is_given.then_some(flag))
    }
}

#[derive(Debug, ClapArgs)]
pub struct Sizes {
    #[command(flatten)]
    pub model: Model,
    #[command(flatten)]
    pub asked: Asked,
    /// Write the set into this file, for `--against` of a later version of the model.
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    pub write: Option<PathBuf>,
    /// Compare with a set that `--write` wrote: status 1, with sizes that show it, if something is refused that was
    /// admitted, or an output has another size.
    #[arg(long, value_name = "FILE", conflicts_with = "at")]
    pub against: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Migrate {
    #[command(flatten)]
    pub model: Model,
    /// Ask only about sizes for which these comparisons hold, such as 'x.rank = 4, x[0] > 5'. May be given again.
    #[arg(long = "where", value_name = "CONDITIONS")]
    pub conditions: Vec<String>,
    /// Free the declared sizes of these inputs, with commas between them; of all inputs without names.
    #[arg(long, value_name = "NAMES", num_args = 0..=1, default_missing_value = "", require_equals = false)]
    pub relax: Option<String>,
}

#[derive(Debug, ClapArgs)]
pub struct Branches {
    #[command(flatten)]
    pub model: Model,
    /// Ask only about sizes for which these comparisons hold, such as 'x.rank = 4, x[0] > 5'. May be given again.
    #[arg(long = "where", value_name = "CONDITIONS")]
    pub conditions: Vec<String>,
    /// Free the declared sizes of these inputs, with commas between them; of all inputs without names.
    #[arg(long, value_name = "NAMES", num_args = 0..=1, default_missing_value = "", require_equals = false)]
    pub relax: Option<String>,
    /// Write the model with its decided conditions replaced into this file, in the format that was read: ONNX, the JSON
    /// of torch.fx, or a program in .grad.
    #[arg(long, value_name = "FILE")]
    pub emit: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Graph {
    #[command(flatten)]
    pub model: Model,
    /// Print the program that `infer` and `run` make of an ONNX model: a few lines for each node. Its weights stay in
    /// the file of the model.
    #[arg(long)]
    pub loz: bool,
    /// Give a free axis of the model a size for `--loz`, as in `infer`.
    #[arg(long, value_name = "NAME=SIZE", value_parser = super::programs::size, requires = "loz")]
    pub set: Vec<(String, u64)>,
}
