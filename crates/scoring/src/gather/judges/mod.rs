//! Asks language models to judge what was gathered.
//!
//! What they are shown is made ready first ([`Panel::prepare`]), because that is work; asking ([`Jury::judge`]) is only waiting, which may
//! overlap a measurement.

mod answer;
mod brief;
mod criteria;
mod masked;
mod sample;
mod shots;

use super::tree::Tree;
use super::{Desk, StepError};
use crate::evidence::judgement::{self, Call, Excerpt, Judgement, Opinion, Shown};
use crate::evidence::{Absence, Evidence, EvidenceKind, Load};
use crate::request::{Judge, Judging, Provider, Request};
use crate::scorers::functional::f1_render_success::rendered;
use benchwright_domain::report::Screenshot;
use benchwright_llm::{Answer, ApiKey, Client, Dialect, Endpoint, Price, Settings};
use brief::{Brief, Material, Turn};
use shots::Picture;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Answers a judge may give before it is given up.
const MAX_ANSWERS: usize = 3;
const REQUIREMENT_LIMIT: usize = 20_000;

/// What opens the doors of the judges' providers: never stored, never shown.
#[derive(Debug, Clone, Default)]
pub struct JudgeAccess {
    /// Keys by the name of the variable they came from.
    pub keys: BTreeMap<String, ApiKey>,
    /// Where answers are kept for later runs.
    pub cache: Option<PathBuf>,
}

/// Says which keys are missing and what to do.
pub fn no_key(variables: &[String]) -> String {
    format!("no key for the judges: set {} (--no-judges leaves them out)", variables.join(" and "))
}

/// What judges are shown.
pub struct Panel<'a, 'd> {
    /// Where screenshots are read from.
    pub desk: &'a Desk<'d>,
    /// What was asked for.
    pub request: &'a Request,
    /// What was gathered from the page.
    pub gathered: &'a Evidence,
    /// The source, if it was given.
    pub tree: Option<&'a Tree>,
}

/// What judges are shown for one kind of judgement, ready to be sent.
#[derive(Debug)]
pub struct Case {
    brief: Brief,
    images: Vec<Shown>,
    files: Vec<Excerpt>,
    addressed_to_judge: Vec<String>,
}

/// A screenshot with what is said of it.
struct View {
    caption: String,
    picture: Picture,
    shown: Shown,
}

impl Panel<'_, '_> {
    /// Makes ready what judges are shown.
    pub async fn prepare(&self, kind: EvidenceKind) -> Result<Case, StepError> {
        let (materials, views, files) = if kind == EvidenceKind::Maintainability {
            let (materials, files) = self.source().await?;
            (materials, Vec::new(), files)
        } else {
            let load = self.load()?;
            (self.page_texts(kind, load), self.views(load).await?, Vec::new())
        };
        let addressed_to_judge = materials
            .iter()
            .filter(|material| material.name != REQUIREMENT)
            .flat_map(|material| brief::addressed_to_judge(&material.text))
            .collect();
        let (pictures, images) = views.into_iter().map(|view| ((view.caption, view.picture), view.shown)).unzip();
        let criteria = criteria::of(kind, self.request.prompt.as_ref());
        Ok(Case { brief: Brief { kind, criteria, materials, pictures }, images, files, addressed_to_judge })
    }

    fn load(&self) -> Result<&Load, StepError> {
        match &self.gathered.load.value {
            Ok(load) if rendered(load) => Ok(load),
            Ok(_) => Err(StepError::Absent(Absence::NotRendered)),
            Err(_) => Err(StepError::Page("the page could not be loaded".to_owned())),
        }
    }

    fn tool(&self) -> Option<&str> {
        self.request.submission.as_ref().map(|submission| submission.tool.as_str())
    }

    fn page_texts(&self, kind: EvidenceKind, load: &Load) -> Vec<Material> {
        let mut materials = Vec::new();
        let mut add = |name: &str, text: &str| {
            if !text.trim().is_empty() {
                let text = masked::without_tool(text, self.tool());
                materials.push(Material { name: name.to_owned(), text });
            }
        };
        if let Some(prompt) = &self.request.prompt {
            add(REQUIREMENT, &prompt.prompt.chars().take(REQUIREMENT_LIMIT).collect::<String>());
            if kind == EvidenceKind::Intent {
                let ids: Vec<_> = prompt.must_have.iter().chain(&prompt.should_have).map(|c| c.id.as_str()).collect();
                add("names of the checks that a machine makes elsewhere", &ids.join("\n"));
            }
        }
        add("title of the page", &load.title);
        add("start of the text a visitor can see", &load.visible_text_sample);
        materials
    }

    /// The first view on a desktop and on a phone, and the desktop half-way down where the page is long enough.
    async fn views(&self, load: &Load) -> Result<Vec<View>, StepError> {
        let missing = |what: &str| StepError::Page(format!("there is no screenshot of the page {what}"));
        let absent = |absence: &Absence, what: &str| match absence {
            Absence::NoInput { .. } => StepError::Absent(absence.clone()),
            _ => missing(what),
        };
        let desktop = load.screenshots.iter().find(|shot| shot.name == "desktop");
        let desktop = desktop.ok_or_else(|| missing("on a desktop"))?;
        let viewports = self.gathered.viewports.value.as_ref().map_err(|why| absent(why, "on a phone"))?;
        let mobile =
            viewports.views.iter().find(|view| view.name == "mobile").and_then(|view| view.screenshot.as_ref());
        let mobile = mobile.ok_or_else(|| missing("on a phone"))?;
        let scroll = self.gathered.scroll.value.as_ref().map_err(|why| absent(why, "half-way down"))?;
        let mut views =
            vec![self.view(desktop, "desktop, first view").await?, self.view(mobile, "phone, first view").await?];
        if let Some(middle) = &scroll.screenshot {
            views.push(self.view(middle, "desktop, scrolled half-way down").await?);
        }
        Ok(views)
    }

    async fn view(&self, shot: &Screenshot, place: &str) -> Result<View, StepError> {
        let png = self.desk.read(&shot.blob)?;
        let picture = off_thread(move || shots::scaled(&png)).await?;
        Ok(View {
            caption: format!("{place} ({} × {} CSS pixels)", shot.width, shot.height),
            shown: Shown {
                name: shot.name.clone(),
                blob: shot.blob.clone(),
                width: picture.width,
                height: picture.height,
            },
            picture,
        })
    }

    async fn source(&self) -> Result<(Vec<Material>, Vec<Excerpt>), StepError> {
        let Some(tree) = self.tree else {
            return Err(StepError::Page("the source could not be opened".to_owned()));
        };
        let (root, tool) = (tree.root.clone(), self.tool().map(str::to_owned));
        let pieces = off_thread(move || sample::of(&root, tool.as_deref())).await?;
        if pieces.is_empty() {
            let reason = "the source holds no hand-written JavaScript or TypeScript".to_owned();
            return Err(StepError::Absent(Absence::NoInput { reason }));
        }
        let material = |piece: &sample::Piece| Material {
            name: "source file".to_owned(),
            text: format!("{} ({} lines)\n\n{}", piece.excerpt.path, piece.excerpt.lines, piece.text),
        };
        let materials = pieces.iter().map(material).collect();
        Ok((materials, pieces.into_iter().map(|piece| piece.excerpt).collect()))
    }
}

const REQUIREMENT: &str = "requirement the app was built from";

async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StepError> + Send + 'static,
) -> Result<T, StepError> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(StepError::Page(error.to_string())))
}

/// The judges of a run, with one budget between them.
pub struct Jury {
    client: Client,
    seats: Vec<Seat>,
    seed: u64,
    repeat: u32,
}

struct Seat {
    endpoint: Endpoint,
    key: ApiKey,
    family: String,
}

impl Jury {
    /// Seats the judges of a request, or says why nobody can judge. `spent_usd` is what their budget was charged before the run went on.
    pub fn seat(judging: &Judging, access: &JudgeAccess, spent_usd: f64) -> Result<Self, Absence> {
        let no_input = |reason: String| Absence::NoInput { reason };
        if judging.judges.is_empty() {
            return Err(no_input("no judge was asked (--no-judges)".to_owned()));
        }
        let seats = judging.judges.iter().take(3).map(|judge| seat(judge, access)).collect::<Result<_, _>>();
        let settings = Settings {
            budget_usd: judging.budget_usd,
            spent_usd,
            cache: access.cache.clone().filter(|_| judging.cache),
            ..Settings::default()
        };
        let seats = seats.map_err(|variable| no_input(no_key(&[variable])))?;
        Ok(Self { client: Client::new(settings), seats, seed: judging.seed, repeat: judging.repeat })
    }

    /// Asks for one judgement: all judges but the arbiter at once, then the arbiter about what they see very differently.
    pub async fn judge(&self, case: Case) -> Result<Judgement, StepError> {
        let mut judges = match self.seats.as_slice() {
            [only] => self.opinions([self.interview(only, &case.brief).await])?,
            [first, second, ..] => {
                let both = tokio::join!(self.interview(first, &case.brief), self.interview(second, &case.brief));
                self.opinions([both.0, both.1])?
            }
            [] => return Err(StepError::Page("nobody judges".to_owned())),
        };
        if let ([first, second], Some(third)) = (judges.as_slice(), self.seats.get(2)) {
            let disputed = judgement::disputed(first, second);
            if !disputed.is_empty() {
                let third = self.interview(third, &case.brief.about(&disputed)).await;
                judges = self.opinions(judges.into_iter().map(Interview::answered).chain([third]))?;
            }
        }
        let arbiter = if judges.len() > 2 { judges.pop() } else { None };
        Ok(Judgement {
            version: judgement::VERSION,
            kind: case.brief.kind.key().to_owned(),
            prompt_hash: case.brief.hash(),
            criteria: case.brief.criteria,
            judges,
            arbiter,
            in_vain: Vec::new(),
            charged_usd: Some(self.charged_usd()),
            images: case.images,
            files: case.files,
            addressed_to_judge: case.addressed_to_judge,
        })
    }

    /// Asks one judge until it answers what it was asked.
    async fn interview(&self, seat: &Seat, brief: &Brief) -> Interview {
        let model = &seat.endpoint.model;
        let mut opinion = Opinion { model: model.clone(), family: seat.family.clone(), ..Opinion::default() };
        let mut answers: Vec<Answer> = Vec::new();
        while answers.len() < MAX_ANSWERS {
            let complaint = opinion.rejected.last().map(String::as_str);
            let turn = Turn { model, complaint, seed: self.seed, repeat: self.repeat };
            let given = match self.client.ask(&seat.endpoint, &seat.key, &brief.question(turn)).await {
                Ok(given) => given,
                Err(error) => return Interview { opinion, failure: Some(self.spent(format!("failed to {error}"))) },
            };
            opinion.calls.push(call(&given));
            opinion.answered_by.clone_from(&given.model);
            let read = answer::read(&given, &brief.criteria);
            answers.push(given);
            match read {
                Ok(accepted) => {
                    // Only a series that came to an end is kept: a judge that had a bad day is asked afresh.
                    self.client.keep(&answers);
                    opinion.ratings = accepted.ratings;
                    opinion.missing_features = accepted.missing_features;
                    opinion.notes = accepted.notes;
                    return Interview::answered(opinion);
                }
                Err(why) => opinion.rejected.push(why),
            }
        }
        let last = opinion.rejected.last().map(String::as_str).unwrap_or_default();
        let failure = format!("{model} gave no usable answer in {MAX_ANSWERS} attempts; the last one: {last}");
        Interview { opinion, failure: Some(self.spent(failure)) }
    }

    /// The opinions, if every judge has one. If not, the first reason, with every call that all of them answered.
    fn opinions(&self, interviews: impl IntoIterator<Item = Interview>) -> Result<Vec<Opinion>, StepError> {
        let (mut opinions, failures): (Vec<_>, Vec<_>) =
            interviews.into_iter().map(|interview| (interview.opinion, interview.failure)).unzip();
        let Some(reason) = failures.into_iter().flatten().next() else { return Ok(opinions) };
        opinions.retain(|opinion| !opinion.calls.is_empty());
        let charged_usd = Some(self.charged_usd());
        Err(StepError::Absent(Absence::Unjudged { reason, opinions, charged_usd, without_input: false }))
    }

    /// Dollars that the budget was charged so far, before the run went on too.
    fn charged_usd(&self) -> f64 {
        self.client.budget().spent()
    }

    /// Money that was spent for nothing is said too.
    fn spent(&self, what: String) -> String {
        match self.charged_usd() {
            spent if spent > 0.0 => format!("{what} (the judges of this run had cost ${spent:.4} by then)"),
            _ => what,
        }
    }
}

/// What came of asking one judge: an opinion, or why there is none and the calls that were made for it.
struct Interview {
    opinion: Opinion,
    failure: Option<String>,
}

impl Interview {
    fn answered(opinion: Opinion) -> Self {
        Self { opinion, failure: None }
    }
}

fn seat(judge: &Judge, access: &JudgeAccess) -> Result<Seat, String> {
    let variable = &judge.key_variable;
    // A model on the user's own machine takes no key; providers that want one say so.
    let key = if variable.is_empty() { ApiKey::new("none") } else { access.keys.get(variable).cloned() };
    let price =
        judge.input_price.zip(judge.output_price).map(|(input, output)| Price { input, output, ..Price::default() });
    let dialect = match judge.provider {
        Provider::OpenaiCompatible => Dialect::OpenAi,
        Provider::Anthropic => Dialect::Anthropic,
    };
    Ok(Seat {
        endpoint: Endpoint { dialect, base_url: judge.base_url.clone(), model: judge.model.clone(), price },
        key: key.ok_or_else(|| variable.clone())?,
        family: judge.family(),
    })
}

fn call(answer: &Answer) -> Call {
    Call {
        tokens_in: answer.tokens_in,
        tokens_out: answer.tokens_out,
        cost_usd: answer.cost_now(),
        cached: answer.cached,
        recorded_cost_usd: answer.cost_usd.filter(|_| answer.cached),
        failed_attempts: answer.failed_attempts.len() as u32,
        own_temperature: answer.own_temperature,
        without_seed: answer.without_seed,
        schema_in_words: answer.schema_in_words,
    }
}

#[cfg(test)]
mod tests;
