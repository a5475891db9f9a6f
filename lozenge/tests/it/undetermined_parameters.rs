//! R3 on random programs whose sizes are known by construction: the sizes of a network are drawn first, and then
//! written only where nothing else determines them.
//!
//! `LOZENGE_NETWORKS=10000` tries more programs.

use lozenge::{Options, Surroundings, infer, parse, read, read_in, shape_text};
use lozenge_testkit::random::Random;

/// The learning rate, a number.
const RATE: &str = "param rate : -> = 0.1";

/// A program with the shapes that its parameters must get.
struct Network {
    text: String,
    parameters: Vec<(String, String)>,
    /// The lines that write a size which nothing else determines.
    written: Vec<usize>,
}

fn one_in(random: &mut Random, count: usize) -> bool {
    random.below(count) == 0
}

fn network(random: &mut Random) -> Network {
    let batch = 2 + random.below(40);
    let layers = 1 + random.below(4);
    let sizes: Vec<usize> = (0..=layers).map(|_| 2 + random.below(30)).collect();
    let mut lines = vec![
        format!("data x : {batch}|->{} from \"x.csv\"", sizes[0]),
        format!("data t : {batch}|->{} from \"t.csv\"", sizes[layers]),
    ];
    let (mut parameters, mut written) = (Vec::new(), Vec::new());
    let rate = one_in(random, 2);
    if rate {
        // The rate without its shape would be as large as the parameters that it scales.
        lines.push(RATE.into());
    }
    let mut input = "x".to_string();
    for layer in 0..layers {
        let (from, to) = (sizes[layer], sizes[layer + 1]);
        let hidden = layer + 1 < layers;
        if hidden {
            written.push(lines.len());
            lines.push(format!("param w{layer} : ...->{to} = 1"));
        } else {
            lines.push(format!("param w{layer} = 1"));
        }
        parameters.push((format!("w{layer}"), format!("{from}->{to}")));
        let mut value = format!("w{layer} * {input}");
        if one_in(random, 2) {
            lines.push(format!("param b{layer} = 0"));
            parameters.push((format!("b{layer}"), format!("->{to}")));
            value = format!("{value} + b{layer}");
        }
        if hidden && one_in(random, 2) {
            value = format!("relu({value})");
        }
        if one_in(random, 4) {
            lines.push(format!("param g{layer} = 1"));
            parameters.push((format!("g{layer}"), format!("->{to}")));
            value = format!("({value}) *. g{layer}");
        }
        lines.push(format!("let h{layer} = {value}"));
        input = format!("h{layer}");
        if one_in(random, 3) {
            lines.push(format!("let unused{layer} = exp({input}) / 2"));
        }
        if one_in(random, 4) {
            lines.push(format!(
                "top{layer} =:max {input} \"...|... -> ... => ...|... -> \""
            ));
            lines.push(format!("let centred{layer} = {input} - top{layer}"));
        }
    }
    lines.push(format!("let e = square({input} - t)"));
    lines.push("loss =:+ e \"...|... -> ... => \"".into());
    if rate {
        let step = |(name, _): &(String, String)| format!("{name} =- rate *. {name}");
        lines.extend(parameters.iter().map(step));
    }
    Network {
        text: lines.join("\n"),
        parameters,
        written,
    }
}

fn networks() -> usize {
    let count = std::env::var("LOZENGE_NETWORKS");
    count.map_or(300, |count| count.parse().expect("a count"))
}

#[test]
fn what_is_determined_is_not_refused_and_has_the_sizes_that_were_drawn() {
    let mut random = Random::new(1);
    for _ in 0..networks() {
        let network = network(&mut random);
        let reading = read(&network.text, &Options::default()).unwrap_or_else(|errors| {
            panic!(
                "{}\n{}",
                network.text,
                errors[0].render(&network.text, "p.loz", false)
            )
        });
        assert!(reading.warnings.is_empty(), "{:?}", reading.warnings);
        for (name, expected) in &network.parameters {
            let id = reading.program.find(name).expect("a tensor");
            let shape = shape_text(&reading.inference.shapes[id.0]);
            assert_eq!(&shape, expected, "{name} of\n{}", network.text);
        }
    }
}

/// Without one of the sizes that nothing else determines, the program is refused: by closing or by R3, and never
/// silently.
#[test]
fn what_is_not_determined_is_refused() {
    let mut random = Random::new(2);
    let (mut tried, mut by_closing) = (0, 0);
    for _ in 0..networks() {
        let network = network(&mut random);
        let Some(line) = network.written.first() else {
            continue;
        };
        let mut lines: Vec<String> = network.text.lines().map(String::from).collect();
        let name = lines[*line].split(' ').nth(1).expect("a name").to_string();
        lines[*line] = format!("param {name} = 1");
        let text = lines.join("\n");
        tried += 1;
        by_closing +=
            usize::from(infer(&parse(&text).expect("a program"), &Options::default()).is_err());
        let errors = read(&text, &Options::default()).err();
        let errors =
            errors.unwrap_or_else(|| panic!("accepted without the size of {name}:\n{text}"));
        let message = errors[0].render(&text, "p.loz", false);
        assert!(message.contains("nothing says"), "{text}\n{message}");
    }
    println!("{tried} programs, {by_closing} refused by closing");
    assert!(tried > networks() / 4, "{tried}");
}

/// The programs of `examples` are accepted without a warning.
#[test]
fn the_examples_are_accepted() {
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")];
    let mut programs = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with("wrong.loz") {
                // The README and the introduction show how these are refused.
                let source = std::fs::read_to_string(&path).expect("a text");
                assert!(read(&source, &Options::default()).is_err());
            } else if path.extension().is_some_and(|extension| extension == "loz") {
                let source = std::fs::read_to_string(&path).expect("a text");
                let surroundings = Surroundings::folder(path.parent().expect("a folder"));
                let reading = read_in(&source, &surroundings, &Options::default());
                let reading = reading.unwrap_or_else(|errors| {
                    panic!(
                        "{}",
                        errors[0].render(&source, &path.display().to_string(), false)
                    )
                });
                assert!(reading.warnings.is_empty(), "{}", path.display());
                programs += 1;
            }
        }
    }
    assert!(programs > 0);
}

/// The state that an optimiser keeps for a parameter gets the shape of the parameter, and imposes nothing on it.
#[test]
fn what_an_optimiser_keeps_takes_the_shape_of_its_parameter() {
    for optimiser in ["sgd(0.1)", "momentum(0.1)", "adam(0.1)"] {
        let text = format!(
            "data x : 8|->3 = range(24)\ndata t : 8|->2 = range(16)\nparam w = normal()\nparam b = 0\n\
             let fit = mse(w * x + b, t)\nlet loss = fit + 0.01 *. sum(w ** 2)\nbackward loss\n\
             {optimiser}(w, w.grad)\n{optimiser}(b, b.grad)\n"
        );
        let reading = read(&text, &Options::default());
        let reading = reading.unwrap_or_else(|e| panic!("{}", e[0].render(&text, "p.loz", false)));
        for (name, shape) in [("w", "3->2"), ("b", "->2")] {
            let id = reading.program.find(name).expect("it is there");
            assert_eq!(
                shape_text(&reading.inference.shapes[id.0]),
                shape,
                "{optimiser}"
            );
        }
    }
}
