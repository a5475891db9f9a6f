//! Provenance: each conclusion remembers its rule and the conclusions and constraints behind it.

use lozenge_vocabulary::Rule;

use crate::term::{NONE, Term};
use crate::tracked::Tracked;

/// Why something holds: a stated constraint, a recorded fact, or nothing needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Why(u32);

impl Default for Why {
    fn default() -> Why {
        Why::NONE
    }
}

const STATED: u32 = 1 << 31;

impl Why {
    pub(crate) const NONE: Why = Why(NONE);

    #[inline]
    pub(crate) fn constraint(index: u32) -> Why {
        Why(STATED + index)
    }

    pub(crate) fn as_constraint(self) -> Option<u32> {
        (self.0 != NONE && self.0 & STATED != 0).then_some(self.0 & !STATED)
    }

    pub(crate) fn as_fact(self) -> Option<u32> {
        (self.0 & STATED == 0).then_some(self.0)
    }
}

/// What a fact says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// Two dimension terms are equal.
    Equal(Term, Term),
    /// What is below the second term (an atom, or what is known to be above one) is below the first: a cap.
    Cap(Term, Term),
    /// A flank of a row variable has at least that many axes.
    Grown(u32, u8, u32),
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
pub(crate) struct Fact {
    pub(crate) claim: Claim,
    pub(crate) rule: Rule,
    pub(crate) policy: bool,
    pub(crate) parents: [Why; 2],
}

/// A fact in 20 bytes.
#[derive(Clone, Copy, Debug)]
struct Record {
    head: Head,
    words: [u32; 2],
    parents: [Why; 2],
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
    Grown,
    Content,
    Placed,
    Both,
    Atom,
    Size,
    Basis,
}

impl From<Fact> for Record {
    fn from(fact: Fact) -> Record {
        let (kind, side, words) = match fact.claim {
            Claim::Equal(a, b) => (Kind::Equal, 0, [a.word(), b.word()]),
            Claim::Cap(high, low) => (Kind::Cap, 0, [high.word(), low.word()]),
            Claim::Grown(var, side, len) => (Kind::Grown, side, [var, len]),
            Claim::Content(var, row) => (Kind::Content, 0, [var, row]),
            Claim::Placed(var) => (Kind::Placed, 0, [var, NONE]),
            Claim::Both => (Kind::Both, 0, [NONE; 2]),
            Claim::Atom(term) => (Kind::Atom, 0, [term.word(), NONE]),
            Claim::Size(term, atom) => (Kind::Size, 0, [term.word(), atom.word()]),
            Claim::Basis(term, atom) => (Kind::Basis, 0, [term.word(), atom.word()]),
        };
        Record {
            head: Head {
                kind,
                side,
                rule: fact.rule,
                policy: fact.policy,
            },
            words,
            parents: fact.parents,
        }
    }
}

impl From<Record> for Fact {
    fn from(record: Record) -> Fact {
        let [a, b] = record.words;
        Fact {
            claim: match record.head.kind {
                Kind::Equal => Claim::Equal(Term::of_word(a), Term::of_word(b)),
                Kind::Cap => Claim::Cap(Term::of_word(a), Term::of_word(b)),
                Kind::Grown => Claim::Grown(a, record.head.side, b),
                Kind::Content => Claim::Content(a, b),
                Kind::Placed => Claim::Placed(a),
                Kind::Both => Claim::Both,
                Kind::Atom => Claim::Atom(Term::of_word(a)),
                Kind::Size => Claim::Size(Term::of_word(a), Term::of_word(b)),
                Kind::Basis => Claim::Basis(Term::of_word(a), Term::of_word(b)),
            },
            rule: record.head.rule,
            policy: record.head.policy,
            parents: record.parents,
        }
    }
}

/// All facts, in the order in which they were concluded: parents come first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    list: Tracked<Record>,
}

impl Facts {
    #[inline]
    pub(crate) fn record(&mut self, rule: Rule, claim: Claim, parents: [Why; 2]) -> Why {
        self.add(rule, claim, parents, false)
    }

    pub(crate) fn commit(&mut self, rule: Rule, claim: Claim, parents: [Why; 2]) -> Why {
        self.add(rule, claim, parents, true)
    }

    #[inline]
    fn add(&mut self, rule: Rule, claim: Claim, parents: [Why; 2], policy: bool) -> Why {
        let fact = Fact {
            claim,
            rule,
            policy,
            parents,
        };
        Why(self.list.push(fact.into()))
    }

    /// The conjunction of two reasons.
    #[inline]
    pub(crate) fn both(&mut self, rule: Rule, a: Why, b: Why) -> Why {
        match (a, b) {
            (a, b) if a == b || b == Why::NONE => a,
            (Why::NONE, b) => b,
            _ => self.record(rule, Claim::Both, [a, b]),
        }
    }

    pub(crate) fn get(&self, at: u32) -> Fact {
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
    pub(crate) reasons: Vec<Why>,
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
        let mut facts = Facts::default();
        let [a, b] = [0, 1].map(Why::constraint);
        let rule = Rule::DiCap;
        for (reasons, enough) in [
            ([a, a], a),
            ([a, Why::NONE], a),
            ([Why::NONE, a], a),
            ([Why::NONE, Why::NONE], Why::NONE),
        ] {
            assert_eq!(facts.both(rule, reasons[0], reasons[1]), enough);
        }
        assert_eq!(facts.list.len(), 0);
        assert_eq!(facts.both(rule, a, b).as_fact(), Some(0));
        assert_eq!(facts.get(0).parents, [a, b]);
    }
}
