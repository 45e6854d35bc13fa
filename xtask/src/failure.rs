//! Why a command ended early, and with which exit code.

/// A failed command: 1 a check failed, 2 bad usage, 3 the environment; a program's own code passes through.
#[derive(Debug)]
pub struct Failure {
    pub code: u8,
    pub message: String,
}

pub type Done = Result<(), Failure>;

impl Failure {
    pub fn check(message: impl Into<String>) -> Self {
        Self { code: 1, message: message.into() }
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, message: message.into() }
    }

    pub fn environment(message: impl Into<String>) -> Self {
        Self { code: 3, message: message.into() }
    }

    /// The code of a program that has already said what is wrong.
    pub fn passed_through(code: i32) -> Self {
        Self { code: u8::try_from(code).unwrap_or(1), message: String::new() }
    }
}

/// Turns a failed file operation into a failure that names the file.
pub trait Naming<T> {
    fn naming(self, what: &str) -> Result<T, Failure>;
}

impl<T, E: std::fmt::Display> Naming<T> for Result<T, E> {
    fn naming(self, what: &str) -> Result<T, Failure> {
        self.map_err(|error| Failure::environment(format!("failed to {what}: {error}")))
    }
}
