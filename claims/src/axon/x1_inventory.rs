//! I1 to I20: what the paper defines and claims.

use lozenge_axon_solver::Solver;
use lozenge_axon_spec::{RULES, Reading, TYPE_RULES, explore};
use lozenge_axon_vocabulary::{Conclusion, Decide, Equation, Goal, Set, Word};

use super::case::{AxonCase, has_ragged, native, one, printed, read, sampled};
use crate::machinery::{Check, Claim, Effort, Finding};

const OF_PROGRAMS: &str = "it is about programs and not about sets of equations: the front end of the language and its examples decide it";

/// The claims of this section.
pub const CLAIMS: &[&[Claim<AxonCase>]] = &[CLAIMED, EXAMPLES];

const CLAIMED: &[Claim<AxonCase>] = &[
    Claim::new(
        "axon-I1",
        "Shapes are inferred fully automatically, ranks as well, and mismatches are detected (abstract, §1, §9).",
        &[Check::Search(mismatches_are_detected)],
    )
    .repaired(
        "Of a set of equations that the native procedure decides, a mismatch is detected: what it refuses has no solution, and what it accepts \
         has the one that it gives.",
        &[Check::Search(native_detects_mismatches)],
    ),
    Claim::new(
        "axon-I2",
        "The solver runs to a fixed point at which every shape is constant of known rank, or partly unknown and left to run time (§1).",
        &[Check::Search(every_shape_is_known_or_runtime)],
    )
    .repaired(
        "What is neither constant nor left to run time is left as equations, which have a solution.",
        &[Check::Search(|_| one("s@t = [1]", accepted("s@t = [1]")))],
    ),
    Claim::new(
        "axon-I3",
        "Types and shapes are polymorphic for each call; operators include products, convolutions, pointwise operators and loops (§2).",
        &[Check::Nothing(OF_PROGRAMS)],
    ),
    Claim::new(
        "axon-I4",
        "There are six kinds of shapes: concrete, with symbolic dimensions, symbolic, with runtime dimensions, runtime, and variable (§3.1).",
        &[Check::Nothing("it is a definition; every kind but the runtime ones has a notation, which I5 checks")],
    ),
    Claim::new(
        "axon-I5",
        "The grammar of Fig. 1: names, constants, `*`, prefix operators, lists, and appends of shapes.",
        &[Check::Search(the_grammar_is_read)],
    ),
    Claim::new(
        "axon-I6",
        "The seven formation rules of Fig. 2 say which shapes are formed.",
        &[Check::Search(formation_excludes_something)],
    )
    .repaired(
        "Every dimension that is written is at least 1, and a quotient by 0 has no value.",
        &[Check::Search(|_| one("[(/ 1 0)] = s", refused("[(/ 1 0)] = s")))],
    ),
    Claim::new(
        "axon-I7",
        "`s@[n]` has rank at least 1 (§3.2).",
        &[Check::Search(appended_rank)],
    ),
    Claim::new(
        "axon-I8",
        "Concatenation has the type `(τ[d]@s, τ[d]@s) → τ[(* d 2)]@s`, also for different lengths (§3.3).",
        &[Check::Search(concatenation_as_signed)],
    )
    .repaired(
        "Concatenation has the type `(τ[d1]@s, τ[d2]@s) → τ[(+ d1 d2)]@s`, as the prose says.",
        &[Check::Search(concatenation_as_told)],
    ),
    Claim::new(
        "axon-I9",
        "The product has the type `(τ s@[d1,d2], τ s@[d2,d3]) → τ s@[d1,d3]`, of which a batched product is an instance (§3.3).",
        &[Check::Search(batched_products)],
    ),
    Claim::new(
        "axon-I10",
        "Convolution has the type `(τ[n,c,h,w], τ[k,c,r,s]) → τ[n, c, 1+h-r, 1+w-s]` (§3.3).",
        &[Check::Search(channels_of_a_convolution)],
    )
    .repaired(
        "The result of a convolution has a channel for each of the k filters.",
        &[Check::Search(filters_of_a_convolution)],
    ),
    Claim::new(
        "axon-I11",
        "Unification of types is that of Hindley and Milner with the three rules of Fig. 3.",
        &[Check::Search(rules_of_types)],
    ),
    Claim::new(
        "axon-I12",
        "Constraints are equations, solved by the 22 rules of §5 in any order.",
        &[Check::Search(rules_of_shapes)],
    ),
];

const EXAMPLES: &[Claim<AxonCase>] = &[
    Claim::new(
        "axon-I13",
        "§6.1: for the square product the rules end with r = [n,n], s = [], d1 = d2 = d3 = n.",
        &[Check::Search(square_product)],
    )
    .repaired(
        "In the reading in which a list is an append with nothing before it, an order of the rules ends with r = [n,n].",
        &[Check::Search(square_product_by_unit)],
    ),
    Claim::new(
        "axon-I14",
        "§6.2: with the printed signature n = 4, k = 4, c = 8, r = 8, s = 8, h = 1031, w = 263.",
        &[Check::Search(convolution_example)],
    ),
    Claim::new(
        "axon-I15",
        "§6.3: from `a : f32` and the operator of one shape it follows that b and the result are scalars.",
        &[Check::Search(scalars_backwards)],
    ),
    Claim::new(
        "axon-I16",
        "§6.4: softmax has the type `f32 [a]@b → f32 [a]@b`, with the operators of one shape.",
        &[Check::Search(softmax_as_signed)],
    )
    .repaired(
        "Where a difference and a quotient may have a longer left side, softmax has this type.",
        &[Check::Search(softmax_repaired)],
    ),
    Claim::new(
        "axon-I17",
        "§7.1: attention has the type `t[a,b], t[c,b], t[c,d] → t[a,d]`.",
        &[Check::Search(attention)],
    ),
    Claim::new(
        "axon-I18",
        "§7.2: the shapes of the states and of the input of an LSTM are that of `x`, over whose steps a loop runs.",
        &[Check::Search(recurrent_shapes)],
    )
    .repaired(
        "The input of the cell is x without its first axis, and the result has the steps of x and the shape of the state.",
        &[Check::Search(recurrent_shapes_repaired)],
    ),
    Claim::new(
        "axon-I19",
        "§7.3: `bidir` and `residual`, without types.",
        &[Check::Nothing(OF_PROGRAMS)],
    ),
    Claim::new(
        "axon-I20",
        "§8: comparison with Relay, TensorFlow, PyTorch, MAGICA; the algorithm can run again at run time on concrete shapes.",
        &[Check::Search(again_at_run_time)],
    ),
];

fn mismatches_are_detected(effort: Effort) -> Finding {
    sampled(effort, &["s = [3]@s"], |set| {
        let is_refused = printed(set, Reading::Literal).starts_with("FAIL");
        match (native(set), is_refused) {
            (Ok(false), false) => Some(Err(
                "it has no solution, and the printed rules do not fail".into(),
            )),
            (Ok(false), true) => Some(Ok(())),
            _ => None,
        }
    })
}

fn native_detects_mismatches(effort: Effort) -> Finding {
    sampled(effort, &[], |set| {
        let found = super::case::solutions(set, &set.equations)?;
        match native(set) {
            Ok(false) if !found.is_empty() => Some(Err("it is refused and has a solution".into())),
            // The solution of an accepted set was checked by the definition.
            Ok(_) => Some(Ok(())),
            Err(_) => None,
        }
    })
}

fn every_shape_is_known_or_runtime(_: Effort) -> Finding {
    let text = "s@t = [1]";
    let end = printed(&read(text), Reading::Literal);
    let result = match end.as_str() {
        "solved" => Ok(()),
        end => Err(format!(
            "{end}: s and t are neither constant nor left to run time, and there are two solutions"
        )),
    };
    one(text, result)
}

fn the_grammar_is_read(_: Effort) -> Finding {
    let texts = [
        "[] = [256]",
        "[1024,256] = s",
        "[x,y,16] = [(* x 2),y,16]",
        "s@[x,y] = t@u@v",
        "[10,*,3] = s",
        "d_1 = (/ (- (+ d_2 3) 1) 2)",
    ];
    let wrong = texts.iter().find_map(|text| {
        let set: Set = match text.parse() {
            Ok(set) => set,
            Err(error) => return Some(format!("{text}: {error}")),
        };
        let again: Result<Set, _> = set.to_string().parse();
        let same = again.is_ok_and(|again| again.to_string() == set.to_string());
        (!same).then(|| format!("{text} does not read back"))
    });
    one(&texts.join("\n"), wrong.map_or(Ok(()), Err))
}

fn formation_excludes_something(_: Effort) -> Finding {
    let text = "[(/ 1 0)] = s";
    let result = match printed(&read(text), Reading::Literal).as_str() {
        "solved" => Err("the rules form a quotient by 0 and a dimension of any sign, and exclude nothing that Fig. 1 generates".to_string()),
        _ => Ok(()),
    };
    one(text, result)
}

fn appended_rank(_: Effort) -> Finding {
    let text = "s@[n] = []";
    one(text, refused(text))
}

fn refused(text: &str) -> Result<(), String> {
    match native(&read(text)) {
        Ok(false) => Ok(()),
        Ok(true) => Err("it has a solution".to_string()),
        Err(why) => Err(why),
    }
}

fn accepted(text: &str) -> Result<(), String> {
    match native(&read(text)) {
        Ok(true) => Ok(()),
        Ok(false) => Err("it has no solution".to_string()),
        Err(why) => Err(why),
    }
}

fn concatenation_as_signed(_: Effort) -> Finding {
    let text = "[d]@s = [3,5]\n[d]@s = [4,5]";
    one(text, accepted(text))
}

fn concatenation_as_told(_: Effort) -> Finding {
    let text = "[d]@s = [3,5]\n[e]@s = [4,5]\n[(+ d e)]@s = r";
    one(
        text,
        accepted(text).and_then(|()| follows(text, "r = [7,5]")),
    )
}

/// Tells whether an equation follows from a set; both are texts with the same names.
fn follows(text: &str, goal: &str) -> Result<(), String> {
    let mut set = read(&format!("{text}\n{goal}"));
    let Some((last, others)) = set.equations.split_last() else {
        return Err("it cannot be read".to_string());
    };
    let (last, others): (Equation, Vec<Equation>) = (last.clone(), others.to_vec());
    match Solver::default().entails(&mut set.pool, &others, &Goal::Holds(last)) {
        Conclusion::Yes => Ok(()),
        other => Err(format!("{goal} does not follow: {other:?}")),
    }
}

fn batched_products(_: Effort) -> Finding {
    let text = "s@[d1,d2] = [7,2,3]\ns@[d2,d3] = [7,3,4]\ns@[d1,d3] = r";
    one(
        text,
        accepted(text).and_then(|()| follows(text, "r = [7,2,4]")),
    )
}

fn channels_of_a_convolution(_: Effort) -> Finding {
    let text = "[n,c,h,w] = [1,3,8,8]\n[k,c,r,s] = [5,3,2,2]\n[n,c,(+ 1 (- h r)),(+ 1 (- w s))] = [1,5,7,7]";
    one(text, accepted(text).map_err(|_| {
        "five filters make five channels, and the type says that the result has those of the input".to_string()
    }))
}

fn filters_of_a_convolution(_: Effort) -> Finding {
    let text = "[n,c,h,w] = [1,3,8,8]\n[k,c,r,s] = [5,3,2,2]\n[n,k,(+ 1 (- h r)),(+ 1 (- w s))] = [1,5,7,7]";
    one(text, accepted(text))
}

fn rules_of_types(_: Effort) -> Finding {
    let result = match TYPE_RULES.len() {
        3 => Ok(()),
        count => Err(format!("{count} rules")),
    };
    one("variable_left, tensors, occurs", result)
}

fn rules_of_shapes(effort: Effort) -> Finding {
    sampled(effort, &[], |set| {
        let lines = RULES.len();
        // Each equation of the notation is a constraint of the rules, and conversely.
        let constraints = lozenge_axon_spec::Constraints::of(set).to_equations();
        let same = constraints.iter().all(|one| set.equations.contains(one));
        Some(match (lines, same) {
            (22, true) => Ok(()),
            _ => Err("the constraints are not the equations".to_string()),
        })
    })
}

const SQUARE: &str = "s@[d1,d2] = [n,n]\ns@[d2,d3] = [n,n]\ns@[d1,d3] = r";

/// Tells whether some order of the rules ends with `r = [n,n]`.
fn reaches_square(reading: Reading) -> bool {
    let mut set = read(SQUARE);
    let reached = explore(&mut set, reading, 30_000);
    let (Ok(n), Ok(r)) = (set.pool.dim_var("n"), set.pool.shape_var("r")) else {
        return false;
    };
    let n = set.pool.var(n);
    let wanted = Equation::Shapes(Word::name(r), Word::list([n, n]));
    let mut last = reached.fixed_points.iter().flatten();
    last.any(|constraint| constraint.to_equation().as_ref() == Some(&wanted))
}

fn square_product(_: Effort) -> Finding {
    let result = match reaches_square(Reading::Literal) {
        true => Ok(()),
        false => Err("every order was followed, and r ends as [d1,d1], [d2,d2] or [d3,d3]: the known list is put on the left".to_string()),
    };
    one(SQUARE, result)
}

fn square_product_by_unit(_: Effort) -> Finding {
    let result = match reaches_square(Reading::Unit) {
        true => Ok(()),
        false => Err("no order does".to_string()),
    };
    one(SQUARE, result)
}

fn convolution_example(_: Effort) -> Finding {
    let text =
        "[n,c,h,w] = i\n[k,c,r,s] = [4,8,8,8]\n[n,c,(+ 1 (- h r)),(+ 1 (- w s))] = [4,8,1024,256]";
    let end = printed(&read(text), Reading::Literal);
    let result = match end.as_str() {
        "solved" => {
            follows(text, "i = [4,8,1031,263]").and_then(|()| follows(text, "[k,r,s] = [4,8,8]"))
        }
        end => Err(end.to_string()),
    };
    one(text, result)
}

fn scalars_backwards(_: Effort) -> Finding {
    let text = "s = []\ns = b\ns = result";
    one(text, follows(text, "b@result = []"))
}

fn softmax_as_signed(_: Effort) -> Finding {
    // The input less its maximum: both sides of the difference have one shape.
    let text = "x = [a]@b\ny = b\nx = y";
    one(text, accepted(text).map_err(|_| {
        "the maximum has one axis fewer than the input, and the difference wants one shape: rank b = rank b + 1".to_string()
    }))
}

fn softmax_repaired(_: Effort) -> Finding {
    let text = "x = [a]@b\nx = p@s\nb = s\nx = [c]@t\nx = q@u\nt = u\nresult = q@u";
    one(
        text,
        accepted(text).and_then(|()| follows(text, "result = [a]@b")),
    )
}

fn attention(_: Effort) -> Finding {
    // scores = Q transpose(K); weights have their shape; result = weights V.
    let text = "s@[m,e] = q\nt@[c,b] = k\ns@[e,f] = t@[b,c]\nw = s@[m,f]\nu@[g,h] = w\nu@[h,d] = v\nresult = u@[g,d]\nq = [a1,b1]\nv = [c1,d1]";
    one(
        text,
        accepted(text)
            .and_then(|()| follows(text, "result = [a1,d1]"))
            .and_then(|()| follows(text, "k = [c1,b1]")),
    )
}

fn recurrent_shapes(_: Effort) -> Finding {
    let text = "x = [n]@s3\ns1 = s3\ns2 = s3\ns3 = x";
    one(
        text,
        accepted(text).map_err(|_| {
            format!(
                "s3 = [n]@s3 has no solution, though the printed rules say: {}",
                printed(&read(text), Reading::Literal)
            )
        }),
    )
}

fn recurrent_shapes_repaired(_: Effort) -> Finding {
    let text = "x = [n,i]\nx = [m]@s3\ns1 = [k]\ns2 = s1\ny = [m]@s1";
    one(
        text,
        accepted(text).and_then(|()| follows(text, "y = [n,k]")),
    )
}

fn again_at_run_time(effort: Effort) -> Finding {
    sampled(effort, &[], |set| {
        if has_ragged(set) {
            return None;
        }
        let found = super::case::solutions(set, &set.equations)?;
        let values = found.first()?;
        let mut again = set.clone();
        for (name, size) in &values.dims {
            let (name, size) = (again.pool.var(*name), again.pool.number(*size));
            again.push(Equation::Dims(name, size));
        }
        match native(&again) {
            Ok(true) => Some(Ok(())),
            Ok(false) => Some(Err("with the sizes of a solution it is refused".to_string())),
            Err(_) => None,
        }
    })
}
