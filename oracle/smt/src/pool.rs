//! Terms that are built once.

use std::cell::RefCell;

/// Terms that are built once and then looked up by number.
#[derive(Debug)]
pub struct Pool<T>(RefCell<Vec<T>>);

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool(RefCell::default())
    }
}

impl<T: Clone> Pool<T> {
    /// Returns the term of a number. `make` builds it, and those of smaller numbers, if they are not there.
    pub fn get(&self, at: u32, make: impl Fn(u32) -> T) -> T {
        let mut made = self.0.borrow_mut();
        while made.len() <= at as usize {
            let next = make(made.len() as u32);
            made.push(next);
        }
        made[at as usize].clone()
    }
}
