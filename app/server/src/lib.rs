//! The language server: it answers the requests of editors about a program that is being written, over the Language
//! Server Protocol 3.17.
//!
//! Names, layout and the outline are computed from the current text. Shapes come from inference, which runs in a thread
//! of its own: requests for shapes wait for it, and for a text with an error the last results are shown, at the places
//! to which editing has moved them.
//!
//! | file | what it does |
//! |---|---|
//! | `transport.rs` | messages in frames |
//! | `server.rs` | the lifecycle of a server, and the notifications of its client |
//! | `server/capabilities.rs` | the requests that it offers to answer |
//! | `server/requests.rs` | the answers to requests about texts |
//! | `worker.rs` | inference in a thread |
//! | `document.rs` | a text that is being edited |
//! | `lines.rs` | places in a text, as the protocol counts them |
//! | `analysis.rs` | the inferred shapes of a text, by place |
//! | `axon_types.rs` | the types of the parts of an Axon program |
//! | `axon_writing.rs` | the names that may be written in an Axon program, and the type of the function that is called |
//! | `axon.rs` | the hover, the names and the layout of Axon programs |
//! | `hover.rs` | the shape of the tensor at a place, and how it was inferred |
//! | `diagnostics.rs` | messages, and the changes that repair a text |
//! | `naming.rs` | definitions, uses, renaming, the outline |
//! | `completion.rs` | the names that may be written at a place |
//! | `signature.rs` | the header of the function that is being called |
//! | `workspace.rs` | what the client says of itself: its folders, what it can watch, its process |

mod analysis;
mod axon;
mod axon_types;
mod axon_writing;
mod completion;
mod diagnostics;
mod document;
mod hover;
mod lines;
mod naming;
mod place;
mod server;
mod signature;
mod transport;
mod worker;
mod workspace;

pub use analysis::{Analysis, Pending};
pub use axon_types::Types;
pub use document::{Change, Document, Found, Language};
pub use hover::hover;
pub use server::{Ended, serve};
