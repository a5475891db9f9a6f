//! The program `lozenge`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lozenge_cli::main(std::env::args_os()).into()
}
