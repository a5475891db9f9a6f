//! A refutation as a certificate, which a small checker verifies without any search.

use std::collections::{BTreeMap, BTreeSet};

use lozenge_sizes::{Form, Variable};
use lozenge_vocabulary::{Constraint, Order};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::complete::decide::atoms::{Cross, Step};
use crate::complete::decide::normalised::{At, row_of};
use crate::complete::decide::scheme::{Item, Quotients};
use crate::complete::decide::search::{Proof, Refutation, Source};
use crate::ids::{ClauseId, Id};
use crate::problem::Problem;

/// The version of the format.
const VERSION: u32 = 1;

/// A linear form: for each variable its coefficient, and under `1` the constant.
type Linear = BTreeMap<String, i64>;

/// A proof that a constraint set has no solution. `docs/certificates.md` has the format and its rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// The version of the format.
    version: u32,
    /// The meaning of `<=` between rows.
    order: Order,
    quotients: Vec<Quotient>,
    clashes: Vec<Walks>,
    /// The first node is the root.
    tree: Vec<Node>,
}

/// A proof that a constraint holds in every solution of a set: none of the cases in which it does not hold has a
/// solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntailmentCertificate {
    /// The version of the format.
    version: u32,
    /// The meaning of `<=` between rows.
    order: Order,
    /// The constraint, in the notation.
    entails: String,
    cases: Vec<Refuted>,
}

/// A proof that there is no solution in one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Refuted {
    quotients: Vec<Quotient>,
    clashes: Vec<Walks>,
    tree: Vec<Node>,
}

impl EntailmentCertificate {
    /// Makes the certificate from the refutations of all cases, in their order.
    pub(crate) fn new(
        order: Order,
        constraint: &Constraint,
        cases: Vec<Certificate>,
    ) -> EntailmentCertificate {
        let refuted = |certificate: Certificate| Refuted {
            quotients: certificate.quotients,
            clashes: certificate.clashes,
            tree: certificate.tree,
        };
        EntailmentCertificate {
            version: VERSION,
            order,
            entails: constraint.to_string(),
            cases: cases.into_iter().map(refuted).collect(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Quotient {
    form: Linear,
    by: i64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Walks {
    walks: Vec<Vec<Part>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Part {
    Step(Crossing),
    Loop {
        steps: Vec<Crossing>,
        drift: i64,
        times: Linear,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Crossing {
    constraint: usize,
    from: Which,
    enter: Place,
    by: By,
    land: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Which {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Place {
    Leading(u32),
    Content,
    Trailing(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    Leading,
    Trailing,
    Equal,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Node {
    Sum(Vec<(Inequality, i64)>),
    Clash(usize),
    Split {
        form: Linear,
        negative: usize,
        other: usize,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Inequality {
    Length(usize, usize),
    Natural(String),
    Quotient(usize, usize),
    Case(usize),
    Assumed(usize),
}

impl From<At> for Place {
    fn from(at: At) -> Place {
        match at {
            At::Lead(k) => Place::Leading(k),
            At::Content => Place::Content,
            At::Trail(k) => Place::Trailing(k),
        }
    }
}

impl From<&Step> for Crossing {
    fn from(step: &Step) -> Crossing {
        Crossing {
            constraint: step.constraint.index(),
            from: [Which::Left, Which::Right][step.from],
            enter: step.enter.into(),
            by: match step.cross {
                Cross::Lead => By::Leading,
                Cross::Trail => By::Trailing,
                Cross::Equal => By::Equal,
            },
            land: step.land.into(),
        }
    }
}

/// Returns the constraints that a refutation uses.
pub(crate) fn cited(refutation: &Refutation) -> BTreeSet<usize> {
    let mut cited = BTreeSet::new();
    let mut due = vec![refutation.root];
    while let Some(proof) = due.pop() {
        match &refutation.proofs[proof] {
            Proof::Sum(combination) => {
                for (source, _) in combination {
                    if let Source::Length(constraint, _) = refutation.sources[*source as usize] {
                        cited.insert(constraint.index());
                    }
                }
            }
            Proof::Clash(clause) => {
                for item in refutation.schemes[*clause].walks.iter().flatten() {
                    match item {
                        Item::Step(step) => {
                            cited.insert(step.constraint.index());
                        }
                        Item::Loop { body, .. } => {
                            cited.extend(body.iter().map(|step| step.constraint.index()));
                        }
                    }
                }
            }
            Proof::Split { parts, .. } => due.extend(parts),
        }
    }
    cited
}

/// Writes a refutation; `None` where a number does not fit the format.
pub(crate) fn certificate(refutation: &Refutation, problem: &Problem) -> Option<Certificate> {
    let mut writer = Writer {
        refutation,
        problem,
        clashes: BTreeMap::new(),
    };
    let quotients = refutation.quotients.list.values().map(|(form, by)| {
        Some(Quotient {
            form: writer.linear(form)?,
            by: i64::try_from(*by).ok()?,
        })
    });
    let quotients = quotients.collect::<Option<Vec<Quotient>>>()?;
    let tree = writer.tree()?;
    let mut clashes: Vec<(usize, ClauseId)> =
        writer.clashes.iter().map(|(a, b)| (*b, *a)).collect();
    clashes.sort_unstable();
    let clashes = clashes.iter().map(|(_, clause)| writer.walks(*clause));
    Some(Certificate {
        version: VERSION,
        order: problem.order(),
        quotients,
        clashes: clashes.collect::<Option<Vec<Walks>>>()?,
        tree,
    })
}

struct Writer<'a> {
    refutation: &'a Refutation,
    problem: &'a Problem,
    /// The clauses that are used, by their numbers in the certificate.
    clashes: BTreeMap<ClauseId, usize>,
}

impl Writer<'_> {
    fn name(&self, variable: Variable) -> String {
        let position = 2 * self.problem.row_names.len() as u32;
        match Quotients::number(variable) {
            Some(quotient) => format!("q{}", quotient.number()),
            // The position of a case is the only leading axes of no row of the problem.
            None if variable.0 == position => "P".into(),
            None => {
                let part = ["X", "Y"][variable.0 as usize % 2];
                format!("{part}{}", self.problem.row_var(row_of(variable)))
            }
        }
    }

    fn linear(&self, form: &Form) -> Option<Linear> {
        let mut linear = Linear::new();
        for (variable, factor) in form.terms() {
            linear.insert(self.name(*variable), i64::try_from(*factor).ok()?);
        }
        if form.constant != 0 {
            linear.insert("1".into(), i64::try_from(form.constant).ok()?);
        }
        Some(linear)
    }

    fn walks(&self, clause: ClauseId) -> Option<Walks> {
        let part = |item: &Item| {
            Some(match item {
                Item::Step(step) => Part::Step(step.into()),
                Item::Loop { body, drift, times } => Part::Loop {
                    steps: body.iter().map(Crossing::from).collect(),
                    drift: i64::try_from(*drift).ok()?,
                    times: self.linear(times)?,
                },
            })
        };
        let walks = self.refutation.schemes[clause].walks.iter();
        let walks = walks.map(|walk| walk.iter().map(part).collect::<Option<Vec<Part>>>());
        Some(Walks {
            walks: walks.collect::<Option<Vec<Vec<Part>>>>()?,
        })
    }

    /// Returns the tree, each node before what it divides into.
    fn tree(&mut self) -> Option<Vec<Node>> {
        let mut nodes: Vec<Node> = Vec::new();
        let mut depths: FxHashMap<u32, usize> = FxHashMap::default();
        // A proof, its depth, and the node whose part it is.
        let mut due = vec![(self.refutation.root, 0, None)];
        while let Some((proof, depth, part_of)) = due.pop() {
            let number = nodes.len();
            if let Some((parent, is_negative)) = part_of
                && let Some(Node::Split {
                    negative, other, ..
                }) = nodes.get_mut(parent)
            {
                *(if is_negative { negative } else { other }) = number;
            }
            let node = match &self.refutation.proofs[proof] {
                Proof::Sum(combination) => {
                    let terms = combination.iter().map(|(source, factor)| {
                        let inequality = match self.refutation.sources[*source as usize] {
                            Source::Length(constraint, part) => {
                                Inequality::Length(constraint.index(), part)
                            }
                            Source::Natural(variable) => Inequality::Natural(self.name(variable)),
                            Source::Quotient(number, part) => {
                                Inequality::Quotient(number.index(), part)
                            }
                            Source::Case(number) => Inequality::Case(number),
                            Source::Assumed | Source::Tried => {
                                Inequality::Assumed(*depths.get(source)?)
                            }
                        };
                        Some((inequality, i64::try_from(*factor).ok()?))
                    });
                    Node::Sum(terms.collect::<Option<Vec<_>>>()?)
                }
                Proof::Clash(clause) => {
                    let next = self.clashes.len();
                    Node::Clash(*self.clashes.entry(*clause).or_insert(next))
                }
                Proof::Split {
                    form,
                    assumed,
                    parts,
                } => {
                    assumed.iter().for_each(|assumption| {
                        depths.insert(*assumption, depth);
                    });
                    due.push((parts[1], depth + 1, Some((number, false))));
                    due.push((parts[0], depth + 1, Some((number, true))));
                    Node::Split {
                        form: self.linear(form)?,
                        negative: 0,
                        other: 0,
                    }
                }
            };
            nodes.push(node);
        }
        Some(nodes)
    }
}
