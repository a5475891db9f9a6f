//! Output of a program while it runs: what it prints, saves and asserts, and the curves and checkpoints of its
//! sections.

use std::fmt::Write;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use lozenge::{Checkpoint, EpochReport, Printed, RunError, Stopped, Watch};
use lozenge_backend::{Error, Precision, Tensor};
use lozenge_lang::Diagnostic;
use lozenge_vocabulary::program::{Request, Section, Turns, Wish};
use serde::Serialize;
use serde_json::json;

use crate::execution::values;
use crate::files::saved_tensor;
use crate::json::lines::{Epoch, Line};
use crate::json::program::{CurvePoint, PrintedData, SectionData};
use crate::json::{Number, ShapeData};
use crate::loaded::{self, Loaded};
use crate::report::{self, Problem};

/// The destination of the lines that a program prints.
pub enum Out {
    /// Standard output, at once.
    Streamed,
    /// A text.
    Kept(String),
    /// Standard output, at once, as lines for programs.
    Lines,
    /// None: nothing is printed or saved.
    Nowhere,
}

impl Out {
    /// Returns the text that was kept.
    pub fn kept(self) -> String {
        match self {
            Out::Kept(text) => text,
            Out::Streamed | Out::Lines | Out::Nowhere => String::new(),
        }
    }
}

/// Returns the name of a saved array in an archive: that of the tensor, or what NumPy gives an array without a name.
fn saved_name(written: &str) -> &str {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    match !written.is_empty() && written.chars().all(is_name) {
        true => written,
        false => "arr_0",
    }
}

/// Follows a run: prints, saves and asserts as the program requests, and records its curves.
pub struct Follower<'l> {
    pub(super) loaded: &'l Loaded,
    shapes: &'l lozenge::Shapes,
    folder: PathBuf,
    /// The destination of lines.
    pub out: Out,
    /// The output of the epochs of each section.
    pub sections: Vec<SectionData>,
    /// The output outside of sections.
    pub printed: Vec<PrintedData>,
    /// The file into which parameters and states are written after each epoch.
    pub save: Option<PathBuf>,
    /// The contents of the file, once it is written.
    saved: Option<Checkpoint>,
    /// True if a bar shows the progress of a section.
    pub progress: bool,
    /// The precision of the tensors.
    pub precision: Precision,
    pub(super) bar: Option<indicatif::ProgressBar>,
    /// The problem because of which the run is stopped.
    pub(super) problem: Option<Problem>,
}

impl<'l> Follower<'l> {
    /// Returns a follower that prints what the program requests. Files are saved relative to the folder.
    pub fn new(
        loaded: &'l Loaded,
        shapes: &'l lozenge::Shapes,
        folder: &Path,
        out: Out,
    ) -> Follower<'l> {
        Follower {
            loaded,
            shapes,
            folder: folder.to_path_buf(),
            out,
            sections: Vec::new(),
            printed: Vec::new(),
            save: None,
            saved: None,
            progress: false,
            precision: Precision::F32,
            bar: None,
            problem: None,
        }
    }

    fn line(&mut self, line: &str) -> Result<(), Problem> {
        match &mut self.out {
            Out::Nowhere | Out::Lines => Ok(()),
            Out::Kept(text) => {
                let _ = writeln!(text, "{line}");
                Ok(())
            }
            Out::Streamed => {
                let write = || report::to_stdout(|out| writeln!(out, "{line}"));
                match &self.bar {
                    Some(bar) => bar.suspend(write),
                    None => write(),
                }
            }
        }
    }

    fn stop<T>(&mut self, done: Result<T, Problem>) -> Result<T, Stopped> {
        done.map_err(|problem| {
            self.problem = Some(problem);
            Stopped
        })
    }

    /// Returns the text behind `print` in the program, or the name of an output in its model.
    fn written(&self, request: &Request) -> &'l str {
        if let Some(name) = self.loaded.called.get(&request.span.start) {
            return name;
        }
        let text = self.loaded.source.text.get(request.span.clone());
        text.unwrap_or_default()
    }

    /// Returns a printed tensor as a text, with its shape.
    fn assigned(&self, request: &Request, tensor: &Tensor) -> String {
        let values = values::of(tensor);
        values::assigned(
            self.written(request),
            &self.shapes[request.tensor.0],
            &values,
        )
    }

    /// Returns a printed tensor as data.
    fn data(&self, request: &Request, tensor: &Tensor) -> PrintedData {
        let numbers = || Number::all(tensor);
        let has_axes = !tensor.shape().is_empty();
        PrintedData {
            text: self.written(request).to_string(),
            value: numbers().first().copied().filter(|_| !has_axes),
            shape: has_axes.then(|| ShapeData::from(&self.shapes[request.tensor.0])),
            values: has_axes.then(numbers),
        }
    }

    fn fulfil(&mut self, request: &Request, tensor: &Tensor) -> Result<(), Problem> {
        match &request.what {
            Wish::Print => {
                let line = self.assigned(request, tensor);
                let data = self.data(request, tensor);
                match self.out {
                    Out::Lines => event("printed", &data),
                    _ => {
                        self.printed.push(data);
                        self.line(&line)
                    }
                }
            }
            Wish::Save(_) if matches!(self.out, Out::Nowhere) => Ok(()),
            Wish::Save(path) => {
                let path = self.folder.join(path);
                let saved = saved_tensor::save(&path, saved_name(self.written(request)), tensor);
                saved.map_err(|error| {
                    Problem::new(format!("{} cannot be written: {error}", path.display()))
                })
            }
            // The run looks at these itself.
            Wish::Classes(_) => Ok(()),
            Wish::Assert => {
                let Some(at) = tensor.values().iter().position(|value| *value == 0.0) else {
                    return Ok(());
                };
                let diagnostic = Diagnostic::new(
                    request.span.clone(),
                    "an assertion does not hold",
                    format!("0 in cell {at} of {}", tensor.values().len()),
                );
                let help = "an assertion holds where every cell differs from 0";
                Err(loaded::problem(
                    &self.loaded.source,
                    &[diagnostic.help(help)],
                ))
            }
        }
    }

    /// Returns the line of an epoch.
    fn epoch_line(&self, report: &EpochReport) -> String {
        let section = &self.loaded.program.sections[report.section];
        let mut line = match section.turns {
            Turns::Steps(steps) => format!("step {}/{steps}", report.step),
            Turns::Epochs { .. } => format!("epoch {}/{}", report.epoch, report.epochs),
        };
        for (request, printed) in &report.printed {
            let request = &self.loaded.program.requests[*request];
            let _ = match (printed.mean(), printed) {
                (Some(mean), _) => write!(line, "  {} {mean:.6}", self.written(request)),
                (None, Printed::Tensor(tensor)) => {
                    write!(line, "  {}", self.assigned(request, tensor))
                }
                (None, Printed::Steps(_)) => Ok(()),
            };
        }
        line
    }

    fn keep(&mut self, report: &EpochReport) -> Result<(), Problem> {
        let requests = &self.loaded.program.requests;
        let printed = report.printed.iter().map(|(request, printed)| {
            let request = &requests[*request];
            let (shape, values) = match printed {
                Printed::Tensor(tensor) if !tensor.shape().is_empty() => {
                    let PrintedData { shape, values, .. } = self.data(request, tensor);
                    (shape, values)
                }
                _ => (None, None),
            };
            PrintedData {
                text: self.written(request).to_string(),
                value: printed.mean().map(|mean| match self.precision {
                    Precision::F32 => Number::Single(mean as f32),
                    Precision::F64 => Number::Double(mean),
                }),
                shape,
                values,
            }
        });
        let point = CurvePoint {
            epoch: report.epoch,
            step: report.step,
            printed: printed.collect(),
        };
        let Some(section) = self.sections.last_mut() else {
            return Ok(());
        };
        let CurvePoint { epoch, step, .. } = point;
        let printed = matches!(self.out, Out::Lines).then(|| point.printed.clone());
        section.curve.push(point);
        let line = section.line;
        match printed {
            Some(printed) => event(
                "epochs",
                &Epoch {
                    line,
                    epoch,
                    step,
                    printed,
                },
            ),
            None => Ok(()),
        }
    }

    fn after_epoch(
        &mut self,
        report: &EpochReport,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Problem> {
        self.keep(report)?;
        if !report.printed.is_empty() {
            let line = self.epoch_line(report);
            self.line(&line)?;
        }
        self.write(checkpoint)
    }

    /// Returns the message that the device was lost, with a way to go on.
    pub(super) fn lost(&self, error: &Error) -> Problem {
        let resumes = self
            .saved
            .as_ref()
            .is_some_and(|saved| saved.progress.is_some());
        let way = match &self.save {
            Some(path) if resumes => format!(
                "{0} has the values after the last epoch that ended: `--resume {0}` goes on from there, to the same bits",
                path.display()
            ),
            _ => "run it again, or with --device interpreter".to_string(),
        };
        Problem::new(format!("{error}; {way}"))
    }

    /// Writes a checkpoint, if a file was named for it.
    fn write(
        &mut self,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Problem> {
        let Some(path) = &self.save else {
            return Ok(());
        };
        let values = checkpoint().map_err(Problem::new)?;
        if self.saved.as_ref() != Some(&values) {
            values.save(path).map_err(Problem::new)?;
            self.saved = Some(values);
        }
        Ok(())
    }
}

/// Writes an element of a list of the answer as soon as it is known.
fn event(list: &'static str, item: &impl Serialize) -> Result<(), Problem> {
    let line = json!(Line::new("train", list, item));
    report::to_stdout(|out| writeln!(out, "{line}"))
}

impl Watch for Follower<'_> {
    fn request(&mut self, request: &Request, tensor: &Tensor) -> Result<(), Stopped> {
        let done = self.fulfil(request, tensor);
        self.stop(done)
    }

    fn begins(&mut self, section: &Section, step: u64, steps: u64) {
        let (line, _) = self.loaded.place(&section.span);
        let mut data = SectionData {
            line,
            steps,
            ..SectionData::default()
        };
        if let Turns::Epochs {
            batch,
            left_over,
            label,
            batches,
            ..
        } = &section.turns
        {
            data.batch = Some(*batch);
            data.left_over = Some(*left_over);
            if *left_over > 0 {
                let rows = batch * batches + left_over;
                // If this cannot be written, the next printed line reports that.
                let _ = self.line(&format!(
                    "line {line}: {left_over} of the {rows} rows of `{label}` fill no batch of {batch}, and each epoch leaves so many out"
                ));
            }
        }
        if step > 0 && step >= steps {
            data.done_before = true;
            // As above.
            let _ = self.line(&format!(
                "line {line}: the run had done these epochs already: nothing is left to do here"
            ));
        }
        self.sections.push(data);
        if self.progress && std::io::stderr().is_terminal() {
            let style = indicatif::ProgressStyle::with_template(
                "{bar:40} {pos}/{len} steps, {per_sec}, {eta} left",
            );
            let bar = indicatif::ProgressBar::new(steps);
            self.bar = Some(match style {
                Ok(style) => bar.with_style(style).with_position(step),
                Err(_) => bar.with_position(step),
            });
        }
    }

    fn step(&mut self, step: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(step);
        }
    }

    fn epoch(
        &mut self,
        report: &EpochReport,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        let done = self.after_epoch(report, checkpoint);
        self.stop(done)
    }

    fn ends(
        &mut self,
        checkpoint: &mut dyn FnMut() -> Result<Checkpoint, RunError>,
    ) -> Result<(), Stopped> {
        let done = self.write(checkpoint);
        self.stop(done)
    }
}
