//! The choice of the deferred word equation that is resolved next.
//!
//! `s · x₁ = x₂ · t` says by how many axes x₂ is longer than x₁. Of the variables that deferred equations connect, only
//! the shortest can be empty, so an equation is resolved that closes a shortest one. The document leaves open which
//! equation is resolved first.

use std::collections::{BTreeMap, VecDeque};

use crate::cause::Pending;
use lozenge_vocabulary::constraint::Constraint;
use lozenge_vocabulary::term::{RowTerm, RowVar};

/// Returns the deferred constraints in the order in which they may be resolved: an equation only if it closes a
/// variable that is no longer than any that it is connected with.
pub fn candidates(deferred: &[Pending]) -> impl Iterator<Item = &Pending> {
    let lengths = lengths(deferred);
    let mut least: BTreeMap<usize, i64> = BTreeMap::new();
    for (component, length) in lengths.values() {
        let known = least.entry(*component).or_insert(*length);
        *known = (*known).min(*length);
    }
    deferred.iter().filter(move |waiting| {
        let Constraint::RowEq(left, right) = &waiting.constraint else {
            return true;
        };
        // The longer side closes its variable; of sides that are as long as each other the variables are so too.
        let closed = [left, right].into_iter().max_by_key(|row| row.explicit());
        let found = closed.and_then(|row| lengths.get(row.var.as_ref()?));
        found.is_none_or(|(component, length)| least[component] == *length)
    })
}

/// Returns, for each variable of a deferred equation, the component to which it belongs, and how much longer it is than
/// the first variable of that component.
fn lengths(deferred: &[Pending]) -> BTreeMap<RowVar, (usize, i64)> {
    let mut neighbours: BTreeMap<&RowVar, Vec<(&RowVar, i64)>> = BTreeMap::new();
    for waiting in deferred {
        if let Constraint::RowEq(left, right) = &waiting.constraint
            && let (Some(x), Some(y)) = (&left.var, &right.var)
        {
            let explicit = |row: &RowTerm| row.explicit() as i64;
            let longer = explicit(left) - explicit(right);
            neighbours.entry(x).or_default().push((y, longer));
            neighbours.entry(y).or_default().push((x, -longer));
        }
    }
    let mut found: BTreeMap<RowVar, (usize, i64)> = BTreeMap::new();
    for (component, first) in neighbours.keys().enumerate() {
        if found.contains_key(*first) {
            continue;
        }
        found.insert((*first).clone(), (component, 0));
        let mut next = VecDeque::from([(*first, 0)]);
        while let Some((var, length)) = next.pop_front() {
            for (other, longer) in &neighbours[var] {
                if !found.contains_key(*other) {
                    found.insert((*other).clone(), (component, length + longer));
                    next.push_back((*other, length + longer));
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use lozenge_vocabulary::ConstraintSet;

    use super::*;
    use crate::cause::Cause;

    /// Returns the deferred constraints of these that may be resolved next.
    fn chosen(text: &str) -> Vec<String> {
        let set: ConstraintSet = text.parse().unwrap();
        let pending = |constraint: &Constraint| Pending {
            constraint: constraint.clone(),
            cause: Cause::default(),
        };
        let deferred: Vec<Pending> = set.constraints.iter().map(pending).collect();
        let chosen = candidates(&deferred);
        chosen
            .map(|waiting| waiting.constraint.to_string())
            .collect()
    }

    /// `y` is longer than `z` by one axis and `x` than `y`, so only `z` can be empty. `u` is connected with none of
    /// them.
    #[test]
    fn an_equation_closes_a_shortest_variable_of_those_that_are_connected() {
        let (longer, shortest) = ("[2 <x>] ~ [<y> 3, 4]", "[2 <y>] ~ [<z> 3, 4]");
        let apart = "[5, 6 <u>] ~ [<v> 7]";
        let all = [longer, shortest, apart].join("\n");
        assert_eq!(chosen(&all), [shortest, apart]);
        assert_eq!(chosen(longer), [longer]);
    }
}
