//! Tests of the notation of programs.

mod grad;
