//! Shapes for a toy compiler: each operation states what it requires of its operands' rows.
use lozenge_solver::{Problem, Solver};
use lozenge_vocabulary::{RowVar, Var};

/// The definition of a name of the program.
enum Op {
    Data(&'static [u64]),
    Param,
    Pointwise(&'static str, &'static str),
    Matmul(&'static str, &'static str),
}

/// Writes the constraints of one definition, with the result on the left of `<=`.
fn require(name: &str, op: &Op) -> String {
    match op {
        Op::Data(sizes) => format!("<{name}> ~ {sizes:?}\n"),
        Op::Param => format!("param <{name}>\n"),
        Op::Pointwise(a, b) => format!("<{name}> <= <{a}>\n<{name}> <= <{b}>\n"),
        Op::Matmul(a, b) => format!(
            "<{a}> ~ [<{name}_batch> m_{name}, k_{name}]\n<{b}> ~ [k_{name}, n_{name}]\n\
             <{name}> ~ [<{name}_batch> m_{name}, n_{name}]\n"
        ),
    }
}

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

fn infer(program: &[(&str, Op)]) -> Anything<Vec<String>> {
    let mut solver = Solver::new(Problem::new());
    for (name, op) in program {
        let problem = solver.problem_mut();
        problem.read(&require(name, op))?;
        problem.purpose(
            &Var::Row(RowVar::new(name)),
            &format!("the shape of {name}"),
        );
    }
    solver.close()?;
    let solution = solver.solution();
    let shape = |name: &str| Some(format!("{name}: {}", solution.row(name)?));
    Ok(program.iter().filter_map(|(name, _)| shape(name)).collect())
}

fn main() -> Anything<()> {
    let (x, w) = (Op::Data(&[32, 784]), Op::Data(&[784, 10]));
    let mut program = vec![("x", x), ("w", w), ("y", Op::Matmul("x", "w"))];
    program.extend([("bias", Op::Param), ("z", Op::Pointwise("y", "bias"))]);
    println!("{}\n", infer(&program)?.join("\n"));
    assert_eq!(infer(&program)?[4], "z: [32, 10]");
    program.push(("v", Op::Matmul("w", "x")));
    let refusal = infer(&program).expect_err("10 is not 32").to_string();
    println!("{refusal}");
    assert!(
        refusal.contains("the dimensions 10 and 32 cannot be equal")
            || refusal.contains("the dimensions 32 and 10 cannot be equal")
    );
    Ok(())
}

#[test]
fn the_example_runs() {
    main().expect("shapes");
}
