//! *Axon: A Language for Dynamic Shapes in Deep Learning Graphs* (Collins and Grover), transcribed: the three rules of
//! Fig. 3 and the 22 rules of §5.
//!
//! ```
//! use lozenge_axon_spec::{End, Options, run};
//! use lozenge_axon_vocabulary::Set;
//!
//! let mut set: Set = "s@[d1,d2] = [n,n]\ns@[d1,d2] = r".parse().unwrap();
//! let run = run(&mut set, &Options::default());
//! assert_eq!(run.end, End::Solved);
//! ```
//!
//! A rule is a value: its name, the printed line, and a function from a set and one of its equations to what the rule
//! makes of them. The paper leaves open which rule is applied next, so that is a parameter ([`Strategy`]), and
//! [`explore`] follows every order. It also leaves open whether a list is an append with nothing before it
//! ([`Reading`]).

mod constraints;
mod exploration;
mod reading;
mod rules;
mod run;
mod simp;
mod unification;

pub use constraints::{Constraint, Constraints, Segment, Side};
pub use exploration::{Exploration, explore};
pub use reading::Reading;
pub use rules::{Group, Outcome, RULES, Rule};
pub use run::{End, Options, Run, Step, Strategy, run};
pub use simp::simp;
pub use unification::{State, TYPE_RULES, Type, TypeOutcome, TypeRule, unify};
