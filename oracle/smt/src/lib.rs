//! The session with Z3 that every oracle has, whatever its calculus is.
//!
//! A [`Session`] is a solver with scopes. Each of its questions has a [`Clock`], which ends it in time, and which an
//! [`Interrupt`] may end sooner, from another thread. [`Pool`] holds terms that are built once and looked up by number.
//! [`Stopped`] is the reason for which a question has no answer.
//!
//! The package also makes libz3 findable for the programs that are built on an oracle: see its build script.
//!
//! ```
//! use std::time::Duration;
//! use lozenge_smt::{Clock, Session};
//! use z3::ast::Int;
//!
//! let session = Session::new();
//! let size = Int::new_const("size");
//! session.assert(&size.gt(Int::from_i64(3)));
//! let clock = Clock::start(Duration::from_secs(1), None);
//! assert_eq!(session.check(&[], &clock), Ok(true));
//! assert_eq!(session.check(&[size.eq(Int::from_i64(2))], &clock), Ok(false));
//! ```

mod clock;
mod interrupt;
mod pool;
mod session;
mod stopped;

pub use clock::Clock;
pub use interrupt::Interrupt;
pub use pool::Pool;
pub use session::{Scope, Session, limit_memory};
pub use stopped::Stopped;
