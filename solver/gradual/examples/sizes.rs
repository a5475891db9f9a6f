//! Prints which input sizes the models in the arguments admit: `cargo run --example sizes model.onnx [--relax]`.

use lozenge_gradual_solver::{Options, Relax, Sizes};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let relax = if arguments.iter().any(|argument| argument == "--relax") { Relax::All } else { Relax::Nothing };
    for path in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        println!("== {path}");
        match lozenge_graph::read_file(std::path::Path::new(path), &lozenge_graph::Limits::default()) {
            Ok(graph) => {
                let start = Instant::now();
                let mut answer = Sizes::of(Arc::new(graph), &Options { relax: relax.clone() });
                let time = start.elapsed();
                print!("{}", answer.text());
                println!("{time:?}, {} cases", answer.case_count());
            }
            Err(error) => println!("{error}"),
        }
    }
}
