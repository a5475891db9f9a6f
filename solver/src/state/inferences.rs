//! Provenance: each conclusion remembers its rule and the conclusions and constraints behind it.

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::Flank;

use crate::ids::{AssertedId, InferenceId, RowTermId, RowVarId};
use crate::term::Term;
use crate::tracked::Tracked;

/// Why something holds: an asserted constraint, an inference on record, or nothing needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Reason(u32);

impl Default for Reason {
    fn default() -> Reason {
        Reason::NONE
    }
}

const STATED: u32 = 1 << 31;

impl Reason {
    pub(crate) const NONE: Reason = Reason(u32::MAX);

    #[inline]
    pub(crate) fn constraint(id: AssertedId) -> Reason {
        Reason(STATED + id.number())
    }

    pub(crate) fn as_constraint(self) -> Option<AssertedId> {
        (self != Reason::NONE && self.0 & STATED != 0).then(|| AssertedId::of(self.0 & !STATED))
    }

    pub(crate) fn as_inference(self) -> Option<InferenceId> {
        (self.0 & STATED == 0).then(|| InferenceId::of(self.0))
    }
}

/// What an inference concludes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
    /// Two dimension terms are equal.
    Equal(Term, Term),
    /// What is below the second term (an atom, or what is known to be above one) is below the first: a cap.
    Cap(Term, Term),
    /// A flank of a row variable has at least that many axes.
    AtLeast(RowVarId, Flank, u32),
    /// The flat content of a row variable, from its known flanks inward.
    Content(RowVarId, RowTermId),
    /// The place of the marker in that content.
    Placed(RowVarId),
    /// The conjunction of both parents.
    Both,
    /// A dimension term is an atom.
    Atom(Term),
    /// A dimension term has the size of an atom.
    Size(Term, Term),
    /// A dimension term is an atom of the basis of another one.
    Basis(Term, Term),
}

/// A conclusion. `policy` marks a commitment that may lose solutions (Lemma 5.1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inference {
    pub(crate) conclusion: Conclusion,
    pub(crate) rule: Rule,
    pub(crate) policy: bool,
    pub(crate) parents: [Reason; 2],
}

/// An inference in 20 bytes.
#[derive(Clone, Copy, Debug)]
struct Record {
    head: Head,
    words: [u32; 2],
    parents: [Reason; 2],
}

#[derive(Clone, Copy, Debug)]
struct Head {
    kind: Kind,
    /// The flank of [`Conclusion::AtLeast`].
    flank: Flank,
    rule: Rule,
    policy: bool,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Equal,
    Cap,
    AtLeast,
    Content,
    Placed,
    Both,
    Atom,
    Size,
    Basis,
}

impl From<Inference> for Record {
    fn from(inference: Inference) -> Record {
        let (kind, flank, words) = match inference.conclusion {
            Conclusion::Equal(a, b) => (Kind::Equal, Flank::Leading, [a.word(), b.word()]),
            Conclusion::Cap(high, low) => (Kind::Cap, Flank::Leading, [high.word(), low.word()]),
            Conclusion::AtLeast(var, flank, len) => (Kind::AtLeast, flank, [var.number(), len]),
            Conclusion::Content(var, row) => {
                (Kind::Content, Flank::Leading, [var.number(), row.number()])
            }
            Conclusion::Placed(var) => (Kind::Placed, Flank::Leading, [var.number(), 0]),
            Conclusion::Both => (Kind::Both, Flank::Leading, [0; 2]),
            Conclusion::Atom(term) => (Kind::Atom, Flank::Leading, [term.word(), 0]),
            Conclusion::Size(term, atom) => {
                (Kind::Size, Flank::Leading, [term.word(), atom.word()])
            }
            Conclusion::Basis(term, atom) => {
                (Kind::Basis, Flank::Leading, [term.word(), atom.word()])
            }
        };
        Record {
            head: Head {
                kind,
                flank,
                rule: inference.rule,
                policy: inference.policy,
            },
            words,
            parents: inference.parents,
        }
    }
}

impl From<Record> for Inference {
    fn from(record: Record) -> Inference {
        let ([a, b], [x, y]) = (record.words, record.words.map(Term::of_word));
        Inference {
            conclusion: match record.head.kind {
                Kind::Equal => Conclusion::Equal(x, y),
                Kind::Cap => Conclusion::Cap(x, y),
                Kind::AtLeast => Conclusion::AtLeast(RowVarId::of(a), record.head.flank, b),
                Kind::Content => Conclusion::Content(RowVarId::of(a), RowTermId::of(b)),
                Kind::Placed => Conclusion::Placed(RowVarId::of(a)),
                Kind::Both => Conclusion::Both,
                Kind::Atom => Conclusion::Atom(x),
                Kind::Size => Conclusion::Size(x, y),
                Kind::Basis => Conclusion::Basis(x, y),
            },
            rule: record.head.rule,
            policy: record.head.policy,
            parents: record.parents,
        }
    }
}

/// All inferences, in the order in which they were concluded: parents come first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inferences {
    list: Tracked<InferenceId, Record>,
}

impl Inferences {
    #[inline]
    pub(crate) fn record(
        &mut self,
        rule: Rule,
        conclusion: Conclusion,
        parents: [Reason; 2],
    ) -> Reason {
        self.add(rule, conclusion, parents, false)
    }

    pub(crate) fn commit(
        &mut self,
        rule: Rule,
        conclusion: Conclusion,
        parents: [Reason; 2],
    ) -> Reason {
        self.add(rule, conclusion, parents, true)
    }

    #[inline]
    fn add(
        &mut self,
        rule: Rule,
        conclusion: Conclusion,
        parents: [Reason; 2],
        policy: bool,
    ) -> Reason {
        #[cfg(feature = "tracing")]
        tracing::trace!(rule = rule.name(), policy, ?conclusion, "a conclusion");
        let inference = Inference {
            conclusion,
            rule,
            policy,
            parents,
        };
        Reason(self.list.push(inference.into()).number())
    }

    /// The conjunction of two reasons.
    #[inline]
    pub(crate) fn both(&mut self, rule: Rule, a: Reason, b: Reason) -> Reason {
        match (a, b) {
            (a, b) if a == b || b == Reason::NONE => a,
            (Reason::NONE, b) => b,
            _ => self.record(rule, Conclusion::Both, [a, b]),
        }
    }

    pub(crate) fn get(&self, id: InferenceId) -> Inference {
        self.list.get(id).into()
    }

    /// The numbers of all inferences, in order.
    pub(crate) fn ids(&self) -> impl DoubleEndedIterator<Item = InferenceId> + Clone + use<> {
        self.list.ids()
    }

    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    pub(crate) fn snapshot(&mut self) {
        self.list.snapshot();
    }

    pub(crate) fn rollback(&mut self) {
        self.list.rollback();
    }

    pub(crate) fn keep(&mut self) {
        self.list.commit();
    }

    pub(crate) fn shrink(&mut self) {
        self.list.shrink();
    }

    pub(crate) fn bytes(&self) -> usize {
        self.list.bytes()
    }
}

/// A failed step: its rule, the reasons that met, and the terms whose values they rest on.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) rule: Rule,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) terms: Vec<Term>,
    /// What met, in words.
    pub(crate) message: String,
    /// Whether a limit was reached, so that nothing is known to fail.
    pub(crate) is_limit: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conjunction_is_recorded_only_where_neither_reason_is_enough() {
        let mut inferences = Inferences::default();
        let [a, b] = [0, 1].map(|at| Reason::constraint(AssertedId::of(at)));
        let rule = Rule::DiCap;
        for (reasons, enough) in [
            ([a, a], a),
            ([a, Reason::NONE], a),
            ([Reason::NONE, a], a),
            ([Reason::NONE, Reason::NONE], Reason::NONE),
        ] {
            assert_eq!(inferences.both(rule, reasons[0], reasons[1]), enough);
        }
        assert_eq!(inferences.list.len(), 0);
        assert_eq!(
            inferences.both(rule, a, b).as_inference(),
            Some(InferenceId::of(0))
        );
        assert_eq!(inferences.get(InferenceId::of(0)).parents, [a, b]);
    }
}
