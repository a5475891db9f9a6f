//! What a property of a constraint set returns.

/// `None` when the property does not speak of the set, an error with what is wrong when it fails.
pub type Outcome = Option<Result<(), String>>;

/// The property speaks of the set, and holds or fails.
pub fn check(holds: bool, why: impl FnOnce() -> String) -> Outcome {
    Some(if holds { Ok(()) } else { Err(why()) })
}

/// The property speaks of the set, and fails if something was found against it.
pub fn against(found: Option<String>) -> Outcome {
    Some(found.map_or(Ok(()), Err))
}
