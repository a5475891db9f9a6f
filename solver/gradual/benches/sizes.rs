//! `cargo bench -p lozenge-gradual-solver`: the sets of the torch.fx graphs, of the models that `.ci/setup` loads, and
//! of stacks of growing height. Files are read before the time begins. Of the models the time includes the text of the
//! answer; that of the graphs is as long as their outputs are many, and has a time of its own.

use divan::{Bencher, counter::ItemsCount};
use flate2::read::GzDecoder;
use lozenge_gradual_solver::{Options, Relax, Sizes};
use lozenge_graph::Limits;
use lozenge_graph_vocabulary::{
    Argument, BodyId, Constant, Data, DeclaredSize, Format, Graph, GraphBuilder, Node, Operator,
    Type,
};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn main() {
    divan::main();
}

/// Returns the names of the files in a folder of the workspace that end so, without that end.
fn names(folder: &str, end: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(place(folder)) else {
        return Vec::new();
    };
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.strip_suffix(end).map(str::to_owned)
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

fn place(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder)
}

fn answered(graph: &Arc<Graph>, relax: Relax) -> String {
    let options = Options {
        relax,
        ..Options::default()
    };
    Sizes::of(graph.clone(), &options).text()
}

fn traced(name: &str) -> Arc<Graph> {
    let path = place("examples/fx").join(format!("{name}.json.gz"));
    let file = std::fs::File::open(path).expect("the file is there");
    let mut content = Vec::new();
    GzDecoder::new(file)
        .read_to_end(&mut content)
        .expect("it is gzip");
    let graph = lozenge_graph::read(content, &Limits::default()).expect("the graph is read");
    Arc::new(graph)
}

#[divan::bench(args = names("examples/fx", ".json.gz"))]
fn fx(bencher: Bencher, name: &str) {
    let graph = traced(name);
    bencher.bench(|| Sizes::of(graph.clone(), &Options::default()));
}

#[divan::bench(args = names("examples/fx", ".json.gz"))]
fn fx_with_text(bencher: Bencher, name: &str) {
    let graph = traced(name);
    bencher.bench(|| answered(&graph, Relax::Nothing));
}

#[divan::bench(args = names(".libs/models", ".onnx"), consts = [false, true])]
fn models<const RELAXED: bool>(bencher: Bencher, name: &str) {
    let path = place(".libs/models").join(format!("{name}.onnx"));
    let graph = lozenge_graph::read_file(&path, &Limits::default()).expect("the model is read");
    let graph = Arc::new(graph);
    let relax = if RELAXED { Relax::All } else { Relax::Nothing };
    bencher.bench(|| answered(&graph, relax.clone()));
}

/// Convolutions with their activations, and sums with what lies two layers before.
fn stack(nodes: usize) -> Graph {
    let mut builder = GraphBuilder::new(Format::Onnx);
    let named = |name: &str| DeclaredSize::Named(name.to_owned());
    let sizes = vec![named("b"), DeclaredSize::Known(8), named("h"), named("w")];
    let mut last = builder.input(BodyId::MAIN, "x", Type::tensor(None, Some(sizes)));
    let kernel = Constant {
        name: String::new(),
        element: None,
        sizes: vec![8, 8, 3, 3],
        data: Data::Unread(None),
    };
    let kernel = builder.constant_value(BodyId::MAIN, "kernel", kernel);
    let mut before = last;
    for at in 0..nodes {
        let (name, others) = match at % 4 {
            0 | 2 => ("Conv", vec![kernel]),
            1 => ("Relu", vec![]),
            _ => ("Add", vec![before]),
        };
        let mut node = Node::new(format!("n{at}"), Operator::new("onnx", name, Some(20)));
        let values = std::iter::once(last).chain(others);
        node.arguments = values.map(Argument::Value).collect();
        if name == "Conv" {
            let pads = Argument::List(vec![Argument::Int(1); 4]);
            node.attributes.push(("pads".to_owned(), pads));
        }
        let output = Some((format!("v{at}"), Type::Any));
        let (_, outputs) = builder.node(BodyId::MAIN, node, [output]);
        last = outputs[0].expect("an output");
        if name == "Add" {
            before = last;
        }
    }
    builder.output(BodyId::MAIN, "out", Argument::Value(last));
    builder.finish()
}

#[divan::bench(args = [1_000, 10_000, 100_000])]
fn layers(bencher: Bencher, nodes: usize) {
    let graph = Arc::new(stack(nodes));
    bencher
        .counter(ItemsCount::new(nodes))
        .bench(|| answered(&graph, Relax::Nothing));
}
