//! The elements of tensors at given sizes: integers are computed exactly or not at all.
//!
//! Kernels compute in floating point, in 64 bits where a program has integers. There every integer up to 2^53 is exact,
//! and so is each sum, difference and product that stays below. A bound of the absolute values of each tensor of
//! integers shows that none goes beyond.

/// The largest integer up to which 64 bits of floating point have every one.
pub(super) const LARGEST: f64 = 9_007_199_254_740_992.0;

/// A sort of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Numbers that take the sort of those beside them.
    Any,
    /// Floating point, of 32 or 64 bits.
    Float,
    /// Integers of the named type.
    Integer(&'static str),
}

/// The elements of a tensor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Elements {
    pub(super) sort: Sort,
    /// A number that no absolute value exceeds. Only that of integers is kept.
    pub(super) bound: f64,
}

impl Elements {
    pub(super) const FLOAT: Elements = Elements {
        sort: Sort::Float,
        bound: 0.0,
    };

    /// Returns the elements of a number that is written without a type.
    pub(super) fn number(value: f64) -> Elements {
        Elements {
            sort: Sort::Any,
            bound: value.abs(),
        }
    }

    /// Returns the elements of data with a type; none for a name of any type.
    pub(super) fn of_type(name: &str, bound: f64) -> Elements {
        let sort = match name {
            "i32" => Sort::Integer("i32"),
            "i64" => Sort::Integer("i64"),
            "f32" | "f64" => Sort::Float,
            _ => Sort::Any,
        };
        Elements { sort, bound }
    }

    /// Returns the number that integers of these elements may exceed, if it is the largest one that can be computed
    /// with.
    pub(super) fn exceeded(&self) -> Option<&'static str> {
        let (largest, shown) = match self.sort {
            Sort::Integer("i32") => (f64::from(i32::MAX), "2^31 - 1, the largest `i32`"),
            Sort::Integer(_) => (LARGEST, "2^53, up to which they are computed exactly"),
            Sort::Any | Sort::Float => return None,
        };
        (self.bound.is_nan() || self.bound > largest).then_some(shown)
    }

    /// Returns the elements of an expression of operands, of which `count` are added up; none if integers have no such
    /// expression.
    pub(super) fn of(expression: &str, operands: &[Elements], count: f64) -> Option<Elements> {
        let sorts = operands.iter().map(|operand| operand.sort);
        let sort = sorts.fold(Sort::Any, |sort, other| match sort {
            Sort::Any => other,
            known => known,
        });
        let bounds = |place: usize| operands.get(place).map_or(0.0, |operand| operand.bound);
        let (one, other) = (bounds(0), bounds(1));
        let bound = match expression {
            "{0}" | "-{0}" | "relu({0})" => Some(one),
            "{0} + {1}" | "{0} - {1}" => Some(one + other),
            "{0} * {1}" => Some(one * other),
            "max({0}, {1})" | "min({0}, {1})" | "concat({0}, {1})" => Some(one.max(other)),
            _ => None,
        };
        match (sort, bound) {
            (Sort::Integer(_), None) => None,
            (Sort::Float, _) => Some(Elements::FLOAT),
            // A number without a type may be one of any function.
            (_, bound) => Some(Elements {
                sort,
                bound: bound.unwrap_or(f64::INFINITY) * count,
            }),
        }
    }
}
