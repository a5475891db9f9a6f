//! Declarations of the OpenCL functions that a kernel calls, so that PoCL need not parse its header of 900 kB.
//!
//! PoCL has clang read the declarations of all functions of OpenCL C before each text, 900 kB of them. With PoCL 3.1 a
//! text of one small kernel takes 0.3 to 0.4 s of processor time with them and 0.07 to 0.09 s without. The header is
//! left out where the macro that guards it is defined; a text then has to declare what it calls.

use std::fmt::Write;

use crate::opencl::emit::expression::vector_type;
use crate::precision::Precision;

/// The option that leaves the header out.
pub(super) const WITHOUT_HEADER: &str = " -D_OPENCL_H_";

/// Types, constants and the functions that say where a work-item is. Without the header clang knows none of them.
const COMMON: &str = "\
#define DECLARED __attribute__((overloadable))
#define PURE __attribute__((overloadable, pure))
#define CONST __attribute__((overloadable, const))
typedef unsigned int uint;
typedef unsigned long ulong;
typedef __SIZE_TYPE__ size_t;
#define INFINITY (__builtin_inff())
#define NAN __builtin_astype(0x7fffffff, float)
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
size_t CONST get_global_id(uint);
size_t CONST get_local_id(uint);
size_t CONST get_group_id(uint);
void __attribute__((overloadable, convergent)) barrier(uint);
";

/// The types of the whole numbers whose smaller and larger ones are taken, for the ends of loops.
const WHOLE: [&str; 4] = ["int", "uint", "long", "ulong"];

/// The functions of one number that kernels call.
const OF_ONE: [&str; 12] = [
    "cos", "erf", "exp", "expm1", "fabs", "floor", "log", "log1p", "rint", "sin", "sqrt", "tanh",
];

/// The functions of two numbers that kernels call.
const OF_TWO: [&str; 2] = ["fmod", "pow"];

/// Returns the declarations of the functions that a text may call, to stand before it.
pub(super) fn declarations(text: &str) -> String {
    let mut out = String::new();
    let precisions: &[Precision] = match text.contains("double") {
        true => {
            out += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
            &Precision::ALL
        }
        false => &[Precision::F32],
    };
    out += COMMON;
    for (name, whole) in ["min", "max"]
        .into_iter()
        .flat_map(|name| WHOLE.map(|whole| (name, whole)))
    {
        let _ = writeln!(out, "{whole} CONST {name}({whole}, {whole});");
    }
    for precision in precisions {
        for lanes in [1, 2, 4, 8, 16] {
            out += &of_type(*precision, lanes);
        }
    }
    if precisions.len() > 1 {
        out += &conversions();
    }
    out
}

/// Declares the functions that change the precision of vectors, for sums in another precision than that of the tensors.
/// Numbers are cast.
fn conversions() -> String {
    let mut out = String::new();
    for lanes in [2, 4, 8, 16] {
        let [single, double] = Precision::ALL.map(|precision| vector_type(precision, lanes));
        for (from, to) in [(&single, &double), (&double, &single)] {
            let _ = writeln!(out, "{to} CONST convert_{to}({from});");
        }
    }
    out
}

/// Declares the functions of numbers or vectors of a precision.
fn of_type(precision: Precision, lanes: u64) -> String {
    let mut out = String::new();
    let [one, vector] = [1, lanes].map(|lanes| vector_type(precision, lanes));
    // Comparisons give integers as wide as what they compare, but those of two numbers an `int`.
    let whole = match precision {
        Precision::F32 => "int",
        Precision::F64 => "long",
    };
    let (test, mask) = match lanes {
        1 => ("int".to_string(), whole.to_string()),
        _ => [format!("{whole}{lanes}"), format!("{whole}{lanes}")].into(),
    };
    if lanes > 1 {
        for (one, vector) in [(one.as_str(), &vector), (whole, &mask)] {
            let _ = writeln!(
                out,
                "typedef {one} {vector} __attribute__((ext_vector_type({lanes})));"
            );
        }
        for space in ["__global", "__local", "__private"] {
            let _ = writeln!(
                out,
                "{vector} PURE vload{lanes}(size_t, const {space} {one} *);"
            );
            let _ = writeln!(
                out,
                "void DECLARED vstore{lanes}({vector}, size_t, {space} {one} *);"
            );
        }
    }
    for name in OF_ONE {
        let _ = writeln!(out, "{vector} CONST {name}({vector});");
    }
    for name in OF_TWO {
        let _ = writeln!(out, "{vector} CONST {name}({vector}, {vector});");
    }
    let _ = writeln!(out, "{vector} CONST fma({vector}, {vector}, {vector});");
    let _ = writeln!(out, "{vector} CONST select({vector}, {vector}, {mask});");
    let _ = writeln!(out, "{test} CONST isequal({vector}, {vector});");
    out
}
