//! The type rules of Fig. 3, and repaired ones. A calculus is a record of its rules, and a rule a function from the
//! types of the parts to the type of the whole.

mod addition;
mod convolution;
mod reshape;

use std::collections::BTreeSet;
use std::fmt;

use lozenge_gradual_vocabulary::{Body, Expression, Program, Type};

use crate::printed_functions::Convolution;
use crate::relations::{Context, context};

pub use addition::{t_add, t_add_repaired};
pub use convolution::{t_conv, t_conv_repaired};
pub use reshape::{t_reshape, t_reshape_g, t_reshape_repaired, t_reshape_s};

/// The choices that the printed rules leave open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reading {
    /// The place where t-reshape wants `Dyn`.
    pub at_least_one: Occurrence,
    /// The value of a number modulo 0.
    pub modulo_zero: ModuloZero,
}

/// Two readings of "with at least one occurrence in δ and σ1, …, σm".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Occurrence {
    /// In each of the two.
    Each,
    /// In one of the two.
    Union,
}

/// Three readings of `n mod 0 = 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ModuloZero {
    /// It never holds: nothing is divided by 0.
    Never,
    /// It holds for 0 alone: n mod 0 is n.
    ForZero,
    /// It always holds, as for a solver that may choose the remainder.
    Always,
}

impl Reading {
    /// Every reading.
    pub const ALL: [Reading; 6] = {
        const fn of(at_least_one: Occurrence, modulo_zero: ModuloZero) -> Reading {
            Reading {
                at_least_one,
                modulo_zero,
            }
        }
        [
            of(Occurrence::Union, ModuloZero::ForZero),
            of(Occurrence::Union, ModuloZero::Never),
            of(Occurrence::Union, ModuloZero::Always),
            of(Occurrence::Each, ModuloZero::ForZero),
            of(Occurrence::Each, ModuloZero::Never),
            of(Occurrence::Each, ModuloZero::Always),
        ]
    };
}

impl fmt::Display for Reading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match self.at_least_one {
            Occurrence::Each => "Dyn in each",
            Occurrence::Union => "Dyn in one",
        };
        let zero = match self.modulo_zero {
            ModuloZero::Never => "n mod 0 = 0 never",
            ModuloZero::ForZero => "n mod 0 = 0 for n = 0",
            ModuloZero::Always => "n mod 0 = 0 always",
        };
        write!(f, "{place}, {zero}")
    }
}

/// A rule: its name, and its conclusion from what it reads. No conclusion means that a premise fails.
pub struct Rule<Reads: ?Sized + 'static> {
    /// The printed name.
    pub name: &'static str,
    /// The conclusion.
    pub conclude: fn(&Reading, &Reads) -> Option<Type>,
}

/// The premises of the rules of `reshape`: the type of the tensor and the target.
pub type OfReshape = (Type, Type);
/// The premises of the rules of `Conv2D`: the type of the tensor and the parameters.
pub type OfConvolution = (Type, Convolution);
/// The premises of the rules of `add`: the types of the two tensors.
pub type OfAddition = (Type, Type);

/// A system of type rules.
pub struct Calculus {
    /// Its name: `printed`, `repaired`.
    pub name: &'static str,
    /// The rules of `reshape`.
    pub reshape: &'static [Rule<OfReshape>],
    /// The rules of `Conv2D`.
    pub convolution: &'static [Rule<OfConvolution>],
    /// The rules of `add`.
    pub addition: &'static [Rule<OfAddition>],
}

/// The rules as printed.
pub const PRINTED: Calculus = Calculus {
    name: "printed",
    reshape: &[
        Rule {
            name: "t-reshape-s",
            conclude: t_reshape_s,
        },
        Rule {
            name: "t-reshape-g",
            conclude: t_reshape_g,
        },
        Rule {
            name: "t-reshape",
            conclude: t_reshape,
        },
    ],
    convolution: &[Rule {
        name: "t-conv",
        conclude: t_conv,
    }],
    addition: &[Rule {
        name: "t-add",
        conclude: t_add,
    }],
};

/// The rules as they accept what some run accepts, and no more.
pub const REPAIRED: Calculus = Calculus {
    name: "repaired",
    reshape: &[Rule {
        name: "t-reshape repaired",
        conclude: t_reshape_repaired,
    }],
    convolution: &[Rule {
        name: "t-conv repaired",
        conclude: t_conv_repaired,
    }],
    addition: &[Rule {
        name: "t-add repaired",
        conclude: t_add_repaired,
    }],
};

impl Calculus {
    /// Gives every type of every expression of a body that a derivation gives it. A type may be reached by several
    /// rules.
    #[must_use]
    pub fn types(
        &self,
        reading: &Reading,
        context: &Context<'_>,
        body: &Body,
    ) -> Vec<BTreeSet<Type>> {
        let mut types: Vec<BTreeSet<Type>> = Vec::with_capacity(body.expressions().len());
        for expression in body.expressions() {
            let found = match expression {
                Expression::Variable(name) => t_var(context, name).into_iter().collect(),
                Expression::Reshape { of, target } => {
                    let of = types[of.index()].iter();
                    let reads = of.map(|of| (of.clone(), target.clone()));
                    conclusions(self.reshape, reading, reads)
                }
                Expression::Conv2d { of, .. } => {
                    let of = types[of.index()].iter();
                    let reads = of.filter_map(|of| Some((of.clone(), convolution_of(expression)?)));
                    conclusions(self.convolution, reading, reads)
                }
                Expression::Add(left, right) => {
                    let (left, right) = (&types[left.index()], &types[right.index()]);
                    let pair = |left: &Type| {
                        let left = left.clone();
                        right.iter().map(move |right| (left.clone(), right.clone()))
                    };
                    conclusions(self.addition, reading, left.iter().flat_map(pair))
                }
                // The paper has no type rule for a conditional: Alg. 2 takes it away first.
                Expression::If { .. } => BTreeSet::new(),
            };
            types.push(found);
        }
        types
    }

    /// `⊢ p ok` by ok-prog.
    #[must_use]
    pub fn accepts(&self, reading: &Reading, program: &Program) -> bool {
        self.type_of(reading, program).is_some()
    }

    /// Gives the type of the returned expression of a program that is ok; the least by name if there are several.
    #[must_use]
    pub fn type_of(&self, reading: &Reading, program: &Program) -> Option<Type> {
        let context = context(&program.declarations)?;
        let types = self.types(reading, &context, &program.body);
        types.last()?.first().cloned()
    }
}

/// `Γ ⊢ x : τ` if `x : τ` stands in Γ.
fn t_var(context: &Context<'_>, name: &str) -> Option<Type> {
    context.get(name).map(|declared| (*declared).clone())
}

fn conclusions<Reads>(
    rules: &[Rule<Reads>],
    reading: &Reading,
    reads: impl Iterator<Item = Reads>,
) -> BTreeSet<Type> {
    let each = |reads: Reads| {
        let conclusions = rules
            .iter()
            .map(move |rule| (rule.conclude)(reading, &reads));
        conclusions.flatten().collect::<Vec<_>>()
    };
    reads.flat_map(each).collect()
}

/// Gives the parameters of a convolution.
#[must_use]
pub fn convolution_of(expression: &Expression) -> Option<Convolution> {
    let Expression::Conv2d {
        in_channels,
        out_channels,
        kernel,
        ..
    } = expression
    else {
        return None;
    };
    Some(Convolution {
        in_channels: *in_channels,
        out_channels: *out_channels,
        kernel: kernel.clone(),
    })
}
