//! The tests of this package in one program, since linking a program for each file would take longer than running them.

mod answers;
mod browser;
mod campaign;
mod claims;
mod cluster;
mod command_line;
mod complete;
mod fmt;
mod json;
mod kernels;
mod limits;
mod lost_device;
mod lsp;
mod messages;
mod models_of_others;
mod pins;
mod precision;
mod programs;
mod schemas;
mod sets;
mod terminal;
mod train;
mod validated;
mod verify;
mod windows;
mod written_files;
