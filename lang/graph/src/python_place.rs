//! The module and the line of Python that an exporter of PyTorch notes at a node.

use lozenge_graph_vocabulary::{Module, Place, Source};

/// Adds what a property of a node says about its place. Properties of other names say nothing.
pub(crate) fn add(place: &mut Place, key: &str, text: &str) {
    match key {
        "stack_trace" | "pkg.torch.onnx.stack_trace" => {
            place.source = source(text).or(place.source.take())
        }
        "nn_module_stack" => place.module = module(text).or(place.module.take()),
        "pkg.torch.onnx.name_scopes" => {
            if let Some(path) = scope(text) {
                let class = place
                    .module
                    .take()
                    .map_or(String::new(), |module| module.class);
                place.module = Some(Module { path, class });
            }
        }
        _ => {}
    }
}

/// Finds the innermost line of a stack trace that is not PyTorch's own, or else the innermost.
fn source(trace: &str) -> Option<Source> {
    let mut innermost = None;
    let mut outside = None;
    for line in trace.lines() {
        let Some(read) = line_of_trace(line) else {
            continue;
        };
        if !(read.file.starts_with("torch/") || read.file.contains("/torch/")) {
            outside = Some(read.clone());
        }
        innermost = Some(read);
    }
    outside.or(innermost)
}

/// Reads a line such as `File "model.py", line 6, in forward`.
fn line_of_trace(line: &str) -> Option<Source> {
    let (file, rest) = line.trim_start().strip_prefix("File \"")?.split_once('"')?;
    // Generated code, as in `<eval_with_key>.3`, is in no file.
    if file.starts_with('<') {
        return None;
    }
    let digits = rest.strip_prefix(", line ")?;
    let end = digits
        .find(|letter: char| !letter.is_ascii_digit())
        .unwrap_or(digits.len());
    Some(Source {
        file: file.to_string(),
        line: digits[..end].parse().ok()?,
    })
}

/// Reads the last entry of `L__self__,,model.Net;L__self__c,c,torch.nn.modules.conv.Conv2d`: a key, a path and a class
/// each.
fn module(stack: &str) -> Option<Module> {
    let last = stack.rsplit(';').next()?;
    let (_, rest) = last.split_once(',')?;
    let (path, class) = rest.rsplit_once(',')?;
    // An exporter writes this where it made the node itself.
    if path.starts_with("_empty_nn_module_stack") {
        return None;
    }
    Some(Module {
        path: path.to_string(),
        class: class.to_string(),
    })
}

/// Reads the path in a list of scopes such as `['', 'encoder', 'encoder.conv', 'conv2d']`, of which the last is the
/// node's own name.
fn scope(list: &str) -> Option<String> {
    let inner = list.strip_prefix('[')?.strip_suffix(']')?;
    let mut scopes: Vec<&str> = inner
        .split(", ")
        .map(|scope| scope.trim_matches('\''))
        .collect();
    scopes.pop();
    scopes.pop().map(str::to_string)
}
