//! `determined`: a shape that a program determines is found. The shapes are drawn first ([`Network`]), so that the
//! right answer is known without another implementation, which might have the same misreading of a rule.

use lozenge::{Options, infer, parse, shape_text};
use lozenge_vocabulary::operation::Shape;
use lozenge_vocabulary::{Dim, Row};

use crate::outcome::{Comparison, Disagreement, Outcome};
use crate::subject::party::Parties;
use crate::subjects::programs::generate::networks::{self, Network};

/// Returns the shapes that are inferred, or the refusal in words.
pub(super) fn inferred(text: &str) -> Result<Vec<(String, Shape<Row>)>, String> {
    let program = parse(text).map_err(|errors| {
        let first = errors.first().map(|error| error.message.clone());
        first.unwrap_or_default()
    })?;
    let inference = infer(&program, &Options::default()).map_err(|refusal| refusal.to_string())?;
    let names = program.tensors.iter().map(|tensor| tensor.name.to_string());
    Ok(names.zip(inference.shapes.iter().cloned()).collect())
}

fn sizes(shape: &Shape<Row>) -> networks::Sizes {
    let row = |row: &Row| row.flat().iter().map(Dim::size).collect();
    [row(&shape.batch), row(&shape.input), row(&shape.output)]
}

fn outcome(network: &Network, text: &str) -> Outcome {
    let shapes = match inferred(text) {
        Ok(shapes) => shapes,
        Err(refusal) => {
            return Disagreement::new("a program that determines its shapes is refused")
                .answered("the program", network)
                .answered("lozenge", refusal)
                .into();
        }
    };
    for (name, drawn) in network.shapes() {
        let found = shapes.iter().find(|(other, _)| other == name);
        let Some((_, found)) = found.filter(|(_, found)| sizes(found) != *drawn) else {
            continue;
        };
        return Disagreement::new("a shape that the program determines is not found")
            .answered(
                "the program",
                format!("{name} : {}", networks::shape_text(drawn)),
            )
            .answered("lozenge", format!("{name} : {}", shape_text(found)))
            .into();
    }
    Outcome::Agree
}

/// Infers the shapes of a network, and compares them with those from which it was generated.
pub fn determined(text: &str, _: &mut Parties) -> Option<Comparison> {
    let network = Network::read(text).filter(Network::is_determined)?;
    Some(Comparison {
        outcome: outcome(&network, text),
        useful: network.asked() > 0,
        answer: if network.asked() > 0 {
            "shapes asked for"
        } else {
            "all given"
        },
    })
}
