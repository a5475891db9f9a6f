//! Messages in frames: a header with the length of the content, an empty line, the content.
//!
//! The message types are those of `lsp-server`. Its reader is not used: it allocates as much memory as a header states,
//! and stops at the first content that is not a message.

use std::io::{self, BufRead, ErrorKind, Read};

use lsp_server::Message;

/// The largest length of the content of a frame, in bytes.
const MOST_CONTENT: u64 = 1 << 28;
/// The largest length of a line of a header, in bytes.
const MOST_HEADER: u64 = 1 << 12;

/// The content of a frame.
#[derive(Debug)]
pub(crate) enum Frame {
    Message(Message),
    /// Content that is not a message, with the reason.
    Unreadable(String),
}

/// Reads the next frame; `None` at the end of the input.
///
/// # Errors
/// If the input cannot be read, ends inside a frame, or contains something else, so that the start of the next frame is
/// unknown.
pub(crate) fn read(input: &mut impl BufRead) -> io::Result<Option<Frame>> {
    let Some(length) = header(input)? else {
        return Ok(None);
    };
    if length > MOST_CONTENT {
        return Err(invalid(format!(
            "a message of {length} bytes: at most {MOST_CONTENT} are read"
        )));
    }
    let mut content = Vec::new();
    input.by_ref().take(length).read_to_end(&mut content)?;
    if (content.len() as u64) < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(match serde_json::from_slice(&content) {
        Ok(message) => Frame::Message(message),
        Err(error) => Frame::Unreadable(error.to_string()),
    }))
}

/// Reads the length of the content that follows.
fn header(input: &mut impl BufRead) -> io::Result<Option<u64>> {
    let (mut length, mut first) = (None, true);
    loop {
        let mut line = Vec::new();
        input
            .by_ref()
            .take(MOST_HEADER)
            .read_until(b'\n', &mut line)?;
        if line.is_empty() && first {
            return Ok(None);
        }
        let Some(line) = line.strip_suffix(b"\r\n") else {
            return Err(invalid(
                "a header line does not end with a line break".into(),
            ));
        };
        if line.is_empty() {
            break;
        }
        first = false;
        let line = String::from_utf8_lossy(line);
        if let Some((name, value)) = line.split_once(':')
            && name.trim().eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok();
        }
    }
    match length {
        Some(length) => Ok(Some(length)),
        None => Err(invalid("a header has no Content-Length".into())),
    }
}

fn invalid(message: String) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(text: &str) -> (usize, usize, Option<ErrorKind>) {
        let mut input = text.as_bytes();
        let (mut messages, mut unreadable) = (0, 0);
        loop {
            match read(&mut input) {
                Ok(Some(Frame::Message(_))) => messages += 1,
                Ok(Some(Frame::Unreadable(_))) => unreadable += 1,
                Ok(None) => return (messages, unreadable, None),
                Err(error) => return (messages, unreadable, Some(error.kind())),
            }
        }
    }

    #[test]
    fn frames_are_told_apart() {
        let exit = "Content-Length: 17\r\n\r\n{\"method\":\"exit\"}";
        let other = "content-type: x\r\ncontent-length:3\r\n\r\n{1}";
        assert_eq!(frames(&format!("{exit}{other}{exit}")), (2, 1, None));
        assert_eq!(frames(""), (0, 0, None));
        assert_eq!(frames(&exit[..30]), (0, 0, Some(ErrorKind::UnexpectedEof)));
        let wrong = Some(ErrorKind::InvalidData);
        assert_eq!(frames(&format!("{exit}\r\n\r\n")), (1, 0, wrong));
        assert_eq!(frames("Content-Length: x\r\n\r\n"), (0, 0, wrong));
        assert_eq!(
            frames("Content-Length: 99999999999999\r\n\r\n"),
            (0, 0, wrong)
        );
        assert_eq!(frames(&"x".repeat(10_000)), (0, 0, wrong));
    }

    #[test]
    fn deep_content_is_no_message() {
        let deep = "[".repeat(1_000_000);
        let frame = format!("Content-Length: {}\r\n\r\n{deep}", deep.len());
        assert_eq!(frames(&frame), (0, 1, None));
    }
}
