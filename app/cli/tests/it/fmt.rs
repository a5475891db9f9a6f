//! `lozenge fmt` rewrites a program completely or not at all.

use std::fs;
use std::path::Path;

use assert_cmd::Command;

const UNTIDY: &str = "data x:3=range(3)\r\nlet y=x*. 2 # twice\r\n";
const TIDY: &str = "data x : 3 = range(3)\r\nlet y = x *. 2  # twice\r\n";

fn fmt(arguments: &[&str], folder: &Path, input: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("lozenge").unwrap();
    let command = command
        .arg("fmt")
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1");
    let output = command.write_stdin(input).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn files_are_written_anew_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.loz");
    fs::write(&path, UNTIDY).unwrap();
    let check = fmt(&["--check", "a.loz"], folder.path(), "");
    assert_eq!(check, (1, "a.loz would change\n".into(), String::new()));
    assert_eq!(fs::read_to_string(&path).unwrap(), UNTIDY);
    assert_eq!(fmt(&["a.loz"], folder.path(), "").1, "a.loz changed\n");
    assert_eq!(fs::read_to_string(&path).unwrap(), TIDY);
    assert_eq!(
        fmt(&["a.loz"], folder.path(), ""),
        (0, String::new(), String::new())
    );
    assert_eq!(fmt(&["--check", "a.loz"], folder.path(), "").0, 0);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing is left beside the file: {left:?}");
}

#[test]
fn standard_input_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(
        fmt(&["-"], folder.path(), UNTIDY),
        (0, TIDY.into(), String::new())
    );
    assert_eq!(
        fmt(&["-"], folder.path(), &format!("\u{feff}{TIDY}")).1,
        TIDY
    );
    assert_eq!(
        fmt(&["-", "--check"], folder.path(), TIDY),
        (0, String::new(), String::new())
    );
}

#[test]
fn a_broken_program_is_left_and_the_others_are_laid_out() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();
    file("good.loz", UNTIDY.as_bytes());
    file("broken.loz", b"let y=(1\n");
    file("bytes.loz", b"let y = \xff\n");
    let (status, printed, said) = fmt(
        &["broken.loz", "good.loz", "bytes.loz", "none.loz", "a.rows"],
        folder.path(),
        "",
    );
    assert_eq!((status, printed.as_str()), (2, ""));
    for part in [
        "broken.loz:1:",
        "`)` is expected",
        "bytes.loz is not text",
        "none.loz cannot be read",
        "a.rows is a constraint set",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let text = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert_eq!(text("broken.loz"), b"let y=(1\n");
    assert_eq!(text("bytes.loz"), b"let y = \xff\n");
    assert_eq!(text("good.loz"), TIDY.as_bytes());
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("a.loz"), folder.path().join("link.loz"));
    fs::write(&path, UNTIDY).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("a.loz", &link).unwrap();
    assert_eq!(fmt(&["link.loz"], folder.path(), "").0, 0);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&path).unwrap(), TIDY);
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o640
    );
}
