//! Running a function in a frame, within a limit.

use super::console::exception_text;
use super::worlds::{WORLD_NAME, World};
use crate::error::BrowserError;
use crate::frame::Frame;
use crate::records::cut;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::Instant;

/// An argument of a function in the page.
#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Value(Value),
    /// A handle to something in the same world.
    Object(String),
}

impl Argument {
    fn to_json(&self) -> Value {
        match self {
            Self::Value(value) => json!({ "value": value }),
            Self::Object(id) => json!({ "objectId": id }),
        }
    }
}

/// What a function gave back.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Returned {
    Value(Value),
    Object(String),
}

impl Returned {
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Value(value) => value,
            Self::Object(_) => Value::Null,
        }
    }
}

/// A limit that several calls share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    limit: Duration,
    end: Instant,
}

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self { limit, end: Instant::now() + limit }
    }

    pub(crate) fn limit(self) -> Duration {
        self.limit
    }

    pub(crate) fn left(self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    pub(crate) fn is_over(self) -> bool {
        self.left().is_zero()
    }
}

/// One call of a function in a world.
pub(crate) struct Invocation<'a> {
    pub(crate) function: &'a str,
    /// The `this` of the function, if it is an object of the world.
    pub(crate) this: Option<&'a str>,
    pub(crate) arguments: &'a [Argument],
    pub(crate) by_value: bool,
}

impl Frame {
    /// Our isolated world in this frame, made when first needed in each document.
    pub(crate) async fn isolated_world(&self, deadline: Deadline) -> Result<World, BrowserError> {
        let known = self.page().state().inner().worlds.isolated(self.id()).cloned();
        if let Some(world) = known {
            return Ok(world);
        }
        let session = self.session().ok_or(BrowserError::Navigated)?;
        let params = json!({ "frameId": self.id(), "worldName": WORLD_NAME, "grantUniveralAccess": true });
        let answer = self.page().call_session(&session, "Page.createIsolatedWorld", params, deadline.left()).await?;
        let context = answer["executionContextId"].as_u64();
        let context = context.ok_or_else(|| BrowserError::bad_answer("Page.createIsolatedWorld", "no context"))?;
        Ok(self.page().state().inner().worlds.keep_isolated(self.id(), &session, context))
    }

    /// The world of the page's own scripts, waited for while a new document is being set up.
    pub(crate) async fn own_world(&self, deadline: Deadline) -> Result<World, BrowserError> {
        let mut changes = self.page().state().changes();
        loop {
            let session = self.session().ok_or(BrowserError::Navigated)?;
            let world = self.page().state().inner().worlds.own_world(self.id(), &session);
            if let Some(world) = world {
                return Ok(world);
            }
            if let Some(fault) = self.page().fault() {
                return Err(fault);
            }
            if tokio::time::timeout(deadline.left(), changes.changed()).await.is_err() {
                return Err(BrowserError::timed_out("waiting for the page's scripts", deadline.limit()));
            }
        }
    }

    /// Calls a function of one argument by value, in our world or the page's own.
    pub(crate) async fn run(
        &self,
        function: &str,
        argument: &Value,
        in_page: bool,
        limit: Duration,
    ) -> Result<Value, BrowserError> {
        let deadline = Deadline::after(limit);
        let arguments = [Argument::Value(argument.clone())];
        loop {
            let world = if in_page { self.own_world(deadline).await } else { self.isolated_world(deadline).await };
            let outcome = match world {
                Ok(world) => {
                    let call = Invocation { function, this: None, arguments: &arguments, by_value: true };
                    self.invoke(&world, call, deadline).await
                }
                Err(error) => Err(error),
            };
            match outcome {
                Err(error) if error.is_lost_context() => {
                    self.page().state().inner().worlds.forget_isolated(self.id());
                    let repeatable = error.never_started() && !deadline.is_over() && self.session().is_some();
                    if !repeatable {
                        return Err(BrowserError::Navigated);
                    }
                    tokio::time::sleep(Duration::from_millis(5)).await;
                }
                other => return other.map(Returned::value).map_err(|error| named(error, limit)),
            }
        }
    }

    /// See [`Page::run_script`](crate::Page::run_script).
    pub(crate) async fn run_script(&self, script: &str, limit: Duration) -> Result<(), BrowserError> {
        let deadline = Deadline::after(limit);
        let world = self.own_world(deadline).await?;
        let mut params = json!({ "expression": as_expression(script), "awaitPromise": true });
        match &world.unique {
            Some(unique) => params["uniqueContextId"] = Value::from(unique.as_str()),
            None => params["contextId"] = Value::from(world.context),
        }
        let answer = self.page().call_session(&world.session, "Runtime.evaluate", params, deadline.left()).await;
        let answer = match answer {
            // A script may well send the page elsewhere.
            Err(error) if error.is_lost_context() => return Ok(()),
            other => other.map_err(|error| named(error, limit))?,
        };
        let is_function = answer["result"]["type"] == "function";
        let Returned::Object(object) = returned(&answer)? else { return Ok(()) };
        let outcome = if is_function {
            let function = "function () { return Promise.resolve(this()).then(() => null); }";
            let call = Invocation { function, this: Some(&object), arguments: &[], by_value: true };
            self.invoke(&world, call, deadline).await.map(drop)
        } else {
            Ok(())
        };
        self.release(&world, &object);
        match outcome {
            Err(error) if error.is_lost_context() => Ok(()),
            other => other.map_err(|error| named(error, limit)),
        }
    }

    pub(crate) async fn invoke(
        &self,
        world: &World,
        call: Invocation<'_>,
        deadline: Deadline,
    ) -> Result<Returned, BrowserError> {
        let arguments: Vec<Value> = call.arguments.iter().map(Argument::to_json).collect();
        let mut params = json!({
            "functionDeclaration": call.function,
            "arguments": arguments,
            "returnByValue": call.by_value,
            "awaitPromise": true,
        });
        match call.this {
            Some(this) => params["objectId"] = Value::from(this),
            None => world.address(&mut params),
        }
        let answer =
            self.page().call_session(&world.session, "Runtime.callFunctionOn", params, deadline.left()).await?;
        returned(&answer)
    }

    /// Lets go of a handle, so that the page can be freed of what it holds.
    pub(crate) fn release(&self, world: &World, object: &str) {
        self.page().connection().tell(Some(&world.session), "Runtime.releaseObject", json!({ "objectId": object }));
    }
}

/// A function written as a declaration has no value; in brackets it has.
fn as_expression(script: &str) -> String {
    let script = script.trim().trim_end_matches(';');
    let head = script.strip_prefix("async").map_or(script, str::trim_start);
    if head.strip_prefix("function").is_some_and(|rest| rest.starts_with([' ', '(', '*', '\n', '\t'])) {
        return format!("({script})");
    }
    script.to_owned()
}

/// Says "a script" instead of the protocol's method in a time-out.
fn named(error: BrowserError, limit: Duration) -> BrowserError {
    match error {
        BrowserError::TimedOut { .. } => BrowserError::timed_out("a script in the page", limit),
        other => other,
    }
}

/// Reads the answer of a call of the Runtime domain.
pub(crate) fn returned(answer: &Value) -> Result<Returned, BrowserError> {
    if let Some(details) = answer.get("exceptionDetails") {
        return Err(BrowserError::Script { message: cut(&exception_text(details)) });
    }
    let result = &answer["result"];
    if let Some(object) = result["objectId"].as_str() {
        return Ok(Returned::Object(object.to_owned()));
    }
    Ok(Returned::Value(result.get("value").cloned().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_an_error_and_undefined_is_null() {
        let thrown = json!({ "result": { "type": "object" },
            "exceptionDetails": { "text": "Uncaught", "exception": { "description": "Error: no" } } });
        assert_eq!(returned(&thrown), Err(BrowserError::Script { message: "Error: no".into() }));
        assert_eq!(returned(&json!({ "result": { "type": "undefined" } })), Ok(Returned::Value(Value::Null)));
        assert_eq!(returned(&json!({})), Ok(Returned::Value(Value::Null)));
    }
}
