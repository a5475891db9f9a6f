//! The result of a property on a constraint set.

/// `None` when the property does not apply to the set; an error that says what is wrong when it fails.
pub type Outcome = Option<Result<(), String>>;

/// Returns that the property applies to the set, and holds or fails.
pub fn check(holds: bool, why: impl FnOnce() -> String) -> Outcome {
    Some(if holds { Ok(()) } else { Err(why()) })
}

/// Returns that the property applies to the set, and fails if a contradiction was found.
pub fn against(found: Option<String>) -> Outcome {
    Some(found.map_or(Ok(()), Err))
}
