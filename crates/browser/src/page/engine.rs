//! Playwright's injected engine, loaded into our isolated world of a frame when first needed there.

use super::evaluate::{Argument, Deadline, Invocation, Returned, returned};
use super::worlds::World;
use crate::error::BrowserError;
use crate::frame::Frame;
use serde_json::{Value, json};

impl Frame {
    /// Our world in this frame with the engine in it.
    pub(crate) async fn engine(&self, deadline: Deadline) -> Result<(World, String), BrowserError> {
        let source = self.page().engine_source().ok_or(BrowserError::NoEngine)?;
        let world = self.isolated_world(deadline).await?;
        if let Some(engine) = world.engine.clone() {
            return Ok((world, engine));
        }
        let mut params = json!({ "expression": wrapped(source, self.sequence()), "returnByValue": false });
        match &world.unique {
            Some(unique) => params["uniqueContextId"] = Value::from(unique.as_str()),
            None => params["contextId"] = Value::from(world.context),
        }
        let answer = self.page().call_session(&world.session, "Runtime.evaluate", params, deadline.left()).await?;
        let Returned::Object(engine) = returned(&answer)? else {
            return Err(BrowserError::bad_answer("loading the selector engine", "no object"));
        };
        self.page().state().inner().worlds.keep_engine(self.id(), &world, &engine);
        Ok((world, engine))
    }

    /// Calls `function` with the engine as `this`.
    pub(crate) async fn ask_engine(
        &self,
        function: &str,
        arguments: &[Argument],
        by_value: bool,
        deadline: Deadline,
    ) -> Result<(World, Returned), BrowserError> {
        let (world, engine) = self.engine(deadline).await?;
        let call = Invocation { function, this: Some(&engine), arguments, by_value };
        match self.invoke(&world, call, deadline).await {
            Ok(returned) => Ok((world, returned)),
            Err(error) => {
                if error.is_lost_context() {
                    self.page().state().inner().worlds.forget_isolated(self.id());
                }
                Err(error)
            }
        }
    }
}

fn wrapped(source: &str, frame_sequence: u64) -> String {
    let options = json!({
        "isUnderTest": false,
        "sdkLanguage": "javascript",
        "frameSeq": frame_sequence,
        "testIdAttributeName": "data-testid",
        "stableRafCount": 1,
        "browserName": "chromium",
        "shouldPrependErrorPrefix": false,
        "isUtilityWorld": true,
        "customEngines": [],
    });
    format!(
        "(() => {{ const module = {{}};\n{source}\nreturn new (module.exports.InjectedScript())(globalThis, {options}); }})()"
    )
}
