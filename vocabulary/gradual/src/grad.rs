//! The notation of programs, which `.grad` files hold.
//!
//! ```text
//! program     = { declaration | restriction } "return" expression { restriction }
//! declaration = name ":" type                       type      = "?" | "[" [ dimension { "," dimension } ] "]"
//! restriction = "where" demand { "," demand }       dimension = "?" | number
//! demand      = a comparison as in `--where` | ( size | name ) "static"
//! expression  = name
//!             | "reshape" "(" expression "," type ")"
//!             | "conv2d" "(" number "," number "," "(" [ number { "," number } ] ")" "," expression ")"
//!             | "add" "(" expression "," expression ")"
//!             | "if" observation relation observation "then" expression "else" expression
//! observation = [ "-" ] number | "dim" "(" expression ")" | "size" "(" expression ")" "[" [ "-" ] number "]"
//! ```
//!
//! A name is letters, digits, `_` and `.`, or any characters in quotes. From `#` to the end of the line is a comment.
//! Lines may break anywhere between words.

mod error;
mod reader;
mod tokens;
mod writer;

pub use error::GradError;
pub use reader::{Places, read, read_bytes};

impl std::str::FromStr for crate::Program {
    type Err = GradError;

    fn from_str(text: &str) -> Result<crate::Program, GradError> {
        read(text).map(|(program, _)| program)
    }
}
