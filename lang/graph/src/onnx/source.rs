//! The bytes of the file, of which every part knows its place.

use std::ops::Range;

use bytes::Bytes;
use prost::Message;

use crate::ModelError;

/// The bytes of the file. Parts of it are shared, not copied.
pub(super) struct Source {
    content: Bytes,
}

impl Source {
    pub(super) fn new(content: Bytes) -> Self {
        Self { content }
    }

    pub(super) fn content(&self) -> &Bytes {
        &self.content
    }

    /// Decodes a message that a part of the file holds.
    pub(super) fn decode<M: Message + Default>(
        &self,
        part: &Bytes,
        what: &str,
    ) -> Result<M, ModelError> {
        let mut rest = part.clone();
        M::decode(&mut rest).map_err(|error| {
            let error = error.to_string();
            let reason = error
                .strip_prefix("failed to decode Protobuf message: ")
                .unwrap_or(&error);
            let done = (part.len() - rest.len()) as u64;
            let offset = self.range(part).map_or(done, |range| range.start + done);
            ModelError::new(format!("{what} is damaged: {reason}")).at_byte(offset)
        })
    }

    /// Finds where a part of the file lies. An empty part lies nowhere.
    pub(super) fn range(&self, part: &Bytes) -> Option<Range<u64>> {
        let start = part
            .as_ptr()
            .addr()
            .checked_sub(self.content.as_ptr().addr())?;
        let end = start.checked_add(part.len())?;
        (!part.is_empty() && end <= self.content.len()).then_some(start as u64..end as u64)
    }
}
