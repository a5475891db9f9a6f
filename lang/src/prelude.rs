//! The prelude: functions that every program has, written in the language itself.

use crate::statement::{Read, read};

/// The text of the prelude.
pub const PRELUDE: &str = include_str!("prelude.loz");

thread_local! {
    /// The prelude as it is read: once a thread.
    static READ: Read<'static> = {
        let mut errors = Vec::new();
        let prelude = read(PRELUDE, &mut errors);
        debug_assert!(errors.is_empty(), "{errors:?}");
        prelude
    };
}

/// Does something with the statements of the prelude.
pub(crate) fn with<T>(use_it: impl FnOnce(&Read) -> T) -> T {
    READ.with(use_it)
}
