//! The messages about a program whose text may be wrong, whose shapes do not fit, or whose shapes probably do not mean
//! what was intended.
//!
//! A mistake is found by a check, which says it in the words of the program and proposes fixes, the likeliest first.
//! A fix is shown only after a trial: the changed program has the error no more, and no new one (`fix::trial`).
//! `docs/messages.md` holds the messages against those of einops and rustc.
//!
//! | mistake | check | fix |
//! |---|---|---|
//! | The text cannot be read. | `lozenge_lang` | the one that its message has, tested here |
//! | Two rows of `*`, `+` or an update do not fit together. | `conflict::unmet` | `fix::unfit_rows`: the other order, `*.`, a transposition, another size; `fix::instance`: the width of a layer |
//! | One of the two rows lacks an axis that a mean took away. | `conflict::unmet` | `fix::missing_axis`: a spec that says which axes pair |
//! | Two tables of instances are compared each with each. | `conflict::unmet` | `fix::pairs`: a spec with the axes of both |
//! | An axis is longer by the cells that windows left over. | `conflict::unmet`, `conflict::rows`, `conflict::einsum` | `fix::left_over`: the same cells left out |
//! | The operands of an earlier `*` are in the wrong order. | `conflict::reversed` | the other order, `*.` |
//! | A spec reads other axes than an operand has, gives a label two sizes, or reads a position past the end. | `conflict::einsum` | another spec, size or label |
//! | Two operands differ in `...` or in a named row of a spec. | `conflict::rows` | another size, a spec with the rest left out |
//! | A window does not fit on its axis. | `conflict::windows` | `floor(…)`, `same(…)`, a shorter window, margins |
//! | Parts or factors do not make the whole of an axis. | `conflict::parts` | other sizes of the parts |
//! | Nothing says how long a label of a composite axis is. | `conflict::unsized_labels`, `conflict::parts` | a size that fits |
//! | A written shape is not that of its expression. | `conflict::written_shape` | the shape that fits, or none |
//! | Nothing says how many hidden units a parameter has. | `conflict::undetermined` | an example of a size |
//! | Anything else that the solver refuses. | `conflict::general` | none: it lists the places that take part |
//! | R1: a result has an axis that no operand has. | `checks::unexplained_axis` | `*.`, the other order; the written shape left out |
//! | R2: a composition contracts nothing, or leaves an axis unmet. | `checks::nothing_to_contract` | `*.`, the other order, `one_hot`, a spec for each pair |
//! | R3: nothing determines the axes of a parameter. | `checks::undetermined_parameter`, `checks::width_of_a_partner`, `checks::one_for_several_sizes` | a written shape or size, a number in its place |
//! | R4: operands are aligned from different ends. | `checks::across_markers` | a spec that pairs them |
//! | R5: a parameter has axes only because its update reads another. | `checks::shared_in_updates` | the shape of a number for the parameter that is read |
//! | R6: a reduction is over the outputs of a tensor without any. | `checks::over_no_outputs` | a spec that makes the last axis the output |
//! | A loss has axes; a step number reads past the end of an axis; a call does nothing; windows of a result overlap. | [`checks`]: `with_axes`, `checks::outer_index`, `checks::idle_calls`, `checks::written_twice` | advice |
//!
//! The rooms import one way: [`words`] (of a program and its axes), [`known`] (what some operations determine), [`fix`]
//! (proposals, and their trial), [`conflict`] (which operations contradict each other), [`checks`] (of closed shapes),
//! and above them [`refused`] and [`reading`], which collect every message about a program.

mod checks;
mod conflict;
mod explain_check;
mod explain_rule;
mod fix;
mod known;
mod notes;
mod reading;
mod refused;
mod words;

pub use explain_check::{CheckEntry, explain_check};
pub use explain_rule::{RuleEntry, explain_rule};
pub use notes::{Note, notes};
pub use reading::{Reading, Untried, diagnose, read, read_in, read_shapes, refusals, text_in};
pub use words::requirement::requirement_words;
