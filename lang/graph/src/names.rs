//! Names that no two nodes share.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The names that were given, each with the number of those that wanted it.
#[derive(Debug, Default)]
pub(crate) struct UniqueNames {
    wanted: HashMap<String, u64>,
}

impl UniqueNames {
    /// Gives the name itself to the first who wants it, and `name#2`, `name#3` to those after.
    pub(crate) fn give(&mut self, name: &str) -> String {
        match self.wanted.entry(name.to_string()) {
            Entry::Vacant(place) => {
                place.insert(1);
                return name.to_string();
            }
            Entry::Occupied(_) => {}
        }
        loop {
            let count = self
                .wanted
                .get_mut(name)
                .expect("the name was wanted before");
            *count += 1;
            let other = format!("{name}#{count}");
            // A file may itself contain a name such as `conv#2`.
            if let Entry::Vacant(place) = self.wanted.entry(other) {
                let given = place.key().clone();
                place.insert(1);
                return given;
            }
        }
    }
}
