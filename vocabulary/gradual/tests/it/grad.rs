//! Programs print and read back; what is no program is refused with its place.

use lozenge_gradual_vocabulary::grad::{read, read_bytes};
use lozenge_gradual_vocabulary::{
    Body, Comparison, Condition, Declaration, Dimension, Expression, ExpressionId, Observation,
    Program, Quantity, Relation, Restriction, Sum, Type,
};
use proptest::prelude::*;

#[test]
fn a_program_reads_in_any_layout_and_prints_in_one() {
    let text = "# two inputs\nx:[?,2] y : ?   'a: b' : []\nwhere x[0]>5, # the batch\n x.rank = 2,x[1]static\nreturn\n if dim(x)==4 \
                then add( x,conv2d(2,4,(3,3),y) ) else if size(reshape(y,[2,?]))[-1] < 100 then 'a: b' else x where y.rank<4";
    let (program, places) = read(text).unwrap();
    let expected = "x : [?, 2]\ny : ?\n'a: b' : []\nwhere x[0] > 5, x.rank = 2, x[1] static, y.rank < 4\nreturn if dim(x) = 4 then \
                    add(x, conv2d(2, 4, (3, 3), y)) else if size(reshape(y, [2, ?]))[-1] < 100 then 'a: b' else x\n";
    assert_eq!(program.to_string(), expected);
    assert_eq!(read(expected).unwrap().0, program);
    assert_eq!(&text[places.declarations[1].clone()], "y : ?");
    let spans = places.expressions.iter().map(|span| &text[span.clone()]);
    let shown: Vec<&str> = spans.take(5).collect();
    let sum = "add( x,conv2d(2,4,(3,3),y) )";
    assert_eq!(shown, ["x", "x", "y", "conv2d(2,4,(3,3),y)", sum]);
}

#[test]
fn errors_have_a_place() {
    for (text, span, what) in [
        ("", 0..0, "returns nothing"),
        ("x : [2]", 7..7, "returns nothing"),
        ("return", 6..6, "an expression"),
        ("return x", 7..8, "`x` is not declared"),
        ("x : ?\nx : [2]\nreturn x", 6..7, "declared twice"),
        ("x ? return x", 2..3, "a `:`"),
        ("x : 2 return x", 4..5, "a type"),
        ("x : [2 return x", 7..13, "`,` or `]`"),
        ("x : [2,] return x", 7..8, "a size or `?`"),
        ("x : [-2] return x", 5..6, "a size or `?`"),
        (
            "x : [9223372036854775808] return x",
            5..24,
            "larger than 2^63 - 1",
        ),
        ("add : ? return add", 0..3, "a word of the notation"),
        ("x : ? return reshape(x)", 22..23, "a `,`"),
        ("x : ? return reshape(x, 3)", 24..25, "a type"),
        (
            "x : ? return conv2d(x, 3, (1, 1), x)",
            20..21,
            "the number of channels",
        ),
        ("x : ? return conv2d(1, 3, (1 1), x)", 29..30, "a `,`"),
        ("x : ? return add(x, x", 21..21, "a `)`"),
        (
            "x : ? return if x = 4 then x else x",
            16..17,
            "`dim(…)`, `size(…)[…]` or a number",
        ),
        (
            "x : ? return if dim(x) 4 then x else x",
            23..24,
            "a relation",
        ),
        ("x : ? return if dim(x) = 4 x else x", 27..28, "`then`"),
        ("x : ? return if dim(x) = 4 then x", 33..33, "`else`"),
        ("x : ? return if size(x) = 4 then x else x", 24..25, "a `[`"),
        ("x : ? return x x", 15..16, "ends with what it returns"),
        (
            "x : ? return x return x",
            15..21,
            "ends with what it returns",
        ),
        (
            "x : ? where y[0] > 2 return x",
            12..20,
            "`y` is not declared above",
        ),
        (
            "x : ? where h > 2 return x",
            12..17,
            "`h` is not declared above",
        ),
        (
            "x : ? where x > 2 return x",
            12..17,
            "a tensor and no number",
        ),
        (
            "x : ? where x[0] * x[1] > 2 return x",
            12..23,
            "a product of two sizes",
        ),
        ("x : ? where return x", 19..20, "a relation"),
        ("x : ? return 'x", 13..15, "not closed"),
        ("x : ? return x $", 15..16, "no meaning"),
    ] {
        let error = read(text).expect_err(text);
        let found = (error.span, error.message.contains(what));
        assert_eq!(found, (span, true), "{text}: {}", error.message);
        assert!(!error.help.is_empty());
    }
    let error = read_bytes(b"x : ?\n\xff").expect_err("no UTF-8");
    assert_eq!(error.span, 6..7);
}

#[test]
fn depth_and_width_have_no_limit() {
    let deep = 100_000;
    for (open, close) in [
        ("add(x, ", ")"),
        ("reshape(", ", [2])"),
        ("conv2d(1, 1, (1, 1), ", ")"),
        ("if dim(", ") = 4 then x else x"),
        ("if 1 = 1 then x else ", ""),
    ] {
        let text = format!(
            "x : ?\nreturn {}x{}\n",
            open.repeat(deep),
            close.repeat(deep)
        );
        let (program, _) = read(&text).unwrap();
        assert_eq!(program.to_string(), text);
        let unclosed = format!("x : ?\nreturn {}", open.repeat(deep));
        assert_eq!(
            read(&unclosed).expect_err("unclosed").span.end,
            unclosed.len()
        );
    }
    let wide = format!("x : [{}?]\nreturn x\n", "?, ".repeat(300_000));
    let (program, _) = read(&wide).unwrap();
    assert_eq!(program.declarations[0].annotation.rank(), Some(300_001));
    assert_eq!(program.to_string(), wide);
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("x".to_string()),
        Just("y.1".to_string()),
        Just("return".to_string()),
        Just("a: 'b'\\".to_string()),
        Just("é\n".to_string()),
        Just("x.rank".to_string()),
    ]
}

fn types() -> impl Strategy<Value = Type> {
    let dimension = prop_oneof![
        Just(Dimension::Dyn),
        (0u64..4).prop_map(Dimension::Size),
        Just(Dimension::Size(i64::MAX.unsigned_abs()))
    ];
    prop_oneof![
        Just(Type::Dyn),
        prop::collection::vec(dimension, 0..4).prop_map(Type::Tensor)
    ]
}

/// Lists of expressions: each takes its parts off those that wait, so most are bodies.
fn bodies() -> impl Strategy<Value = Body> {
    let steps = prop::collection::vec((0u8..6, names(), types(), -3i64..9), 1..12);
    steps.prop_map(|steps| {
        let mut list: Vec<Expression> = Vec::new();
        let mut waiting: Vec<ExpressionId> = Vec::new();
        for (kind, name, target, number) in steps {
            let size = |of| Observation::Size { of, axis: number };
            let expression = match (kind, &waiting[..]) {
                (1, [.., of]) => Expression::Reshape { of: *of, target },
                (2, [.., of]) => Expression::Conv2d {
                    in_channels: number.unsigned_abs(),
                    out_channels: 3,
                    kernel: vec![2; usize::try_from(number).unwrap_or(0)],
                    of: *of,
                },
                (3, [.., left, right]) => Expression::Add(*left, *right),
                (4, [.., seen, then, otherwise]) => Expression::If {
                    condition: Comparison {
                        left: size(*seen),
                        relation: Relation::AtMost,
                        right: Observation::Number(number),
                    },
                    then: *then,
                    otherwise: *otherwise,
                },
                (5, [.., seen, other, then, otherwise]) => Expression::If {
                    condition: Comparison {
                        left: Observation::Rank(*seen),
                        relation: Relation::Differs,
                        right: size(*other),
                    },
                    then: *then,
                    otherwise: *otherwise,
                },
                _ => Expression::Variable(name),
            };
            waiting.truncate(waiting.len() - expression.parts().len());
            waiting.push(ExpressionId(u32::try_from(list.len()).unwrap()));
            list.push(expression);
        }
        // Whatever waits is summed up.
        while let [.., left, right] = waiting[..] {
            waiting.truncate(waiting.len() - 2);
            waiting.push(ExpressionId(u32::try_from(list.len()).unwrap()));
            list.push(Expression::Add(left, right));
        }
        Body::from_list(list).expect("each expression took its parts")
    })
}

/// Returns a program that declares every name that its body uses.
fn programs() -> impl Strategy<Value = Program> {
    let demands = prop::collection::vec((0usize..9, -2i64..9, any::<bool>()), 0..4);
    (bodies(), types(), types(), demands).prop_map(|(body, one, other, demands)| {
        let mut declarations: Vec<Declaration> = Vec::new();
        for expression in body.expressions() {
            let Expression::Variable(name) = expression else {
                continue;
            };
            if declarations.iter().all(|declared| declared.name != *name) {
                let annotation = if declarations.len().is_multiple_of(2) {
                    &one
                } else {
                    &other
                };
                declarations.push(Declaration {
                    name: name.clone(),
                    annotation: annotation.clone(),
                });
            }
        }
        let restriction = |(place, number, is_wish): (usize, i64, bool)| {
            let of = declarations[place % declarations.len()].name.clone();
            match is_wish {
                true => Restriction::Static {
                    of,
                    axis: (number > 0).then_some(number),
                },
                false => Restriction::Holds(Condition {
                    left: Sum::of(Quantity::Axis { of, at: number }),
                    relation: Relation::Less,
                    right: Sum::number(number.into()),
                }),
            }
        };
        let restrictions = demands.into_iter().map(restriction).collect();
        Program {
            restrictions,
            declarations,
            body,
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back(program in programs()) {
        let text = program.to_string();
        let read = read(&text);
        prop_assert_eq!(read.map(|(program, _)| program), Ok(program), "{}", text);
    }

    #[test]
    fn no_bytes_panic(
        words in prop::collection::vec(0usize..WORDS.len(), 0..30),
        bytes in prop::collection::vec(any::<u8>(), 0..6),
        at in 0usize..40,
    ) {
        let words: Vec<&str> = words.into_iter().map(|word| WORDS[word]).collect();
        let mut text = words.join(" ").into_bytes();
        let at = at.min(text.len());
        text.splice(at..at, bytes);
        match read_bytes(&text) {
            Ok((program, _)) => prop_assert_eq!(read(&program.to_string()).map(|(again, _)| again), Ok(program)),
            Err(error) => prop_assert!(error.span.end <= text.len() && error.span.start <= error.span.end),
        }
    }
}

const WORDS: [&str; 34] = [
    "x",
    "y",
    ":",
    "?",
    "[",
    "]",
    ",",
    "(",
    ")",
    "2",
    "-",
    "=",
    "<",
    "return",
    "where",
    "static",
    "add",
    "reshape",
    "conv2d",
    "if",
    "then",
    "else",
    "dim",
    "size",
    "x : ?",
    "return x",
    "'",
    "#",
    "\n",
    "x[0]",
    ".rank",
    "\\",
    "99999999999999999999",
    "add(x,",
];
