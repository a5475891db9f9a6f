//! Provenance: each conclusion remembers its rule and the conclusions and constraints behind it.

use std::num::NonZeroU32;

use lozenge_vocabulary::Rule;
use lozenge_vocabulary::alignment::Flank;

use crate::ids::{AssertedId, InferenceId, RowTermId, RowVarId};
use crate::term::Term;
use crate::tracked::Tracked;

/// A reason why something holds: an asserted constraint or a recorded inference. `None` is the reason of what holds by
/// itself.
///
/// A reason is the number of the one or the other in 32 bits; the highest bit marks a constraint. The number is not 0,
/// so that `Option<Reason>` has 32 bits as well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Reason(NonZeroU32);

const STATED: u32 = 1 << 31;

impl Reason {
    #[inline]
    pub(crate) fn constraint(id: AssertedId) -> Reason {
        debug_assert!(id.number() < 1 << 30);
        Reason(id.word() | STATED)
    }

    #[inline]
    fn inference(id: InferenceId) -> Reason {
        debug_assert!(id.number() < 1 << 30);
        Reason(id.word())
    }

    pub(crate) fn as_constraint(self) -> Option<AssertedId> {
        let word = self.0.get();
        (word & STATED != 0).then(|| AssertedId::of((word & !STATED) >> 1))
    }

    pub(crate) fn as_inference(self) -> Option<InferenceId> {
        (self.0.get() & STATED == 0).then(|| InferenceId::of_word(self.0))
    }
}

/// The conclusion of an inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
    /// Two dimension terms are equal.
    Equal(Term, Term),
    /// A cap: everything below the second term (an atom, or what is known to be above one) is below the first.
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
    pub(crate) parents: [Option<Reason>; 2],
}

/// An inference in 20 bytes.
#[derive(Clone, Copy, Debug)]
struct Record {
    head: Head,
    words: [u32; 2],
    parents: [Option<Reason>; 2],
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
        parents: [Option<Reason>; 2],
    ) -> Reason {
        self.add(rule, conclusion, parents, false)
    }

    pub(crate) fn commit(
        &mut self,
        rule: Rule,
        conclusion: Conclusion,
        parents: [Option<Reason>; 2],
    ) -> Reason {
        self.add(rule, conclusion, parents, true)
    }

    #[inline]
    fn add(
        &mut self,
        rule: Rule,
        conclusion: Conclusion,
        parents: [Option<Reason>; 2],
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
        Reason::inference(self.list.push(inference.into()))
    }

    /// Makes room for so many more inferences.
    pub(crate) fn reserve(&mut self, more: usize) {
        self.list.reserve(more);
    }

    /// Returns the conjunction of two reasons, if there is one.
    #[inline]
    pub(crate) fn both(
        &mut self,
        rule: Rule,
        a: Option<Reason>,
        b: Option<Reason>,
    ) -> Option<Reason> {
        match a {
            Some(a) => Some(self.with(rule, a, b)),
            None => b,
        }
    }

    /// Returns the conjunction of a reason with another one, if there is one.
    #[inline]
    pub(crate) fn with(&mut self, rule: Rule, a: Reason, b: Option<Reason>) -> Reason {
        match b {
            Some(b) if b != a => self.record(rule, Conclusion::Both, [Some(a), Some(b)]),
            _ => a,
        }
    }

    pub(crate) fn get(&self, id: InferenceId) -> Inference {
        self.list.get(id).into()
    }

    /// Returns the numbers of all inferences, in order.
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

/// The result of a part of the engine's work: nothing, or a contradiction of the constraints.
pub(crate) type EngineResult = Result<(), Box<Failure>>;

/// A failed step: its rule, the reasons that met, and the terms whose values they rest on.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub(crate) rule: Rule,
    pub(crate) reasons: Vec<Reason>,
    pub(crate) terms: Vec<Term>,
    /// The contradiction, in words.
    pub(crate) message: String,
    /// True if a limit was reached, so that nothing is known to fail.
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
            ([Some(a), Some(a)], Some(a)),
            ([Some(a), None], Some(a)),
            ([None, Some(a)], Some(a)),
            ([None, None], None),
        ] {
            assert_eq!(inferences.both(rule, reasons[0], reasons[1]), enough);
        }
        assert_eq!(inferences.list.len(), 0);
        let both = inferences.both(rule, Some(a), Some(b));
        assert_eq!(
            both.and_then(Reason::as_inference),
            Some(InferenceId::of(0))
        );
        assert_eq!(
            inferences.get(InferenceId::of(0)).parents,
            [Some(a), Some(b)]
        );
    }

    #[test]
    fn a_reason_is_one_word_and_so_is_none() {
        assert_eq!(size_of::<Option<Reason>>(), size_of::<u32>());
        assert_eq!(size_of::<Record>(), 20);
        for number in [0, 1, (1 << 30) - 1] {
            let (stated, found) = (AssertedId::of(number), InferenceId::of(number));
            let stated_reason = Reason::constraint(stated);
            assert_eq!(stated_reason.as_constraint(), Some(stated));
            assert_eq!(stated_reason.as_inference(), None);
            assert_eq!(Reason::inference(found).as_inference(), Some(found));
            assert_eq!(Reason::inference(found).as_constraint(), None);
        }
    }
}
