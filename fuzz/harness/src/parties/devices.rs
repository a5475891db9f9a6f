//! The engines that run kernels.

use lozenge_backend::{Device, Engine, Limits, open};

use crate::execution;
use crate::input::Input;
use crate::party::{Answer, Party, Question};

/// The limits of a fuzzed program: 16 MiB, and a million points in each loop nest.
const LIMITS: Limits = Limits {
    bytes: 16 << 20,
    points: 1 << 20,
};

/// An engine of the backend.
pub struct DeviceParty {
    engine: Engine,
    device: Box<dyn Device>,
}

impl DeviceParty {
    /// The engine on its device.
    ///
    /// # Errors
    /// The reason why there is no device for it.
    pub fn new(engine: Engine) -> Result<DeviceParty, String> {
        let device = open(engine, LIMITS).map_err(|error| error.to_string())?;
        Ok(DeviceParty { engine, device })
    }

    /// Whether divisions and square roots are rounded correctly.
    pub fn exact_division(&self) -> bool {
        self.device.exact_division()
    }
}

impl Party for DeviceParty {
    fn name(&self) -> &'static str {
        self.engine.word()
    }

    fn supports(&self, question: Question) -> bool {
        question == Question::Run
    }

    fn answer(&mut self, question: Question, input: &Input) -> Answer {
        match (question, input) {
            (Question::Run, Input::Program(text)) => Answer::Values(
                execution::prepare(text).and_then(|program| program.run(self.device.as_mut())),
            ),
            _ => Answer::Silent,
        }
    }

    fn derivation(&mut self, question: Question, input: &Input) -> String {
        let (Question::Run, Input::Program(text)) = (question, input) else {
            return String::new();
        };
        match execution::prepare(text) {
            Err(reason) => format!("{reason}\n"),
            Ok(program) => program.nests().iter().map(ToString::to_string).collect(),
        }
    }
}
