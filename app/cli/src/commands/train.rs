//! `lozenge train`: runs a program with sections, shows its progress, and reads and writes checkpoints.

use std::collections::BTreeSet;
use std::path::Path;

use lozenge::{Begin, Checkpoint, Settings, Shapes};
use lozenge_vocabulary::operation::Kind;
use lozenge_vocabulary::program::{Program, Wish};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{self, Format};
use crate::curve;
use crate::execution::parameters;
use crate::execution::pins::Pinned;
use crate::execution::times;
use crate::execution::{self, Follower, Out};
use crate::files::distinct_files::Named;
use crate::files::output_file::OutputFile;
use crate::json::program::{MemoryData, PrintedData, SectionData, Times};
use crate::loaded::{self, Inferred, Loaded};
use crate::report::{self, Problem, Report};

/// The curves of a training: an answer of `train`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Answer {
    /// The device on which it ran.
    pub device: String,
    /// The seed of the run.
    pub seed: u64,
    /// The output of each section, in the order of the program. A section that an earlier run finished is left out.
    pub sections: Vec<SectionData>,
    /// With `--times`: how long the kernels took, those that took longest first; null if the device measures none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub times: Option<Times>,
    /// The memory that the device took, if it counts it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryData>,
    /// The output of the program outside of its sections, in its order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub printed: Vec<PrintedData>,
}

/// The result: a report to be printed, or nothing.
pub enum Train {
    /// The answer.
    Report(Report),
    /// Everything was already printed.
    Written,
}

/// Runs the command.
pub fn train(args: &args::Train, format: Format) -> Result<Train, Problem> {
    let mut loaded = loaded::program_with(&args.file, &args.outside, args.limits.programs)?;
    loaded.why = args.limits.why;
    let inferred = match loaded.infer(
        args::Pipeline::Solver,
        &args.limits.options(),
        args.limits.rules,
    ) {
        Ok(inferred) => inferred,
        Err(refusal) => return Ok(Train::Report(refusal)),
    };
    has_section(&loaded)?;
    let begin = begin(args, &loaded.program, &inferred.shapes)?;
    let folder = loaded::folder(&args.file);
    files_fit(args, &loaded, folder)?;
    let curves = curves(args, &loaded.program, &inferred)?;
    let data = execution::data(&loaded, folder, &begin, args.on.precision)?;
    let settings = Settings {
        seed: seed(args, &begin)?,
        epochs: args.epochs,
        begin,
        // Only printed and saved values are visible, so no tensor needs to be kept.
        keep: Some(BTreeSet::new()),
        ..Settings::default()
    };
    let points = execution::points(&loaded.program, &inferred.nests);
    let execution::Opened { mut device, line } = execution::open(&args.on, points)?;
    let pinned = match &args.on.pins {
        Some(path) => Some(Pinned::onto(path, device.as_mut())?),
        None => None,
    };
    let about = device.description();
    if format == Format::Text {
        let warnings = loaded.rendered(&inferred.warnings);
        report::to_stdout(|out| writeln!(out, "{warnings}{line}"))?;
    }
    let mut follower = Follower::new(&loaded, &inferred.shapes, folder, destination(format));
    follower.precision = args.on.precision;
    follower.save = args.save.clone();
    follower.progress = format == Format::Text;
    let run = execution::execute(&inferred, &data, device.as_mut(), &settings, &mut follower);
    if let Some(curves) = curves {
        let about = format!("Device: {about}. Seed: {}.", settings.seed);
        write_curves(curves, &loaded, &about, &follower, run.is_ok())?;
    }
    execution::put_kernels_away(device.as_mut());
    run?;
    let mut note = pinned.map_or_else(String::new, |pinned| pinned.note());
    let times = times::told(&args.on, device.as_mut(), &loaded, &mut note)?;
    if format == Format::Text {
        report::to_stdout(|out| write!(out, "{note}"))?;
        return Ok(Train::Written);
    }
    let answer = Answer {
        device: about,
        seed: settings.seed,
        sections: follower.sections,
        times,
        memory: MemoryData::of(device.as_ref()),
        printed: follower.printed,
    };
    let report = Report::new("", answer).with_errors(loaded.messages(&inferred.warnings));
    Ok(Train::Report(report))
}

/// Checks that the program has something to repeat.
fn has_section(loaded: &Loaded) -> Result<(), Problem> {
    match loaded.program.sections.is_empty() {
        false => Ok(()),
        true => Err(Problem::new(format!(
            "{} has no section: write `train 20 epochs by 32 of n:` or `train 100 steps:` with the lines that are repeated below, or use `lozenge run`",
            loaded.source.name
        ))),
    }
}

/// Checks that the files of a run can be written before it begins, and that none is read or written twice.
fn files_fit(args: &args::Train, loaded: &Loaded, folder: &Path) -> Result<(), Problem> {
    execution::is_checkpoint(args.save.as_deref())?;
    // A run is resumed from the checkpoint that it goes on to write.
    let read = Named::flag("--load", args.load.as_deref());
    let read = parameters::files(&args.params)
        .chain(args.on.files())
        .chain(read);
    let save = Named::flag("--save", args.save.as_deref());
    let curve = Named::flag("--curve", args.curve.as_deref());
    execution::writable(loaded, folder, read, save.into_iter().chain(curve))
}

/// Chooses where the lines go that the program prints during the run.
fn destination(format: Format) -> Out {
    match format {
        Format::Text => Out::Streamed,
        Format::Json => Out::Kept(String::new()),
        Format::Jsonl => Out::Lines,
    }
}

/// The file of the curves, and its form.
type Curves = (curve::Form, OutputFile);

/// Writes the curves. The curves of a run that failed show what led there; if nothing was printed yet, an older file
/// stays, and of two failures the first is reported.
fn write_curves(
    (form, file): Curves,
    loaded: &Loaded,
    about: &str,
    follower: &Follower<'_>,
    has_ended: bool,
) -> Result<(), Problem> {
    let sections = &follower.sections;
    let seen = sections.iter().any(|section| !section.curve.is_empty());
    if !has_ended && !seen {
        return Ok(());
    }
    let text = form.text(&loaded.source.name, about, sections);
    let written = text.and_then(|text| file.write(&text));
    match has_ended {
        true => written,
        false => Ok(()),
    }
}

/// Returns the file for the curves and its form, if one is asked for and the program prints a number in a section.
fn curves(
    args: &args::Train,
    program: &Program,
    inferred: &Inferred,
) -> Result<Option<Curves>, Problem> {
    let Some(path) = &args.curve else {
        return Ok(None);
    };
    let form = curve::Form::of(path)?;
    let requests = program.sections.iter().flat_map(|section| {
        let evaluations = section.evaluations.iter().map(|part| &part.requests);
        std::iter::once(&section.requests).chain(evaluations)
    });
    let prints_number = requests
        .flat_map(|range| &program.requests[range.clone()])
        .any(|request| {
            let shape = &inferred.shapes[request.tensor.0];
            matches!(request.what, Wish::Print)
                && Kind::ALL
                    .iter()
                    .all(|kind| shape.row(*kind).flat().is_empty())
        });
    if !prints_number {
        return Err(Problem::new(
            "--curve: no section of the program prints a number, so there is no curve: write for instance `print loss` in the section",
        ));
    }
    Ok(OutputFile::open(Some(path))?.map(|file| (form, file)))
}

/// Returns the values with which the run begins.
fn begin(args: &args::Train, program: &Program, shapes: &Shapes) -> Result<Begin, Problem> {
    let read = |path: &Path| Checkpoint::load(path).map_err(Problem::new);
    Ok(match (&args.load, &args.resume) {
        (Some(path), _) => Begin::Load(read(path)?),
        (None, Some(path)) => Begin::Resume(read(path)?),
        (None, None) => parameters::begin(
            &args.params,
            &args.transpose,
            program,
            shapes,
            args.on.precision,
        )?,
    })
}

/// Returns the seed of the run; a resumed run keeps its seed.
fn seed(args: &args::Train, begin: &Begin) -> Result<u64, Problem> {
    let kept = match begin {
        Begin::Resume(checkpoint) => checkpoint.progress.map(|progress| progress.seed),
        Begin::Anew | Begin::Load(_) | Begin::Given(_) => None,
    };
    match (args.seed, kept) {
        (Some(seed), Some(kept)) if seed != kept => Err(Problem::new(format!(
            "--seed {seed}: the run of the checkpoint has the seed {kept}, and goes on with it: leave --seed out"
        ))),
        (seed, kept) => Ok(seed.or(kept).unwrap_or_default()),
    }
}
