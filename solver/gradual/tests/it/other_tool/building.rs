//! Programs of a few nodes, with questions about them.

use lozenge_gradual_solver::{
    BranchVerdict, Branches, Given, Migration, Options, Point, Replayed, Sizes, Verdict, replay,
};
use lozenge_graph_vocabulary::{Graph, ValueId};
use serde_json::{Value as Json, json};
use std::sync::Arc;

/// A program of torch.fx, named after the test that has it.
pub struct Program {
    test: &'static str,
    nodes: Vec<Json>,
}

/// Returns the value of a node, as an argument.
pub fn of(name: &str) -> Json {
    json!({ "node": name })
}

impl Program {
    /// Makes a program with inputs and their annotations: `Dyn`, or sizes such as `1, Dyn, 3`.
    pub fn new(test: &'static str, inputs: &[(&str, &str)]) -> Self {
        let nodes = inputs.iter().map(|(name, annotation)| {
            let annotation = match *annotation {
                "Dyn" => "Dyn".to_owned(),
                sizes => format!("TensorType[[{sizes}]]"),
            };
            json!({"name": name, "op": "placeholder", "target": name, "args": [], "annotation": annotation})
        });
        Self {
            test,
            nodes: nodes.collect(),
        }
    }

    fn node(mut self, name: &str, op: &str, target: &str, args: Json) -> Self {
        self.nodes
            .push(json!({"name": name, "op": op, "target": target, "args": args}));
        self
    }

    /// Adds a call of a function.
    pub fn function(self, name: &str, target: &str, args: Json) -> Self {
        self.node(name, "call_function", target, args)
    }

    /// Gives the last node an argument with a name.
    pub fn keyword(mut self, name: &str, value: Json) -> Self {
        if let Some(node) = self.nodes.last_mut() {
            node["kwargs"] = json!({ name: value });
        }
        self
    }

    /// Adds a call of a method.
    pub fn method(self, name: &str, target: &str, args: Json) -> Self {
        self.node(name, "call_method", target, args)
    }

    /// Adds a call of a module with its parameters.
    pub fn module(mut self, name: &str, class: &str, params: Json, of: &str) -> Self {
        self.nodes.push(json!({
            "name": name, "op": "call_module", "target": name, "args": [{"node": of}],
            "module": format!("torch.nn.modules.{class}"), "params": params,
        }));
        self
    }

    fn graph(&self) -> Graph {
        let mut nodes = self.nodes.clone();
        let last = nodes.last().map_or(Json::Null, |node| node["name"].clone());
        nodes.push(
            json!({"name": "output", "op": "output", "target": "output", "args": [{"node": last}]}),
        );
        let text = json!({ "nodes": nodes }).to_string().into_bytes();
        let read = lozenge_graph::read(text, &lozenge_graph::Limits::default());
        read.unwrap_or_else(|error| panic!("{}: {error}", self.test))
    }

    fn options(&self, conditions: &str) -> Options {
        Options {
            conditions: match conditions {
                "" => Vec::new(),
                text => lozenge_gradual_vocabulary::conditions(text).expect("conditions"),
            },
            ..Options::default()
        }
    }

    /// States whether some inputs run under conditions.
    pub fn runs(&self, conditions: &str, expected: bool) -> &Self {
        let found = Migration::of(Arc::new(self.graph()), &self.options(conditions));
        let verdict = match expected {
            true => Verdict::Sat,
            false => Verdict::Unsat,
        };
        assert_eq!(found.verdict, verdict, "{} where {conditions}", self.test);
        assert_eq!(found.unknown, [], "{}", self.test);
        self
    }

    /// States the sizes that the last node has for inputs of these sizes; nothing where the program refuses them.
    pub fn gives(&self, inputs: &[&[u64]], expected: Option<&[i128]>) -> &Self {
        let graph = self.graph();
        let names = graph.main().inputs.iter().map(|id| graph[*id].name.clone());
        let sizes = inputs.iter().map(|sizes| Given::Sizes(sizes.to_vec()));
        let point: Point = names.zip(sizes).collect();
        let run = replay(&graph, &point);
        let answer = Sizes::at(&graph, &Options::default(), &point);
        assert_eq!(
            answer.admitted,
            Some(expected.is_some()),
            "{} at {point:?}",
            self.test
        );
        let last = self.nodes.last().expect("there is a node")["name"].clone();
        let place = graph
            .values
            .iter()
            .position(|value| last == value.name.as_str());
        let place = ValueId(u32::try_from(place.expect("the node is there")).expect("a place"));
        if let Some(sizes) = expected {
            assert_eq!(run.refusal, None, "{} at {point:?}", self.test);
            let expected = Replayed::Tensor(sizes.to_vec());
            assert_eq!(
                run.value(place),
                Some(&expected),
                "{} at {point:?}",
                self.test
            );
        }
        self
    }

    /// States that nothing in the program is a condition.
    pub fn has_no_condition(&self) {
        let found = Branches::of(&self.graph(), &self.options(""));
        assert_eq!(found.branches, [], "{}", self.test);
    }

    /// States on which side of its only condition all inputs lie.
    pub fn side(&self, conditions: &str, expected: BranchVerdict) -> &Self {
        let found = Branches::of(&self.graph(), &self.options(conditions));
        let verdicts = found.branches.iter().map(|branch| branch.verdict);
        let verdicts: Vec<BranchVerdict> = verdicts.collect();
        assert_eq!(verdicts, [expected], "{} where {conditions}", self.test);
        self
    }
}
