//! Hovers, hints, and the shapes of an edited text.

use serde_json::Value;

use super::client::Client;

/// A program without mistakes.
const PROGRAM: &str = "data x : 8|->784 = range(6272)\ndata t : 8|->10 = range(80)\nparam w = 0.5\n\
                       let y = w * x\nlet e = y - t\n";

#[test]
fn a_hover_says_the_shape_and_why() {
    let mut client = Client::opened(PROGRAM);
    let said = client.hover(2, 6);
    assert!(said.contains("w : 784->10"), "{said}");
    assert!(
        said.contains("- input `784`: each input of `w` meets an output of `x` (line 4)"),
        "{said}"
    );
    assert!(said.contains("- output `10`: "), "{said}");
    assert!(
        client.hover(3, 10).contains("w * x : 8|->10"),
        "an expression"
    );
    assert!(client.hover(3, 12).contains("x : 8|->784"), "an operand");
    assert_eq!(client.hover(0, 1), "", "a keyword has no shape");
    assert_eq!(client.hover(400, 1), "");
    assert_eq!(
        client.hints(),
        ["2:7 : 784->10", "3:5 : 8|->10", "4:5 : 8|->10"]
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn functions_are_described_and_their_parts_have_the_shapes_of_their_calls() {
    let text = "data x : 8|->4 = range(32)\n# Twice.\ndef f(a): a *. 2\nlet y = f(x)\nlet z = f(softmax(y @| 0))\n";
    let mut client = Client::opened(text);
    assert!(client.hover(3, 8).contains("def f(a): a *. 2"));
    let softmax = client.hover(4, 12);
    assert!(softmax.contains("def softmax(x):"), "{softmax}");
    let said = client.hover(2, 10);
    assert!(
        said.contains("a : 8|->4") && said.contains("a : ->4"),
        "{said}"
    );
    assert_eq!(client.hints(), ["3:5 : 8|->4", "4:5 : ->4"]);
    assert_eq!(client.end(), 0);
}

#[test]
fn what_a_written_shape_leaves_open_is_shown_behind_it() {
    let text = "data x : n|->4 = range(32)\nparam w : ...->3 = 0.5\ndef f(k)(x):\n  param v : ...->k # wide\n  v * x\n\
                let y : ...|->3 = w * x\nlet z : 8|->2 = f(2)(y)\nlet u = f(2)(z)\n";
    let mut client = Client::opened(text);
    // The parameter of `f` has another shape in each instance.
    assert_eq!(
        client.hints(),
        [
            "0:14 is 8|->4",
            "1:16 is 4->3",
            "5:15 is 8|->3",
            "7:5 : 8|->2"
        ]
    );
    let once = text.replace("let u = f(2)(z)", "let u = z");
    client.change(2, None, &once);
    assert!(client.hints().contains(&"3:18 is 3->2".to_string()));
    assert_eq!(client.end(), 0);
}

#[test]
fn while_a_text_is_broken_the_last_shapes_stay_at_their_places() {
    let mut client = Client::opened(PROGRAM);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    client.change(2, Some([0, 0, 0, 0]), "let broken = (\n\n");
    assert_eq!(client.diagnostics(2).len(), 1);
    let said = client.hover(4, 6);
    assert!(
        said.contains("w : 784->10") && said.contains("before the last changes"),
        "{said}"
    );
    assert_eq!(client.hover(0, 5), "", "what is new has no shape yet");
    assert_eq!(client.hints()[0], "4:7 : 784->10");
    client.change(3, Some([0, 0, 1, 0]), "data u : 2 = range(2)\n");
    assert_eq!(client.diagnostics(3), Vec::<Value>::new());
    assert!(!client.hover(4, 6).contains("before the last changes"));
    assert_eq!(client.end(), 0);
}

/// A hover waits for the shapes of the current text, and shows no older ones.
#[test]
fn a_hover_right_after_an_edit_is_of_the_edited_text() {
    let mut text = String::from("data x : 8|->4 = range(32)\nlet y0 = x\n");
    for line in 1..400 {
        text += &format!("let y{line} = relu(y{}) + x\n", line - 1);
    }
    let mut client = Client::opened(&text);
    assert_eq!(client.diagnostics(1), Vec::<Value>::new());
    for (version, size) in [(2, "5"), (3, "6"), (4, "7")] {
        client.change(version, Some([0, 13, 0, 14]), size);
        let values = 8 * size.parse::<u32>().unwrap();
        let digits = [0, 23, 0, 25];
        client.change(version + 10, Some(digits), &values.to_string());
        let said = client.hover(400, 5);
        assert!(
            said.contains(&format!("y399 : 8|->{size}")) && !said.contains("before the last"),
            "{said}"
        );
    }
    assert_eq!(client.end(), 0);
}

/// Hints stand behind the names, in UTF-16 units, and are of the edited text without a wait for its messages.
#[test]
fn hints_right_after_an_edit_are_of_the_edited_text() {
    let text = "data é : 8|->4 = range(32)\r\nparam 𝛽𝛽 : ...->3\r\nlet 𝛾 = 𝛽𝛽 * é\r\n";
    let mut client = Client::opened(text);
    assert_eq!(client.hints(), ["1:19 is 4->3", "2:6 : 8|->3"]);
    client.change(2, Some([1, 18, 1, 19]), "5");
    assert_eq!(client.hints(), ["1:19 is 4->5", "2:6 : 8|->5"]);
    client.change(3, Some([2, 0, 2, 0]), "let 𝛿𝛿𝛿 = é\r\n");
    assert_eq!(client.hints()[1..], ["2:10 : 8|->4", "3:6 : 8|->5"]);
    assert_eq!(client.end(), 0);
}
