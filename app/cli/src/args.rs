//! The command line.

mod checking;
mod models;
pub mod named_file;
mod programs;
mod sets;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

pub use checking::*;
pub use models::*;
pub use programs::*;
pub use sets::*;

/// Shapes and loop nests of tensor programs: inferred, explained, checked.
#[derive(Debug, Parser)]
#[command(
    name = "lozenge",
    about = "Broadcast-aware shape and projection inference for tensor programs",
    after_help = "FILE is a constraint set (.rows) or a program (.loz); - is standard input.\n\
                  Exit status: 0 sat or consistent, 1 unsat, rejected or a disagreement, 2 bad input or usage, 3 unknown.\n\n\
                  Example: lozenge check examples/rows/remark-2.11.rows"
)]
pub struct Args {
    /// The form of answers.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// The most bytes that a program, a constraint set, a certificate or a line of questions may have.
    #[arg(long, global = true, default_value_t = crate::files::input::MANY, value_name = "BYTES")]
    pub max_input_bytes: u64,
    #[command(flatten)]
    pub color: colorchoice_clap::Color,
    #[command(subcommand)]
    pub command: Command,
}

/// The form of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// For programs: one document.
    Json,
    /// For programs: a line for each element of a list, and a last line with the rest.
    Jsonl,
}

impl Format {
    /// Returns the format requested by a command line that could not be parsed as a whole.
    pub fn among(words: &[String]) -> Format {
        let after = |word: &String| word.strip_prefix("--format=").map(String::from);
        let pairs = words.iter().zip(words.iter().skip(1));
        let named = pairs
            .filter(|(word, _)| *word == "--format")
            .map(|(_, value)| value.clone())
            .chain(words.iter().filter_map(after));
        named
            .rev()
            .find_map(|name| Format::from_str(&name, true).ok())
            .unwrap_or(Format::Text)
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Solve a constraint set, or equations of shapes: what is forced, what is free, or why it is refused.
    #[command(after_help = "Example: lozenge solve examples/rows/remark-6.3.rows --close")]
    Solve(Solve),
    /// Decide whether a constraint holds in every solution of a set.
    #[command(
        after_help = "Exit status: 0 where it does, 1 where it does not, 3 where a limit was reached.\n\nExample: lozenge entails examples/rows/remark-6.3.rows 'b <= 1_'"
    )]
    Entails(Entails),
    /// Check a certificate: that a set has no solution, that it has one, or that a constraint holds in all of them.
    #[command(
        after_help = "Exit status: 1 where the certificate shows that there is no solution, 0 where it shows one or that a constraint holds, 3 where it is not accepted.\n\nExample: lozenge solve examples/periods.rows --by complete --certificate why.json; lozenge verify why.json examples/periods.rows"
    )]
    Verify(Verify),
    /// Show every step that the transcribed rules take on a constraint set.
    #[command(after_help = "Example: lozenge trace examples/rows/example-4.5a.rows")]
    Trace(Trace),
    /// Ask Z3 about a constraint set or a program, from the definition of satisfaction alone.
    #[command(
        after_help = "Example: lozenge oracle examples/rows/remark-2.11.rows --ask model --ask forced"
    )]
    Oracle(Oracle),
    /// Tell how a variable came to its value, or why the set is refused, step by step.
    #[command(after_help = "Example: lozenge explain examples/rows/remark-6.3.rows --var b")]
    Explain(Explain),
    /// Ask every party about one input and hold their verdicts against each other.
    #[command(after_help = "Example: lozenge check examples/rows/remark-2.11.rows")]
    Check(Check),
    /// Check many constraint sets: one JSON object a line in, one a line out, in the same order.
    #[command(after_help = "Example: echo '{\"id\": 1, \"rows\": \"3 <= a\"}' | lozenge batch -")]
    Batch(Batch),
    /// Infer the shapes and loop nests of a program, and say which axes are contracted and why.
    #[command(after_help = "Example: lozenge infer examples/digits/digits.loz")]
    Infer(Infer),
    /// Print the constraints that a program's operations require, each with its source line.
    #[command(
        after_help = "The text is a constraint set: lozenge constraints p.loz | lozenge solve -\n\nExample: lozenge constraints examples/digits/digits.loz"
    )]
    Constraints(Constraints),
    /// Write a program and all that is inferred of it as one page for a browser.
    #[command(
        after_help = "The page needs no network. Move the pointer over a part of the program, or tab to it.\n\nExample: lozenge view examples/first/layer.loz --html layer.html"
    )]
    View(View),
    /// Lay out programs: indentation, spaces, columns; nothing that they mean.
    #[command(
        after_help = "With --check the exit status is 1 where a file would change.\n\nExample: lozenge fmt --check examples/digits/digits.loz"
    )]
    Fmt(Fmt),
    /// Serve an editor: messages, shapes, names and layout of programs, over the Language Server Protocol.
    #[command(
        after_help = "Reads standard input and writes standard output. docs/editors.md says how editors start it.\n\nExample: lozenge lsp < /dev/null"
    )]
    Lsp {
        /// Standard input and output, which are used anyway: some clients pass it.
        #[arg(long)]
        stdio: bool,
    },
    /// Run a program on its data.
    #[command(
        after_help = "Exit status: 0 it ran, 1 its shapes do not fit, also where that is seen only when sizes are known, 2 no program or no data, 3 a limit was reached.\n\nExample: lozenge run examples/digits/digits.loz --device interpreter"
    )]
    Run(Run),
    /// Run a program that trains: its sections with progress, curves and checkpoints.
    #[command(
        after_help = "A checkpoint is a file of the safetensors format with the values of all parameters and states.\n\nExample: lozenge train examples/digits/mlp.loz --epochs 2 --save mlp.safetensors"
    )]
    Train(Train),
    /// Measure other plans of a program's kernels on a device, and keep the faster ones in a file for `run --pins`.
    #[command(
        after_help = "A plan is taken in place of the default one if it is at least 5 % faster and gives the same numbers. Ctrl-C ends the measuring, and what was found is written.\n\nExample: lozenge tune examples/language/chain.loz --seconds 5 --save-pins chain.pins; lozenge run examples/language/chain.loz --pins chain.pins"
    )]
    Tune(Tune),
    /// The sizes of its inputs that a model takes, exactly; or whether it takes given ones, and why not.
    #[command(
        after_help = "Exit status: 0 admitted, 1 refused or an empty set, 2 no model, 3 a limit was reached.\n\nExample: lozenge sizes examples/models/detector.onnx --at 'image=[1,3,40,64]'"
    )]
    Sizes(Sizes),
    /// The annotations that the inputs of a model may get: for every rank their sizes, ranges, relations, an example,
    /// and the type of every node.
    #[command(
        after_help = "Exit status: 0 the model runs, 1 it never does, 2 no model, 3 a limit was reached.\n\nExample: lozenge migrate examples/models/classifier.onnx --where 'h >= 20, w = h'"
    )]
    Migrate(Migrate),
    /// The conditions of a model, each with the answer whether it holds for all inputs, for none, or for some, and with
    /// inputs that show it.
    #[command(
        after_help = "Exit status: 0 all conditions are answered, 1 no input runs the model, 2 no model, 3 a limit was reached or data decide.\n\nExample: lozenge branches examples/models/branches.json --where 'x.rank = 2'"
    )]
    Branches(Branches),
    /// The operator graph of a model, as it was read: a line for each node.
    #[command(after_help = "Example: lozenge graph examples/models/detector.onnx")]
    Graph(Graph),
    /// List the OpenCL devices that programs can run on.
    #[command(after_help = "Example: lozenge devices --measure")]
    Devices(Devices),
    /// Measure the solver on families of problems of growing size, or the kernels of programs.
    #[command(after_help = "Example: lozenge bench --family rows-down --up-to 1000")]
    Bench(Bench),
    /// Every numbered statement of two papers, and of the project on complete mode and on gradients: is it true, and
    /// how is that known?
    #[command(after_help = "Example: lozenge claims show 1.4 --quick")]
    Claims(Claims),
    /// Put many inputs to all parties and hold their answers against each other.
    #[command(
        after_help = "Without --count and --time each target gets 10000 inputs.\n\nExample: lozenge campaign spec_solver order --count 200 --html report.html"
    )]
    Campaign(Campaign),
    /// Keep a small set of inputs that together reach all rules, answers and messages seen, and exchange it with
    /// libFuzzer.
    #[command(after_help = "Example: lozenge corpus export for-libfuzzer")]
    Corpus(Corpus),
    /// Print the JSON Schema of a command's answers.
    #[command(after_help = "Example: lozenge schema solve")]
    Schema(Schema),
    /// Print the completions of a shell.
    #[command(after_help = "Example: lozenge completions bash")]
    Completions(Completions),
    /// Print the manual page, or write those of all commands into a folder.
    #[command(after_help = "Example: lozenge man")]
    Man(Manual),
}

#[derive(Debug, ClapArgs)]
pub struct Schema {
    /// The command; without one the commands are listed.
    pub command: Option<String>,
    /// Write the schemas of all commands into this folder.
    #[arg(long, value_name = "FOLDER", conflicts_with = "command")]
    pub folder: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Completions {
    /// The shell.
    pub shell: clap_complete::Shell,
}

#[derive(Debug, ClapArgs)]
pub struct Manual {
    /// Write a page for each command into this folder.
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<PathBuf>,
}
