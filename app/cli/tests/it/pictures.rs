//! The picture of a message and the page to which the README points. `LOZENGE_WRITE=1 cargo test -p lozenge-cli --test
//! it pictures` makes them anew; the picture of the page is made by the tests in the browser.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

fn root() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Compares a file of `docs/pictures` with what it has to be, or writes it.
fn is(name: &str, expected: &str) {
    let path = root().join("docs/pictures").join(name);
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        std::fs::write(&path, expected).expect("written");
    }
    let found = std::fs::read_to_string(&path).expect("the file is there");
    assert!(
        found == expected,
        "docs/pictures/{name} is not what is printed today"
    );
}

/// Returns the colour of a part of a message, by the codes of the terminal that begin it.
fn colour(code: &str) -> Option<&'static str> {
    let numbers: Vec<&str> = code.split(';').collect();
    let has = |wanted: &[&str]| numbers.iter().any(|number| wanted.contains(number));
    match () {
        () if has(&["31", "91"]) => Some("#f08a76"),
        () if has(&["32", "92"]) => Some("#6cc79c"),
        () if has(&["33", "93"]) => Some("#e0b067"),
        () if has(&["34", "94", "36", "96"]) => Some("#78b3e0"),
        () => None,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Draws the output of a terminal, with the command above it.
fn picture(command: &str, shown: &str) -> String {
    const WIDTH: f64 = 8.43;
    const HEIGHT: usize = 20;
    let lines: Vec<&str> = shown.trim_end().lines().collect();
    let plain = |line: &str| {
        let parts = line.split('\x1b').enumerate();
        parts
            .map(|(at, part)| {
                if at == 0 {
                    part
                } else {
                    part.split_once('m').map_or("", |(_, rest)| rest)
                }
                .chars()
                .count()
            })
            .sum::<usize>()
    };
    let widest = lines
        .iter()
        .map(|line| plain(line))
        .chain([command.len() + 2])
        .max()
        .unwrap_or(0);
    let (width, height) = (
        widest as f64 * WIDTH + 32.0,
        (lines.len() + 1) * HEIGHT + 24,
    );
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height}\" viewBox=\"0 0 {width:.0} {height}\" role=\"img\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"6\" fill=\"#17191c\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, monospace\" font-size=\"14\" fill=\"#e6e4de\" xml:space=\"preserve\">\n\
         <text x=\"16\" y=\"28\" fill=\"#9aa0a8\">$ {}</text>\n",
        escaped(command)
    );
    for (number, line) in lines.iter().enumerate() {
        let _ = write!(out, "<text x=\"16\" y=\"{}\">", (number + 1) * HEIGHT + 28);
        for (at, part) in line.split('\x1b').enumerate() {
            let (code, text) = match at {
                0 => ("", part),
                _ => part
                    .strip_prefix('[')
                    .and_then(|part| part.split_once('m'))
                    .unwrap_or(("", "")),
            };
            match colour(code) {
                _ if text.is_empty() => {}
                Some(colour) => {
                    let _ = write!(out, "<tspan fill=\"{colour}\">{}</tspan>", escaped(text));
                }
                None => out.push_str(&escaped(text)),
            }
        }
        out.push_str("</text>\n");
    }
    out.push_str("</g>\n</svg>\n");
    out
}

#[test]
fn the_picture_of_a_message_is_the_message() {
    let arguments = ["infer", "examples/first/wrong.loz"];
    let mut lozenge = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    let output = lozenge
        .current_dir(root())
        .args(arguments)
        .args(["--color", "always"])
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    let shown = String::from_utf8(output.stdout).expect("text");
    assert!(shown.contains("\x1b["), "it has colours: {shown}");
    is(
        "message.svg",
        &picture(&format!("lozenge {}", arguments.join(" ")), &shown),
    );
}

#[test]
fn the_page_that_needs_no_building_is_what_view_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = folder.path().join("layer.html");
    let mut lozenge = Command::new(env!("CARGO_BIN_EXE_lozenge"));
    lozenge
        .current_dir(root())
        .args(["view", "examples/first/layer.loz", "--html"])
        .arg(&page);
    let output = lozenge.output().expect("it runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    is(
        "layer.html",
        &std::fs::read_to_string(&page).expect("written"),
    );
}
