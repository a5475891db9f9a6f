//! The tests of the Python package: one builds the wheel, the tests themselves are written in Python.

mod wheel;
