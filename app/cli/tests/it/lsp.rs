//! The language server as an editor uses it: a process, frames, requests in any state of the text.

mod axon;
mod client;
mod files;
mod names;
mod protocol;
mod shapes;
mod text;
mod workspace;
