//! One reading of the source, shared by everything that is told from its text.

use super::StepError;
use super::tree::Tree;
use crate::evidence::Absence;
use crate::prompt::{VerbatimConstraint, VerbatimType};
use benchwright_source::{Constraint, ConstraintKind, Limits, Survey, survey};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// How long reading may take. Readers stop earlier, so that only a file that no parser gets through is waited for in vain.
const LIMIT: Duration = Duration::from_mins(3);

/// The source, read at most once and only if somebody asks.
pub struct Reading {
    /// What is read.
    pub tree: Tree,
    /// What the prompt wants to find.
    pub constraints: Vec<VerbatimConstraint>,
    survey: OnceCell<Result<Arc<Survey>, String>>,
}

impl Reading {
    /// Not read yet.
    pub fn new(tree: &Tree, constraints: Vec<VerbatimConstraint>) -> Self {
        Self { tree: tree.clone(), constraints, survey: OnceCell::new() }
    }

    /// What the reading told. A tree without a file that could be read says nothing, which is not the same as nothing wrong.
    pub async fn survey(&self) -> Result<Arc<Survey>, StepError> {
        let read = self.survey.get_or_init(|| self.read()).await.clone().map_err(StepError::Page)?;
        if read.files == 0 {
            let reason = "the source holds no text file of its own to look at".to_owned();
            return Err(StepError::Absent(Absence::NoInput { reason }));
        }
        Ok(read)
    }

    async fn read(&self) -> Result<Arc<Survey>, String> {
        let root = self.tree.root.clone();
        let wanted: Vec<_> = self.constraints.iter().map(constraint).collect();
        let reading = tokio::task::spawn_blocking(move || survey(&root, &wanted, &Limits::default()));
        match timeout(LIMIT, reading).await {
            Ok(Ok(Ok(survey))) => Ok(Arc::new(survey)),
            Ok(Ok(Err(error))) => Err(format!("failed to {error}")),
            Ok(Err(error)) => Err(format!("failed to read the source folder: {error}")),
            Err(_) => Err(format!(
                "the source was not read within {} s; no parser gets through one of its files",
                LIMIT.as_secs()
            )),
        }
    }
}

fn constraint(asked: &VerbatimConstraint) -> Constraint {
    let kind = match asked.kind {
        VerbatimType::ExactCopy => ConstraintKind::ExactCopy,
        VerbatimType::HexValue => ConstraintKind::HexValue,
        VerbatimType::Structural => ConstraintKind::Structural,
    };
    Constraint { kind, value: asked.value.clone() }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A reading of files in a temporary folder.
    pub(crate) fn reading(
        files: &[(&str, &str)],
        constraints: Vec<VerbatimConstraint>,
    ) -> (tempfile::TempDir, Reading) {
        let folder = super::super::tree::tests::tree(files);
        let tree = Tree { root: folder.path().to_owned(), name: "app".to_owned(), left_out: Vec::new() };
        (folder, Reading::new(&tree, constraints))
    }

    #[tokio::test]
    async fn peer_defect_a_source_without_files_is_no_input_and_not_perfect() {
        let (_folder, reading) = reading(&[("node_modules/a.js", "1"), ("logo.png", "x")], Vec::new());
        assert!(matches!(reading.survey().await, Err(StepError::Absent(Absence::NoInput { .. }))));
    }
}
