//! The cost of reading: of parsing alone, and of parsing with name resolution and elaboration. `cargo bench -p
//! lozenge-lang` measures it in bytes of text per second.

use divan::Bencher;
use divan::counter::BytesCount;

fn main() {
    divan::main();
}

/// Functions, loops, specs and expressions, over and over: about as many bytes as asked for.
fn text(bytes: usize) -> String {
    let mut text = String::from("size width = 16\ndata x : n:8|->4 = range(32)\n");
    let mut number = 0;
    while text.len() < bytes {
        number += 1;
        text += &format!(
            "# Layer {number}: a linear map, an activation, and what stands beside it.\n\
             def layer{number}(h, start = 0.5)(a):\n  \
               param w : ...->h = normal() / sqrt(fan_in(w))\n  \
               relu(w * a + start)\n\
             let y{number} = x *. 2 + sum(x * x, \"n|->c; n|->d => n|\") / (1 + {number})\n\
             let z{number} = where(y{number} > 1, y{number}, -x ** 2) - max(x, \"n|->c => n|\")\n"
        );
    }
    text
}

#[divan::bench(args = [100_000, 1_000_000, 10_000_000])]
fn the_form_of_a_text(bencher: Bencher, bytes: usize) {
    let text = text(bytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| assert!(lozenge_lang::errors_of_form(&text).is_empty()));
}

#[divan::bench(args = [100_000, 1_000_000])]
fn a_program_with_its_operations(bencher: Bencher, bytes: usize) {
    let text = text(bytes);
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| lozenge_lang::parse(&text).map(|program| program.steps.len()));
}
