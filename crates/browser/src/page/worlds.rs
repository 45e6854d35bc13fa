//! Execution contexts: where in the page a script can run.

use serde_json::Value;
use std::collections::HashMap;

/// The name of our isolated world in every frame.
pub(crate) const WORLD_NAME: &str = "benchwright";
/// Most contexts followed; a page that makes more is not followed further.
const MAX_CONTEXTS: usize = 10_000;

/// Where to run: a session and a context in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) session: String,
    pub(crate) context: u64,
    /// Never reused by another process, unlike the number.
    pub(crate) unique: Option<String>,
    /// The engine's object in this world, once loaded.
    pub(crate) engine: Option<String>,
}

impl World {
    /// The parameters that name this world in a call of the Runtime domain.
    pub(crate) fn address(&self, params: &mut Value) {
        match &self.unique {
            Some(unique) => params["uniqueContextId"] = Value::from(unique.as_str()),
            None => params["executionContextId"] = Value::from(self.context),
        }
    }
}

#[derive(Default)]
pub(crate) struct Worlds {
    contexts: HashMap<(String, u64), ContextInfo>,
    /// Our own world per frame.
    isolated: HashMap<String, World>,
}

struct ContextInfo {
    unique: Option<String>,
    frame: Option<String>,
    is_default: bool,
    is_ours: bool,
}

impl Worlds {
    /// `Runtime.executionContextCreated`.
    pub(crate) fn created(&mut self, session: &str, params: &Value) {
        let context = &params["context"];
        let Some(id) = context["id"].as_u64() else { return };
        if self.contexts.len() >= MAX_CONTEXTS {
            return;
        }
        let info = ContextInfo {
            unique: context["uniqueId"].as_str().map(str::to_owned),
            frame: context["auxData"]["frameId"].as_str().map(str::to_owned),
            is_default: context["auxData"]["isDefault"].as_bool().unwrap_or(false),
            is_ours: context["name"].as_str() == Some(WORLD_NAME),
        };
        self.contexts.insert((session.to_owned(), id), info);
    }

    /// `Runtime.executionContextDestroyed`.
    pub(crate) fn destroyed(&mut self, session: &str, params: &Value) {
        let Some(id) = params["executionContextId"].as_u64() else { return };
        self.contexts.remove(&(session.to_owned(), id));
        self.isolated.retain(|_, world| world.session != session || world.context != id);
    }

    /// `Runtime.executionContextsCleared`, or the session is gone.
    pub(crate) fn cleared(&mut self, session: &str) {
        self.contexts.retain(|(owner, _), _| owner != session);
        self.isolated.retain(|_, world| world.session != session);
    }

    pub(crate) fn isolated(&self, frame: &str) -> Option<&World> {
        self.isolated.get(frame)
    }

    /// Remembers the world that was made for a frame.
    pub(crate) fn keep_isolated(&mut self, frame: &str, session: &str, context: u64) -> World {
        let unique = self.contexts.get(&(session.to_owned(), context)).and_then(|info| info.unique.clone());
        let world = World { session: session.to_owned(), context, unique, engine: None };
        self.isolated.insert(frame.to_owned(), world.clone());
        world
    }

    pub(crate) fn keep_engine(&mut self, frame: &str, world: &World, engine: &str) {
        if let Some(kept) = self.isolated.get_mut(frame)
            && kept.session == world.session
            && kept.context == world.context
        {
            kept.engine = Some(engine.to_owned());
        }
    }

    pub(crate) fn forget_isolated(&mut self, frame: &str) {
        self.isolated.remove(frame);
    }

    /// The world of the page's own scripts in a frame.
    pub(crate) fn own_world(&self, frame: &str, session: &str) -> Option<World> {
        let newest = self
            .contexts
            .iter()
            .filter(|((owner, _), info)| owner == session && info.is_default && info.frame.as_deref() == Some(frame))
            .max_by_key(|((_, id), _)| *id)?;
        Some(World { session: session.to_owned(), context: newest.0.1, unique: newest.1.unique.clone(), engine: None })
    }

    /// Whether a context is our isolated world, whose console lines are not the page's.
    pub(crate) fn is_ours(&self, session: &str, context: &Value) -> bool {
        let id = context.as_u64().unwrap_or_default();
        self.contexts.get(&(session.to_owned(), id)).is_some_and(|info| info.is_ours)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn created(worlds: &mut Worlds, id: u64, name: &str, is_default: bool) {
        worlds.created(
            "s",
            &json!({ "context": { "id": id, "uniqueId": format!("u{id}"), "name": name,
                     "auxData": { "frameId": "F", "isDefault": is_default } } }),
        );
    }

    #[test]
    fn a_destroyed_context_takes_its_world_along() {
        let mut worlds = Worlds::default();
        created(&mut worlds, 1, "", true);
        created(&mut worlds, 2, WORLD_NAME, false);
        let world = worlds.keep_isolated("F", "s", 2);
        assert_eq!(world.unique.as_deref(), Some("u2"));
        assert!(worlds.is_ours("s", &json!(2)) && !worlds.is_ours("s", &json!(1)));
        worlds.destroyed("s", &json!({ "executionContextId": 2 }));
        assert_eq!(worlds.isolated("F"), None);
        assert_eq!(worlds.own_world("F", "s").unwrap().context, 1);
        worlds.cleared("s");
        assert_eq!(worlds.own_world("F", "s"), None);
    }

    #[test]
    fn an_engine_is_kept_only_in_the_world_it_was_loaded_into() {
        let mut worlds = Worlds::default();
        let old = worlds.keep_isolated("F", "s", 2);
        worlds.keep_isolated("F", "s", 5);
        worlds.keep_engine("F", &old, "object");
        assert_eq!(worlds.isolated("F").unwrap().engine, None);
    }
}
