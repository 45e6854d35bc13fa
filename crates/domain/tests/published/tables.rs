//! The tables, as printed.

/// One model in the tables of difficulty, integration and domain, and in that of cost and latency.
pub struct Row {
    pub model: &'static str,
    /// Easy, medium, hard.
    pub difficulty: [f64; 3],
    /// None, e-mail, payments, both.
    pub integration: [f64; 4],
    /// Individual, solo founder, enterprise.
    pub domain: [f64; 3],
    pub cost_usd: f64,
    pub minutes: f64,
    pub open: bool,
    /// What the weighted means of the breakdowns give, to two decimals; see [`OTHERWISE`].
    pub accuracy: f64,
}

/// Tasks of the test split in each group.
pub const DIFFICULTY_TASKS: [usize; 3] = [23, 19, 8];
pub const INTEGRATION_TASKS: [usize; 4] = [37, 4, 2, 7];
pub const DOMAIN_TASKS: [usize; 3] = [12, 22, 16];

/// The printed rows "Avg. Model".
pub const AVERAGE_DIFFICULTY: [f64; 3] = [44.29, 21.36, 6.03];
pub const AVERAGE_INTEGRATION: [f64; 4] = [34.18, 23.20, 10.55, 13.49];
pub const AVERAGE_DOMAIN: [f64; 3] = [43.01, 29.94, 18.64];

#[rustfmt::skip]
pub const MODELS: [Row; 16] = [
    row("GPT-5.3-Codex", [81.88, 57.91, 13.13], [71.25, 55.00, 12.50, 29.58], [76.93, 62.50, 49.39], 11.91, 75.8, false, 61.77),
    row("Claude Opus 4.6", [73.20, 54.11, 20.86], [63.58, 46.25, 25.00, 41.59], [56.59, 63.09, 50.73], 8.69, 21.3, false, 57.57),
    row("GPT-5.2", [81.53, 33.72, 19.88], [60.63, 50.62, 31.25, 23.81], [72.53, 56.50, 35.11], 17.75, 82.9, false, 53.50),
    row("Claude Opus 4.6 Thinking", [71.67, 46.49, 17.91], [60.58, 31.25, 37.50, 33.37], [57.94, 61.79, 38.77], 8.28, 23.1, false, 53.50),
    row("Claude Sonnet 4.6", [69.19, 46.61, 12.13], [59.41, 38.12, 25.00, 24.73], [73.46, 51.30, 35.24], 5.91, 26.2, false, 51.48),
    row("GPT-5.2-Codex", [58.97, 26.62, 4.18], [44.15, 24.38, 12.50, 19.95], [45.27, 43.06, 25.31], 4.15, 32.2, false, 37.91),
    row("Gemini 3.1 Pro", [46.24, 28.33, 0.00], [38.42, 32.50, 12.50, 3.57], [49.30, 37.07, 12.16], 3.83, 20.2, false, 32.03),
    row("GLM-5", [40.51, 12.43, 0.00], [27.60, 23.12, 0.00, 7.74], [44.24, 21.58, 10.14], 40.27, 224.3, true, 23.36),
    row("Gemini 3 Flash", [34.21, 10.32, 3.41], [22.05, 33.75, 0.00, 8.46], [29.01, 21.79, 11.41], 0.94, 13.4, false, 20.20),
    row("Kimi-K2.5 Thinking", [27.07, 12.32, 2.50], [20.44, 10.00, 12.50, 7.94], [34.00, 11.68, 13.24], 0.88, 42.8, true, 17.54),
    row("Qwen3.5 Plus Thinking", [31.71, 3.03, 0.00], [19.75, 11.25, 0.00, 1.59], [34.17, 13.99, 4.32], 3.80, 50.3, true, 15.74),
    row("MiniMax M2.5", [29.37, 3.53, 0.00], [18.74, 5.00, 0.00, 4.17], [30.82, 14.61, 3.22], 2.20, 51.1, true, 14.85),
    row("GPT-5 Mini", [27.99, 2.35, 2.50], [18.07, 10.00, 0.00, 0.00], [37.85, 5.91, 7.77], 0.25, 11.6, false, 14.17),
    row("Claude Haiku 4.5 Thinking", [22.53, 2.70, 0.00], [14.31, 0.00, 0.00, 5.75], [26.50, 11.44, 0.00], 1.31, 12.9, false, 11.39),
    row("DeepSeek V3.2 Thinking", [10.02, 1.32, 0.00], [6.23, 0.00, 0.00, 3.57], [14.54, 2.67, 1.39], 2.47, 56.1, true, 5.11),
    row("Grok 4.1 Fast Reasoning", [2.61, 0.00, 0.00], [1.62, 0.00, 0.00, 0.00], [5.00, 0.00, 0.00], 0.21, 8.8, false, 1.20),
];

/// Where one breakdown gives another last digit than the other two, because its cells are rounded.
pub const OTHERWISE: [(&str, &str, f64); 3] = [
    ("Gemini 3.1 Pro", "difficulty", 32.04),
    ("Kimi-K2.5 Thinking", "difficulty", 17.53),
    ("MiniMax M2.5", "domain", 14.86),
];

#[expect(clippy::too_many_arguments, reason = "a table has columns")]
const fn row(
    model: &'static str,
    difficulty: [f64; 3],
    integration: [f64; 4],
    domain: [f64; 3],
    cost_usd: f64,
    minutes: f64,
    open: bool,
    accuracy: f64,
) -> Row {
    Row { model, difficulty, integration, domain, cost_usd, minutes, open, accuracy }
}

/// Shares of tool calls in percent: Bash, Edit, Browser, SQL, Migrate, Other; and what a row adds up to.
pub const TOOL_SHARES: [(&str, [f64; 6], f64); 6] = [
    ("GPT-5.3-Codex", [61.4, 10.2, 13.2, 3.9, 2.1, 9.1], 99.9),
    ("Claude Opus 4.6", [23.3, 32.2, 22.9, 3.7, 11.1, 6.7], 99.9),
    ("GPT-5.2", [48.5, 32.7, 13.6, 1.4, 1.3, 2.6], 100.1),
    ("GPT-5.2-Codex", [47.7, 37.1, 8.4, 1.3, 2.5, 2.9], 99.9),
    ("GLM-5", [46.0, 28.1, 12.1, 4.4, 6.4, 3.0], 100.0),
    ("Grok 4.1 Fast Reasoning", [41.8, 27.9, 1.1, 14.4, 7.0, 7.9], 100.1),
];

/// The published runs of one task: browser calls, edit calls, minutes.
pub const ONE_TASK: [(&str, u32, u32, f64); 12] = [
    ("Qwen3.5 Plus Thinking", 10, 33, 11.8),
    ("Claude Haiku 4.5 Thinking", 19, 45, 10.3),
    ("Claude Opus 4.6 Thinking", 19, 30, 14.1),
    ("Claude Opus 4.6", 32, 32, 19.7),
    ("Claude Sonnet 4.6", 23, 32, 15.3),
    ("Gemini 3.1 Pro", 6, 0, 17.5),
    ("Gemini 3 Flash", 20, 33, 20.0),
    ("Grok 4.1 Fast Reasoning", 0, 18, 4.4),
    ("Kimi-K2.5 Thinking", 10, 47, 20.3),
    ("MiniMax M2.5", 11, 38, 20.5),
    ("GPT-5.2-Codex", 34, 113, 41.4),
    ("GPT-5 Mini", 1, 40, 14.2),
];

/// Agreement in percent: four judges, then the reviewers A, B and C.
pub const RATERS: [&str; 7] = ["Gemini 3.1 Pro", "GPT-5.2", "Claude Sonnet 4.6", "Claude Sonnet 4.5", "A", "B", "C"];
pub const AGREEMENT: [[f64; 7]; 7] = [
    [100.0, 38.8, 86.4, 86.5, 86.4, 84.5, 83.7],
    [38.8, 100.0, 33.1, 36.0, 48.0, 33.5, 31.8],
    [86.4, 33.1, 100.0, 87.8, 86.0, 86.7, 86.0],
    [86.5, 36.0, 87.8, 100.0, 87.5, 86.0, 86.2],
    [86.4, 48.0, 86.0, 87.5, 100.0, 93.6, 88.6],
    [84.5, 33.5, 86.7, 86.0, 93.6, 100.0, 91.4],
    [83.7, 31.8, 86.0, 86.2, 88.6, 91.4, 100.0],
];
/// The printed pooled means of the judges with all reviewers.
pub const POOLED: [f64; 4] = [84.7, 36.1, 86.3, 86.4];
/// The plain means of the three percentages, which the pooled ones are not.
pub const PLAIN: [f64; 4] = [84.87, 37.77, 86.23, 86.57];

pub fn model(name: &str) -> &'static Row {
    MODELS.iter().find(|row| row.model == name).unwrap()
}
