//! A product of sets as data, for front ends.

use crate::residual::SizeBox;
use crate::term::Terms;
use serde::Serialize;

/// The values of a symbol in one box.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SymbolReport {
    /// The name.
    pub name: String,
    /// The values, as text: `29..32, 61..64, 93..96, …`.
    pub values: String,
    /// The term that it equals, if it is a function of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub equals: Option<String>,
    /// True if 0 is admitted too while the others are at least 1, with the outputs of this case; nothing where that is
    /// not known, or for integers that are no sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zero: Option<bool>,
    /// A value of it in an admitted point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<i128>,
}

/// A product of sets with relations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BoxReport {
    /// The symbols.
    pub symbols: Vec<SymbolReport>,
    /// The relations between them beside that, as text.
    pub relations: Vec<String>,
}

impl BoxReport {
    /// Makes the report on a box that does not tell about size 0.
    pub(super) fn without_zero(terms: &Terms, found: &SizeBox) -> Self {
        let symbols = found.domains.iter().map(|(symbol, domain)| {
            let equal = found.equal.iter().find(|(other, _)| other == symbol);
            let witness = found.witness.as_ref();
            SymbolReport {
                name: terms.name(*symbol).to_owned(),
                values: domain.to_string(),
                equals: equal.map(|(_, term)| terms.text(*term)),
                zero: None,
                example: witness.and_then(|witness| witness.get(symbol).copied()),
            }
        });
        let relations = found.relations.iter();
        Self {
            symbols: symbols.collect(),
            relations: relations
                .map(|relation| terms.formula_text(*relation))
                .collect(),
        }
    }
}
