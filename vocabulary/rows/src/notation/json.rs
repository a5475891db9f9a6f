//! The JSON of dimensions, rows, terms and constraints: strings of the notation.

use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use super::reader::{Reader, Relation};
use super::terms::Terms;
use super::{NotationError, parse};
use crate::constraint::{Constraint, ConstraintSet, Located};
use crate::dim::Dim;
use crate::row::Row;
use crate::term::{DimTerm, RowTerm, Var};

impl FromStr for DimTerm {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<DimTerm, NotationError> {
        Reader::new(text, &mut Terms::default()).whole(|r| r.dim())
    }
}

impl FromStr for RowTerm {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<RowTerm, NotationError> {
        Reader::new(text, &mut Terms::default()).whole(|r| r.row())
    }
}

impl FromStr for Dim {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<Dim, NotationError> {
        let term: DimTerm = text.parse()?;
        term.ground()
            .cloned()
            .ok_or_else(|| not_ground(text, "an atom or `1_`"))
    }
}

impl FromStr for Row {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<Row, NotationError> {
        let term: RowTerm = text.parse()?;
        term.ground()
            .ok_or_else(|| not_ground(text, "a closed row without variables"))
    }
}

impl FromStr for Constraint {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<Constraint, NotationError> {
        let mut located = parse(text)?;
        match (
            located.set.constraints.pop(),
            located.set.constraints.is_empty(),
        ) {
            (Some(constraint), true)
                if located.set.tags.is_empty() && located.set.summands.is_empty() =>
            {
                Ok(constraint)
            }
            _ => Err(NotationError::new(
                text,
                0..text.len(),
                "not one constraint".into(),
                "a single constraint".into(),
            )),
        }
    }
}

impl FromStr for ConstraintSet {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<ConstraintSet, NotationError> {
        parse(text).map(|Located { set, .. }| set)
    }
}

impl FromStr for Var {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<Var, NotationError> {
        let row: Option<RowTerm> = if text.trim_start().starts_with('<') {
            Some(text.parse()?)
        } else {
            None
        };
        let var = match row {
            // A text that starts with `<` is a bare row variable.
            Some(row) => row.var.map(Var::Row),
            None => match text.parse()? {
                DimTerm::Var(var) => Some(Var::Dim(var)),
                DimTerm::Const(_) => None,
            },
        };
        var.ok_or_else(|| {
            NotationError::new(
                text,
                0..text.len(),
                "not a variable".into(),
                "a NAME or `<NAME>`".into(),
            )
        })
    }
}

fn not_ground(text: &str, expected: &str) -> NotationError {
    NotationError::new(
        text,
        0..text.len(),
        "a variable stands here".into(),
        expected.into(),
    )
}

impl FromStr for Relation {
    type Err = NotationError;
    fn from_str(text: &str) -> Result<Relation, NotationError> {
        Reader::new(text, &mut Terms::default()).whole(|r| r.relation())
    }
}

macro_rules! as_text {
    ($($name:ty),*) => {$(
        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                text.parse().map_err(D::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                String::json_schema(generator)
            }
        }
    )*};
}
as_text!(Dim, Row, DimTerm, RowTerm, Constraint, ConstraintSet, Var);
