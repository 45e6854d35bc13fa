//! What tools are for, in the six categories that are compared between models.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ops::AddAssign;

/// What a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Shell commands.
    Bash,
    /// Reading and writing files.
    Edit,
    /// Looking at pages.
    Browser,
    /// Statements to the database.
    Sql,
    /// Changes of the database's schema.
    Migrate,
    /// Everything else.
    Other,
}

impl Category {
    /// All six.
    pub const ALL: [Self; 6] = [Self::Bash, Self::Edit, Self::Browser, Self::Sql, Self::Migrate, Self::Other];

    /// By the name of the tool.
    pub fn of(tool: &str) -> Self {
        match tool {
            "execute_bash" => Self::Bash,
            "str_replace_editor" | "edit_file" => Self::Edit,
            "browser" => Self::Browser,
            "execute_sql" => Self::Sql,
            "apply_migration" => Self::Migrate,
            _ => Self::Other,
        }
    }
}

/// A number for each category, under the names that published tables use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ByCategory<T> {
    /// Shell commands.
    #[serde(rename = "Bash")]
    pub bash: T,
    /// Reading and writing files.
    #[serde(rename = "Edit")]
    pub edit: T,
    /// Looking at pages.
    #[serde(rename = "Browser")]
    pub browser: T,
    /// Statements to the database.
    #[serde(rename = "SQL")]
    pub sql: T,
    /// Changes of the database's schema.
    #[serde(rename = "Migrate")]
    pub migrate: T,
    /// Everything else.
    #[serde(rename = "Other")]
    pub other: T,
}

/// How many calls each category has.
pub type CategoryCounts = ByCategory<u64>;
/// The share of calls of each category, in percent.
pub type CategoryShares = ByCategory<f64>;

impl<T: Copy> ByCategory<T> {
    /// The number of a category.
    pub fn get(&self, category: Category) -> T {
        match category {
            Category::Bash => self.bash,
            Category::Edit => self.edit,
            Category::Browser => self.browser,
            Category::Sql => self.sql,
            Category::Migrate => self.migrate,
            Category::Other => self.other,
        }
    }

    /// Every number changed in the same way.
    pub fn map<U>(&self, change: impl Fn(T) -> U) -> ByCategory<U> {
        ByCategory {
            bash: change(self.bash),
            edit: change(self.edit),
            browser: change(self.browser),
            sql: change(self.sql),
            migrate: change(self.migrate),
            other: change(self.other),
        }
    }
}

impl CategoryCounts {
    /// Counts calls of a category.
    pub fn add(&mut self, category: Category, calls: u64) {
        let count = match category {
            Category::Bash => &mut self.bash,
            Category::Edit => &mut self.edit,
            Category::Browser => &mut self.browser,
            Category::Sql => &mut self.sql,
            Category::Migrate => &mut self.migrate,
            Category::Other => &mut self.other,
        };
        *count = count.saturating_add(calls);
    }

    /// All calls.
    pub fn total(&self) -> u64 {
        Category::ALL.iter().fold(0, |sum: u64, category| sum.saturating_add(self.get(*category)))
    }

    /// Percentages of all calls; none without calls.
    pub fn shares(&self) -> Option<CategoryShares> {
        let total = self.total() as f64;
        (total > 0.0).then(|| self.map(|count| 100.0 * count as f64 / total))
    }
}

impl AddAssign for CategoryCounts {
    fn add_assign(&mut self, more: Self) {
        for category in Category::ALL {
            self.add(category, more.get(category));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_all_calls() {
        let mut counts = CategoryCounts::default();
        assert_eq!(counts.shares(), None);
        for tool in ["execute_bash", "edit_file", "str_replace_editor", "think"] {
            counts.add(Category::of(tool), 1);
        }
        let shares = counts.shares().unwrap();
        assert_eq!((shares.bash, shares.edit, shares.other, shares.sql), (25.0, 50.0, 25.0, 0.0));
        counts += counts;
        assert_eq!(counts.total(), 8);
    }

    #[test]
    fn the_published_names_are_used() {
        let text = serde_json::to_string(&CategoryCounts { sql: 2, ..CategoryCounts::default() }).unwrap();
        assert_eq!(text, r#"{"Bash":0,"Edit":0,"Browser":0,"SQL":2,"Migrate":0,"Other":0}"#);
    }
}
