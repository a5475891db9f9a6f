//! The values with which the parameters of a run begin, from files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use lozenge::{Begin, Checkpoint};
use lozenge_backend::{Precision, Tensor};
use lozenge_lang::numpy;
use lozenge_vocabulary::program::{Program, Source};

use crate::args::ParameterFile;
use crate::report::Problem;

/// What a run in a precision begins with. A single file of all parameters must have each of them; of several files, each has some.
///
/// # Errors
/// A file that cannot be read, and a name that is no parameter of the program.
pub fn begin(
    files: &[ParameterFile],
    program: &Program,
    precision: Precision,
) -> Result<Begin, Problem> {
    let mut tensors = BTreeMap::new();
    for file in files {
        let ParameterFile { name, path } = file;
        let is_array = path.extension().is_some_and(|end| end == "npy");
        match (name, is_array) {
            (Some(name), true) => {
                known(name, program)?;
                tensors.insert(name.clone(), array(path, precision)?);
            }
            (None, true) => {
                tensors.insert(only_one(path, program)?, array(path, precision)?);
            }
            (Some(name), false) => {
                return Err(Problem::new(format!(
                    "--params {name}={}: the file of one parameter is a `.npy` file; write --params {} for a file with the names of its arrays",
                    path.display(),
                    path.display()
                )));
            }
            (None, false) => {
                let checkpoint = Checkpoint::load(path).map_err(Problem::new)?;
                tensors.extend(checkpoint.tensors);
            }
        }
    }
    let whole = matches!(files, [ParameterFile { name: None, .. }]);
    let checkpoint = Checkpoint {
        tensors,
        progress: None,
    };
    Ok(match files {
        [] => Begin::Anew,
        _ if whole => Begin::Load(checkpoint),
        _ => Begin::Given(checkpoint),
    })
}

/// The names of the parameters and states.
fn names(program: &Program) -> Vec<&str> {
    let tensors = program.tensors.iter();
    let parameters = tensors.filter(|tensor| matches!(tensor.source, Source::Param(_)));
    parameters.map(|tensor| &*tensor.name).collect()
}

/// Refuses a name that is no parameter.
fn known(name: &str, program: &Program) -> Result<(), Problem> {
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
        "--params {name}: the program has no parameter `{name}`{help}"
    )))
}

/// The only parameter of the program, for a file with one array and no name.
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

fn array(path: &PathBuf, precision: Precision) -> Result<Tensor, Problem> {
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
