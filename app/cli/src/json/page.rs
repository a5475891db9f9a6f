//! The place of a page.

use schemars::JsonSchema;
use serde::Serialize;

/// The place of a page: the answer of `view`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Page {
    /// The file that was written.
    pub file: String,
    /// The number of the program's tensors, or of the layers of a model, that the page shows.
    pub tensors: usize,
    /// The number of steps of the transcribed rules that it shows.
    pub steps: usize,
}

impl Page {
    /// Makes the answer about the page of a model, which shows so many layers.
    pub fn of_model(file: String, layers: usize) -> Page {
        Page {
            file,
            tensors: layers,
            steps: 0,
        }
    }
}
