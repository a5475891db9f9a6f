//! Paths of files as the protocol writes them: `file:///home/ada/a%20b.loz`.

use std::path::{Path, PathBuf};

/// Returns the path of a `file` URI; `None` for another URI.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    // The host is between the slashes; usually it is empty.
    let start = rest.find('/')?;
    let mut bytes = Vec::with_capacity(rest.len());
    let mut left = rest[start..].bytes();
    while let Some(byte) = left.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [left.next()?, left.next()?];
                u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    let path = PathBuf::from(String::from_utf8(bytes).ok()?);
    path.is_absolute().then_some(path)
}

/// Returns the URI of a file, if its path is valid Unicode.
pub(crate) fn uri(path: &Path) -> Option<String> {
    let path = std::path::absolute(path).ok()?;
    let mut uri = String::from("file://");
    for byte in path.to_str()?.bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            byte if byte.is_ascii_alphanumeric() => uri.push(char::from(byte)),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(uri)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_written_and_read() {
        for shown in ["/a/b.loz", "/a b/é+#%.loz"] {
            let written = uri(Path::new(shown)).expect("a path");
            assert!(written.is_ascii() && !written.contains(' '), "{written}");
            assert_eq!(path(&written).as_deref(), Some(Path::new(shown)));
        }
        assert_eq!(path("untitled:Untitled-1"), None);
        assert_eq!(path("file:///a%zz"), None);
    }
}
