//! Programs as people write them, with the values that are right. Each file of `tests/values` says in its first lines
//! what it shows and who says so (NumPy, another library, a calculation by hand), never lozenge. Then it states what
//! has to happen:
//!
//! - `print a, b  #= 1 2 3; nan` at the end of a line: the numbers of each tensor, in the order of its cells;
//! - `# shape: a 8|->3`: the shape of a tensor;
//! - `# refused: words`: the program or its data is refused, and the message has these words;
//! - `# warned: words`: a warning has these words. A program without such a line has no warnings;
//! - `# mended`: beside `# refused`, the changes that the messages propose are made until the program is accepted, and
//!   what it prints then stands at the ends of the lines.
//!
//! Each file has at least one of them, and each `print` outside of sections has its values. A file that says `# f64` is
//! computed with 64 bits, and its data is read so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lozenge::backend::{Device, Engine, Interpreter, Limits, Tensor, open};
use lozenge::lang::Edit;
use lozenge::lang::numpy::AsNumbers;
use lozenge::vocabulary::operation::TensorId;
use lozenge::vocabulary::program::{Request, Wish};
use lozenge::{Options, Reading, Settings, Stopped, Surroundings, shape_text};

/// The largest difference of a value, relative to 1 or to the value itself if that is larger.
const TOLERANCE: f64 = 2e-5;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/values")
}

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder()).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == "loz"))
        .collect();
    files.sort();
    files
}

/// Returns the texts behind `# word: ` in the lines of a file.
fn stated<'t>(text: &'t str, word: &str) -> Vec<&'t str> {
    let lines = text.lines();
    lines
        .filter_map(|line| {
            line.strip_prefix("# ")?
                .strip_prefix(word)?
                .strip_prefix(": ")
        })
        .collect()
}

#[test]
fn each_program_has_the_values_that_others_computed() {
    let files = files();
    assert!(files.len() >= 2, "{files:?}");
    let wrong: Vec<String> = files
        .iter()
        .filter_map(|path| {
            let text = std::fs::read_to_string(path).expect("a text");
            let wrong = wrong(&text)?;
            Some(format!("{}: {wrong}", path.display()))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compares a program with the statements of its file, and returns the first difference.
fn wrong(text: &str) -> Option<String> {
    let refused = stated(text, "refused");
    let read = lozenge::read_in(text, &Surroundings::folder(&folder()), &Options::default());
    let reading = match (read, refused.is_empty()) {
        (Ok(reading), true) => reading,
        (Ok(reading), false) => {
            let Err(error) = lozenge::load(&reading.program, &folder()) else {
                return Some("it is accepted".into());
            };
            let shown = error.diagnostic().render(text, "program.loz", false);
            let is_said = refused.iter().all(|words| shown.contains(words));
            return (!is_said).then_some(shown);
        }
        (Err(errors), is_accepted) => {
            let errors = errors.iter();
            let shown: String = errors
                .map(|error| error.render(text, "program.loz", false))
                .collect();
            let is_said = refused.iter().all(|words| shown.contains(words));
            if is_accepted || !is_said {
                return Some(shown);
            }
            let is_mended = text.lines().any(|line| line == "# mended");
            return is_mended.then(|| mended(text)).flatten();
        }
    };
    warned(text, &reading)
        .or_else(|| shapes(text, &reading))
        .or_else(|| printed(text, &reading))
}

/// Makes the first change that the messages of a refused program propose, again and again, and compares the program
/// that is accepted in the end.
fn mended(text: &str) -> Option<String> {
    let mut text = text.to_string();
    for _ in 0..8 {
        let read = lozenge::read_in(&text, &Surroundings::folder(&folder()), &Options::default());
        let errors = match read {
            Ok(reading) => return shapes(&text, &reading).or_else(|| printed(&text, &reading)),
            Err(errors) => errors,
        };
        let mut helps = errors.iter().filter_map(|error| error.help.as_ref());
        let Some(help) = helps.find(|help| !help.edits.is_empty()) else {
            return Some(format!("nothing is proposed: {}", errors[0].message));
        };
        text = Edit::apply(&help.edits, &text);
    }
    Some("the proposed changes do not lead to an accepted program".into())
}

fn warned(text: &str, reading: &Reading) -> Option<String> {
    let warned = stated(text, "warned");
    let warnings = reading.warnings.iter();
    let shown: String = warnings
        .map(|warning| warning.render(text, "program.loz", false))
        .collect();
    let is_said = warned.iter().all(|words| shown.contains(words));
    (!is_said || warned.is_empty() != shown.is_empty()).then(|| format!("warnings: {shown}"))
}

fn shapes(text: &str, reading: &Reading) -> Option<String> {
    stated(text, "shape").into_iter().find_map(|stated| {
        let (name, expected) = stated.split_once(' ').expect("a name and a shape");
        let id = reading.program.find(name).expect("the tensor is there");
        let found = shape_text(&reading.inference.shapes[id.0]);
        (found != expected).then(|| format!("`{name}` is `{found}`"))
    })
}

/// An observer that compares what is printed with the end of the line.
struct Compared<'t> {
    text: &'t str,
    /// The first byte of the present line, and the number of its tensors that were printed before.
    line: (usize, usize),
    count: usize,
    wrong: Option<String>,
}

impl lozenge::Watch for Compared<'_> {
    fn request(&mut self, request: &Request, tensor: &Tensor) -> Result<(), Stopped> {
        if request.what != Wish::Print {
            return Ok(());
        }
        let begin = self.text[..request.span.start]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let place = match self.line {
            (line, count) if line == begin && count > 0 => count,
            _ => 0,
        };
        self.line = (begin, place + 1);
        self.count += 1;
        let line = self.text[begin..].lines().next().unwrap_or_default();
        let values = line
            .split_once("#=")
            .and_then(|(_, values)| values.split(';').nth(place));
        let expected: Option<Vec<f64>> = values.and_then(|values| {
            let values = values.split_whitespace();
            values.map(|value| value.parse().ok()).collect()
        });
        let found: Vec<f64> = tensor.wide_values().into_owned();
        let is_right = expected.is_some_and(|expected| are_near(&expected, &found));
        if !is_right && self.wrong.is_none() {
            self.wrong = Some(format!("`{line}` prints {found:?}"));
        }
        Ok(())
    }
}

fn are_near(expected: &[f64], found: &[f64]) -> bool {
    let is_near = |(expected, found): (&f64, &f64)| {
        expected == found
            || (expected.is_nan() && found.is_nan())
            || (expected - found).abs() <= TOLERANCE * expected.abs().max(1.0)
    };
    expected.len() == found.len() && expected.iter().zip(found).all(is_near)
}

/// Returns the interpreter, and an OpenCL device where there is one. Values of 64 bits are those of the interpreter.
fn devices(text: &str) -> Vec<Box<dyn Device>> {
    if is_wide(text) {
        return vec![Box::new(Interpreter::wide(Limits::default()))];
    }
    let mut devices: Vec<Box<dyn Device>> = vec![Box::new(Interpreter::new(Limits::default()))];
    if cfg!(feature = "opencl") {
        let is_required =
            std::env::var_os("LOZENGE_REQUIRE_OPENCL").is_some_and(|value| value == "1");
        match open(Engine::OpenCl, Limits::default()) {
            Ok(device) => devices.push(device),
            Err(error) => assert!(!is_required, "{error}"),
        }
    }
    devices
}

fn printed(text: &str, reading: &Reading) -> Option<String> {
    let program = &reading.program;
    let ran = match is_wide(text) {
        true => lozenge::load_wide(program, &folder()).map(|data| ran(text, reading, &data)),
        false => lozenge::load(program, &folder()).map(|data| ran(text, reading, &data)),
    };
    ran.unwrap_or_else(|error| Some(error.to_string()))
}

fn is_wide(text: &str) -> bool {
    text.lines().any(|line| line == "# f64")
}

/// Runs a program on each device, and returns the first printed value that differs.
fn ran(text: &str, reading: &Reading, data: &BTreeMap<TensorId, impl AsNumbers>) -> Option<String> {
    let (program, inference) = (&reading.program, &reading.inference);
    devices(text).iter_mut().find_map(|device| {
        let mut compared = Compared {
            text,
            line: (0, 0),
            count: 0,
            wrong: None,
        };
        let run = lozenge::run_with(
            program,
            &inference.shapes,
            &inference.nests,
            data,
            device.as_mut(),
            &Settings::default(),
            &mut compared,
        );
        let is_empty = compared.count == 0 && stated(text, "shape").is_empty();
        let empty = is_empty.then(|| "nothing is compared".to_string());
        run.err()
            .map(|error| error.to_string())
            .or(compared.wrong)
            .or(empty)
    })
}
