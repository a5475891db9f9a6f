//! Files that a program uses.
