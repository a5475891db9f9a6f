//! Shapes for a toy compiler: each operation states what it requires of its operands' rows, and the solver says
//! what everything is. `cargo run -p lozenge --example toy_compiler`.

use lozenge::{Problem, Solver};
use lozenge_spec::{RowVar, Tag, Var};

/// A program is a list of definitions.
enum Op {
    Data(&'static [u64]),
    Param,
    Pointwise(&'static str, &'static str),
    Matmul(&'static str, &'static str),
}

/// What one definition requires, with the result on the left of `<=`.
fn require(name: &str, op: &Op) -> String {
    match op {
        Op::Data(sizes) => format!("<{name}> ~ {sizes:?}\n"),
        Op::Param => String::new(),
        Op::Pointwise(a, b) => format!("<{name}> <= <{a}>\n<{name}> <= <{b}>\n"),
        // (rows, inner) times (inner, columns), batched over what stands before.
        Op::Matmul(a, b) => format!(
            "<{a}> ~ [<{name}.b> rows_{name}, inner_{name}]\n<{b}> ~ [inner_{name}, cols_{name}]\n\
             <{name}> ~ [<{name}.b> rows_{name}, cols_{name}]\n"
        )
        .replace(".b", "_batch"),
    }
}

fn infer(program: &[(&str, Op)]) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut solver = Solver::new(Problem::new());
    for (name, op) in program {
        solver.problem_mut().read(&require(name, op))?;
        if matches!(op, Op::Param) {
            let var = Var::Row(RowVar::new(name));
            solver
                .problem_mut()
                .purpose(&var, "a parameter of the model");
            solver
                .declare(&var, Tag::Param)
                .map_err(|_| "declared twice")?;
        }
    }
    solver.close()?;
    let shape = |name: &str| solver.solution().row(name).map(|row| row.to_string());
    Ok(program
        .iter()
        .filter_map(|(name, _)| Some(format!("{name}: {}", shape(name)?)))
        .collect())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut program = vec![
        ("x", Op::Data(&[32, 784])),
        ("w", Op::Data(&[784, 10])),
        ("bias", Op::Param),
        ("y", Op::Matmul("x", "w")),
        ("z", Op::Pointwise("y", "bias")),
    ];
    let shapes = infer(&program)?;
    println!("{}", shapes.join("\n"));
    assert_eq!(shapes[3], "y: [32, 10]");
    program.push(("v", Op::Matmul("w", "x")));
    let refusal = infer(&program).expect_err("10 is not 32").to_string();
    println!("\n{refusal}");
    assert!(refusal.contains("not equal"));
    Ok(())
}

#[test]
fn the_example_runs() {
    main().expect("shapes");
}
