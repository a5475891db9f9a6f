//! The available engines, and the opening of a device of each.

use std::fmt;
use std::str::FromStr;

use crate::device::Device;
use crate::error::Error;
use crate::interpreter::Interpreter;
use crate::memory::Limits;
use crate::precision::Precision;
use crate::rules::Arithmetic;
use crate::rules::Numerics;

/// The available engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// The reference, on the host.
    Interpreter,
    /// Kernels on the first OpenCL device.
    OpenCl,
}

impl Engine {
    /// All engines.
    pub const ALL: [Engine; 2] = [Engine::Interpreter, Engine::OpenCl];

    /// Returns the word for the engine.
    pub fn word(self) -> &'static str {
        match self {
            Engine::Interpreter => "interpreter",
            Engine::OpenCl => "opencl",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Engine {
    type Err = String;

    fn from_str(word: &str) -> Result<Engine, String> {
        let found = Engine::ALL.into_iter().find(|engine| engine.word() == word);
        found.ok_or_else(|| {
            let words = Engine::ALL.map(Engine::word).join(" or ");
            format!("no engine is called {word:?}; it is {words}")
        })
    }
}

/// Opens a device of an engine, with [`Numerics::Exact`].
///
/// # Errors
/// [`Error::NoDevice`], with instructions what to install, if OpenCL is requested and there is no device.
pub fn open(engine: Engine, limits: Limits) -> Result<Box<dyn Device>, Error> {
    open_with(engine, limits, Numerics::Exact)
}

/// Opens a device of an engine, with these rules for rounding, in these precisions. The interpreter always keeps the
/// order of the loop nest.
///
/// # Errors
/// As for [`open`]; [`Error::NoDouble`] if the device is to compute in 64 bits and cannot.
pub fn open_with(
    engine: Engine,
    limits: Limits,
    arithmetic: impl Into<Arithmetic>,
) -> Result<Box<dyn Device>, Error> {
    let arithmetic = arithmetic.into();
    match engine {
        Engine::Interpreter => Ok(match arithmetic.tensors {
            Precision::F32 => Box::new(Interpreter::new(limits).summing(arithmetic.sums)),
            Precision::F64 => Box::new(Interpreter::wide(limits)),
        }),
        Engine::OpenCl => crate::opencl::open(limits, arithmetic),
    }
}
