//! The engines that run kernels.

use lozenge_backend::{Device, Engine, Limits, open};

use super::{Programs, Question, Values};
use crate::pipeline::prepare;
use crate::subject::party::{Answers, Party};

/// The interpreter.
pub const INTERPRETER: Party<Programs> = Party {
    name: "interpreter",
    about: "the reference engine",
    questions: &[Question::Run],
    checks: None,
    make: |_| DeviceParty::boxed(Engine::Interpreter),
};

/// Kernels on an OpenCL device.
pub const OPENCL: Party<Programs> = Party {
    name: "opencl",
    about: "kernels on an OpenCL device",
    questions: &[Question::Run],
    checks: None,
    make: |_| DeviceParty::boxed(Engine::OpenCl),
};

/// The limits of a fuzzed program: 16 MiB, and a million points in each loop nest.
const LIMITS: Limits = Limits {
    bytes: 16 << 20,
    points: 1 << 20,
};

/// An engine of the backend.
struct DeviceParty {
    device: Box<dyn Device>,
}

impl DeviceParty {
    /// Opens a device for an engine. An error is the reason why there is none.
    fn boxed(engine: Engine) -> Result<Box<dyn Answers<Programs>>, String> {
        let device = open(engine, LIMITS).map_err(|error| error.to_string())?;
        Ok(Box::new(DeviceParty { device }))
    }
}

impl Answers<Programs> for DeviceParty {
    fn answer(&mut self, _: Question, text: &String) -> Option<Values> {
        let run = prepare(text).and_then(|program| program.run(self.device.as_mut()));
        Some(Values(run))
    }

    fn derivation(&mut self, _: Question, text: &String) -> String {
        match prepare(text) {
            Err(reason) => format!("{reason}\n"),
            Ok(program) => program.nests().iter().map(ToString::to_string).collect(),
        }
    }
}
