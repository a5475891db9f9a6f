//! The time of a hover in a text of 10 000 lines after an edit, including the inference of the whole edited text; and
//! the time until its messages are available.
//!
//! `cargo bench -p lozenge-server` measures.

use divan::Bencher;
use lozenge::Surroundings;
use lozenge_server::{Analysis, Document, Found, hover};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

fn main() {
    divan::main();
}

const LINES: usize = 10_000;

/// Returns a program in which each line reads the one before it.
fn text() -> String {
    let mut text = String::from("data x : 8|->4 = range(32)\nparam w0 : 4->4\nlet y0 = w0 * x\n");
    for line in 1..(LINES - 3) / 2 + 1 {
        text += &format!(
            "param w{line} : ...->4\nlet y{line} = relu(w{line} * y{})\n",
            line - 1
        );
    }
    text
}

/// Returns the text after an edit of its third line by a client, and the byte of a name in its middle.
fn edited() -> (Document, usize) {
    let text = text();
    let byte = text.find("relu(w2500").expect("a line in the middle") + "relu(w".len();
    let mut document = Document::new(text.clone(), 1);
    let analysis = Analysis::of(text, Surroundings::default()).expect("it has shapes");
    document.analysed(0, Found::Shapes(analysis));
    let start = Position::new(2, 0);
    let line = "let z = x\n";
    document.change(
        vec![TextDocumentContentChangeEvent {
            range: Some(Range::new(start, start)),
            range_length: None,
            text: line.into(),
        }],
        2,
    );
    (document, byte + line.len())
}

/// Measures a hover, which waits for the shapes of the current text.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_hover_of_the_edited_text(bencher: Bencher) {
    bencher
        .with_inputs(edited)
        .bench_local_values(|(mut document, byte)| {
            let analysis = Analysis::of(document.text.clone(), Surroundings::default())
                .expect("it has shapes");
            let replaced = document.analysed(document.serial, Found::Shapes(analysis));
            let (text, _) = hover(&document, byte).expect("a shape");
            assert!(
                text.contains("4->4") && !text.contains("before the last"),
                "{text}"
            );
            (document, replaced)
        });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn until_the_messages_of_the_edited_text(bencher: Bencher) {
    bencher
        .with_inputs(edited)
        .bench_local_values(|(document, _)| {
            let analysis = Analysis::of(document.text.clone(), Surroundings::default())
                .expect("it has shapes");
            assert!(analysis.rest().messages().is_empty());
            (document, analysis)
        });
}
