//! Writes the program of a model to the standard output: `text MODEL [NAME=SIZE]…`.

fn main() {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().expect("a model");
    let given = arguments.map(|argument| {
        let (name, size) = argument.rsplit_once('=').expect("NAME=SIZE");
        (name.to_string(), size.parse().expect("a size"))
    });
    let given = given.collect();
    let graph = lozenge_graph::read_file(path.as_ref(), &lozenge_graph::Limits::default());
    let graph = graph.unwrap_or_else(|error| panic!("{error}"));
    match lozenge_graph_program::lower(&graph, &given) {
        Ok(lowered) => {
            print!("{}", lowered.text);
            for weight in &lowered.weights {
                println!("#w {} {}", weight.tensor, graph[weight.constant].name);
            }
        }
        Err(refusal) => {
            eprintln!("{refusal}");
            std::process::exit(1);
        }
    }
}
