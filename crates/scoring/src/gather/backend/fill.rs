//! Filling the form of a record: which field gets the marker, and what the others would accept.

use super::hands::Visitor;
use super::record::RecordShape;
use super::survey::{Field, Survey, has_word, plain};
use crate::gather::StepError;

/// Fills every field of the form; the field that got the marker, if one takes it.
pub async fn fill(
    visitor: &Visitor,
    shape: &RecordShape,
    marker: &str,
    survey: &Survey,
    group: usize,
) -> Result<Option<Field>, StepError> {
    let fields: Vec<&Field> = survey.fields_of(group).filter(|field| !field.read_only && !field.is_search()).collect();
    let Some(marked) = field_for_marker(&fields, shape, marker) else { return Ok(None) };
    let mut radios = Vec::new();
    for field in &fields {
        match field.kind.as_str() {
            "checkbox" if field.required => visitor.tick(field).await?,
            "radio" if !radios.contains(&field.name) => {
                radios.push(field.name.clone());
                visitor.tick(field).await?;
            }
            "checkbox" | "radio" | "range" | "color" | "file" => {}
            _ if field.number == marked.number => visitor.write(field, marker).await?,
            _ => {
                if let Some(value) = declared(field, shape).or_else(|| plausible(field, marker)) {
                    visitor.write(field, &value).await?;
                }
            }
        }
    }
    Ok(Some(marked.clone()))
}

/// The field that a reader of the list will recognise the record by.
fn field_for_marker<'a>(fields: &[&'a Field], shape: &RecordShape, marker: &str) -> Option<&'a Field> {
    let fits = |field: &&&Field| field.is_free_text() && (field.max_length == 0 || field.max_length >= marker.len());
    let free: Vec<&Field> = fields.iter().filter(fits).copied().collect();
    for (label, value) in &shape.fields {
        let label = plain(label);
        if value.is_none()
            && let Some(field) = free.iter().find(|field| field.words().contains(&label))
        {
            return Some(field);
        }
    }
    let undeclared = |field: &&&Field| declared(field, shape).is_none() && number_for(field).is_none();
    let titles = ["name", "title", "subject", "customer", "task", "note", "text", "description", "content", "message"];
    let telling = free.iter().filter(undeclared).find(|field| has_word(&field.words(), &titles));
    telling
        .or_else(|| free.iter().find(undeclared))
        .copied()
        .or_else(|| fields.iter().find(|field| field.kind == "email").copied())
}

fn declared(field: &Field, shape: &RecordShape) -> Option<String> {
    let words = field.words();
    let found = shape.fields.iter().find(|(label, value)| value.is_some() && words.contains(&plain(label)));
    found.and_then(|(_, value)| value.clone())
}

/// A value that a form would accept.
fn plausible(field: &Field, marker: &str) -> Option<String> {
    let within = |wanted: &str| {
        let low = if field.minimum.as_str() > wanted { field.minimum.as_str() } else { wanted };
        if !field.maximum.is_empty() && field.maximum.as_str() < low { field.maximum.clone() } else { low.to_owned() }
    };
    let lower = marker.to_lowercase();
    Some(match field.kind.as_str() {
        "email" => format!("{lower}@example.com"),
        "number" => number_within(field),
        "date" => within("2030-01-15"),
        "datetime-local" => within("2030-01-15T10:30"),
        "month" => within("2030-01"),
        "week" => within("2030-W03"),
        "time" => within("10:30"),
        "url" => format!("https://example.com/{lower}"),
        "tel" => "+15550100123".to_owned(),
        "select" => field.options.iter().find(|value| !value.is_empty())?.clone(),
        "textarea" | "editable" => "A record made by an automated check.".to_owned(),
        _ => number_for(field).map_or_else(|| text_for(field, &lower), str::to_owned),
    })
}

fn number_within(field: &Field) -> String {
    let bound = |text: &str| text.parse::<f64>().ok();
    let low = bound(&field.minimum).map_or(7.0, |minimum| minimum.max(7.0));
    bound(&field.maximum).map_or(low, |maximum| maximum.min(low)).to_string()
}

/// Texts that must be numbers, by what the field is called.
fn number_for(field: &Field) -> Option<&'static str> {
    let words = field.words();
    if has_word(&words, &["price", "amount", "quantity", "qty", "age", "cost", "total", "year", "budget"]) {
        return Some("7");
    }
    if has_word(&words, &["phone", "mobile", "telephone", "tel"]) {
        return Some("+15550100123");
    }
    has_word(&words, &["zip", "postcode", "postal"]).then_some("10115")
}

fn text_for(field: &Field, lower: &str) -> String {
    let words = field.words();
    if has_word(&words, &["email", "mail"]) {
        return format!("{lower}@example.com");
    }
    if has_word(&words, &["date", "due", "deadline"]) {
        return "2030-01-15".to_owned();
    }
    if has_word(&words, &["url", "website", "link"]) {
        return format!("https://example.com/{lower}");
    }
    "Example".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: usize, kind: &str, label: &str) -> Field {
        Field { number, kind: kind.into(), label: label.into(), group: Some(0), ..Field::default() }
    }

    fn shape(fields: &[(&str, Option<&str>)]) -> RecordShape {
        let fields = fields.iter().map(|(label, value)| ((*label).to_owned(), value.map(str::to_owned))).collect();
        RecordShape { noun: Some("order".to_owned()), fields }
    }

    #[test]
    fn peer_defect_a_record_need_not_be_a_contact() {
        let status = Field { options: vec![String::new(), "open".into()], ..field(3, "select", "Status") };
        let order = [field(0, "number", "Quantity"), field(1, "date", "Due"), field(2, "text", "Customer"), status];
        let fields: Vec<&Field> = order.iter().collect();
        assert_eq!(field_for_marker(&fields, &RecordShape::default(), "Bwf7x").unwrap().label, "Customer");
        assert_eq!(plausible(fields[0], "m").as_deref(), Some("7"));
        assert_eq!(plausible(fields[1], "m").as_deref(), Some("2030-01-15"));
        assert_eq!(plausible(fields[3], "m").as_deref(), Some("open"));
    }

    #[test]
    fn declared_fields_get_their_values_and_the_first_without_one_gets_the_marker() {
        let both = [field(0, "text", "Name"), field(1, "text", "Reference")];
        let fields: Vec<&Field> = both.iter().collect();
        let shape = shape(&[("Name", Some("Fixed")), ("Reference", None)]);
        assert_eq!(field_for_marker(&fields, &shape, "Bwf7x").unwrap().label, "Reference");
        assert_eq!(declared(fields[0], &shape).as_deref(), Some("Fixed"));
    }

    #[test]
    fn numbers_and_dates_keep_to_the_limits_of_their_field() {
        let mut number = field(0, "number", "Seats");
        (number.minimum, number.maximum) = ("1".into(), "4".into());
        assert_eq!(plausible(&number, "m").as_deref(), Some("4"));
        let mut date = field(0, "date", "From");
        date.minimum = "2031-02-01".into();
        assert_eq!(plausible(&date, "m").as_deref(), Some("2031-02-01"));
    }
}
