//! What models wrote lately, so that a run which is unlike all others of its model is noticed. It lives in memory and is filled again from
//! what was shared.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// Outputs remembered for each question.
const LAYERS: usize = 3;
/// Questions remembered for each model, and models.
const MOST_QUESTIONS: usize = 120;
const MOST_MODELS: usize = 64;
/// Questions that are compared: enough to tell, and quick.
const COMPARED: usize = 10;

/// Question and output.
pub type Written = (String, Arc<str>);

#[derive(Default)]
struct Known {
    outputs: HashMap<String, VecDeque<Arc<str>>>,
    used: u64,
}

/// The latest outputs by model and engine.
#[derive(Default)]
pub struct Memory {
    inside: Mutex<Inside>,
}

#[derive(Default)]
struct Inside {
    models: HashMap<String, Known>,
    turn: u64,
}

impl Memory {
    /// Earlier outputs for some of these questions, as if they were whole runs; nothing where the model is not remembered. Which questions
    /// are taken depends on `turn`, so that nobody can prepare for them.
    pub fn recall(&self, model: &str, questions: &[String], turn: usize) -> Option<Vec<Vec<Written>>> {
        // A thread that panicked inside has left nothing half done.
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        inside.turn += 1;
        let now = inside.turn;
        let known = inside.models.get_mut(model)?;
        known.used = now;
        let mut layers = vec![Vec::new(); LAYERS];
        let begin = if questions.is_empty() { 0 } else { turn % questions.len() };
        let asked = questions[begin..].iter().chain(&questions[..begin]);
        for (question, outputs) in asked.filter_map(|id| Some((id, known.outputs.get(id)?))).take(COMPARED) {
            for (layer, output) in layers.iter_mut().zip(outputs) {
                layer.push((question.clone(), Arc::clone(output)));
            }
        }
        layers.retain(|layer| !layer.is_empty());
        Some(layers)
    }

    /// Remembers a run. Of a model with many questions, some are remembered.
    pub fn remember(&self, model: &str, run: &[Written]) {
        let mut inside = self.inside.lock().unwrap_or_else(PoisonError::into_inner);
        inside.turn += 1;
        let now = inside.turn;
        if inside.models.len() >= MOST_MODELS && !inside.models.contains_key(model) {
            let oldest = inside.models.iter().min_by_key(|(_, known)| known.used).map(|(name, _)| name.clone());
            oldest.map(|name| inside.models.remove(&name));
        }
        let known = inside.models.entry(model.to_owned()).or_default();
        known.used = now;
        for (question, output) in run {
            if known.outputs.len() >= MOST_QUESTIONS && !known.outputs.contains_key(question) {
                continue;
            }
            let outputs = known.outputs.entry(question.clone()).or_default();
            outputs.push_front(Arc::clone(output));
            outputs.truncate(LAYERS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, questions: usize) -> Vec<Written> {
        (0..questions).map(|number| (format!("q{number}"), Arc::from(text))).collect()
    }

    #[test]
    fn the_latest_runs_are_recalled_question_by_question() {
        let memory = Memory::default();
        let asked: Vec<String> = (0..30).map(|number| format!("q{number}")).collect();
        assert!(memory.recall("m", &asked, 0).is_none());
        for text in ["one", "two", "three", "four"] {
            memory.remember("m", &run(text, 20));
        }
        let layers = memory.recall("m", &asked, 3).unwrap();
        assert_eq!((layers.len(), layers[0].len()), (LAYERS, COMPARED));
        assert_eq!((&*layers[0][0].1, &*layers[2][0].1, layers[0][0].0.as_str()), ("four", "two", "q3"));
        assert_eq!(memory.recall("m", &["other".to_owned()], 0).unwrap().len(), 0);
        assert_eq!(memory.recall("m", &[], 5).unwrap().len(), 0);
    }

    #[test]
    fn memory_is_bounded_and_the_least_used_model_is_forgotten() {
        let memory = Memory::default();
        memory.remember("large", &run("x", 500));
        for number in 0..MOST_MODELS {
            memory.remember(&format!("m{number}"), &run("x", 1));
        }
        let inside = memory.inside.lock().unwrap();
        assert_eq!(inside.models.len(), MOST_MODELS);
        assert!(!inside.models.contains_key("large"));
        assert!(inside.models.values().all(|known| known.outputs.len() <= MOST_QUESTIONS));
    }
}
