//! The arguments of the commands that check and measure lozenge itself.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::Device;
use crate::duration::time_above_zero;
use crate::limits;

#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Measure the kernels of programs on an OpenCL device, and compare them with its fastest multiply-adds and its
    /// fastest copy.
    #[command(after_help = "Example: lozenge bench backend --only 'matmul 64' --rounds 1")]
    Backend(BenchBackend),
    /// Print the tables of the paper on gradual types (Figs. 7 to 10): our answers beside the printed ones and those of
    /// PyTorch's tool.
    #[command(after_help = "Example: lozenge bench gradual examples/fx --only AlexNet --runs 1")]
    Gradual(BenchGradual),
}

#[derive(Debug, ClapArgs)]
pub struct BenchGradual {
    /// The folder with the graphs of torch.fx, plain or compressed.
    #[arg(default_value = "examples/fx", value_name = "FOLDER")]
    pub folder: PathBuf,
    /// Only the rows of this benchmark; may be given again.
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// The number of times that each question is asked; the median counts.
    #[arg(long, default_value_t = 5)]
    pub runs: usize,
}

#[derive(Debug, ClapArgs)]
pub struct BenchBackend {
    /// Only workloads with this in their name; may be given again.
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// In how many rounds each program is measured, in turn with the multiply-adds and the copy; the fastest round
    /// counts.
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// Draw the programs below the ceilings of the machine into this file (SVG): how fast they compute, over how much
    /// they compute for each byte of operands and results.
    #[arg(long, value_name = "FILE")]
    pub roofline: Option<PathBuf>,
    /// The device to measure: `opencl`, or `opencl:0` for a device by number or part of its name. By default the one
    /// that the variable LOZENGE_DEVICE names, or else the first OpenCL device. On a processor a run is one launch with
    /// its wait; elsewhere it is one of several that are queued without waiting.
    #[arg(long)]
    pub device: Option<Device>,
    /// To the interpreter's bits, which takes longer for products of matrices.
    #[arg(long)]
    pub exact: bool,
    /// List the workloads, and measure nothing.
    #[arg(long)]
    pub list: bool,
    /// Read names of workloads, a line each, and answer each with a line of JSON; `backend/bench/compare.py` takes
    /// turns so.
    #[arg(long, hide = true)]
    pub serve: bool,
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Bench {
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    /// Only this family; may be given again.
    #[arg(long)]
    pub family: Vec<String>,
    /// The largest number of constraints, of 100, 1000 … 1000000.
    #[arg(long, default_value_t = 1_000_000)]
    pub up_to: usize,
    /// The number of times that each is run; the fastest counts.
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// Write the measurements to this file, too.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Check {
    /// A constraint set, a program, a model, or another input of a campaign.
    pub file: PathBuf,
    /// Compare the names and sizes of a model's weights with those of this safetensors file, of which only the header
    /// is read.
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
    /// The most axes that all tensors of a program may have together.
    #[arg(long, default_value_t = lozenge::Options::default().max_axes, value_name = "AXES")]
    pub max_axes: u64,
    #[command(flatten)]
    pub programs: limits::Programs,
    #[command(flatten)]
    pub limits: limits::Parties,
}

#[derive(Debug, ClapArgs)]
pub struct Batch {
    /// Lines of `{"id": …, "rows": "…"}`, or with the extension of another kind of file in place of `rows`.
    pub file: PathBuf,
    #[command(flatten)]
    pub limits: limits::Parties,
}

#[derive(Debug, ClapArgs)]
pub struct Claims {
    #[command(subcommand)]
    pub command: Option<ClaimsCommand>,
    /// The statements of this document alone: those of a paper, or those of the project on how complete mode decides
    /// and on gradients.
    #[arg(long, value_enum, value_name = "DOCUMENT", global = true)]
    pub document: Option<ClaimsDocument>,
    /// Search as little as the tests do: some two minutes of one processor where nothing is known yet.
    #[arg(long, global = true)]
    pub quick: bool,
    /// Write the table as a page to this file, witnesses drawn.
    #[arg(long, value_name = "FILE", global = true)]
    pub html: Option<PathBuf>,
    /// Keep results in this file, and decide only what changed since; by default a file in the user's cache folder.
    /// Results that travel with the program are known without a file.
    #[arg(long, value_name = "FILE", global = true)]
    pub results: Option<PathBuf>,
    /// Decide everything again, whatever earlier runs found.
    #[arg(long, global = true)]
    pub again: bool,
    /// Run the four strategies against each other on 10^6 sets instead.
    #[arg(long)]
    pub long: bool,
    /// With --long: try every claim on constraint sets on all sets of the largest scopes instead: hours.
    #[arg(long, requires = "long")]
    pub survey: bool,
    /// With --survey: this scope instead, over `1_` and 3: how many constraints, axes in a row, dimension variables and
    /// row variables.
    #[arg(long, value_name = "C,A,D,R", requires = "survey", value_parser = scope)]
    pub scope: Vec<Scope>,
    /// Keep in this file how far the long run is, and go on from there.
    #[arg(long, value_name = "FILE", requires = "long")]
    pub notes: Option<PathBuf>,
}

/// A document whose statements are checked.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ClaimsDocument {
    /// The paper.
    FormalCore,
    /// The decision procedure of complete mode (docs/decidability.md).
    Decision,
    /// Gradients (docs/language.md).
    Gradients,
    /// The paper on Axon.
    Axon,
    /// Gradual shape types (docs/gradual.md).
    Gradual,
}

impl ClaimsDocument {
    /// Returns the key of the document.
    #[cfg(feature = "oracle")]
    pub fn key(self) -> &'static str {
        match self {
            ClaimsDocument::FormalCore => "formal-core",
            ClaimsDocument::Decision => "decision",
            ClaimsDocument::Gradients => "gradients",
            ClaimsDocument::Axon => "axon",
            ClaimsDocument::Gradual => "gradual",
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum ClaimsCommand {
    /// One claim in full, with its parts and repairs.
    #[command(after_help = "Example: lozenge claims show 'Prop. 1.4' --quick")]
    Show {
        /// The number, such as 5.8, or the whole id.
        id: String,
    },
}

/// The largest number of constraints of which the sets of a scope may consist.
#[cfg(feature = "oracle")]
const MOST_LISTED: u64 = 5_000_000;

/// The size of the sets of a scope.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(
    not(feature = "oracle"),
    expect(dead_code, reason = "a build without the checks lists no sets")
)]
pub struct Scope {
    constraints: usize,
    axes: usize,
    dim_vars: usize,
    row_vars: usize,
}

#[cfg(feature = "oracle")]
impl Scope {
    /// Returns the scope of these sizes over `1_` and 3.
    pub fn of_sets(self) -> lozenge_testkit::sets::Scope {
        use lozenge_vocabulary::Dim;
        lozenge_testkit::sets::Scope {
            constraints: self.constraints,
            axes: self.axes,
            dims: [Some(Dim::Unit), Dim::new(3)]
                .into_iter()
                .flatten()
                .collect(),
            dim_vars: self.dim_vars,
            row_vars: self.row_vars,
        }
    }
}

/// Returns a scope as four numbers. There is a limit to the number of constraints of which its sets consist, since
/// these are kept in memory.
fn scope(text: &str) -> Result<Scope, String> {
    let numbers: Vec<usize> = text
        .split(',')
        .filter_map(|n| n.trim().parse().ok())
        .collect();
    let [constraints, axes, dim_vars, row_vars] = numbers[..] else {
        return Err("four numbers are expected, as in 2,1,1,2".into());
    };
    let within = (1..=3).contains(&constraints) && axes <= 4 && dim_vars <= 3 && row_vars <= 3;
    if !within {
        return Err(
            "1 to 3 constraints, up to 4 axes and up to 3 variables of each sort are expected, as in 2,1,1,2".into(),
        );
    }
    let scope = Scope {
        constraints,
        axes,
        dim_vars,
        row_vars,
    };
    // A build without the checks lists no sets.
    #[cfg(feature = "oracle")]
    {
        let count = scope.of_sets().alphabet();
        if count > MOST_LISTED {
            return Err(format!(
                "a set would be made of {count} constraints; at most {MOST_LISTED} are listed"
            ));
        }
    }
    Ok(scope)
}

#[derive(Debug, ClapArgs)]
pub struct Campaign {
    /// The targets; by default all of them. --list shows them.
    pub targets: Vec<String>,
    /// List the targets and the named differences.
    #[arg(long)]
    pub list: bool,
    /// The number of inputs for each target, those of earlier sessions included.
    #[arg(long)]
    pub count: Option<u64>,
    /// Stop after this time, such as 90s or 10m.
    #[arg(long, value_name = "TIME", value_parser = time_above_zero)]
    pub time: Option<Duration>,
    /// The time that a party may take for an input, such as 90s or 10m, without that in which a busy machine gives it
    /// no core (Linux tells it). One that takes longer ends the campaign.
    #[arg(long, value_name = "TIME", value_parser = time_above_zero, default_value = "60s")]
    pub patience: Duration,
    /// The number that all inputs are made from; 1 by default.
    #[arg(long)]
    pub seed: Option<u64>,
    /// The number of threads; by default one for each core.
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub jobs: Option<usize>,
    /// Keep in this file how far the campaign is, and go on from there.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Run one part of n of the campaign, such as 3/8: --count and --seed are those of the whole. Keep it with
    /// --resume, and put the parts together with --merge.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Put the parts of a campaign together, the files that --resume wrote, and report on the whole.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["targets", "count", "time", "seed", "resume", "jobs", "shard"])]
    pub merge: Vec<PathBuf>,
    /// Write a report with plots to this file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Keep what disagrees, made small, in fuzz/harness/regressions, which the tests replay.
    #[arg(long)]
    pub keep: bool,
    /// Put this one input to the targets instead: a file as they are kept in a corpus.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "time", "seed", "resume", "html", "keep", "jobs"])]
    pub replay: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Corpus {
    /// The folder that keeps inputs, with a folder for each target.
    #[arg(
        long,
        default_value = "fuzz/harness/corpus",
        global = true,
        value_name = "FOLDER"
    )]
    pub folder: PathBuf,
    #[command(subcommand)]
    pub command: CorpusCommand,
}

#[derive(Debug, Subcommand)]
pub enum CorpusCommand {
    /// Add the inputs of a campaign; of all inputs keep small ones that together reach the same rules, answers and
    /// messages.
    Distil {
        /// The number of inputs of each target.
        #[arg(long, default_value_t = 2_000)]
        count: u64,
        /// The number that they are made from.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
    /// Write the corpus as libFuzzer reads it, a folder for each target.
    Export {
        /// The folder.
        to: PathBuf,
    },
    /// Take in what libFuzzer found for a target.
    Import {
        /// The target.
        target: String,
        /// The folder of libFuzzer's corpus, such as fuzz/harness/corpus/spec_solver of cargo fuzz.
        from: PathBuf,
    },
}
