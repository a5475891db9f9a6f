//! The processor time from the text of a program of n residual layers to its loop nests, and the memory that it holds:
//! `cargo run --release -p lozenge --example layers -- 100 1000 10000`. A program of one layer comes before: what the
//! process holds then (pages of the command, the prelude) is no operation's. With `transformer` before the numbers the
//! program is a stack of n transformer blocks, written as a loop.

use std::fmt::Write;
use std::process::ExitCode;
use std::time::Duration;

/// Writes n layers, each with a parameter, a composition, an activation and a sum.
fn residual(layers: usize) -> String {
    let mut text = String::from("data x : 8|->16 = range(128)\nlet a0 = x + 1\n");
    for layer in 0..layers {
        let next = layer + 1;
        let _ = writeln!(
            text,
            "param w{layer}\nlet a{next} = relu(w{layer} * a{layer}) + a{layer}"
        );
    }
    text
}

/// Returns a loop of n transformer blocks: attention with its mask, layer norms and a perceptron.
fn transformer(layers: usize) -> String {
    format!(
        "data x : 2, 6|->16 = range(192)\n\
         data wanted : 2, 6|->16 = range(192)\n\
         def block(heads, d, hidden)(x):\n  \
           let y = x + attention(heads, d)(layer_norm()(x / 200), causal(6))\n  \
           y + linear()(gelu(dense(hidden)(layer_norm()(y))))\n\
         let y = x\n\
         for i in 0..{layers} carry y:\n  \
           let y = block(4, 4, 64)(y)\n\
         let loss = mse(y, wanted)\n"
    )
}

/// Returns the resident memory of this process in bytes; 0 if the system does not report it.
fn resident() -> u64 {
    of_status("VmRSS:")
}

/// Returns an entry of the system's status of this process, in bytes.
fn of_status(key: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(key));
    let words = line.and_then(|line| line.split_whitespace().nth(1));
    1024 * words
        .and_then(|word| word.parse::<u64>().ok())
        .unwrap_or_default()
}

/// Returns the largest resident memory so far, in bytes; 0 if the system does not report it.
fn peak() -> u64 {
    of_status("VmHWM:")
}

/// Returns the processor time of this process so far; zero if the system does not report it. Other work on the machine
/// does not count.
fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let first = text.split_whitespace().next();
    Duration::from_nanos(first.and_then(|ns| ns.parse().ok()).unwrap_or_default())
}

fn main() -> ExitCode {
    println!(
        "layers  operations  read ms  infer ms  total ms  bytes an operation  of the program  at most"
    );
    if let Ok(first) = lozenge::parse(&residual(1)) {
        let _ = lozenge::infer(&first, &lozenge::Options::default());
    }
    let mut words = std::env::args().skip(1).peekable();
    let of_blocks = words.next_if_eq("transformer").is_some();
    for word in words {
        let Ok(layers) = word.parse::<usize>() else {
            eprintln!("error: {word} is no number of layers");
            return ExitCode::from(2);
        };
        let text = match of_blocks {
            true => transformer(layers),
            false => residual(layers),
        };
        let before = resident();
        let start = processor();
        let elapsed = || (processor() - start).as_secs_f64() * 1e3;
        let program = match lozenge::parse(&text) {
            Ok(program) => program,
            Err(errors) => {
                eprintln!("error: {}", errors[0]);
                return ExitCode::from(2);
            }
        };
        let read = elapsed();
        let program_bytes = resident().saturating_sub(before);
        match lozenge::infer(&program, &lozenge::Options::default()) {
            Ok(inference) => {
                let total = elapsed();
                let operations = inference.nests.len();
                let bytes = resident().saturating_sub(before) / operations as u64;
                let program_bytes = program_bytes / operations as u64;
                let most = peak().saturating_sub(before) / operations as u64;
                let infer = total - read;
                println!(
                    "{layers:>6}  {operations:>10}  {read:>7.1}  {infer:>8.1}  {total:>8.1}  {bytes:>18}  {program_bytes:>14}  {most:>7}"
                );
            }
            Err(refusal) => {
                eprintln!("error: {refusal}");
                return ExitCode::from(1);
            }
        }
    }
    ExitCode::SUCCESS
}
