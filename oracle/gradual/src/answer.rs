//! Answers, and the session in which a question is asked.

use std::collections::BTreeMap;
use std::time::Duration;

use lozenge_smt::{Clock, Session};
use z3::ast::{Bool, Int};

/// The answer to a question about a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It holds for inputs of these sizes.
    Holds(BTreeMap<String, Vec<u64>>),
    /// It holds for none.
    Never,
    /// A limit was reached; the words say which.
    Unknown(String),
}

/// The limits of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The milliseconds that Z3 may take.
    pub milliseconds: u32,
    /// The number of shapes that one value may have, as conditions choose.
    pub shapes: usize,
    /// The number of reshapes that leave a size open. Each is a number that Z3 has to find, and the time that it may
    /// take ends nothing while it reads them.
    pub open: usize,
}

impl Limits {
    /// Starts the time of a question.
    pub(crate) fn clock(self) -> Clock {
        Clock::start(Duration::from_millis(self.milliseconds.into()), None)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            milliseconds: 10_000,
            shapes: 64,
            open: 4_096,
        }
    }
}

/// Asks for sizes of inputs under which all formulas hold.
pub(crate) fn ask(
    formulas: &[Bool],
    inputs: &BTreeMap<String, Vec<Int>>,
    limits: Limits,
) -> Answer {
    let session = Session::new();
    for formula in formulas {
        session.assert(formula);
    }
    match session.check(&[], &limits.clock()) {
        Ok(false) => Answer::Never,
        Err(stopped) => Answer::Unknown(stopped.to_string()),
        Ok(true) => {
            let Some(model) = session.model() else {
                return Answer::Unknown("Z3 gives no model".to_owned());
            };
            let size = |size: &Int| model.eval(size, true)?.as_u64();
            let shapes = inputs.iter().map(|(name, sizes)| {
                let sizes: Option<Vec<u64>> = sizes.iter().map(size).collect();
                Some((name.clone(), sizes?))
            });
            match shapes.collect::<Option<BTreeMap<_, _>>>() {
                Some(shapes) => Answer::Holds(shapes),
                None => Answer::Unknown("a size of the model has more than 64 bits".to_owned()),
            }
        }
    }
}
