//! The closing policy, rule by rule (Def. 6.1, Rem. 6.3, Rem. 6.7(i), Prop. 2.7), on small sets.

use lozenge_solver::{Problem, Refusal, Solver};
use lozenge_vocabulary::{Order, Rule, Verdict};

/// Solves and closes, checks the solution against Def. 3.4, and spells it out.
fn close(text: &str) -> Result<String, Box<Refusal>> {
    let problem = Problem::parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let set = problem.to_set();
    let mut solver = Solver::new(problem);
    solver.close()?;
    let ground = solver.solution().ground();
    let violated = ground.first_violated(&set.constraints, Order::Marked);
    assert_eq!(violated, None, "{text}\n{ground}");
    Ok(ground.to_string().trim().replace('\n', "; "))
}

fn closed(text: &str) -> String {
    close(text).unwrap_or_else(|refusal| panic!("{text}\n{refusal}"))
}

fn is_hole(text: &str) {
    let refusal = close(text).expect_err(text);
    assert_eq!(refusal.rule, Rule::CloseLeaf, "{text}\n{refusal}");
}

#[test]
fn what_a_leaf_is_made_of_is_closed_as_a_leaf() {
    is_hole("<w> ~ [x <y>]\nparam <w>");
    is_hole("<w> ~ [x <y>]\n[x] ~ <v>\nparam <v>");
    assert_eq!(
        closed("[b <s> 3] ~ <r>\n2 <= b\n[5] <= <s>\nleaf <r>"),
        "b = 2; <r> ~ [2 <> 5, 3]; <s> ~ [5]"
    );
    // Without the declaration all goes to its top.
    assert_eq!(
        closed("[b <s> 3] ~ <r>\n2 <= b\n[5] <= <s>"),
        "b = 1_; <r> ~ [1_ <> 3]; <s> ~ []"
    );
}

/// A row that is the content of another one and an axis gets no further axis where those that it has are enough.
#[test]
fn axes_that_are_asked_of_one_end_may_stand_at_the_other() {
    for (text, closes_to) in [
        (
            "<m> ~ [4, 3]\n<t> <= <m>\n[s <b>] ~ <t>\ninterior <m>, <t>",
            "s = 4; <b> ~ [3]; <m> ~ [4, 3]; <t> ~ [4, 3]",
        ),
        (
            "<m> ~ [4 <> 3]\n<t> <= <m>\n[<b> s] ~ <t>\ninterior <m>, <t>",
            "s = 3; <b> ~ [4 <>]; <m> ~ [4 <> 3]; <t> ~ [4 <> 3]",
        ),
        // One axis more than is there is asked for, and comes from the variable.
        (
            "<m> ~ [4, 3, 2]\n<t> <= <m>\n[s <b>] ~ <t>\ninterior <m>, <t>",
            "s = 4; <b> ~ [3, 2]; <m> ~ [4, 3, 2]; <t> ~ [4, 3, 2]",
        ),
    ] {
        assert_eq!(closed(text), closes_to, "{text}");
    }
}

#[test]
fn the_axes_by_which_a_leaf_grows_are_leaves() {
    assert_eq!(
        closed("[1_ <r> 1_, 2] <= [1_, a <s> 1_]\nleaf <r>\nparam a"),
        "a = 1_; <r> ~ [1_ <>]; <s> ~ []"
    );
    is_hole("[1_ <r> 1_, 2] <= [1_, a <s> 1_]\nparam a");
}

/// Each leaf of a chain is a round of its own; what a round changes beside the chain comes before the next one.
#[test]
fn rounds_of_a_chain_see_what_lies_beside_it() {
    // A row waits for the first dimension of a chain.
    assert_eq!(
        closed("3 <= a\na <= b\nb <= c\n[a] <= <w>\nleaf a, b, c, <w>"),
        "a = 3; b = 3; c = 3; <w> ~ [3]"
    );
    // a and f are the first round, which leaves 5 below b as well as 3.
    assert_eq!(
        closed("3 <= a\na <= b\nb <= d\nc <= b\nc <= e\n5 <= e\ne <= f\nleaf a, b, f"),
        "a = 3; b = 1_; c = 5; d = 1_; e = 5; f = 5"
    );
    // Equalities may put a dimension below itself.
    assert_eq!(closed("b <= a\na = b\n3 <= b\nleaf b"), "a = 3; b = 3");
    assert_eq!(
        closed("b <= c\nc <= a\na = b\n3 <= b\nleaf b"),
        "a = 3; b = 3; c = 3"
    );
    // A row beside a chain of rows is closed with it, and a hole beside it is filled.
    assert_eq!(
        closed("[3] <= <a>\n<a> <= <b>\n<b> <= <c>\n<a> <= <v>\nleaf <a>, <b>, <c>, <v>"),
        "<a> ~ [3]; <b> ~ [3]; <c> ~ [3]; <v> ~ [3]"
    );
}

#[test]
fn those_below_are_closed_first() {
    // Rem. 6.3, and with an interior dimension between.
    let chain = "a = 3; b = 1_";
    assert_eq!(closed("3 <= a\na <= b\n5 <= b\nleaf a, b"), chain);
    assert_eq!(
        closed("a <= c\nc <= b\n5 <= b\nleaf a, b"),
        "a = 5; b = 5; c = 5"
    );
    // A hole below fills a parameter's.
    assert_eq!(closed("a <= b\nleaf a\nparam b"), "a = 1_; b = 1_");
    assert_eq!(
        closed("[3] <= <r>\n<r> <= <s>\n[5] <= <s>\nleaf <s>, <r>"),
        "<r> ~ [3]; <s> ~ [1_]"
    );
}

#[test]
fn bounds_are_forwarded_through_open_rows() {
    assert_eq!(
        closed("[3, 4 <> 5] <= <r>\n[7 <r>] <= [7 <s>]\n<s> <= <t>\nleaf <t>"),
        "<r> ~ [3, 4 <> 5]; <s> ~ [3, 4 <> 5]; <t> ~ [3, 4 <> 5]"
    );
    // An unsolved axis counts as its cap, and a hole is filled by the other bound.
    assert_eq!(
        closed("[a, b <>] <= <r>\n[c, 2 <>] <= <r>\n3 <= a\nleaf <r>"),
        "a = 3; b = 2; c = 3; <r> ~ [3, 2 <>]"
    );
}

#[test]
fn a_row_of_which_nothing_is_known_has_no_axes_in_a_cap() {
    for tag in ["leaf", "param"] {
        let text = format!("[3 <u>] <= <s>\n[3] <= <s>\n{tag} <s>");
        assert_eq!(closed(&text), "<s> ~ []; <u> ~ []");
    }
}

#[test]
fn a_row_below_itself_has_no_cap() {
    assert_eq!(
        closed("[3, 3 <> 2, 2] <= <s>\n[1_, 3 <s> a] <= [a, 3 <s> b]\nleaf <s>"),
        "a = 1_; b = 1_; <s> ~ [3, 3 <> 2, 2]"
    );
}

#[test]
fn a_cycle_has_one_bound() {
    assert_eq!(
        closed("[3, 4] <= <t>\n<t> <= <s>\n<s> <= <r>\n<r> <= <t>\nleaf <r>, <s>, <t>"),
        "<r> ~ [3, 4]; <s> ~ [3, 4]; <t> ~ [3, 4]"
    );
    // Nothing ground: no axes but those written.
    assert_eq!(
        closed("[3 <s>] <= <r>\n[2 <r>] <= <s>\nleaf <r>, <s>"),
        "<r> ~ [3 <>]; <s> ~ [2 <>]"
    );
}

#[test]
fn a_circle_waits_for_what_may_fill_its_holes() {
    let set = "param <r>, <s>, <t>\n\
               [a] <= <s>\n[a] <= <t>\n[3] <= <t>\n<s> <= <r>\n<r> <= <s>";
    assert_eq!(closed(set), "a = 3; <r> ~ [3]; <s> ~ [3]; <t> ~ [3]");
}

#[test]
fn a_leaf_above_a_closed_row_is_that_row() {
    for (set, expected) in [
        (
            "[3, 4] <= <r>\n<r> <= <s>\nleaf <r>, <s>",
            "<r> ~ [3, 4]; <s> ~ [3, 4]",
        ),
        // Two rows below: their join.
        (
            "[3, 4] <= <r>\n[3, 5] <= <t>\n<r> <= <s>\n<t> <= <s>\nleaf <r>, <s>, <t>",
            "<r> ~ [3, 4]; <s> ~ [3, 1_]; <t> ~ [3, 5]",
        ),
        // Axes beside either variable.
        (
            "[3, 4 <>] <= <r>\n<r> <= [3 <s>]\nleaf <r>, <s>",
            "<r> ~ [3, 4 <>]; <s> ~ [4 <>]",
        ),
        (
            "[4 <>] <= <r>\n[3 <r>] <= <s>\nleaf <r>, <s>",
            "<r> ~ [4 <>]; <s> ~ [3, 4 <>]",
        ),
        // An axis that is known already.
        (
            "[2, 3 <>] <= <r>\n<r> <= <s>\n<s> <= [2 <>]\nleaf <r>, <s>",
            "<r> ~ [2, 3 <>]; <s> ~ [2, 3 <>]",
        ),
        // An open row below.
        (
            "[3, 4] <= <r>\n<r> <= <s>\nleaf <s>",
            "<r> ~ [3, 4]; <s> ~ [3, 4]",
        ),
        // A row above a cycle.
        (
            "[3] <= <s>\n<s> <= <r>\n<r> <= <s>\n<r> <= <a>\nleaf <a>, <r>, <s>",
            "<a> ~ [3]; <r> ~ [3]; <s> ~ [3]",
        ),
    ] {
        assert_eq!(closed(set), expected, "{set}");
    }
}

#[test]
fn the_axes_of_a_closed_row_need_not_be_known() {
    is_hole("<r> ~ [a]\n<r> <= <s>\nparam <s>");
    assert_eq!(
        closed("<r> ~ [a]\n<r> <= <s>\nleaf <s>"),
        "a = 1_; <r> ~ [1_]; <s> ~ [1_]"
    );
}

#[test]
fn a_leaf_that_nothing_bounds_has_no_axes() {
    assert_eq!(closed("<r> <= <s>\nleaf <r>"), "<r> ~ []; <s> ~ []");
    assert_eq!(closed("<r> <= <s>\nparam <s>"), "<r> ~ []; <s> ~ []");
    is_hole("<r> <= <s>\nparam <r>\nleaf <s>");
}

#[test]
fn variables_with_different_sizes_below_are_equal_to_the_unit() {
    assert_eq!(closed("3 <= a\n5 <= b\na = b\nleaf a"), "a = 1_; b = 1_");
    assert_eq!(closed("3 <= a\n3 <= b\na = b\nleaf a"), "a = 3; b = 3");
}

#[test]
fn the_value_of_a_circle_is_told_to_what_lies_below_it() {
    assert_eq!(
        closed("<r> <= <s>\n[b] <= <s>\n<s> <= <r>\n3 <= b\nleaf <r>\nparam <s>"),
        "b = 3; <r> ~ [3]; <s> ~ [3]"
    );
}

#[test]
fn a_leaf_of_a_cycle_grows_by_leaves() {
    // <r> goes first and makes <s> grow; the first new axis of <s> is above 3 and goes down to it.
    assert_eq!(
        closed("[3 <r>] <= <s>\n<s> <= <r>\n[5, 6 <>] <= <r>\nleaf <r>, <s>"),
        "<r> ~ [1_, 1_ <>]; <s> ~ [3, 1_, 1_ <>]"
    );
}

/// When a leaf of a cycle is closed, the bounds of the other rows of the cycle are computed again.
#[test]
fn a_leaf_that_is_closed_bounds_the_rest_of_its_cycle() {
    assert_eq!(
        closed("<r> <= <s>\n<s> <= <u>\n[<u> 3] <= <r>\nleaf <r>\nparam <u>"),
        "<r> ~ [3]; <s> ~ [3]; <u> ~ [3]"
    );
}

/// The bound of <y> has no hole, so that <y> commits before <r>, whose axes nothing bounds. The demand of <y>
/// on <z> then contradicts `[a <r>] <= <z>`. The unit of the hole would have avoided that, and would have been a guess.
#[test]
fn a_known_leaf_goes_before_a_holed_one_also_where_the_hole_is_below() {
    let text = "[a <r>] <= <z>\n<z> <= <r>\n[b, c <>] <= <r>\n<z> <= <y>\n[3, 4, 5 <>] <= <y>\nleaf <r>, <y>";
    let refusal = close(text).expect_err(text);
    assert_eq!(refusal.verdict, Verdict::Rejected);
    assert!(
        refusal.commitments[0]
            .text
            .starts_with("<y> = [3, 4, 5 <>]"),
        "{refusal}"
    );
}

#[test]
fn a_parameter_with_nothing_below_it_is_refused() {
    // An interior above it asks for nothing.
    assert_eq!(closed("<r> <= <s>\nparam <r>"), "<r> ~ []; <s> ~ []");
    is_hole("a <= 1_\nparam a");
    is_hole("[a] <= <r>\nparam <r>");
    is_hole("<r> <= <s>\nparam <r>\nleaf <s>");
    // In either order, for <t> is all that <s> holds behind its first axis.
    is_hole("<s> <= [2 <r>]\n[2 <t>] ~ <s>\nparam <s>, <t>\nleaf <r>");
    is_hole("[2 <t>] ~ <s>\n<s> <= [2 <r>]\nparam <s>, <t>\nleaf <r>");
    assert_eq!(closed("<r> <= [3]\nparam <r>"), "<r> ~ [3]");
    // Not used below another open row: it ends where it is known to end.
    assert_eq!(closed("[3 <r>] <= [3 <>]\nparam <r>"), "<r> ~ []");
    // Grown, so that something is known of it.
    assert_eq!(
        closed("<r> <= [3 <s>]\nparam <r>"),
        "<r> ~ [3 <>]; <s> ~ []"
    );
}

/// A row that solving made up for the rest of a parameter's row is no hidden row, whatever else it is the rest of.
#[test]
fn the_rest_of_a_parameter_that_has_grown_is_closed() {
    assert_eq!(
        closed("<s> <= [2 <r>]\n<v> ~ [5 <s>]\nparam <s>"),
        "<r> ~ []; <s> ~ [2 <>]; <v> ~ [5, 2 <>]"
    );
}

#[test]
fn a_parameter_with_a_hole_at_any_axis_is_refused() {
    for axes in [
        "[a <> 2]",
        "[2, a <> 2]",
        "[a]",
        "[2, a]",
        "[a, 3, 2]",
        "[3, 2 <s> 2, a]",
    ] {
        is_hole(&format!("<r> <= {axes}\nparam <r>"));
    }
}

/// A flank that is known grows by as much of the content as is needed beyond what it has.
#[test]
fn a_content_gives_up_what_a_flank_needs() {
    assert_eq!(
        closed("<t> ~ [b, c <> d]\n<r> <= [2 <v>]\n<r> <= <t>\n<r> ~ [2, 3, 4, 5, 6]"),
        "b = 1_; c = 1_; d = 1_; <r> ~ [2, 3 <> 4, 5, 6]; <t> ~ [1_, 1_ <> 1_]; <v> ~ []"
    );
}

#[test]
fn a_hole_is_told_of_the_variable_that_is_a_parameter() {
    for text in [
        "a = h\nb = h\nparam h",
        "h = a\nh = b\nparam h",
        "a = h\nz = h\nleaf z\nparam h",
    ] {
        let refusal = close(text).expect_err(text);
        assert!(refusal.message.starts_with("h: "), "{text}\n{refusal}");
    }
}

/// A bound that rests on itself begins with the axes that its own cap writes out, and is forwarded like any other.
#[test]
fn a_row_below_itself_is_bounded_by_its_own_axes() {
    assert_eq!(closed("[1_ <r>] <= <r>\nleaf <r>"), "<r> ~ [1_ <>]");
    assert_eq!(
        closed("[1_ <r>] <= <r>\n[2 <r>] <= <s>\n<s> <= <t>\nleaf <t>"),
        "<r> ~ [1_ <>]; <s> ~ [2, 1_ <>]; <t> ~ [2, 1_ <>]"
    );
}

/// A bare variable that nothing bounds is an adjacency: it adds nothing to the bound of a leaf above it.
#[test]
fn an_unbounded_neighbour_adds_nothing_to_a_bound() {
    let used = "[4] <= <y>\n<y> <= <w>\nleaf <w>";
    assert_eq!(closed(used), "<w> ~ [4]; <y> ~ [4]");
    assert_eq!(
        closed(&format!("<e> <= <y>\n{used}")),
        "<e> ~ [4]; <w> ~ [4]; <y> ~ [4]"
    );
    assert_eq!(
        closed("4 <= y\ne <= y\ny <= w\nleaf w"),
        "e = 4; w = 4; y = 4"
    );
    // Through a chain, from either side, and in a cycle that nothing bounds.
    assert_eq!(
        closed("<d> <= <e>\n<e> <= <d>\n<d> <= <y>\n[4] <= <y>\nleaf <y>"),
        "<d> ~ [4]; <e> ~ [4]; <y> ~ [4]"
    );
    // With axes of its own it is a cap: the variable stands for no further ones.
    assert_eq!(
        closed("[4 <e>] <= <y>\n[4, 5 <>] <= <y>\nleaf <y>"),
        "<e> ~ []; <y> ~ [4 <>]"
    );
}

/// Shows that a value that would fill a hole commits before the hole is guessed.
#[test]
fn a_guess_comes_last() {
    for tag in ["leaf", "param"] {
        assert_eq!(
            closed(&format!("[5] <= <w>\n<v> <= <w>\n{tag} <v>, <w>")),
            "<v> ~ [5]; <w> ~ [5]"
        );
        assert_eq!(
            closed(&format!("5 <= w\nv <= w\n{tag} v, w")),
            "v = 5; w = 5"
        );
        // A hole in a bound, which a leaf above the same axis fills.
        assert_eq!(
            closed(&format!(
                "[a] <= <v>\n[a] <= <w>\n[5] <= <w>\n{tag} <v>, <w>"
            )),
            "a = 5; <v> ~ [5]; <w> ~ [5]"
        );
    }
    // Nothing fills this one; its extent is kept.
    assert_eq!(closed("[a, 3] <= <v>\nleaf <v>"), "a = 1_; <v> ~ [1_, 3]");
}

fn is_rejected(text: &str, names: [&str; 2]) {
    let refusal = close(text).expect_err(text);
    assert_eq!(refusal.verdict, Verdict::Rejected, "{text}\n{refusal}");
    let said = refusal.to_string();
    for name in names {
        assert!(
            refusal
                .commitments
                .iter()
                .any(|step| step.text.starts_with(&format!("{name} "))),
            "{name} in\n{said}"
        );
    }
}

/// A row that grows twice into a content that is known is no cycle, and a row below it that nothing else bounds changes
/// nothing.
#[test]
fn a_content_that_is_taken_in_two_steps_is_no_cycle() {
    let set = "<p> ~ [a]\n<q> ~ [b, c]\n<t> <= <p>\n<t> <= <q>\n[d, e, f] ~ <t>";
    let without = closed(set);
    let with = closed(&format!("{set}\n<u> <= <t>"));
    let of_t = |text: &str| {
        text.split("; ")
            .find(|part| part.starts_with("<t>"))
            .map(str::to_string)
    };
    assert_eq!(of_t(&with), of_t(&without), "{with}");
    assert!(of_t(&with).is_some());
}

/// A commitment is explained by what asked for it, and not by what the others of its round led to.
#[test]
fn a_commitment_of_a_round_has_its_own_reason() {
    let refusal = close("3 <= a\n5 <= b\nc <= a\nc <= b\nleaf a, b").expect_err("they clash");
    let because: Vec<(&str, Vec<Option<usize>>)> = refusal
        .commitments
        .iter()
        .map(|step| {
            let lines = step.because.iter().map(|cited| cited.line).collect();
            (&step.text[..5], lines)
        })
        .collect();
    assert_eq!(
        because,
        [("a = 3", vec![Some(1)]), ("b = 5", vec![Some(2)])]
    );
    let said = refusal.to_string();
    assert!(
        !said.contains("interior") && said.contains("a: leaf"),
        "{said}"
    );
}

/// Leaves of one round that contradict each other are refused; neither the order of the lines nor a name decides.
#[test]
fn what_a_round_commits_may_clash() {
    for [a, b] in [["a", "b"], ["z", "b"], ["b", "a"]] {
        for tag in ["leaf", "param"] {
            let lines = [
                format!("3 <= {a}"),
                format!("5 <= {b}"),
                format!("c <= {a}"),
                format!("c <= {b}"),
                format!("{tag} {a}, {b}"),
            ];
            for turn in 0..5 {
                let mut lines = lines.clone();
                lines.rotate_left(turn);
                is_rejected(&lines.join("\n"), [a, b]);
                lines.reverse();
                is_rejected(&lines.join("\n"), [a, b]);
            }
        }
    }
    is_rejected(
        "[3] <= <a>\n[5] <= <b>\n<c> <= <a>\n<c> <= <b>\nleaf <a>, <b>",
        ["<a>", "<b>"],
    );
    // The same size twice is no contradiction.
    assert_eq!(
        closed("3 <= a\n3 <= b\nc <= a\nc <= b\nleaf a, b"),
        "a = 3; b = 3; c = 3"
    );
    // Ordered leaves are not of one round: the lower one is a cap of the upper one.
    assert_eq!(
        closed("3 <= a\n5 <= d\nd <= b\nc <= a\nc <= b\nleaf a, b, d"),
        "a = 3; b = 1_; c = 3; d = 5"
    );
}

#[test]
fn a_declaration_may_come_after_a_solve() {
    let mut solver =
        Solver::new(Problem::parse("<r> <= [a <s>]\n[b <r>] ~ <t>").expect("the notation"));
    solver.solve().expect("satisfiable");
    solver.snapshot();
    solver
        .problem_mut()
        .read("param <t>")
        .expect("the notation");
    assert_eq!(solver.close().expect_err("a hole").rule, Rule::CloseLeaf);
}

/// A text whose rows are mentioned in no order is put in order before it is solved.
#[test]
fn the_order_of_many_lines_does_not_matter() {
    const LINES: usize = 20_000;
    let chain = |step: usize| {
        let rows = (0..LINES).map(|at| at * step % LINES);
        let lines = rows.map(|at| format!("<r{at}> <= <r{}>\n", at + 1));
        let end = format!("<last> ~ <r{LINES}>\n<r{LINES}> <= [2, 3]\nparam <r7>\n");
        lines.chain([end]).collect::<String>()
    };
    let values = |text: &str| {
        let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
        solver.solve().expect("satisfiable");
        solver.solution().ground()
    };
    assert_eq!(values(&chain(7919)), values(&chain(1)));
}

#[test]
fn long_chains_and_cycles_of_leaves_close() {
    for family in lozenge_families::FAMILIES {
        if family.name.starts_with("leaf") {
            let mut solver = Solver::new((family.build)(20_000));
            solver
                .close()
                .unwrap_or_else(|r| panic!("{}\n{r}", family.name));
        }
    }
}

/// A leaf on a cycle of inequalities with a dimension of a parameter is equal to it, and no guess of the leaf decides
/// it.
#[test]
fn a_parameters_hole_on_a_cycle_with_a_leaf_is_refused() {
    is_hole("x <= y\ny <= x\nleaf x\nparam y");
    is_hole("[2 <> b] <= <s>\n<s> <= <r>\n<r> <= <s>\nleaf <r>\nparam <s>");
    // One that lies above a leaf alone is determined by the leaf's guess.
    assert_eq!(closed("x <= y\nleaf x\nparam y"), "x = 1_; y = 1_");
}

/// Two leaves of a cycle share their axes, units among them. A row below them has an axis there that nothing
/// determines.
#[test]
fn a_unit_of_a_closed_row_pins_nothing_below_it() {
    let cycle = "<t> <= <r>\n<r> <= <t>\n[2 <> 1_] <= <t>\n<s> <= <t>\nleaf <r>, <t>";
    is_hole(&format!("{cycle}\nparam <s>"));
    assert_eq!(
        closed(cycle),
        "<r> ~ [2 <> 1_]; <s> ~ [2 <> 1_]; <t> ~ [2 <> 1_]"
    );
}

/// A parameter and what an optimiser keeps of it are equal rows: together they are below no other leaf.
#[test]
fn rows_of_parameters_on_a_cycle_are_one_row() {
    let cycle = "<p> <= <m>\n<m> <= <s>\n<s> <= <p>\nparam <p>, <m>";
    assert_eq!(closed(cycle), "<m> ~ []; <p> ~ []; <s> ~ []");
    is_hole(&format!("{cycle}\n<s> <= <h>\nleaf <h>"));
    let known = format!("{cycle}\n<h> <= <p>\n<h> <= [3]");
    assert_eq!(closed(&known), "<h> ~ [3]; <m> ~ [3]; <p> ~ [3]; <s> ~ [3]");
}

#[test]
fn the_axes_of_a_parameter_are_looked_at_from_left_to_right() {
    let refusal = close("[<s> 3] <= [1_, 1_, a]\nleaf a\nparam <s>").expect_err("a hole");
    let said = "nothing determines the size of axis 2 from the back of <s>, a parameter";
    assert!(refusal.to_string().contains(said), "{refusal}");
}

/// The bound of the row has an axis whose cap is itself a leaf with a bound: that leaf is closed in an earlier round.
#[test]
fn a_row_waits_for_the_leaves_among_its_axes() {
    let text = "<s> ~ [a]\n[<r> 2] <= <r>\n<r> <= <s>\nparam <r>";
    let mut solver = Solver::new(Problem::parse(text).expect("the notation"));
    solver.close().expect("satisfiable");
    let told = solver.explain(&"<r>".parse().unwrap()).expect("known");
    let axis = "axis 1 from the back of <r> = 2, to which closing commits it";
    let row = "<r> = [2, 2], to which closing commits it";
    let told = told.to_string();
    let [axis, row] = [axis, row].map(|step| told.find(step).unwrap_or(usize::MAX));
    assert!(axis < row && axis < told.len(), "{told}");
}
