//! The cost of a hover in a text of 10 000 lines after an edit: the immediate answer, from what was inferred before the edit,
//! and the time until the edited text is inferred.
//!
//! `cargo bench -p lozenge-server` measures.

use divan::Bencher;
use lozenge_server::{Analysis, Document, hover};
use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

fn main() {
    divan::main();
}

const LINES: usize = 10_000;

/// A program in which each line reads the one before it.
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

/// A document whose shapes are known, and the byte of a name in its middle.
fn document() -> (Document, usize) {
    let text = text();
    let byte = text.find("relu(w2500").expect("a line in the middle") + "relu(w".len();
    let mut document = Document::new(text.clone(), 1);
    let (analysis, messages) = Analysis::of(text, None);
    assert!(analysis.is_some(), "{messages:?}");
    document.analysed(0, analysis, messages);
    (document, byte)
}

fn edited(document: &mut Document) {
    let start = Position::new(2, 0);
    document.change(
        vec![TextDocumentContentChangeEvent {
            range: Some(Range::new(start, start)),
            range_length: None,
            text: "let z = x\n".into(),
        }],
        2,
    );
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn a_hover_after_an_edit(bencher: Bencher) {
    bencher
        .with_inputs(document)
        .bench_local_values(|(mut document, byte)| {
            edited(&mut document);
            let (text, _) = hover(&document, byte + "let z = x\n".len()).expect("a shape");
            assert!(text.contains("4->4"), "{text}");
            document
        });
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn until_the_edited_text_is_inferred(bencher: Bencher) {
    bencher
        .with_inputs(document)
        .bench_local_values(|(mut document, _)| {
            edited(&mut document);
            let (analysis, messages) = Analysis::of(document.text.clone(), None);
            assert!(analysis.is_some());
            document.analysed(document.serial, analysis, messages);
            document
        });
}
