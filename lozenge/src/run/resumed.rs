//! The values of a checkpoint, where a run begins with them.

use std::collections::BTreeMap;

use lozenge_backend::Tensor;
use lozenge_vocabulary::operation::TensorId;
use lozenge_vocabulary::program::{Program, Section, Source, Start};

use super::checkpoint::{Checkpoint, CheckpointError};
use super::live::live;
use super::state::Execution;
use super::watch::{Begin, RunError};

impl Execution<'_> {
    /// Checks that the checkpoint from which the run is resumed is one of this run, before anything is computed.
    pub(super) fn is_resumable(&self) -> Result<(), CheckpointError> {
        let Begin::Resume(checkpoint) = &self.settings.begin else {
            return Ok(());
        };
        let progress = checkpoint.progress.ok_or(CheckpointError::NoProgress)?;
        let sections = self.program.sections.len();
        if progress.section >= sections as u64 {
            let section = progress.section + 1;
            return Err(CheckpointError::Section { section, sections });
        }
        let parts = progress.run.differences(&self.identity());
        if parts.is_empty() {
            return Ok(());
        }
        let names = checkpoint.tensors.keys();
        let unknown = names.filter(|name| self.program.find(name).is_none());
        Err(CheckpointError::OtherRun {
            parts,
            unknown_names: unknown.cloned().collect(),
        })
    }

    /// Replaces the values before the first step by those of a checkpoint.
    pub(super) fn restore(
        &mut self,
        section: &Section,
        checkpoint: &Checkpoint,
    ) -> Result<(), RunError> {
        let firsts = self.program.firsts.iter();
        let there = firsts.filter(|first| first.steps.end <= section.steps.end);
        let all = there
            .map(|first| first.tensor)
            .chain(live(self.program, section));
        for id in all {
            let tensor = found(self.program, &self.sizes, checkpoint, id)?;
            self.device.replace(self.buffers[id.0], tensor)?;
        }
        Ok(())
    }
}

/// Returns the values of a checkpoint for a tensor.
fn found<'c>(
    program: &Program,
    sizes: &[Vec<u64>],
    checkpoint: &'c Checkpoint,
    id: TensorId,
) -> Result<&'c Tensor, CheckpointError> {
    let name: &str = &program[id].name;
    let tensor = checkpoint.tensors.get(name);
    let tensor = tensor.ok_or_else(|| checkpoint.missing(name))?;
    if tensor.shape() != sizes[id.0] {
        return Err(CheckpointError::Shape {
            name: name.to_string(),
            expected: sizes[id.0].clone(),
            found: tensor.shape().to_vec(),
        });
    }
    Ok(tensor)
}

/// Returns the values of a checkpoint by the parameters and states of the program. States with initial values may be
/// missing in it and, if it has only some values, parameters as well.
pub(crate) fn loaded(
    program: &Program,
    sizes: &[Vec<u64>],
    checkpoint: &Checkpoint,
    some: bool,
) -> Result<BTreeMap<TensorId, Tensor>, CheckpointError> {
    let mut loaded = BTreeMap::new();
    for (at, tensor) in program.tensors.iter().enumerate() {
        let Source::Param(parameter) = tensor.source else {
            continue;
        };
        // A state may have been made by the training of another program, such as that of an optimiser.
        let may_lack = (parameter.state || some) && parameter.start != Start::Outside;
        if may_lack && !checkpoint.has(&tensor.name) {
            continue;
        }
        let id = TensorId(at);
        loaded.insert(id, found(program, sizes, checkpoint, id)?.clone());
    }
    Ok(loaded)
}
