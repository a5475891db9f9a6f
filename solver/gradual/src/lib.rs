//! Which input sizes a model accepts.

mod answer;
mod integers;
mod limit;
mod pass;
mod residual;
mod shape_functions;
mod term;
mod unary;
mod value;

pub use answer::{Against, Lock, LockDifference, LockError, Warning, WarningKind, Answer, BoxReport, CaseReport, Given, Nearest, Options, Point, PointAnswer, Refusal, Relax, Report, ShapeReport, Sizes, SymbolReport, Verdict};
pub use integers::Integers;
pub use limit::Limit;
pub use term::{Formula, Int, Stored, Symbol, Term, Terms};
