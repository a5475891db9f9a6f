//! The inputs that come to a place of a path, computed from those that come to the place before. Paths that begin alike
//! share their places.

use crate::limit::Limit;
use crate::residual::{SizeBox, boxes_in, merge};
use crate::term::{Formula, Terms};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A place of one or more paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place(usize);

/// All places that were looked at.
pub(super) struct Places {
    boxes: Vec<Result<Vec<SizeBox>, Limit>>,
    after: FxHashMap<(Place, Vec<Formula>), Place>,
}

impl Places {
    /// The place before the first node, to which all inputs come.
    pub(super) const START: Place = Place(0);

    pub(super) fn new() -> Self {
        let everything = SizeBox {
            domains: BTreeMap::new(),
            equal: Vec::new(),
            relations: Vec::new(),
            witness: Some(BTreeMap::new()),
        };
        Self {
            boxes: vec![Ok(vec![everything])],
            after: FxHashMap::default(),
        }
    }

    /// Returns the place to which those inputs come that come to a place and satisfy some formulas.
    pub(super) fn after(
        &mut self,
        terms: &mut Terms,
        place: Place,
        formulas: Vec<Formula>,
    ) -> Place {
        if formulas.is_empty() || matches!(&self.boxes[place.0], Ok(boxes) if boxes.is_empty()) {
            return place;
        }
        if let Some(known) = self.after.get(&(place, formulas.clone())) {
            return *known;
        }
        let narrowed = match &self.boxes[place.0] {
            Err(limit) => Err(*limit),
            Ok(boxes) => narrowed(terms, boxes, &formulas),
        };
        // Where all of them satisfy the formulas it is the same place.
        let next = match narrowed == self.boxes[place.0] {
            true => place,
            false => Place(self.boxes.len()),
        };
        if next != place {
            self.boxes.push(narrowed);
        }
        self.after.insert((place, formulas), next);
        next
    }

    /// Returns the inputs that come to some places, each box once.
    pub(super) fn all(&self, places: &[Place]) -> Vec<SizeBox> {
        let mut all: Vec<SizeBox> = Vec::new();
        for found in places.iter().filter_map(|place| self.boxes(*place).ok()) {
            for found in found {
                if !all.contains(found) {
                    all.push(found.clone());
                }
            }
        }
        all
    }

    /// Returns the inputs that come to a place.
    pub(super) fn boxes(&self, place: Place) -> Result<&[SizeBox], Limit> {
        self.boxes[place.0].as_deref().map_err(|limit| *limit)
    }
}

/// Returns the parts of boxes in which formulas hold.
fn narrowed(
    terms: &mut Terms,
    wide: &[SizeBox],
    formulas: &[Formula],
) -> Result<Vec<SizeBox>, Limit> {
    let mut all = Vec::new();
    for found in wide {
        all.extend(boxes_in(terms, found, formulas)?);
    }
    if wide.len() == 1 {
        return Ok(all);
    }
    merge(terms, all)
}
