//! The text of a kernel, with the numbers and arguments with which it is launched.

use super::expression::vector_type;
use crate::opencl::plan::job::Argument;
use crate::precision::Precision;

/// A kernel without its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its parameters in their order: those of its arguments, then the symbols.
    pub parameters: Vec<String>,
    /// Its body.
    pub text: String,
    /// The number of values of local memory, which the text calls `local_values`; 0 if the kernel has none.
    pub local: u64,
    /// The precision of these values.
    pub precision: Precision,
    /// The number of work-items to start: those of its schedule, and perhaps some that return at once.
    pub work_items: u64,
    /// The number of work-items in a group; `None` if the device may choose.
    pub group: Option<u64>,
    /// The arguments for its buffers.
    pub arguments: Vec<Argument>,
    /// The functions that its text calls, `stage_0` and so on.
    pub stages: Vec<Stage>,
}

/// A kernel that is a function of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stage {
    parameters: Vec<String>,
    text: String,
}

impl Stage {
    /// Makes a kernel a function of its parameters and of the local memory that it uses.
    #[cfg(feature = "opencl")]
    pub(crate) fn new(kernel: Kernel) -> Stage {
        let mut parameters = kernel.parameters;
        if kernel.local > 0 {
            let float = vector_type(kernel.precision, 1);
            parameters.push(format!("__local {float} *local_values"));
        }
        Stage {
            parameters,
            text: kernel.text,
        }
    }
}

impl Kernel {
    /// Returns the key under which the kernel is compiled. Two kernels may have the same text and different groups,
    /// because the text does not contain the extent of the outermost loop.
    pub fn key(&self) -> (String, Option<u64>) {
        (self.definition("kernel0"), self.group)
    }

    /// Writes the kernel as a definition with a name.
    pub fn definition(&self, name: &str) -> String {
        self.define(name, &self.parameters, "")
    }

    /// Writes the same with a further parameter after each buffer: the place where the tensor begins in it.
    #[cfg(feature = "opencl")]
    pub(super) fn placed_definition(&self, name: &str) -> String {
        let mut parameters = Vec::new();
        let mut pointers = String::new();
        for (number, parameter) in self.parameters.iter().enumerate() {
            match parameter
                .rsplit_once('*')
                .filter(|_| number < self.arguments.len())
            {
                Some((kind, _)) => {
                    parameters.push(format!("{kind}*buffer{number}"));
                    parameters.push(format!("const ulong begin{number}"));
                    pointers += &format!("    {parameter} = buffer{number} + begin{number};\n");
                }
                None => parameters.push(parameter.clone()),
            }
        }
        self.define(name, &parameters, &pointers)
    }

    fn define(&self, name: &str, parameters: &[String], pointers: &str) -> String {
        let group = match self.group {
            Some(group) => format!("__attribute__((reqd_work_group_size({group}, 1, 1))) "),
            None => String::new(),
        };
        let local = match self.local {
            0 => String::new(),
            values => {
                let float = vector_type(self.precision, 1);
                format!("    __local {float} local_values[{values}];\n")
            }
        };
        let stages = self.stages.iter().enumerate().map(|(number, stage)| {
            let parameters = stage.parameters.join(", ");
            let text = &stage.text;
            format!("inline void {name}_stage_{number}({parameters}) {{\n{text}}}\n")
        });
        let stages: String = stages.collect();
        let text = match self.stages.is_empty() {
            true => self.text.clone(),
            false => self.text.replace("stage_", &format!("{name}_stage_")),
        };
        let parameters = parameters.join(", ");
        format!("{stages}__kernel {group}void {name}({parameters}) {{\n{local}{pointers}{text}}}\n")
    }
}
