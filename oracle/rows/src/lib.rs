//! Z3 as a third party: it decides from the definitions alone what the calculus derives by rules.
//!
//! The oracle answers questions about constraint sets from Defs. 1.2, 2.2, 2.3, 2.9 and 3.4 (and Rem. 2.15(ii) for the
//! one-shot reading of `<=`) of *The Formal Core of OCANNL's Shape and Projection Inference*. It knows no rule of the
//! calculus. The document is working notes of the [OCANNL project](https://github.com/ahrefs/ocannl). Every model and
//! every counterexample is checked with [`Ground::satisfies`](lozenge_vocabulary::Ground::satisfies) before it is
//! returned.
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
//! The value of a row variable ρ is a leading word of length `X_ρ` and a trailing word of length `Y_ρ`, integers from 0
//! on; `N_ρ = X_ρ + Y_ρ` (Def. 2.1). `front(ρ, i)` is its axis `i` places from the front, `back(ρ, j)` the one `j`
//! places from the back. An axis is an element of an uninterpreted sort with a constant for the unit and one for each
//! atom that the set names, all distinct.
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
//! A closed row is encoded in the same way, without a variable. Sizes and bases are unbounded: Defs. 1.2 and 3.4 only
//! ask whether two dimensions are the same and whether one is the unit. So a solution remains one under every
//! one-to-one renaming of atoms that keeps those named in the set. Since there are infinitely many atoms, every model
//! of the axes therefore gives a solution, and every solution a model. Axes that equal none of the constants become
//! atoms that the set does not name.
//!
//! # Windows: why `sat` and `unsat` need no bound
//!
//! Axes have terms only inside a *window*: `front(ρ, i)` and `back(ρ, j)` for `i, j < W`. Lengths are unbounded.
//! Comparisons of axes outside the window are left out. Two questions are put to Z3:
//!
//! - *With* the assumption "all values fit the window" nothing is left out, and a model is a solution. This gives
//!   `sat`.
//! - *Without* it the assertions are true of every solution, whatever its lengths. If they have no model there is no
//!   solution at all. This gives `unsat`. (The second question is not needed if Z3 refutes the first one without the
//!   assumption.)
//!
//! If the first question has no model and the second has one, the set is *open* at W. After the first window lengths
//! alone are asked (see below), which settles nearly every set; only where they reach a limit W is doubled up to the
//! rank bound. No `unsat`, no entailment and no forced value depends on a bound.
//!
//! # Lengths alone: what no window settles
//!
//! `[2 <r>] ~ <s>`, `[<r> 1_] <= <s>` has no solution, but every window leaves that open: the 2 goes from the front of
//! `<s>` to its back, place by place, however long it is. The module `lengths` puts to Z3 the facts about lengths and
//! nothing else, takes the first lengths that satisfy them, and follows all atoms downwards in the finite graph of axes
//! at these lengths: by Def. 1.2 what is below an atom is this atom. If no place is reached by two atoms and the unit
//! by none, the atoms reached, and the unit everywhere else, are a solution, and the first one. Otherwise two walks
//! meet. Each of their steps can be taken at all lengths that satisfy some linear inequalities; a part that leads from
//! a row back to the row, `d` places further, can be taken k times if it can be taken in the first and in the last
//! round, because the inequalities are linear in the round; and k is determined by the lengths: the quotient of a
//! linear form. So the walks exist at all lengths that satisfy a formula of linear integer arithmetic. Its negation is
//! asserted, and Z3 is asked for other lengths, until it has none: then there is no solution, at any length. After the
//! first two clashes long lengths are looked at, whose walks have loops, and short ones again when no long ones are
//! left.
//!
//! A search that does not end within [`Limits::clashes`] is given up. An unsatisfiable set may need one clash for each
//! of infinitely many lengths as far as this search can tell: that it ends is not proved. Sets with constraints of
//! sizes (§8), and questions about a negated constraint, have windows alone; but constraints that lengths refute entail
//! everything.
//!
//! # The rank bound, and where it suffices
//!
//! `B = S + R + 1`: S is the number of explicit axes of the set, and R is the rank that equations between open rows
//! need (see below; 0 without such equations). [`Limits::window`] caps B. At B a set is never open if each of its parts
//! that are connected by row variables is of one of these kinds:
//!
//! 1. *Only `<=`, read with markers.* Take a model of the second question. Its lengths satisfy two systems of
//!    difference constraints, one for X and one for Y. Each system has a least solution, given by longest paths, which
//!    is below the model's lengths and at most S. Cut the words to these lengths from their inner ends: the facts about
//!    lengths hold, and the remaining comparisons were among those asserted. So there is a solution inside the window.
//! 2. *Only `~`.* Equations between open rows lay the values that they connect on one line; the places where all of
//!    them lie are their *overlap*, of length K. Along a spanning tree of the equations all values have the same axes
//!    in the overlap; each other equation shifts the overlap by some d. Then the overlap has the period d:
//!    `overlap[j] = overlap[j + d]` wherever both places lie in it. Let D be the largest of these shifts and g their
//!    greatest common divisor. By the theorem of Fine and Wilf an overlap with `K ≥ 2D` has the period g. The oracle
//!    asserts this, and that the axes at its two ends are related by K modulo g. A model in which `K ≥ 2D` can then be
//!    shortened by multiples of g until `K < 2D + g` (for g = 0, until `K = 0`): the axes near the front come from
//!    `front`, those near the back from `back`, and no explicit flank of one side reaches the far flank of the other.
//!    So ranks up to `R = 2D + g +` (how far values extend beyond the overlap) suffice. Where an equation with a closed
//!    row fixes the ranks, they are at most S.
//!
//! Where `~` and `<=` meet on open rows, or the one-shot order reads flat words, there is no such bound (ranks may
//! double from row to row), and lengths have to decide. Windows lack induction along a row: `[3 <r>] <= [<r> 5]`, read
//! one-shot, is contradictory only near the marker, wherever that is. Of 100,000 random sets (up to 5 constraints,
//! flanks up to 3) 9 in 50,000 were open at B in the marked reading and 89 in 50,000 in the one-shot reading. All of
//! them were open at 2B too, and no set had a solution at 2B and none at B.
//!
//! # Sizes
//!
//! A set with windows or bounds of sizes (§8) has a separate encoding, in which an axis is the unit or an atom with a
//! size and a basis; the formulas are in `arithmetic`. The encoding of rows, and the reason why no answer depends on a
//! bound, are the same. Where a model has a size beyond 64 bits, the answer is `unknown`.
//!
//! # What holds in all solutions
//!
//! [`Oracle::forced`] and [`Oracle::entails`] look for a solution that differs. `<r> <= <s>` may fail at any place, so
//! a position that no window shows gets a name, and the constraints are asserted around it, `P + k` places from an edge
//! for small k. So "there is no counterexample" is again a refutation at every rank. A value is reported as forced only
//! if a different one was refuted without the assumption "all values fit", and as not forced only if two solutions show
//! it. A made-up atom is never forced, since any other one could take its place.
//!
//! # How the oracle is checked
//!
//! - Against enumeration: every set of two finite scopes (11,250 single constraints; all pairs of 288 constraints, up
//!   to renaming), in both readings, by [`Ground::satisfies`](lozenge_vocabulary::Ground::satisfies) over a finite
//!   universe and nothing else; random sets with all questions.
//! - On values: the assertions about periodic rows and far positions are compared with concrete words, axis by axis.
//! - Against itself: an answer at one window must hold at twice the width; lengths and windows give the same verdict
//!   and the same first solution; at no lengths up to a bound does a condition of a clash hold and no clash exist;
//!   cores are shown to be minimal; sets of one of the two kinds above are never open at B.
//! - By planted defects (`fuzz/testkit/defects/oracle.toml`): a comparison flipped, a flank not checked, ends swapped,
//!   an index shifted, and so on. The tests of this crate notice each of them; `docs/generated/planted.md` lists which
//!   test does.
//!
//! # Limits and determinism
//!
//! [`Limits`] bound time, memory, windows, clashes and the size of an encoding; reaching one gives `unknown` with its
//! [`Reason`]. [`Interrupt`] ends a question from another thread. Each thread has one Z3 context and one solver, reused
//! by all questions; each search over lengths has a solver of its own. Verdicts, cores, forced values, first models,
//! listed solutions and counterexamples do not depend on earlier questions, as long as no time limit is reached. The
//! solution in [`Satisfiability::Sat`] may depend on them; [`Oracle::model`] gives a fixed one, the first.

mod answers;
mod arithmetic;
mod beyond_window;
mod encoding;
mod entailment;
mod forced;
mod formula;
mod lengths;
mod limits;
mod model;
mod negation;
mod oracle;
mod overlap;
mod program;
mod question;
mod report;
mod satisfiability;
mod scope;
mod session;
mod smt;
mod solutions;
mod symbols;
mod unbounded;

pub use answers::{Generality, Greatness, Soundness};
pub use entailment::{Entailment, Equivalence};
pub use forced::{Forced, ForcedValue};
pub use limits::{Limits, Reason};
pub use lozenge_smt::Interrupt;
pub use oracle::Oracle;
pub use program::{Completion, Program, Second, Statement};
pub use question::{Question, QuestionError, WORDS, bindings, solution};
pub use report::{Answer, Answered, Claim, Limited, OracleReport};
pub use satisfiability::{Core, Satisfiability};
pub use solutions::Solutions;

#[cfg(test)]
mod tests;
