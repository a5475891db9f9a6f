//! The page of a program: pointing, clicking, typing and solving.

use fantoccini::key::Key;

use super::page::{Page, Window};

pub(crate) const LAYER: &str = "\
data x : 8|->3 = range(24)
param w : ...->16 = 0.5
let y = relu(w * x)
";

#[test]
fn pointing_at_a_part_shows_its_shape_and_who_asked_for_it() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    assert!(page.text("#panel").contains("Point at a part"));
    page.point_at(page.part("relu(w * x)"));
    let shown = page.text("#panel");
    assert!(shown.starts_with("y computed, line 3"), "{shown}");
    assert!(shown.contains("for i in 0..8"), "{shown}");
    let axes = "[...document.querySelectorAll('#panel .shape .row')].map((row) => row.innerText).join(' ')";
    let axes = page.evaluate(axes);
    let axes: Vec<&str> = axes
        .as_str()
        .unwrap_or_default()
        .split_whitespace()
        .collect();
    assert_eq!(axes, ["⋄", "8", "⋄", "16"]);
    page.click("#panel details:last-of-type summary");
    let shown = page.text("#panel");
    assert!(shown.contains("the output axes of `w * x`"), "{shown}");
}

#[test]
fn keys_choose_keep_and_let_go() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    page.evaluate("document.querySelector('.part').focus()");
    let first = page.text("#panel");
    assert!(first.contains('x') && first.contains("data"), "{first}");
    page.press(&Key::Right.to_string());
    let second = page.text("#panel");
    assert_ne!(first, second);
    page.press(&Key::Enter.to_string());
    assert!(
        page.evaluate("location.hash")
            .as_str()
            .is_some_and(|hash| hash.starts_with("#t"))
    );
    page.press(&Key::Right.to_string());
    assert_eq!(page.text("#panel"), second, "what was kept stays");
    page.press(&Key::Escape.to_string());
    assert!(page.text("#panel").contains("Point at a part"));
    assert_eq!(page.evaluate("location.hash"), "");
}

#[test]
fn a_link_to_a_tensor_shows_it_in_the_program() {
    let Some(page) = Page::of(LAYER, 0, "#t1") else {
        return;
    };
    assert!(
        page.text("#panel").starts_with('w'),
        "{}",
        page.text("#panel")
    );
    assert_eq!(
        page.evaluate("document.querySelectorAll('.part.chosen').length"),
        1
    );
}

#[test]
fn solving_goes_forward_and_back() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    let bound = || page.evaluate("document.querySelectorAll('#bindings tr').length");
    assert!(page.text(".stepper output").contains("before the first"));
    assert_eq!(bound(), 0);
    page.click(".stepper [name=forward]");
    assert!(page.text(".stepper output").starts_with("step 1 of"));
    assert_ne!(page.text("#effect"), "");
    page.click(".stepper [name=last]");
    let known = page.text("#bindings");
    let row = known.lines().find(|line| line.starts_with("w.input"));
    assert!(row.is_some_and(|row| row.contains("[3]")), "{known}");
    assert!(
        known
            .lines()
            .any(|line| line.starts_with("y.batch") && line.contains("[8]")),
        "{known}"
    );
    page.click(".stepper [name=first]");
    assert_eq!(bound(), 0);
}

#[test]
fn the_search_hides_other_tensors() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    page.click("#tensors [type=search]");
    page.press("parameter");
    let shown = "[...document.querySelectorAll('#tensors article')].filter((card) => !card.hidden).map((card) => card.id).join()";
    assert_eq!(page.evaluate(shown), "t1");
    assert!(page.text("#tensors output").starts_with("1 of"));
}

#[test]
fn tensors_that_the_program_does_not_name_are_shown_on_request() {
    let named = "data x : 8|->3 = range(24)\nlet y = softmax(x + 1)\n";
    let Some(page) = Page::of(named, 0, "") else {
        return;
    };
    let shown = "[...document.querySelectorAll('#tensors article')].filter((card) => card.checkVisibility()).map((card) => card.querySelector('h3').innerText).join()";
    let all = page.evaluate("document.querySelectorAll('#tensors article').length");
    assert!(
        all.as_u64() > Some(5),
        "softmax has tensors of its own: {all}"
    );
    assert_eq!(page.evaluate(shown), "x,y");
    page.click("#tensors [name=all]");
    let more = page.evaluate(shown);
    let more = more.as_str().unwrap_or_default().split(',').count();
    assert_eq!(Some(more as u64), all.as_u64());
    page.click("#tensors [name=all]");
    assert_eq!(page.evaluate(shown), "x,y");
    // The number of tensors that a search finds among them is shown.
    page.click("#tensors [type=search]");
    page.press("exp");
    let found = page.text("#tensors output");
    assert!(found.ends_with(" unnamed parts"), "{found}");
}

/// For each refusal of shapes that fit: a program, and the rows of the tensors that take part.
const REFUSED: [(&str, &str, &str); 5] = [
    (
        "R1",
        "data x : 8|->3 = range(24)\nlet h = relu(x)\nlet y = h * x\n",
        "y ⋄ 8|⋄|⋄ 3; h ⋄ 8|⋄ 3|⋄ 3; x ⋄ 8|⋄|⋄ 3",
    ),
    (
        "R2",
        "data w : 3->4 = range(12)\nlet half = w * 2\n",
        "half ⋄|⋄|⋄ 4; w ⋄|⋄ 3|⋄ 4; 2 ⋄|⋄|⋄",
    ),
    (
        "R3",
        "data x : 9|->5 = range(45)\nparam w\nlet y = w * x\n",
        "w ⋄|⋄ 5|⋄; y ⋄ 9|⋄|⋄; x ⋄ 9|⋄|⋄ 5",
    ),
    (
        "R4",
        "data t : 2 <> = range(2)\ndata a : 2 = range(2)\nlet s = t + a\n",
        "s ⋄|⋄|2 ⋄ 2; t ⋄|⋄|2 ⋄; a ⋄|⋄|⋄ 2",
    ),
    (
        "R5",
        "data x : 8|->3 = range(24)\ndata t : 8|->4 = range(32)\nparam rate = 0.1\nparam w\nparam b\nlet e = w * x + b - t\nw =- rate *. w\nb =- rate *. b\n",
        "b ⋄|⋄ 3|⋄ 4; rate ⋄|⋄ 3|⋄ 4",
    ),
];

#[test]
fn the_rows_behind_a_refusal_of_shapes_that_fit_are_drawn() {
    let Some(page) = Page::of(REFUSED[0].1, 1, "") else {
        return;
    };
    for (code, program, rows) in REFUSED {
        page.turn_to(program, 1);
        let title = page.text("#messages .involved h3");
        assert!(title.starts_with(&format!("{code}: ")), "{title}");
        let drawn = "[...document.querySelectorAll('#messages .involved > div')].map((one) => one.querySelector('a').innerText + ' ' + [...one.querySelectorAll('.row')].map((row) => row.innerText.replace(/\\s+/g, ' ')).join('|')).join('; ')";
        assert_eq!(page.evaluate(drawn), rows, "{code}");
        // A program that fits has its shapes and loops on the page, too.
        assert!(page.text("#tensors").contains("loops of line"), "{code}");
    }
}

#[test]
fn a_refused_program_shows_the_message_and_what_cannot_hold_together() {
    let wrong = "data x : 8|->3 = range(24)\ndata w : 4->2 = range(8)\nlet y = w * x\n";
    let Some(page) = Page::of(wrong, 1, "") else {
        return;
    };
    let shown = page.text("#messages");
    assert!(shown.contains("`w` takes 4 inputs, `x` gives 3"), "{shown}");
    assert!(
        shown.contains("each input of `w` meets an output of `x`"),
        "{shown}"
    );
    assert!(
        page.text("#solving").contains("fails on"),
        "{}",
        page.text("#solving")
    );
    // The requirement is drawn: the inputs of `w`, and the outputs of `x`.
    let rows = "[...document.querySelectorAll('#messages .conflict .row')].map((row) => row.innerText.replace(/\\s+/g, ' ')).join('; ')";
    assert_eq!(page.evaluate(rows), "⋄ 4; ⋄ 3");
    assert_eq!(page.text("#messages .conflict .op"), "⊑");
}

#[test]
fn it_needs_no_network_and_fits_a_phone() {
    let Some(page) = Page::in_window(&Window::Phone, LAYER, 0, "") else {
        return;
    };
    let fetched = "performance.getEntriesByType('resource').length";
    assert_eq!(page.evaluate(fetched), 0);
    assert_eq!(page.evaluate("document.documentElement.clientWidth"), 360);
    let wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(
        page.evaluate(wider),
        0,
        "nothing stands beside a narrow window"
    );
}

#[test]
fn it_is_light_or_dark_as_is_wished() {
    let shade = |window: &Window| {
        let page = Page::in_window(window, LAYER, 0, "")?;
        let color = page.evaluate("getComputedStyle(document.body).backgroundColor");
        let parts = color.as_str()?.split(|c: char| !c.is_ascii_digit());
        let parts: Vec<u32> = parts.filter_map(|part| part.parse().ok()).collect();
        Some(parts.iter().take(3).sum::<u32>())
    };
    let (Some(light), Some(dark)) = (shade(&Window::Light), shade(&Window::Dark)) else {
        return;
    };
    assert!(light > 600 && dark < 200, "{light} {dark}");
}

/// The element that has the focus: its number among all elements of the page, or -1 for none; what it is; and the width
/// of the frame that the browser draws around it.
const FOCUSED: &str = "(() => {
  const one = document.activeElement, style = getComputedStyle(one);
  const number = one === document.body ? -1 : [...document.querySelectorAll('*')].indexOf(one);
  return [number, one.outerHTML.slice(0, 80), style.outlineStyle === 'none' ? 0 : parseFloat(style.outlineWidth)];
})()";

/// The numbers of the elements that a person can act on, in the order of the page.
const CONTROLS: &str = "(() => {
  const all = [...document.querySelectorAll('*')];
  const controls = 'a[href], button, input, select, summary, [tabindex]';
  const usable = [...document.querySelectorAll(controls)].filter((one) => one.checkVisibility() && !one.disabled);
  return usable.map((one) => all.indexOf(one));
})()";

#[test]
fn the_tab_key_reaches_every_control_in_the_order_of_the_page() {
    const WRONG: &str = "data x : 8|->3 = range(24)\ndata w : 4->2 = range(8)\nlet y = w * x\n";
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    for (program, status) in [(LAYER, 0), (WRONG, 1)] {
        page.turn_to(program, status);
        // A part that is pointed at has controls of its own, which appear when it has the focus; it stays the same.
        page.evaluate("(document.querySelector('.part').click(), 0)");
        let controls = page.evaluate(CONTROLS);
        let controls = controls.as_array().expect("a list").clone();
        assert!(controls.len() > 10, "{controls:?}");
        let mut reached = Vec::new();
        for _ in &controls {
            page.press(&Key::Tab.to_string());
            let focused = page.evaluate(FOCUSED);
            let frame = focused[2].as_f64().expect("a width");
            assert!(frame >= 1.0, "no frame around {}", focused[1]);
            reached.push(focused[0].clone());
        }
        assert_eq!(reached, controls);
    }
}

#[test]
fn markup_in_a_program_is_shown_as_text() {
    const MARKUP: &str = "</script><script>document.title = 'taken'</script><b id='taken'>&lt;";
    let accepted = format!("# {MARKUP}\n{LAYER}");
    let contradictory = format!("{LAYER}# {MARKUP}\nlet z = w * y # {MARKUP}\n");
    let Some(page) = Page::of(&accepted, 0, "") else {
        return;
    };
    for (program, status) in [(&accepted, 0), (&contradictory, 1)] {
        page.turn_to(program, status);
        assert!(page.text("main").contains(MARKUP), "{}", page.text("main"));
        assert_eq!(
            page.evaluate("document.querySelectorAll('#taken').length"),
            0
        );
        assert_ne!(page.evaluate("document.title"), "taken");
    }
}

#[test]
fn a_stack_of_hundreds_of_layers_can_be_looked_at() {
    let stack = "data x : 8|->16 = range(128)\nlet h = x\nfor layer in 0..150 carry h:\n  param w\n  let h = relu(w * h) + h\nlet y = sum(h)\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("stack.loz");
    std::fs::write(&file, stack).expect("the program is written");
    let file = file.to_str().expect("a path in Unicode");
    let command = ["view", file, "--max-tensors", "500", "--html"];
    let Some(page) = Page::written_by(&Window::Light, &command, "") else {
        return;
    };
    page.point_at(page.part("relu(w * h) + h"));
    let shown = page.text("#panel");
    assert!(shown.contains("for i in 0..8"), "{shown}");
    // The tensors and steps that are left out are named, with the flag that shows them.
    let text = page.text("main");
    assert!(text.contains("The first 500 tensors are shown: --max-tensors shows more"));
    page.click(".stepper [name=last]");
    assert!(page.text(".stepper output").starts_with("step 400 of 400"));
    assert!(
        page.text("#solving").contains("--max-steps"),
        "{}",
        page.text("#solving")
    );
    page.click("#tensors [type=search]");
    page.press("w.99 parameter");
    let found = page.text("#tensors output");
    assert!(found.starts_with("1 of"), "{found}");
}

/// `LOZENGE_WRITE=1` takes the picture of the README anew.
#[test]
fn the_picture_of_the_page_is_there() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let picture = std::path::Path::new(root).join("docs/pictures/page.png");
    if std::env::var_os("LOZENGE_WRITE").is_some() {
        let program = format!("{root}/examples/first/layer.loz");
        let command = ["view", &program, "--html"];
        let Some(page) = Page::written_by(&Window::Light, &command, "") else {
            return;
        };
        page.focus_on("w * words");
        std::fs::write(&picture, page.picture()).expect("written");
    }
    let picture = std::fs::read(picture).expect("it is there");
    assert!(picture.starts_with(b"\x89PNG"));
    // A picture of nothing has some 3000 bytes.
    assert!(picture.len() > 20_000, "{}", picture.len());
}

#[test]
fn words_and_axes_have_colours() {
    let Some(page) = Page::of(LAYER, 0, "") else {
        return;
    };
    let texts = |selector: &str| {
        let all = format!(
            "[...document.querySelectorAll({selector:?})].map((one) => one.textContent).join(' ')"
        );
        page.evaluate(&all).as_str().unwrap_or_default().to_string()
    };
    assert_eq!(texts(".source .keyword"), "data param let");
    assert_eq!(texts(".source .name"), "x w y");
    assert_eq!(texts(".source .function"), "range relu");
    page.focus_on("w * x");
    // The axes of the result have the colours of the loops over them; the contracted loop has a third one.
    assert_eq!(texts("#panel .row .axis0"), "8");
    assert_eq!(texts("#panel .row .axis1"), "16");
    let shown = page.text("#panel");
    assert_eq!(shown.matches("contracted").count(), 1, "{shown}");
    assert!(!shown.contains("# k is"), "{shown}");
    let coloured = |class: &str| {
        let color =
            format!("getComputedStyle(document.querySelector('#panel .nest .{class}')).color");
        page.evaluate(&color)
            .as_str()
            .unwrap_or_default()
            .to_string()
    };
    assert_ne!(coloured("axis0"), coloured("axis1"));
    assert_ne!(coloured("axis1"), coloured("axis2"));
}

#[test]
fn the_iterations_of_a_loop_have_one_card() {
    let program = "data x : 8|->3 = range(24)\nlet z = x\nfor i in 0..5 carry z:\n  let z = z + x\nlet y = z\n";
    let Some(page) = Page::of(program, 0, "") else {
        return;
    };
    page.focus_on("z + x");
    let cards = page.evaluate("document.querySelectorAll('#panel article').length");
    assert_eq!(cards, 1);
    let shown = page.text("#panel");
    assert!(shown.starts_with("z.0"), "{shown}");
    assert!(
        shown.contains("The same in the other iterations: z.1, z.2, z.3, z.4"),
        "{shown}"
    );
}

#[test]
fn a_message_keeps_its_lines_on_a_phone_and_written_shapes_are_drawn() {
    let wrong = "data measured : 8|->3 = range(24)\ndata weights : 4->2 = range(8)\nlet y = relu(weights * measured) + 1\n";
    let Some(page) = Page::in_window(&Window::Phone, wrong, 1, "") else {
        return;
    };
    let style = page.evaluate("getComputedStyle(document.querySelector('pre.message')).whiteSpace");
    assert_eq!(style, "pre");
    let scrolls = "(() => { const one = document.querySelector('pre.message'); return one.scrollWidth > one.clientWidth; })()";
    assert_eq!(page.evaluate(scrolls), true);
    let wider = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
    assert_eq!(page.evaluate(wider), 0);
    let drawn = "[...document.querySelectorAll('#t0 .row, #t1 .row')].map((row) => row.innerText.replace(/\\s+/g, ' ')).join('; ')";
    assert_eq!(page.evaluate(drawn), "⋄ 8; ⋄ 3; ⋄ 4; ⋄ 2");
    let red = page.evaluate("document.querySelectorAll('pre.message .bad').length");
    assert!(red.as_u64() >= Some(2), "{red}");
}
