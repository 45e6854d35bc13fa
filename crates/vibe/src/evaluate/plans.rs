//! Recorded walks, by bundle, workflow and number of the repeat, for whoever walks the same again.

use crate::task::Workflow;
use crate::walk::replay::{Plan, workflow_hash};
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::PathBuf;

const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A folder of plans, as far as they are of one repeat. What one repeat recorded would make the next one no evaluation of its own.
#[derive(Debug, Clone)]
pub struct Plans {
    folder: PathBuf,
    repeat: u32,
}

impl Plans {
    /// The plans of a repeat (from 0 on) in a folder, which need not exist yet.
    pub fn at(folder: PathBuf, repeat: u32) -> Self {
        Self { folder, repeat }
    }

    /// The plan for a bundle and a workflow, if it is there and whole. Anything else is as good as none.
    pub fn find(&self, bundle: &str, workflow: &Workflow) -> Option<Plan> {
        let mut bytes = Vec::new();
        File::open(self.path(bundle, workflow)).ok()?.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        let plan: Plan = serde_json::from_slice(&bytes).ok()?;
        plan.is_for(bundle, workflow).then_some(plan)
    }

    /// Keeps a plan: whole or not at all.
    pub fn keep(&self, plan: &Plan, workflow: &Workflow) -> io::Result<()> {
        let path = self.path(&plan.bundle, workflow);
        fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
        let part = path.with_extension(format!("part-{}", std::process::id()));
        fs::write(&part, serde_json::to_vec(plan)?)?;
        fs::rename(&part, path)
    }

    fn path(&self, bundle: &str, workflow: &Workflow) -> PathBuf {
        // A bundle's hash is ours; whatever else somebody calls a bundle must not lead out of the folder.
        let bundle: String = bundle.chars().filter(char::is_ascii_alphanumeric).take(100).collect();
        let repeat = if self.repeat == 0 { String::new() } else { format!("-{}", self.repeat) };
        self.folder.join(bundle).join(format!("{}{repeat}.json", workflow_hash(workflow)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Kind;
    use crate::walk::replay::PLAN_FORMAT;
    use std::collections::BTreeMap;

    fn workflow(id: &str) -> Workflow {
        Workflow {
            id: id.to_owned(),
            title: String::new(),
            purpose: String::new(),
            kind: Kind::Core,
            variables: BTreeMap::new(),
            substeps: Vec::new(),
        }
    }

    fn plan(workflow: &Workflow) -> Plan {
        let (bundle, workflow) = ("ab12".to_owned(), workflow_hash(workflow));
        Plan { format: PLAN_FORMAT, bundle, workflow, substeps: Vec::new() }
    }

    #[test]
    fn a_repeat_does_not_play_what_another_one_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let of = |repeat| Plans::at(folder.path().to_owned(), repeat);
        let one = workflow("one");
        let recorded = plan(&one);
        of(0).keep(&recorded, &one).unwrap();
        let first = folder.path().join("ab12").join(format!("{}.json", workflow_hash(&one)));
        assert!(first.is_file(), "where plans always were");
        assert_eq!((of(0).find("ab12", &one), of(1).find("ab12", &one)), (Some(recorded.clone()), None));
        of(1).keep(&recorded, &one).unwrap();
        fs::remove_file(first).unwrap();
        let found = [0, 1, 2].map(|repeat| of(repeat).find("ab12", &one).is_some());
        assert_eq!(found, [false, true, false]);
    }

    #[test]
    fn a_plan_is_found_for_its_own_bundle_and_workflow_alone() {
        let folder = tempfile::tempdir().unwrap();
        let plans = Plans::at(folder.path().join("not/yet"), 0);
        let (one, other) = (workflow("one"), workflow("other"));
        assert_eq!(plans.find("ab12", &one), None);
        let plan = plan(&one);
        plans.keep(&plan, &one).unwrap();
        assert_eq!(plans.find("ab12", &one), Some(plan));
        assert_eq!((plans.find("ab13", &one), plans.find("ab12", &other)), (None, None));
        fs::write(plans.path("ab12", &one), "{").unwrap();
        assert_eq!(plans.find("ab12", &one), None);
        assert!(plans.path("../../etc", &one).starts_with(folder.path()));
    }
}
