//! Looks for security anti-patterns in the source.

use super::StepError;
use super::reading::Reading;
use crate::evidence::Patterns;
use crate::evidence::patterns::VERSION;

/// Looks for security anti-patterns in the source.
pub async fn scan(reading: &Reading) -> Result<Patterns, StepError> {
    let survey = reading.survey().await?;
    Ok(Patterns {
        version: VERSION,
        files: survey.files,
        scripts: survey.scripts,
        unparsed: survey.unparsed,
        client_files: survey.client_files,
        server_files: survey.server_files,
        truncated: survey.truncated,
        findings: survey.patterns.clone(),
        in_generated: survey.patterns_in_generated.clone(),
        generated_files: survey.generated_files,
        banners_ignored: !survey.banners_believed,
    })
}
