//! The arithmetic of sizes: a native decision procedure for facts about integers that are at least 1, or at least 0. It
//! gives a solution where there is one, and reasons where there is none.
//!
//! ```
//! use lozenge_sizes::{Entailment, Fact, Reason, Store, Value, Verdict};
//!
//! let mut store = Store::new();
//! // A window of `taps` cells moves over `input` in steps of 2: `input = 2·(output - 1) + taps`.
//! let (input, output, taps) = (store.size(), store.size(), store.size());
//! let reach = store.sum(&[(2, output), (1, taps)], -2);
//! store.assert(Fact::Equal(input, reach), Reason(1));
//! let three = store.number(3);
//! store.assert(Fact::Equal(taps, three), Reason(2));
//!
//! // Whatever the output is, the input is odd.
//! let two = std::num::NonZeroU64::new(2).unwrap();
//! assert!(matches!(store.entails(Fact::DoesNotDivide(two, input)), Entailment::Yes(_)));
//!
//! let before = store.snapshot();
//! let seven = store.number(7);
//! store.assert(Fact::Equal(input, seven), Reason(3));
//! assert_eq!(store.check(), Verdict::Satisfiable);
//! assert_eq!(store.value_of(output), Value::Forced(3));
//!
//! // 8 cells cannot be tiled by windows of 3 at stride 2, and every fact is needed to see it.
//! store.rollback(before)?;
//! let eight = store.number(8);
//! store.assert(Fact::Equal(input, eight), Reason(4));
//! let Verdict::Unsatisfiable(reasons) = store.check() else { panic!() };
//! assert_eq!(reasons.reasons, [Reason(1), Reason(2), Reason(4)]);
//! assert!(reasons.is_minimal);
//! # Ok::<(), lozenge_sizes::StaleSnapshot>(())
//! ```
//!
//! # What is decided
//!
//! | facts over | answer |
//! |---|---|
//! | sums with integer coefficients: `=`, `≠`, `≤`, `<` | exact |
//! | division by constants, rounded down or up; divisibility by constants | exact: a quotient is an integer between two linear bounds |
//! | `min`, `max`, and facts of which one of several holds | exact: the alternatives are searched |
//! | products in which the facts bound one factor of each | exact: divisors of a known product, halves of a bounded factor |
//! | one equation `p·x·y + q·x + r·y + s = 0`; one that makes a size a divisor of a constant, such as `x·x·x = x + 6` | exact: the divisors of a known number |
//! | other products of unbounded factors | linear consequences refute, small values satisfy, and otherwise [`Limit::UnboundedProduct`]: no procedure decides all of these |
//! | numbers beyond 64 bits in a solution, beyond 126 bits on the way to one | [`Limit::Overflow`] |
//! | anything that takes more work than [`Limits`] allow | [`Limit::Work`] |
//!
//! "Exact" means that the procedure is complete and gives an answer unless one of the last two limits is reached. The
//! problem is NP-hard, so some small systems reach the limit on work: those with many unbounded variables and large
//! coefficients.
//!
//! # How
//!
//! - A term is a hash-consed polynomial in normal form over *atoms* (variables, quotients, maxima, products): equal
//!   polynomials are one [`Term`]. An atom that is not a variable is defined by constraints.
//! - Equations are solved over the integers by unimodular changes of variables, the steps of the Hermite normal form
//!   (Schrijver, *Theory of Linear and Integer Programming*, 1986, chapters 4 and 5).
//! - Inequalities are decided by the Omega test (Pugh, *The Omega Test*, Supercomputing 1991): Fourier-Motzkin
//!   elimination, exact where a coefficient is a unit, with dark shadows and splinters otherwise. It is complete
//!   without bounds on variables. Where it takes long and variables are bounded, their intervals are halved instead.
//! - A search for alternatives and products is built on top of that, with McCormick's linear bounds of products. A
//!   refutation that does not use a decision of the search also refutes the other branches of that decision.
//! - Every derived constraint knows its origin. The facts at the leaves of a contradiction are its reasons, and one
//!   after another is dropped if it is not needed; [`Reasons::is_minimal`] says whether all were tried.
//! - Every solution is checked against the asserted facts before it is returned ([`Limit::Unverified`]).
//!
//! # The papers
//!
//! Sizes are those of Def. 1.1 of *The Formal Core of OCANNL's Shape and Projection Inference*, working notes of the
//! [OCANNL project](https://github.com/ahrefs/ocannl), which leaves arithmetic on them to later stages (§8). No rule of
//! the arithmetic is taken from it: the procedures are those of the works that are cited above.
//!
//! # Behaviour
//!
//! The same calls give the same answers. A verdict does not depend on the order of the facts, unless a limit is
//! reached; the solution and the minimal set of reasons may depend on it. The cost of an added fact is that of deciding
//! the facts that share atoms with it, directly or through others, or only its own size if the last solution satisfies
//! it.

mod atom;
mod bands;
mod constraint;
mod elimination;
mod equation;
mod fact;
mod factors;
mod form;
mod interval;
mod lattice;
mod limit;
mod linear;
mod model;
mod number;
mod origin;
mod product;
mod question;
mod rational;
mod reason;
mod search;
mod shadow;
mod simplex;
mod store;
mod term;

pub use fact::Fact;
pub use form::{Form, Variable};
pub use lattice::{Lattice, lattice};
pub use limit::{Limit, Limits};
pub use model::Model;
pub use number::{Int, Overflow};
pub use rational::Rational;
pub use reason::{Reason, Reasons};
pub use simplex::{Combination, Simplex, Stopped};
pub use store::{Entailment, Snapshot, StaleSnapshot, Store, Value, Verdict};
pub use term::Term;
