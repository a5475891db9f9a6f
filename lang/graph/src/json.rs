//! JSON texts, with the byte of an error.

use serde::Deserialize;

use crate::ModelError;

/// Reads a JSON text.
pub(crate) fn read<'a, T: Deserialize<'a>>(text: &'a [u8]) -> Result<T, ModelError> {
    serde_json::from_slice(text).map_err(|error| {
        // The place follows as an offset.
        let message = error.to_string();
        let message = match message.rfind(" at line ") {
            Some(end) => message[..end].to_string(),
            None => message,
        };
        ModelError::new(format!("the JSON does not hold a program: {message}"))
            .at_byte(offset(text, &error))
    })
}

fn offset(text: &[u8], error: &serde_json::Error) -> u64 {
    let lines = text.split_inclusive(|&byte| byte == b'\n');
    let before: usize = lines
        .take(error.line().saturating_sub(1))
        .map(<[u8]>::len)
        .sum();
    (before + error.column().saturating_sub(1)).min(text.len()) as u64
}
