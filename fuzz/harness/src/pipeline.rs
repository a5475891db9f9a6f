//! From the text of a program to the values of its tensors, on any device: the one pipeline of the package `lozenge`.

use std::path::Path;

use lozenge::Inference;
use lozenge_backend::{Device, LoopNest, Tensor};
use lozenge_vocabulary::operation::Region;
use lozenge_vocabulary::program::{Constraints, Program, Source, Start, Values};

/// A program with its shapes and loop nests.
pub struct Prepared {
    program: Program,
    inference: Inference,
}

/// Reads a program whose values are in its text, with its constraints.
///
/// # Errors
/// The first mistake, or that some values are not in the text.
pub fn read(text: &str) -> Result<(Program, Constraints), String> {
    let program = lozenge::parse(text).map_err(|errors| {
        let first = errors.first().map(|error| error.message.as_str());
        first.unwrap_or("not a program").to_string()
    })?;
    let outside = |source: &Source| match source {
        Source::Data(values) => matches!(values, Values::Csv(_) | Values::Outside),
        Source::Param(parameter) => parameter.start == Start::Outside,
        Source::Constant(_) | Source::Intermediate => false,
    };
    if program.tensors.iter().any(|tensor| outside(&tensor.source)) {
        return Err("some values come from outside".into());
    }
    let constraints = program.constraints().map_err(|error| error.to_string())?;
    Ok((program, constraints))
}

/// Infers the shapes with the production solver, and the loop nest of each operation.
///
/// # Errors
/// The reason why there are none, in words.
pub fn prepare(text: &str) -> Result<Prepared, String> {
    let (program, _) = read(text)?;
    let inference = lozenge::infer(&program, &lozenge::Options::default())
        .map_err(|refusal| refusal.to_string())?;
    Ok(Prepared { program, inference })
}

impl Prepared {
    /// Returns the loop nests.
    pub fn nests(&self) -> &[LoopNest] {
        &self.inference.nests
    }

    /// Returns the loop nests that write a tensor, in the order in which they run, each with the region that it visits.
    pub fn nests_of(&self, tensor: &str) -> impl Iterator<Item = (&LoopNest, &Region)> {
        let nests = self.inference.nests.iter().zip(&self.program.steps);
        let own = nests.filter(move |(nest, _)| *nest.slots()[0].tensor == *tensor);
        own.map(|(nest, step)| (nest, step.operation.region()))
    }

    /// Runs every operation, and returns the values of the tensor with a name.
    ///
    /// # Errors
    /// The error of the device, in words, or that there is no such tensor.
    pub fn named(&self, tensor: &str, device: &mut dyn Device) -> Result<Vec<f32>, String> {
        let tensors = self.run(device)?;
        let id = self.program.find(tensor).ok_or("no such tensor")?;
        Ok(tensors[id.0].values().to_vec())
    }

    /// Runs every operation, and returns every tensor.
    ///
    /// # Errors
    /// The error of the device, in words.
    pub fn run(&self, device: &mut dyn Device) -> Result<Vec<Tensor>, String> {
        let data =
            lozenge::load(&self.program, Path::new("")).map_err(|error| error.to_string())?;
        lozenge::run(&self.program, &self.inference, &data, device)
            .map_err(|error| error.to_string())
    }
}
