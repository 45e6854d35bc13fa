//! Puts a text into every string of a report, whatever fields it has: the walk goes over the JSON form and asks the types which strings
//! are free and which name a variant.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::marker::PhantomData;

/// A report, of a page or of a quiz, and where its free strings and free map keys are.
pub struct Canvas<R> {
    form: Value,
    report: PhantomData<R>,
    /// Paths of strings that may hold any text.
    pub strings: BTreeSet<Vec<String>>,
    /// Paths of strings that name a variant, and so cannot.
    pub fixed: BTreeSet<Vec<String>>,
    keys: BTreeSet<Vec<String>>,
}

impl<R: Serialize + DeserializeOwned> Canvas<R> {
    pub fn of(report: &R) -> Self {
        let mut form = serde_json::to_value(report).unwrap();
        let mut all = BTreeSet::new();
        let mut keys = BTreeSet::new();
        walk(&form, &mut Vec::new(), &mut all, &mut keys);
        let (strings, fixed) = all.into_iter().partition(|path| takes_any_text::<R>(&mut form, path));
        let keys = keys.into_iter().filter(|path| takes_any_key::<R>(&mut form, path)).collect();
        Self { form, report: PhantomData, strings, fixed, keys }
    }

    /// The report with every free string replaced; `text` gets the number of the string.
    pub fn paint(&self, text: impl Fn(usize) -> String) -> R {
        let mut form = self.form.clone();
        for (number, path) in self.strings.iter().enumerate() {
            *at(&mut form, path) = Value::String(text(number));
        }
        read(form).expect("every path was tried alone")
    }

    /// As [`Canvas::paint`] with one text, and that text in every free map key too.
    pub fn drench(&self, text: &str) -> R {
        let mut form = serde_json::to_value(self.paint(|_| text.to_owned())).unwrap();
        // Deepest first, so that no path changes before its turn.
        let mut keys: Vec<_> = self.keys.iter().enumerate().collect();
        keys.sort_by_key(|(_, path)| std::cmp::Reverse(path.len()));
        for (number, path) in keys {
            rename(&mut form, path, &format!("{text}{number}"));
        }
        read(form).expect("every key was tried alone")
    }
}

fn walk(value: &Value, path: &mut Vec<String>, strings: &mut BTreeSet<Vec<String>>, keys: &mut BTreeSet<Vec<String>>) {
    let mut step = |name: String, inner: &Value, is_key: bool| {
        path.push(name);
        if is_key {
            keys.insert(path.clone());
        }
        walk(inner, path, strings, keys);
        path.pop();
    };
    match value {
        Value::Array(items) => items.iter().enumerate().for_each(|(n, item)| step(n.to_string(), item, false)),
        Value::Object(map) => map.iter().for_each(|(name, inner)| step(name.clone(), inner, true)),
        Value::String(_) => {
            strings.insert(path.clone());
        }
        _ => {}
    }
}

/// Changes the form in place and puts it back: there are hundreds of strings, and copies of the whole are slow.
fn takes_any_text<R: DeserializeOwned>(form: &mut Value, path: &[String]) -> bool {
    let kept = std::mem::replace(at(form, path), Value::String("any text".into()));
    let fits = R::deserialize(&*form).is_ok();
    *at(form, path) = kept;
    fits
}

/// A struct ignores a key it does not know; a map gives it back.
fn takes_any_key<R: Serialize + DeserializeOwned>(form: &mut Value, path: &[String]) -> bool {
    const KEY: &str = "any key";
    let mut renamed = path.to_vec();
    let name = std::mem::replace(renamed.last_mut().unwrap(), KEY.into());
    rename(form, path, KEY);
    let report = R::deserialize(&*form).ok();
    rename(form, &renamed, &name);
    let Some(back) = report.map(|report| serde_json::to_value(report).unwrap()) else { return false };
    renamed.iter().try_fold(&back, |value, step| get(value, step)).is_some()
}

fn rename(form: &mut Value, path: &[String], name: &str) {
    let (last, parents) = path.split_last().unwrap();
    let map: &mut Map<String, Value> = at(form, parents).as_object_mut().unwrap();
    let value = map.remove(last).unwrap();
    map.insert(name.to_owned(), value);
}

fn at<'a>(form: &'a mut Value, path: &[String]) -> &'a mut Value {
    path.iter().fold(form, |value, step| match value {
        Value::Array(items) => &mut items[step.parse::<usize>().unwrap()],
        other => &mut other[step.as_str()],
    })
}

fn get<'a>(value: &'a Value, step: &str) -> Option<&'a Value> {
    match value {
        Value::Array(items) => items.get(step.parse::<usize>().ok()?),
        other => other.get(step),
    }
}

fn read<R: DeserializeOwned>(form: Value) -> Option<R> {
    serde_json::from_value(form).ok()
}
