//! A list that mostly has one element, which then takes no room of its own.
//!
//! `SmallVec<[T; 1]>` is such a list, but it is invariant in the lifetimes of `T`, so that a syntax tree with it could
//! not outlive the text of another one.

use std::ops::Deref;

/// A list of elements.
#[derive(Clone, Debug)]
pub(crate) enum Few<T> {
    One(T),
    Many(Vec<T>),
}

impl<T> Few<T> {
    /// Makes a list without elements.
    pub(crate) fn new() -> Few<T> {
        Few::Many(Vec::new())
    }

    /// Adds an element at the end.
    pub(crate) fn push(&mut self, element: T) {
        *self = match std::mem::replace(self, Few::new()) {
            Few::Many(empty) if empty.is_empty() => Few::One(element),
            Few::Many(mut many) => {
                many.push(element);
                Few::Many(many)
            }
            Few::One(first) => Few::Many(vec![first, element]),
        };
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Few::One(one) => std::slice::from_ref(one),
            Few::Many(many) => many,
        }
    }
}

impl<'f, T> IntoIterator for &'f Few<T> {
    type Item = &'f T;
    type IntoIter = std::slice::Iter<'f, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::Few;

    #[test]
    fn elements_stay_in_their_order() {
        let mut list = Few::new();
        assert!(list.is_empty());
        for number in 0..5 {
            list.push(number);
            assert!(list.iter().copied().eq(0..=number));
        }
    }
}
