//! Provenance: each conclusion remembers its rule and the conclusions and constraints behind it.

use lozenge_vocabulary::Rule;

use crate::term::{NONE, Term};
use crate::tracked::Tracked;

/// Why something holds: a stated constraint, a recorded fact, or nothing needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Reason(u32);

impl Default for Reason {
    fn default() -> Reason {
        Reason::NONE
    }
}

const STATED: u32 = 1 << 31;

impl Reason {
    pub(crate) const NONE: Reason = Reason(NONE);

    #[inline]
    pub(crate) fn constraint(index: u32) -> Reason {
        Reason(STATED + index)
    }

    pub(crate) fn as_constraint(self) -> Option<u32> {
        (self.0 != NONE && self.0 & STATED != 0).then_some(self.0 & !STATED)
    }

    pub(crate) fn as_inference(self) -> Option<u32> {
        (self.0 & STATED == 0).then_some(self.0)
    }
}

/// What a fact says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conclusion {
    /// Two dimension terms are equal.
    Equal(Term, Term),
    /// What is below the second term (an atom, or what is known to be above one) is below the first: a cap.
    Cap(Term, Term),
    /// A flank of a row variable has at least that many axes.
    AtLeast(u32, u8, u32),
    /// The flat content of a row variable, from its known flanks inward.
    Content(u32, u32),
    /// The place of the marker in that content.
    Placed(u32),
    /// Both parents.
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

/// A fact in 20 bytes.
#[derive(Clone, Copy, Debug)]
struct Record {
    head: Head,
    words: [u32; 2],
    parents: [Reason; 2],
}

#[derive(Clone, Copy, Debug)]
struct Head {
    kind: Kind,
    /// The side of a flank that has grown.
    side: u8,
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
        let (kind, side, words) = match inference.conclusion {
            Conclusion::Equal(a, b) => (Kind::Equal, 0, [a.word(), b.word()]),
            Conclusion::Cap(high, low) => (Kind::Cap, 0, [high.word(), low.word()]),
            Conclusion::AtLeast(var, side, len) => (Kind::AtLeast, side, [var, len]),
            Conclusion::Content(var, row) => (Kind::Content, 0, [var, row]),
            Conclusion::Placed(var) => (Kind::Placed, 0, [var, NONE]),
            Conclusion::Both => (Kind::Both, 0, [NONE; 2]),
            Conclusion::Atom(term) => (Kind::Atom, 0, [term.word(), NONE]),
            Conclusion::Size(term, atom) => (Kind::Size, 0, [term.word(), atom.word()]),
            Conclusion::Basis(term, atom) => (Kind::Basis, 0, [term.word(), atom.word()]),
        };
        Record {
            head: Head {
                kind,
                side,
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
        let [a, b] = record.words;
        Inference {
            conclusion: match record.head.kind {
                Kind::Equal => Conclusion::Equal(Term::of_word(a), Term::of_word(b)),
                Kind::Cap => Conclusion::Cap(Term::of_word(a), Term::of_word(b)),
                Kind::AtLeast => Conclusion::AtLeast(a, record.head.side, b),
                Kind::Content => Conclusion::Content(a, b),
                Kind::Placed => Conclusion::Placed(a),
                Kind::Both => Conclusion::Both,
                Kind::Atom => Conclusion::Atom(Term::of_word(a)),
                Kind::Size => Conclusion::Size(Term::of_word(a), Term::of_word(b)),
                Kind::Basis => Conclusion::Basis(Term::of_word(a), Term::of_word(b)),
            },
            rule: record.head.rule,
            policy: record.head.policy,
            parents: record.parents,
        }
    }
}

/// All facts, in the order in which they were concluded: parents come first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inferences {
    list: Tracked<Record>,
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
        let inference = Inference {
            conclusion,
            rule,
            policy,
            parents,
        };
        Reason(self.list.push(inference.into()))
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

    pub(crate) fn get(&self, at: u32) -> Inference {
        self.list.get(at).into()
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
        let [a, b] = [0, 1].map(Reason::constraint);
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
        assert_eq!(inferences.both(rule, a, b).as_inference(), Some(0));
        assert_eq!(inferences.get(0).parents, [a, b]);
    }
}
