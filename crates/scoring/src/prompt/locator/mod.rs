//! Locators: Playwright expressions, read by a grammar of our own into selectors of its engine. Nothing in them is ever run.
//!
//! ```text
//! locator   = [ "page" "." ] start { "." step }
//! start     = getByRole | getByText | getByLabel | getByPlaceholder | getByAltText | getByTitle | getByTestId | locator | frameLocator
//! step      = start | filter | first | last | nth | and | or | contentFrame | owner
//! ```
//!
//! Arguments are strings, regular expressions, numbers, `true`, `false`, locators, and options in braces.

mod css;
mod engines;
mod roles;
mod values;
mod xpath;

use super::syntax::{Cursor, SyntaxError, Token};
use benchwright_browser::selectors::{self, RoleOptions};
use values::{Options, Value};

/// How deep locators may stand in locators. Each level doubles what must be escaped.
const MAX_DEPTH: usize = 6;

const STARTS: &str = "getByRole, getByText, getByLabel, getByPlaceholder, getByAltText, getByTitle, getByTestId, locator or frameLocator";
const STEPS: &str = "getBy…, locator, filter, first, last, nth, and, or, frameLocator or contentFrame";

/// A locator that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Locator {
    /// As Playwright's engine wants it.
    pub selector: String,
    /// Whether it goes into a frame.
    pub enters_frame: bool,
}

impl Locator {
    /// Reads a Playwright expression.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        let mut parser = Parser { cursor: Cursor::new(text)?, depth: 0 };
        let locator = parser.expression()?;
        parser.cursor.expect_end()?;
        Ok(locator)
    }
}

struct Parser<'a> {
    cursor: Cursor<'a>,
    depth: usize,
}

/// What has been read of an expression.
enum Part {
    /// Nothing: the page.
    Page,
    /// Elements.
    Elements(Locator),
    /// The document in the frame that an element holds.
    Frame(Locator),
}

/// One call: its name, where it stands, and what is in its brackets.
struct Call {
    name: String,
    at: usize,
    arguments: Vec<(usize, Value)>,
}

impl Parser<'_> {
    fn expression(&mut self) -> Result<Locator, SyntaxError> {
        if self.depth >= MAX_DEPTH {
            let problem = format!("locators may stand in each other at most {MAX_DEPTH} deep; write it flatter");
            return Err(SyntaxError::new(self.cursor.at(), problem));
        }
        self.depth += 1;
        if *self.cursor.peek() == Token::Name("page".to_owned()) {
            self.cursor.take()?;
            self.cursor.expect('.', "`.` and a locator after `page`")?;
        }
        let mut part = Part::Page;
        loop {
            let call = self.call(matches!(part, Part::Page))?;
            let end = self.cursor.at();
            part = part.then(call)?;
            if self.cursor.takes('.')? {
                continue;
            }
            self.depth -= 1;
            return match part {
                Part::Elements(locator) => Ok(locator),
                _ => Err(SyntaxError::new(end, "a frame is no element; go on with a locator inside of it")),
            };
        }
    }

    fn call(&mut self, first: bool) -> Result<Call, SyntaxError> {
        let at = self.cursor.at();
        let wanted = if first { format!("a locator: {STARTS}") } else { format!("a step: {STEPS}") };
        let Token::Name(name) = self.cursor.peek().clone() else { return Err(self.cursor.unexpected(&wanted)) };
        self.cursor.take()?;
        self.cursor.expect('(', &format!("`(` after `{name}`"))?;
        let mut arguments = Vec::new();
        while !self.cursor.takes(')')? {
            arguments.push((self.cursor.at(), self.value()?));
            if !self.cursor.takes(',')? {
                self.cursor.expect(')', "`,` or `)`")?;
                break;
            }
        }
        Ok(Call { name, at, arguments })
    }
}

impl Part {
    fn then(self, mut call: Call) -> Result<Self, SyntaxError> {
        let elements = |selector, enters_frame| Ok(Self::Elements(Locator { selector, enters_frame }));
        match (self, call.name.as_str()) {
            (Self::Elements(outer), "contentFrame") => call.without_arguments(Self::Frame(outer)),
            (Self::Frame(outer), "owner") => call.without_arguments(Self::Elements(outer)),
            (Self::Elements(outer), "first") => call.without_arguments(Self::Elements(outer.nth(0))),
            (Self::Elements(outer), "last") => call.without_arguments(Self::Elements(outer.nth(-1))),
            (Self::Frame(outer), "first") => call.without_arguments(Self::Frame(outer.nth(0))),
            (Self::Frame(outer), "last") => call.without_arguments(Self::Frame(outer.nth(-1))),
            (Self::Elements(outer), "nth") => Ok(Self::Elements(outer.nth(call.only_index()?))),
            (Self::Frame(outer), "nth") => Ok(Self::Frame(outer.nth(call.only_index()?))),
            (Self::Elements(outer), "and") => {
                elements(selectors::both(&outer.selector, &call.only_locator()?), outer.enters_frame)
            }
            (Self::Elements(outer), "or") => {
                elements(selectors::either(&outer.selector, &call.only_locator()?), outer.enters_frame)
            }
            (Self::Elements(outer), "filter") => {
                let options = call.take_options(0)?;
                call.expect_no_more(1)?;
                let selector = narrowed(outer.selector, options, true)?;
                elements(selector, outer.enters_frame)
            }
            (Self::Page | Self::Elements(_) | Self::Frame(_), "visible" | "within" | "describe") => Err(call.unknown()),
            (part, "frameLocator") => {
                let (at, Value::Text(frame)) = call.first("a selector of the frame, as a string")? else {
                    return Err(call.wrong(0, "a selector of the frame, as a string"));
                };
                check_selector(at, &frame)?;
                call.expect_no_more(1)?;
                let enters_frame = !matches!(part, Self::Page);
                Ok(Self::Frame(Locator { selector: part.inside(&frame), enters_frame }))
            }
            (part, _) => {
                let enters_frame = part.enters_frame();
                let found = start(&mut call, matches!(part, Self::Elements(_)))?;
                let selector = match found {
                    Start::Selector(selector) => part.inside(&selector),
                    Start::Chained(selector) => match &part {
                        Self::Elements(outer) => selectors::chained(&outer.selector, &selector),
                        _ => part.inside(&selector),
                    },
                };
                let selector = narrowed(selector, call.options_after_selector()?, false)?;
                elements(selector, enters_frame)
            }
        }
    }

    fn enters_frame(&self) -> bool {
        match self {
            Self::Page => false,
            Self::Elements(outer) => outer.enters_frame,
            Self::Frame(_) => true,
        }
    }

    fn inside(&self, selector: &str) -> String {
        match self {
            Self::Page => selector.to_owned(),
            Self::Elements(outer) => selectors::within(&outer.selector, selector),
            Self::Frame(outer) => selectors::in_frame(&outer.selector, selector),
        }
    }
}

impl Locator {
    fn nth(self, index: i64) -> Self {
        Self { selector: selectors::nth(&self.selector, index), ..self }
    }
}

/// The selector a `getBy…` or `locator` call stands for.
enum Start {
    Selector(String),
    /// A whole locator, to be looked for within another.
    Chained(String),
}

fn start(call: &mut Call, has_outer: bool) -> Result<Start, SyntaxError> {
    let selector = match call.name.as_str() {
        "getByRole" => by_role(call)?,
        "getByText" => selectors::by_text(&call.text_and_exact()?),
        "getByLabel" => selectors::by_label(&call.text_and_exact()?),
        "getByPlaceholder" => selectors::by_attribute("placeholder", &call.text_and_exact()?),
        "getByAltText" => selectors::by_attribute("alt", &call.text_and_exact()?),
        "getByTitle" => selectors::by_attribute("title", &call.text_and_exact()?),
        "getByTestId" => {
            let id = call.first_text(true)?;
            call.expect_no_more(1)?;
            selectors::by_test_id(&id)
        }
        "locator" => match call.first("a selector or a locator")? {
            (at, Value::Text(selector)) => {
                check_selector(at, &selector)?;
                selector
            }
            (_, Value::Locator(inner)) if has_outer => return Ok(Start::Chained(inner.selector)),
            (_, Value::Locator(inner)) => inner.selector,
            _ => return Err(call.wrong(0, "a selector as a string, or a locator")),
        },
        _ => return Err(call.unknown()),
    };
    Ok(Start::Selector(selector))
}

fn by_role(call: &mut Call) -> Result<String, SyntaxError> {
    let (at, Value::Text(role)) = call.first("a role, such as 'button'")? else {
        return Err(call.wrong(0, "a role as a string, such as 'button'"));
    };
    if let Some(problem) = roles::problem(&role) {
        return Err(SyntaxError::new(at, problem));
    }
    let mut options = call.take_options(1)?;
    call.expect_no_more(2)?;
    let exact = options.flag("exact")?.unwrap_or(false);
    let asked = RoleOptions {
        checked: options.flag("checked")?,
        disabled: options.flag("disabled")?,
        selected: options.flag("selected")?,
        expanded: options.flag("expanded")?,
        include_hidden: options.flag("includeHidden")?,
        level: options.level()?,
        name: options.text("name", exact)?,
        description: options.text("description", exact)?,
        pressed: options.flag("pressed")?,
    };
    options.expect_no_other(
        "name, exact, description, checked, disabled, expanded, includeHidden, level, pressed and selected",
    )?;
    Ok(selectors::by_role(&role, &asked))
}

/// Those of a selector's elements that the options of `filter` or `locator` leave.
fn narrowed(mut selector: String, mut options: Options, may_be_visible: bool) -> Result<String, SyntaxError> {
    for (name, wanted) in [("hasText", true), ("hasNotText", false)] {
        if let Some(text) = options.text(name, false)? {
            selector = selectors::with_text(&selector, &text, wanted);
        }
    }
    for (name, wanted) in [("has", true), ("hasNot", false)] {
        if let Some(inner) = options.locator(name)? {
            selector = selectors::with_element(&selector, &inner, wanted);
        }
    }
    if may_be_visible && let Some(visible) = options.flag("visible")? {
        selector = selectors::with_visibility(&selector, visible);
    }
    let known = "hasText, hasNotText, has, hasNot";
    options.expect_no_other(&if may_be_visible { format!("{known} and visible") } else { known.to_owned() })?;
    Ok(selector)
}

/// What can be told of a selector without a browser.
fn check_selector(at: usize, selector: &str) -> Result<(), SyntaxError> {
    match engines::problem(selector) {
        Some(problem) => Err(SyntaxError::new(at, format!("the selector {problem}"))),
        None => Ok(()),
    }
}

fn shortened(text: &str) -> String {
    crate::scorers::words::cut(text, 40)
}
