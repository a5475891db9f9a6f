//! The exporter of torch.fx graphs, where PyTorch is installed. `LOZENGE_TORCH` names a Python that has it.

use std::path::Path;
use std::process::Command;

use lozenge_graph_vocabulary::{Argument, ElementType};

use crate::examples::{example_file, folder};

#[test]
fn what_the_exporter_writes_is_read() {
    let python = std::env::var("LOZENGE_TORCH").unwrap_or_else(|_| "python3".to_string());
    let has_torch = Command::new(&python).args(["-c", "import torch"]).output();
    if !has_torch.is_ok_and(|output| output.status.success()) {
        eprintln!("left out: {python} has no PyTorch; LOZENGE_TORCH may name one that has");
        return;
    }
    let out = tempfile::tempdir().expect("a folder can be made");
    let path = out.path().join("net.json");
    let exported = Command::new(&python)
        .arg(folder("fx").join("export.py"))
        .arg("export_model:make")
        .arg(&path)
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output()
        .expect("Python runs");
    assert!(
        exported.status.success(),
        "{}",
        String::from_utf8_lossy(&exported.stderr)
    );
    let graph = example_file(&path);
    let main = graph.main();
    let inputs: Vec<_> = main
        .inputs
        .iter()
        .map(|&id| graph[id].name.as_str())
        .collect();
    assert_eq!(inputs, ["x"], "what has its default is no input");
    let outputs: Vec<_> = main
        .outputs
        .iter()
        .map(|output| output.name.as_str())
        .collect();
    assert_eq!(outputs, ["scores", "others.0", "others.1"]);
    let constants: Vec<_> = graph
        .constants
        .iter()
        .map(|constant| (constant.name.as_str(), constant.sizes.as_slice()))
        .collect();
    assert_eq!(
        constants,
        [("scale", &[8, 1, 1][..]), ("shift", &[8, 1, 1][..])]
    );
    let branches: Vec<_> = graph
        .recorded
        .branches
        .iter()
        .map(|&id| graph[id].operator.name.as_str())
        .collect();
    assert_eq!(
        branches,
        ["call_function._operator.gt", "call_function._operator.eq"]
    );
    // The batch is 3, so the second condition is false, and what it guards is not traced.
    let added = main
        .nodes
        .iter()
        .filter(|node| node.operator.name == "call_function._operator.add")
        .count();
    assert_eq!(added, 1);
    let pool = main
        .nodes
        .iter()
        .find(|node| node.operator.name == "call_module.MaxPool2d")
        .expect("the pool is there");
    assert_eq!(pool.place.module.as_ref().unwrap().path, "blocks.0");
    assert_eq!(pool.attribute("kernel_size"), Some(&Argument::Int(2)));
    let masked = main
        .nodes
        .iter()
        .find(|node| node.operator.name == "call_method.masked_fill")
        .expect("the node is there");
    assert_eq!(masked.arguments[2], Argument::Float(f64::NEG_INFINITY));
    let cast = main
        .nodes
        .iter()
        .find(|node| node.operator.name == "call_method.to")
        .expect("the node is there");
    assert_eq!(
        cast.arguments[1],
        Argument::ElementType(ElementType::Float16)
    );
}
