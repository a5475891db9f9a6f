//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use lozenge_spec::Strategy;
use lozenge_testkit::sets::Scope;
use lozenge_vocabulary::{Dim, Order};

use crate::duration::seconds;
use crate::limits;

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
    /// How answers are written.
    #[arg(long, global = true, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    #[command(flatten)]
    pub color: colorchoice_clap::Color,
    #[command(subcommand)]
    pub command: Command,
}

/// How answers are written.
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
    /// The format that a command line asks for which could not be parsed as a whole.
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
    /// Solve a constraint set: what is forced, what is free, or why it is refused.
    #[command(after_help = "Example: lozenge solve examples/rows/remark-6.3.rows --close")]
    Solve(Solve),
    /// Check a certificate that says why a constraint set has no solution, or gives one.
    #[command(
        after_help = "Exit status: 1 where the certificate shows that there is no solution, 0 where it shows one, 3 where it is not accepted.\n\nExample: lozenge solve examples/periods.rows --by complete --certificate why.json; lozenge verify why.json examples/periods.rows"
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
    Lsp,
    /// Run a program on its data.
    #[command(after_help = "Example: lozenge run examples/digits/digits.loz --device interpreter")]
    Run(Run),
    /// Run a program that trains: its sections with progress, curves and checkpoints.
    #[command(
        after_help = "A checkpoint is a file of the safetensors format with the values of all parameters and states.\n\nExample: lozenge train examples/digits/mlp.loz --epochs 2 --save mlp.safetensors"
    )]
    Train(Train),
    /// List the OpenCL devices that programs can run on.
    #[command(after_help = "Example: lozenge devices --measure")]
    Devices(Devices),
    /// Measure the solver on families of problems of growing size, or the kernels of programs.
    #[command(after_help = "Example: lozenge bench --family rows-down --up-to 1000")]
    Bench(Bench),
    /// Every numbered statement of the formal core: is it true, and how is that known?
    #[command(after_help = "Example: lozenge claims show 1.4 --quick")]
    Claims(Claims),
    /// Put many inputs to all parties and hold their answers against each other.
    #[command(
        after_help = "Without --count and --time each target gets 10000 inputs.\n\nExample: lozenge campaign spec_solver order --count 200 --html report.html"
    )]
    Campaign(Campaign),
    /// Keep inputs that reach something of their own, and exchange them with libFuzzer.
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

#[derive(Debug, ClapArgs)]
pub struct Solve {
    /// A constraint set.
    pub file: PathBuf,
    /// Close every variable: leaves to the join of what is below them, everything else to its top (Def. 6.1).
    #[arg(long)]
    pub close: bool,
    /// Who solves.
    #[arg(long, value_enum, default_value_t = Party::Solver)]
    pub by: Party,
    /// With --by complete: write into this file why there is no solution, or a solution, for `lozenge verify`.
    #[arg(long, value_name = "FILE")]
    pub certificate: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// At most how many axes all values of a solution may have together: a chain of rows each one axis longer than the
    /// next has quadratically many.
    #[arg(long, default_value_t = 1 << 26, value_name = "AXES")]
    pub max_axes: u64,
    #[command(flatten)]
    pub search: limits::Search,
    #[command(flatten)]
    pub rules: limits::Rules,
}

#[derive(Debug, ClapArgs)]
pub struct Verify {
    /// The certificate.
    pub certificate: PathBuf,
    /// The constraint set.
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// The parties that solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Party {
    /// The production solver, with the document's policy.
    Solver,
    /// The production solver, branching where policy would choose: decides satisfiability.
    Complete,
    /// The transcribed rules.
    Spec,
}

#[derive(Clone, Copy, Debug, ClapArgs)]
pub struct Reading {
    /// What `<=` between rows means.
    #[arg(long, value_enum, default_value_t = RowOrder::Marked)]
    pub order: RowOrder,
}

/// The readings of `<=` between rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RowOrder {
    /// The marked row order (Def. 2.3).
    Marked,
    /// By flat content, the operand expanded at its marker (Rem. 2.15).
    OneShot,
}

impl From<RowOrder> for Order {
    fn from(order: RowOrder) -> Order {
        match order {
            RowOrder::Marked => Order::Marked,
            RowOrder::OneShot => Order::OneShot,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub struct Trace {
    /// A constraint set, or a program.
    pub file: PathBuf,
    /// Close every variable after solving.
    #[arg(long)]
    pub close: bool,
    /// Which constraint is processed next.
    #[arg(long, value_enum, default_value_t = Choice::First)]
    pub strategy: Choice,
    /// The seed of `--strategy random`.
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub rules: limits::Rules,
}

/// The strategies of the transcribed rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Choice {
    /// The oldest constraint.
    First,
    /// The youngest.
    Last,
    /// Any, by the seed.
    Random,
    /// Growth first, equalities last.
    Adversarial,
}

impl Trace {
    /// The strategy that was asked for.
    pub fn strategy(&self) -> Strategy {
        match self.strategy {
            Choice::First => Strategy::First,
            Choice::Last => Strategy::Last,
            Choice::Random => Strategy::Random(self.seed),
            Choice::Adversarial => Strategy::Adversarial,
        }
    }
}

#[derive(Debug, ClapArgs)]
pub struct Oracle {
    /// A constraint set, or a program.
    pub file: PathBuf,
    /// A question; may be given again. Sets and solutions are in the notation, with ; between lines.
    #[arg(long, value_name = "QUESTION", long_help = questions())]
    pub ask: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub limits: limits::Z3,
}

/// The help of `--ask`, with the words that the oracle knows.
fn questions() -> String {
    let help = "A question; may be given again. Sets and solutions are in the notation, with ; between lines.";
    #[cfg(feature = "oracle")]
    return format!("{help} The questions are {}", lozenge_oracle::WORDS);
    #[cfg(not(feature = "oracle"))]
    help.to_string()
}

#[derive(Debug, ClapArgs)]
pub struct Explain {
    /// A constraint set, a program, or the name of a rule such as di_ground.
    pub file: PathBuf,
    /// What to explain: a dimension variable as a, a row variable as '<r>', and of a program a tensor as w, its row as
    /// w.input, or an axis of it as w.input[0]. Without it everything is explained, or the refusal.
    #[arg(long, value_name = "WHAT")]
    pub var: Option<String>,
    /// Explain the solved form, before anything is closed.
    #[arg(long)]
    pub open: bool,
    #[command(flatten)]
    pub limits: InferenceLimits,
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
    /// How often each is run; the fastest counts.
    #[arg(long, default_value_t = 3)]
    pub runs: usize,
    /// Write the measurements to this file, too.
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Measure the kernels of programs on the first OpenCL device, held against its ceilings: chains of multiply-adds, a copy.
    #[command(after_help = "Example: lozenge bench backend --only 'matmul 64' --rounds 1")]
    Backend(BenchBackend),
}

#[derive(Debug, ClapArgs)]
pub struct BenchBackend {
    /// Only workloads with this in their name; may be given again.
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// In how many rounds each is measured, in turn with the ceilings; the fastest counts.
    #[arg(long, default_value_t = 5)]
    pub rounds: usize,
    /// To the interpreter's bits, which takes about twice as long for products of matrices.
    #[arg(long)]
    pub exact: bool,
    /// List the workloads, and measure nothing.
    #[arg(long)]
    pub list: bool,
    /// Read names of workloads, a line each, and answer each with a line of JSON; `backend/bench/compare.py` takes turns so.
    #[arg(long, hide = true)]
    pub serve: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Check {
    /// A constraint set, or a program.
    pub file: PathBuf,
    /// At most how many axes all tensors of a program may have together.
    #[arg(long, default_value_t = lozenge::Options::default().max_axes, value_name = "AXES")]
    pub max_axes: u64,
    #[command(flatten)]
    pub limits: limits::Parties,
}

#[derive(Debug, ClapArgs)]
pub struct Batch {
    /// Lines of `{"id": …, "rows": "…"}`.
    pub file: PathBuf,
    #[command(flatten)]
    pub limits: limits::Parties,
}

#[derive(Debug, ClapArgs)]
pub struct Infer {
    /// A program.
    pub file: PathBuf,
    /// Print only shapes: a line for each tensor that the program names.
    #[arg(long)]
    pub shapes: bool,
    /// Who infers.
    #[arg(long, value_enum, default_value_t = Pipeline::Solver)]
    pub by: Pipeline,
    #[command(flatten)]
    pub outside: Outside,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

#[derive(Debug, ClapArgs)]
pub struct View {
    /// A program.
    pub file: PathBuf,
    /// Write the page into this file.
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
    /// Show at most so many tensors and operations; the page says how many are left out.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    pub max_tensors: usize,
    /// Show at most so many steps of the transcribed rules.
    #[arg(long, default_value_t = 400, value_name = "N")]
    pub max_steps: usize,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

/// What infers the shapes and loop nests of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Pipeline {
    /// The production solver.
    Solver,
    /// The transcribed rules, which are slow.
    Spec,
}

/// The limits of an inference, and what its messages show.
#[derive(Clone, Debug, ClapArgs)]
pub struct InferenceLimits {
    /// At most how many axes all tensors may have together.
    #[arg(long, default_value_t = lozenge::Options::default().max_axes, value_name = "AXES")]
    pub max_axes: u64,
    /// Warn of a refusal of shapes that fit, and go on: R1, R2, R3, R4 or R5. May be given again.
    #[arg(long, value_name = "REFUSAL")]
    pub allow: Vec<lozenge::Check>,
    /// Show with each message the rule that failed and how the failure was derived.
    #[arg(long)]
    pub why: bool,
    #[command(flatten)]
    pub rules: limits::Rules,
}

impl InferenceLimits {
    /// The limits as the library takes them.
    pub fn options(&self) -> lozenge::Options {
        let mut options = lozenge::Options::default();
        options.max_axes = self.max_axes;
        for check in &self.allow {
            options.allow = options.allow.and(*check);
        }
        options
    }
}

#[derive(Debug, ClapArgs)]
pub struct Fmt {
    /// Programs, which are written anew; - reads one and prints it.
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Write nothing, and list the files that would change.
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Constraints {
    /// A program.
    pub file: PathBuf,
}

#[derive(Debug, ClapArgs)]
pub struct Run {
    /// A program.
    pub file: PathBuf,
    /// What it runs on: `interpreter`, `opencl`, or `opencl:0` for a device by number or part of its name. By default what the variable
    /// LOZENGE_DEVICE says, or else OpenCL where there is a device, and the interpreter where there is none.
    #[arg(long)]
    pub device: Option<Device>,
    /// Compute in the order of the loop nests, every operation rounded by itself, as the interpreter does. Without it sums are taken
    /// in an order that suits the device, always the same one, and a product that is added is rounded once with the sum.
    #[arg(long)]
    pub exact: bool,
    /// Run on the interpreter too, and print how far the two are apart.
    #[arg(long)]
    pub compare: bool,
    /// Print the values of this tensor (again for more); by default of every tensor that is small, and the first values of the others.
    #[arg(long, value_name = "TENSOR")]
    pub show: Vec<String>,
    /// Print the shapes, the loop nests and the verdicts of the parties before running.
    #[arg(long)]
    pub explain: bool,
    /// Who infers the shapes and the loop nests.
    #[arg(long, value_enum, default_value_t = Pipeline::Solver)]
    pub by: Pipeline,
    /// At most how many points the loops of one operation may have.
    #[arg(long, default_value_t = lozenge_backend::Limits::default().points, value_name = "POINTS")]
    pub max_points: u64,
    /// At most how many bytes all tensors may take together.
    #[arg(long, default_value_t = lozenge_backend::Limits::default().bytes, value_name = "BYTES")]
    pub max_bytes: u64,
    #[command(flatten)]
    pub outside: Outside,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

impl Run {
    /// The limits of a device.
    pub fn device_limits(&self) -> lozenge_backend::Limits {
        lozenge_backend::Limits {
            bytes: self.max_bytes,
            points: self.max_points,
        }
    }
}

/// What a program takes from outside.
#[derive(Clone, Debug, ClapArgs)]
pub struct Outside {
    /// Give a size of the program a value in place of its `size` line. May be given again.
    #[arg(long, value_name = "NAME=SIZE", value_parser = size)]
    pub set: Vec<(String, u64)>,
}

/// `NAME=SIZE`
fn size(text: &str) -> Result<(String, u64), String> {
    let (name, size) = text.split_once('=').ok_or("write `--set n=32`")?;
    let size = size
        .trim()
        .parse::<u64>()
        .map_err(|error| format!("`{size}` is no size: {error}"))?;
    Ok((name.trim().to_string(), size))
}

#[derive(Debug, ClapArgs)]
pub struct Train {
    /// A program with a section such as `train 20 epochs by 32 of n:`.
    pub file: PathBuf,
    /// What it runs on: `interpreter`, `opencl`, or `opencl:0` for a device by number or part of its name. By default what the variable
    /// LOZENGE_DEVICE says, or else OpenCL where there is a device, and the interpreter where there is none.
    #[arg(long)]
    pub device: Option<Device>,
    /// Compute in the order of the loop nests, every operation rounded by itself, as the interpreter does. Without it sums are taken
    /// in an order that suits the device, always the same one, and a product that is added is rounded once with the sum.
    #[arg(long)]
    pub exact: bool,
    /// What random values and the order of rows depend on; by default 0. The same seed gives the same numbers.
    #[arg(long)]
    pub seed: Option<u64>,
    /// How many epochs each section has, in place of what the program says.
    #[arg(long, value_name = "COUNT")]
    pub epochs: Option<u64>,
    /// Write the parameters and states into this file after each epoch, and at the end.
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Begin with the values of this checkpoint in place of first values.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub load: Option<PathBuf>,
    /// Go on where the run of this checkpoint was, to the same bits as if it had not stopped.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// At most how many points the loops of one operation may have.
    #[arg(long, default_value_t = lozenge_backend::Limits::default().points, value_name = "POINTS")]
    pub max_points: u64,
    /// At most how many bytes all tensors may take together.
    #[arg(long, default_value_t = lozenge_backend::Limits::default().bytes, value_name = "BYTES")]
    pub max_bytes: u64,
    #[command(flatten)]
    pub outside: Outside,
    #[command(flatten)]
    pub limits: InferenceLimits,
}

impl Train {
    /// The limits of a device.
    pub fn device_limits(&self) -> lozenge_backend::Limits {
        lozenge_backend::Limits {
            bytes: self.max_bytes,
            points: self.max_points,
        }
    }
}

/// What a program runs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Device {
    /// Plain loops on this machine.
    Interpreter,
    /// Kernels on an OpenCL device: the first one, or that of a number or with a text in its name.
    Opencl(Option<String>),
}

impl std::str::FromStr for Device {
    type Err = String;

    fn from_str(text: &str) -> Result<Device, String> {
        match text {
            "interpreter" => Ok(Device::Interpreter),
            "opencl" => Ok(Device::Opencl(None)),
            other => match other.strip_prefix("opencl:") {
                Some(wanted) if !wanted.is_empty() => {
                    Ok(Device::Opencl(Some(wanted.to_string())))
                }
                _ => Err(
                    "write `interpreter`, `opencl` or `opencl:0`, the number of a device or a part of its name (`lozenge devices` lists them)"
                        .to_string(),
                ),
            },
        }
    }
}

/// What OpenCL devices there are.
#[derive(Debug, ClapArgs)]
pub struct Devices {
    /// Measure how fast each multiplies and adds, and copies memory.
    #[arg(long)]
    pub measure: bool,
}

#[derive(Debug, ClapArgs)]
pub struct Claims {
    #[command(subcommand)]
    pub command: Option<ClaimsCommand>,
    /// Search as little as the tests do: less than a minute.
    #[arg(long, global = true)]
    pub quick: bool,
    /// Write the table as a page to this file, witnesses drawn.
    #[arg(long, value_name = "FILE", global = true)]
    pub html: Option<PathBuf>,
    /// Keep results in this file, and decide only what changed since; by default a file in the user's cache folder.
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
    /// With --survey: this scope instead, over `1_` and 3: how many constraints, axes in a row, dimension variables and row variables.
    #[arg(long, value_name = "C,A,D,R", requires = "survey", value_parser = scope)]
    pub scope: Vec<Scope>,
    /// Keep in this file how far the long run is, and go on from there.
    #[arg(long, value_name = "FILE", requires = "long")]
    pub notes: Option<PathBuf>,
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

/// A scope as four numbers. The constraints that its sets are made of are kept in memory, so there is a limit to them.
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
        dims: [Some(Dim::Unit), Dim::new(3)]
            .into_iter()
            .flatten()
            .collect(),
        dim_vars,
        row_vars,
    };
    let most = 5_000_000;
    match scope.alphabet() {
        count if count > most => Err(format!(
            "a set would be made of {count} constraints; at most {most} are listed"
        )),
        _ => Ok(scope),
    }
}

#[derive(Debug, ClapArgs)]
pub struct Campaign {
    /// The targets; by default all of them. --list tells what they are.
    pub targets: Vec<String>,
    /// List the targets and the named differences.
    #[arg(long)]
    pub list: bool,
    /// How many inputs each target gets, those of earlier sessions included.
    #[arg(long)]
    pub count: Option<u64>,
    /// How long to go on, such as 90s or 10m; a bare number is seconds.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub time: Option<Duration>,
    /// The number that all inputs are made from; 1 by default.
    #[arg(long)]
    pub seed: Option<u64>,
    /// How many threads; by default one for each core.
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub jobs: Option<usize>,
    /// Keep in this file how far the campaign is, and go on from there.
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Run one part of n of the campaign, such as 3/8: --count and --seed are those of the whole. Keep it with --resume, and
    /// put the parts together with --merge.
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// Put the parts of a campaign together, the files that --resume wrote, and report on the whole.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["targets", "count", "time", "seed", "resume", "jobs", "shard"])]
    pub merge: Vec<PathBuf>,
    /// Write a report with plots to this file.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Keep what disagrees, made small, in fuzz/regressions, which the tests replay.
    #[arg(long)]
    pub keep: bool,
    /// Put this one input to the targets instead: a file of a constraint set, a program, projection equations or a text.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["count", "time", "seed", "resume", "html", "keep", "jobs"])]
    pub replay: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct Corpus {
    /// Where inputs are kept, a folder for each target.
    #[arg(
        long,
        default_value = "fuzz/corpus",
        global = true,
        value_name = "FOLDER"
    )]
    pub folder: PathBuf,
    #[command(subcommand)]
    pub command: CorpusCommand,
}

#[derive(Debug, Subcommand)]
pub enum CorpusCommand {
    /// Add the inputs of a campaign; keep those that reach something of their own, the smallest that do.
    Distil {
        /// How many inputs of each target.
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
        /// The folder of libFuzzer's corpus, such as fuzz/corpus/spec_solver of cargo fuzz.
        from: PathBuf,
    },
}
