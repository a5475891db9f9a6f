//! Z3 as a third party: what the calculus argues, decided from the definitions alone.
//!
//! The oracle is asked about constraint sets and answers from Defs. 1.2, 2.2, 2.3, 2.9 and 3.4 (and Rem. 2.15(ii) for the one-shot
//! reading of `<=`). It knows no rule of the calculus. Every model and every counterexample is checked with
//! [`Ground::satisfies`](lozenge_vocabulary::Ground::satisfies) before it is returned.
//!
//! ```
//! use lozenge_oracle::{Oracle, Satisfiability};
//! use lozenge_vocabulary::{Order, notation};
//!
//! let set = notation::parse("<r> ~ [3, 5]\n[3 <> 9, 5] <= <r>").unwrap().set; // Remark 2.11
//! let oracle = Oracle::new(Order::Marked);
//! assert!(matches!(oracle.sat(&set), Satisfiability::Sat(_)));
//! let model = oracle.model(&set).unwrap().unwrap();
//! assert_eq!(model.to_string(), "<r> ~ [3 <> 5]\n");
//! ```
//!
//! # The encoding, formula by formula
//!
//! The value of a row variable ρ is a leading word of length `X_ρ` and a trailing word of length `Y_ρ`, integers from 0 on; `N_ρ = X_ρ + Y_ρ`
//! (Def. 2.1). `front(ρ, i)` is its axis `i` places from the front, `back(ρ, j)` the one `j` places from the back. An axis is an element of
//! an uninterpreted sort with a constant for the unit and one for each atom that the set names, all distinct.
//!
//! | definition | formula |
//! |---|---|
//! | Def. 3.4, `t = t'` | `t = t'` |
//! | Def. 1.2, `t ⊑ t'` | `t' = unit ∨ t = t'` |
//! | Def. 2.3(i), `l·ρ·r ⊑ l'·σ·r'` | `\|l\| + X_ρ ≥ \|l'\| + X_σ`, `\|r\| + Y_ρ ≥ \|r'\| + Y_σ` |
//! | Def. 2.3(ii), leading | for each `p`: `p < \|l'\| + X_σ` implies `(l·front(ρ))[p] ⊑ (l'·front(σ))[p]` |
//! | Def. 2.3(ii), trailing | the mirror image, from the back |
//! | Def. 2.3(ii), middle | nothing: Def. 2.2 puts units there, which are above everything |
//! | Def. 2.9, `l·ρ·r ≈ l'·σ·r'` | `\|l\| + N_ρ + \|r\| = \|l'\| + N_σ + \|r'\|`; axes that face each other from the front, or from the back, are equal where both exist; `l[p] = r'[q]` where `N_σ = p - \|l'\| - q`, and with the sides swapped |
//! | Def. 2.1, flat word | where a flat word is read: `N_ρ = n` implies `front(ρ, i) = back(ρ, n-1-i)` |
//! | Rem. 2.15(ii), `⊑¹` | one inequality of ranks; the axes of the lower row's flat word against either flank of the upper row |
//!
//! A closed row is the same without a variable. Sizes and bases are unbounded: Defs. 1.2 and 3.4 only ask whether two dimensions are the
//! same and whether one is the unit. So a solution stays one when the atoms are mapped one to one to others and those that the set
//! names stay, and since there are infinitely many atoms every model of the axes is a solution, and every solution a model.
//! Axes that are none of the constants become atoms that the set does not name.
//!
//! # Windows: why `sat` and `unsat` need no bound
//!
//! Axes have terms only inside a *window*: `front(ρ, i)` and `back(ρ, j)` for `i, j < W`. Lengths are unbounded. Comparisons of axes
//! outside the window are left out. Two questions are put to Z3:
//!
//! - *with* "all values fit the window": then nothing is left out, and a model is a solution. This gives `sat`;
//! - *without*: what is asserted is true of every solution, whatever its lengths. If that has no model there is no solution at all.
//!   This gives `unsat`. (When Z3's refutation of the first question does not use "all values fit", the second is not put.)
//!
//! If the first has no model and the second has one, the set is *open* at W, and W is doubled up to the rank bound. A set that is open there
//! is `unknown`, with the bound as the reason. No `unsat`, no entailment and no forced value rests on a bound.
//!
//! # The rank bound, and where it suffices
//!
//! `B = S + R + 1`: S is the number of explicit axes of the set, R what equations between open rows need (below; 0 without them).
//! [`Limits::window`] caps it. At B a set is never open if each of its parts that are connected by row variables is of one of these kinds:
//!
//! 1. *Only `<=`, read with markers.* Take a model without "all values fit". Its lengths satisfy two systems of difference constraints, one for X
//!    and one for Y. Each has a least solution, of longest paths, below the model's lengths and at most S. Cut the words to it, from their inner ends:
//!    the facts about lengths hold, and the comparisons that remain were among those asserted. So there is a solution inside the window.
//! 2. *Only `~`.* Equations between open rows lay values that they connect on one line; the places where all of them lie are their
//!    *overlap*, of length K. A spanning tree of the equations makes the axes of the overlap common; each other equation shifts it by some d. The overlap
//!    has the period d, for `overlap[j] = overlap[j + d]` wherever both lie in it. Let D be the largest of these shifts and g their greatest common divisor. By
//!    the theorem of Fine and Wilf an overlap with `K ≥ 2D` has the period g. The oracle asserts so, and that the axes at its two ends
//!    are tied by K modulo g. A model in which `K ≥ 2D` can then be shortened by multiples of g until `K < 2D + g` (for g = 0, until `K = 0`):
//!    the axes near the front come from `front`, those near the back from `back`, and no explicit flank of one side reaches the far flank of the other.
//!    So ranks up to `R = 2D + g +` (how far values overhang the overlap) suffice. Where an equation with a closed row fixes the ranks, they are at most S.
//!
//! Where `~` and `<=` meet on open rows, or the one-shot order reads flat words, no such bound is proved, and undecided sets are `unknown`. What is
//! missing is induction along a row: `[3 <r>] <= [<r> 5]`, read one-shot, is contradictory only near the marker, wherever that is.
//! Of 100,000 random sets (up to 5 constraints, flanks up to 3) 9 in 50,000 were open at B in the marked reading and 89 in 50,000 in the one-shot
//! reading; every one of them was open at 2B too, and no set had a solution at 2B and none at B.
//!
//! # Sizes
//!
//! A set with windows or bounds of sizes (§8) has an encoding of its own, in which an axis is the unit or an atom with a size and
//! a basis; the formulas are in `arithmetic`. What is said of rows, and why no answer rests on a bound, stays as it is. A size
//! beyond 64 bits in a model is `unknown`.
//!
//! # What holds in all solutions
//!
//! [`Oracle::forced`] and [`Oracle::entails`] look for a solution that differs. `<r> <= <s>` may fail at any place: a position that no window shows is named,
//! and the constraints are asserted around it, `P + k` places from an edge for small k. So "there is no counterexample" is again a refutation at every rank.
//! What is forced inside a window is forced at all ranks because it is refuted to be otherwise without "all values fit"; what is not forced
//! has two solutions to show for it. A made-up atom is never forced: another one does as well.
//!
//! # How the oracle is checked
//!
//! - Against enumeration: every set of two finite scopes (11,250 single constraints; all pairs of 288 constraints, up to renaming), in both readings, with
//!   nothing but [`Ground::satisfies`](lozenge_vocabulary::Ground::satisfies) over a finite universe; random sets with all questions.
//! - On values: what is asserted of periodic rows and of far positions is compared with words, axis by axis.
//! - Against itself: what one window says must stand at twice the width; cores are shown to be minimal; sets of one kind are never open at B.
//! - By planted defects (`testkit/defects/oracle.toml`): a comparison flipped, a flank not checked, ends swapped, an index shifted, and so on.
//!   The tests of this crate notice each; `docs/planted.md` says which.
//!
//! # Limits and determinism
//!
//! [`Limits`] bound time, memory, windows and the size of an encoding; each is an `unknown` with its [`Reason`]. [`Interrupt`] ends a question from another thread.
//! Each thread has one Z3 context and one solver, reused by all questions. Verdicts, cores, forced values, first models, listed
//! solutions and counterexamples do not depend on what was asked before, as long as no time limit is reached. The solution in
//! [`Satisfiability::Sat`] may: [`Oracle::model`] gives the first one.

mod answers;
mod arithmetic;
mod beyond_window;
mod encoding;
mod entailment;
mod forced;
mod formula;
mod limits;
mod model;
mod negation;
mod oracle;
mod overlap;
mod program;
mod question;
mod report;
mod satisfiability;
mod session;
mod smt;
mod solutions;
mod symbols;

pub use answers::{Generality, Greatness, Soundness};
pub use entailment::{Entailment, Equivalence};
pub use forced::{Forced, ForcedValue};
pub use limits::{Interrupt, Limits, Reason};
pub use oracle::Oracle;
pub use program::{Completion, Program, Second, Statement};
pub use question::{Question, QuestionError, WORDS, bindings, solution};
pub use report::{Answer, Claim, Report};
pub use satisfiability::{Core, Satisfiability};
pub use solutions::Solutions;

#[cfg(test)]
mod tests;
