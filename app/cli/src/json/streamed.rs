//! The JSON document of a solution, written while it is computed, so that a solution of a million variables is never
//! held as one value.

use std::collections::BTreeMap;

use lozenge_solver::{Footing, Values};
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use super::Solved;
use super::bounds::Bounds;

impl Serialize for Solved<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("note", self.note)?;
        map.serialize_entry("solution", &OfAll(&self.values))?;
        map.serialize_entry("rests_on", &RestsOn(self))?;
        map.end()
    }
}

/// Every variable with its value.
struct OfAll<'s, 'a>(&'s Values<'a>);

impl Serialize for OfAll<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, dim) in self.0.dims() {
            map.serialize_entry(name, &format_args!("{dim}"))?;
        }
        for name in self.0.zeros() {
            map.serialize_entry(name, "0")?;
        }
        let mut key = String::new();
        for (name, row) in self.0.rows() {
            key.clear();
            key.extend(["<", name, ">"]);
            map.serialize_entry(&key, &*row)?;
        }
        map.end()
    }
}

/// The footing of the values, as [`super::RestsOn`] describes it.
struct RestsOn<'s, 'a>(&'s Solved<'a>);

impl Serialize for RestsOn<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(5))?;
        let values = &self.0.values;
        for (key, footing) in [
            ("placed", Footing::Placed),
            ("chosen", Footing::Chosen),
            ("free", Footing::Free),
        ] {
            map.serialize_entry(key, &NamesOf { values, footing })?;
        }
        let bounds = values.bounds().into_iter();
        let bounds: BTreeMap<String, Bounds> = bounds
            .filter_map(|(var, standing)| Some((var.to_string(), Bounds::of(&var, &standing)?)))
            .collect();
        map.serialize_entry("bounds", &bounds)?;
        map.serialize_entry("choices", &self.0.choices())?;
        map.end()
    }
}

/// The variables whose values have the same footing.
struct NamesOf<'s, 'a> {
    values: &'s Values<'a>,
    footing: Footing,
}

impl Serialize for NamesOf<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(None)?;
        for name in self.values.dim_names(self.footing) {
            list.serialize_element(name)?;
        }
        for name in self.values.zeros_on(self.footing) {
            list.serialize_element(name)?;
        }
        let mut row = String::new();
        for name in self.values.row_names(self.footing) {
            row.clear();
            row.extend(["<", name, ">"]);
            list.serialize_element(&row)?;
        }
        list.end()
    }
}
