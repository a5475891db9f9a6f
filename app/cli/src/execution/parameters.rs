//! The values with which the parameters of a run begin, from files.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use lozenge::{Begin, Checkpoint, Shapes};
use lozenge_backend::{Precision, Tensor};
use lozenge_lang::numpy;
use lozenge_vocabulary::program::{Program, Source};

use crate::args::ParameterFile;
use crate::files::distinct_files::Named;
use crate::report::{self, Problem};

/// Returns the files that are read.
pub fn files(files: &[ParameterFile]) -> impl Iterator<Item = Named> {
    let words = |path: &Path| format!("--params {}", path.display());
    files
        .iter()
        .map(move |file| Named::new(words(&file.path), &file.path))
}

/// Reads the values with which a run in a precision begins. A single file of all parameters must have each of them; of
/// several files, each has some. The axes of some parameters are in the opposite order in the files.
///
/// # Errors
/// A file that cannot be read, and a name that is no parameter of the program.
pub fn begin(
    files: &[ParameterFile],
    transposed: &[String],
    program: &Program,
    shapes: &Shapes,
    precision: Precision,
) -> Result<Begin, Problem> {
    let mut all = Checkpoint::default();
    for file in files {
        add(file, program, precision, &mut all)?;
    }
    for name in transposed {
        known("--transpose", name, program)?;
        all.transpose(name).map_err(Problem::new)?;
    }
    let whole = matches!(files, [ParameterFile { name: None, .. }]);
    tell_square(&all, transposed, program, shapes);
    // Parameters of files are no run that could go on.
    all.progress = None;
    Ok(match files {
        [] => Begin::Anew,
        _ if whole => Begin::Load(all),
        _ => Begin::Given(all),
    })
}

/// Adds the tensors of a file.
fn add(
    file: &ParameterFile,
    program: &Program,
    precision: Precision,
    all: &mut Checkpoint,
) -> Result<(), Problem> {
    let ParameterFile { name, path, entry } = file;
    let is_array = path.extension().is_some_and(|end| end == "npy");
    match (name, entry, is_array) {
        (Some(name), None, true) => {
            known("--params", name, program)?;
            all.tensors.insert(name.clone(), array(path, precision)?);
        }
        (None, _, true) => {
            let name = only_one(path, program)?;
            all.tensors.insert(name, array(path, precision)?);
        }
        (Some(name), Some(entry), true) => {
            return Err(Problem::new(format!(
                "--params {name}={}:{entry}: a `.npy` file has one array and no entries: leave `:{entry}` out",
                path.display()
            )));
        }
        (Some(name), None, false) => {
            return Err(Problem::new(format!(
                "--params {name}={path}: the file of one parameter is a `.npy` file; write --params {path} for a file with the names of its arrays, or \
                 --params {name}={path}:ENTRY for one of them",
                path = path.display()
            )));
        }
        (Some(name), Some(entry), false) => {
            known("--params", name, program)?;
            let mut read =
                Checkpoint::load_only(path, &|found| found == entry).map_err(Problem::new)?;
            let tensor = read.tensors.remove(entry);
            let said = || Problem::new(format!("{}: {}", path.display(), read.missing(entry)));
            all.tensors.insert(name.clone(), tensor.ok_or_else(said)?);
        }
        (None, _, false) => {
            let names = names(program);
            let read = Checkpoint::load_only(path, &|found| names.contains(&found))
                .map_err(Problem::new)?;
            all.tensors.extend(read.tensors);
            all.others.extend(read.others);
            all.progress = all.progress.or(read.progress);
        }
    }
    Ok(())
}

/// Tells of weights as large one way as the other, unless lozenge wrote the file: nothing shows whether their inputs
/// come first, as here.
fn tell_square(all: &Checkpoint, transposed: &[String], program: &Program, shapes: &Shapes) {
    if all.progress.is_some() {
        return;
    }
    for (tensor, shape) in program.tensors.iter().zip(shapes.iter()) {
        let name = &*tensor.name;
        let is_map = !shape.input.flat().is_empty() && !shape.output.flat().is_empty();
        let sizes = lozenge::sizes(shape);
        let is_square = sizes.iter().rev().eq(&sizes) && sizes.iter().any(|size| *size > 1);
        let is_given = all.tensors.contains_key(name) && !transposed.iter().any(|one| one == name);
        if is_map && is_square && is_given {
            report::to_stderr(&format!(
                "note: `{name}` has the sizes {sizes:?}, which do not show the order of its axes: the file is read with the inputs first; \
                 PyTorch's `Linear` has the outputs first, which --transpose {name} reads\n"
            ));
        }
    }
}

/// Returns the names of the parameters and states.
fn names(program: &Program) -> Vec<&str> {
    let tensors = program.tensors.iter();
    let parameters = tensors.filter(|tensor| matches!(tensor.source, Source::Param(_)));
    parameters.map(|tensor| &*tensor.name).collect()
}

/// Refuses a name that is no parameter.
fn known(flag: &str, name: &str, program: &Program) -> Result<(), Problem> {
    let names = names(program);
    if names.contains(&name) {
        return Ok(());
    }
    let near = lozenge_lang::nearest(name, names.iter().copied());
    let help = match near {
        Some(near) => format!(": did you mean `{near}`?"),
        None if names.is_empty() => ": it has no parameters".to_string(),
        None => format!(": it has {}", names.join(", ")),
    };
    Err(Problem::new(format!(
        "{flag} {name}: the program has no parameter `{name}`{help}"
    )))
}

/// Returns the only parameter of the program, for a file with one array and no name.
fn only_one(path: &Path, program: &Program) -> Result<String, Problem> {
    let path = path.display();
    match names(program).as_slice() {
        [] => Err(Problem::new(format!(
            "--params {path}: the program has no parameters"
        ))),
        [name] => Ok(name.to_string()),
        [first, ..] => Err(Problem::new(format!(
            "--params {path}: the file has one array, and the program several parameters: write --params {first}={path}"
        ))),
    }
}

pub fn array(path: &Path, precision: Precision) -> Result<Tensor, Problem> {
    let said = |message: String| Problem::new(format!("{}: {message}", path.display()));
    let file = File::open(path).map_err(|error| said(format!("cannot be read: {error}")))?;
    let file = BufReader::new(file);
    let array = match precision {
        Precision::F32 => numpy::read(file, u64::MAX),
        Precision::F64 => numpy::read_whole(file, u64::MAX),
    };
    let array = array.map_err(|error| said(format!("{error}; {}", error.help())))?;
    let tensor = match array.double {
        Some(values) => Tensor::wide(array.shape, values),
        None => Tensor::new(array.shape, array.values),
    };
    tensor.map_err(|error| said(error.to_string()))
}
