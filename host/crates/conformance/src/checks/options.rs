//! Options.

use ai_api::{Limits, OptionKind, OptionSetting, OptionSpec, OptionValue};

use crate::{
    check::{Passed, checks},
    failure::CheckFailure,
    positions::{ORDINARY, game},
    report::Verdict,
    session::CheckSession,
    subject::Subject,
};
use pool::{StartError, WorkerSession};
use text::printable;

/// The maximum number of values that a check sets, each in its own worker.
const MAX_VALUES: usize = 48;
const DEPTH: Limits = Limits::depth(3);

checks! { subject =>
    "options.declared": "Declares options with unique and valid names, and defaults that they \
        allow.",
        declared(subject);
    "options.help": "Has one line of help for each option.",
        help(subject);
    "options.least" [OnlyFull]: "Starts with every number at its minimum, every flag false and \
        every choice at its first value.",
        least(subject);
    "options.greatest" [OnlyFull]: "Starts with every number at its maximum, every flag true and \
        every choice at its last value.",
        greatest(subject);
    "options.wrong_type" [OnlyFull]: "Returns a manifest or an error if an option has a value of \
        the wrong type.",
        wrong_type(subject);
    "options.out_of_bounds" [OnlyFull]: "Returns a manifest or an error if an option has a value \
        that it does not allow.",
        out_of_bounds(subject);
    "options.unknown" [OnlyFull]: "Returns a manifest or an error if an undeclared option is set.",
        unknown(subject);
    "options.live" [OnlyFull]: "Gives the same result as a new instance with the same options \
        after a live option is set, and again after it is set back.",
        live(subject);
}

async fn specs(subject: &Subject) -> Result<Vec<OptionSpec>, CheckFailure> {
    let specs = subject.manifest().await?.options;
    if specs.is_empty() {
        Err(CheckFailure::skipped("the AI declares no options"))
    } else {
        Ok(specs)
    }
}

async fn declared(subject: &Subject) -> Result<Passed, CheckFailure> {
    let specs = specs(subject).await?;
    // Starting the AI validates the options before it creates an instance.
    subject.start().await?;
    let plural = if specs.len() == 1 { "" } else { "s" };
    Ok(Passed::with_note(format!("{} option{plural}", specs.len())))
}

async fn help(subject: &Subject) -> Result<Passed, CheckFailure> {
    let without: Vec<_> = specs(subject)
        .await?
        .iter()
        .filter(|spec| spec.help.trim().is_empty() || printable(&spec.help) != spec.help.as_str())
        .map(|spec| printable(&spec.name))
        .collect();
    if without.is_empty() {
        return Ok(Passed::WITHOUT_NOTE);
    }
    Err(CheckFailure::warning(
        format!("no help text for {}", without.join(", ")),
        "describe each option in one line of printable text",
    ))
}

async fn least(subject: &Subject) -> Result<Passed, CheckFailure> {
    starts_with_each(
        subject,
        |spec| values(spec).into_iter().next(),
        |failure| failure,
    )
    .await
}

async fn greatest(subject: &Subject) -> Result<Passed, CheckFailure> {
    // A maximum may be meant for a larger machine.
    let as_warning = |failure: CheckFailure| match failure.verdict {
        Verdict::Fail => {
            failure.into_warning("lower the maximum to a value that the AI can start with")
        }
        _ => failure,
    };
    starts_with_each(subject, |spec| values(spec).pop(), as_warning).await
}

async fn starts_with_each(
    subject: &Subject,
    value: impl Fn(&OptionSpec) -> Option<OptionValue>,
    adjust: impl Fn(CheckFailure) -> CheckFailure,
) -> Result<Passed, CheckFailure> {
    let specs = specs(subject).await?;
    // Options set on the command line keep their values.
    let is_free = |spec: &&OptionSpec| {
        subject
            .settings
            .iter()
            .all(|setting| setting.name != spec.name)
    };
    let mut tried = 0;
    for spec in specs.iter().filter(is_free).take(MAX_VALUES) {
        let Some(value) = value(spec) else { continue };
        let shown = format!("with {} = {}", printable(&spec.name), value_text(&value));
        // The number may be a number of threads or megabytes that exceeds what the AI is granted.
        let needs_resources = matches!(value, OptionValue::Integer(_));
        let settings = with(subject, &spec.name, value);
        if needs_resources
            && subject
                .load(&settings)
                .await?
                .lacks(&subject.ai.sandbox)
                .is_some()
        {
            continue;
        }
        subject
            .start_with(&settings)
            .await
            .map_err(|failure| adjust(failure).at(&shown))?;
        tried += 1;
    }
    Ok(Passed::with_note(format!("{tried} values")))
}

async fn wrong_type(subject: &Subject) -> Result<Passed, CheckFailure> {
    let wrong = |spec: &OptionSpec| match spec.kind {
        OptionKind::Flag => OptionValue::Text("maybe".into()),
        OptionKind::Integer { .. } | OptionKind::Decimal { .. } => OptionValue::Flag(true),
        _ => OptionValue::Integer(-1),
    };
    survives_values(subject, wrong).await
}

async fn out_of_bounds(subject: &Subject) -> Result<Passed, CheckFailure> {
    let wrong = |spec: &OptionSpec| match spec.kind {
        OptionKind::Flag => OptionValue::Integer(2),
        OptionKind::Integer { max, .. } => OptionValue::Integer(max.saturating_add(1)),
        OptionKind::Decimal { max, .. } => OptionValue::Decimal(max * 2.0 + 1.0),
        OptionKind::Files => OptionValue::List(vec!["\u{0}".repeat(1000); 100]),
        _ => OptionValue::Text("\u{0}".repeat(1000)),
    };
    survives_values(subject, wrong).await
}

async fn survives_values(
    subject: &Subject,
    wrong: impl Fn(&OptionSpec) -> OptionValue,
) -> Result<Passed, CheckFailure> {
    for spec in specs(subject).await?.iter().take(MAX_VALUES) {
        let settings = with(subject, &spec.name, wrong(spec));
        survives(subject, &settings, &spec.name).await?;
    }
    Ok(Passed::WITHOUT_NOTE)
}

async fn unknown(subject: &Subject) -> Result<Passed, CheckFailure> {
    let name = "undeclared_option";
    survives(
        subject,
        &with(subject, name, OptionValue::Integer(i64::MIN)),
        name,
    )
    .await?;
    Ok(Passed::WITHOUT_NOTE)
}

async fn live(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str = "let set_option have the full effect that the value has in create, or do \
        not declare the option live";
    let specs = specs(subject).await?;
    let live: Vec<_> = specs
        .iter()
        .filter(|spec| spec.live)
        .take(MAX_VALUES)
        .collect();
    if live.is_empty() {
        return Err(CheckFailure::skipped("the AI declares no live option"));
    }
    let mut tried = 0;
    for spec in live {
        let Some(value) = values(spec)
            .into_iter()
            .find(|value| *value != spec.default)
        else {
            continue;
        };
        let set = with(subject, &spec.name, value.clone());
        // Other checks test whether the AI starts with the value and whether its results are
        // repeatable.
        let (Ok(one), Ok(other)) = (
            subject.start_with(&set).await,
            subject.start_with(&set).await,
        ) else {
            continue;
        };
        let [mut created, mut created_again] =
            [one, other].map(|worker| CheckSession::of(subject, worker));
        let (mut changing, mut unchanged) = (
            CheckSession::start(subject).await?,
            CheckSession::start(subject).await?,
        );
        let mut options = changing.worker.options().to_vec();
        for option in options.iter_mut().filter(|option| option.name == spec.name) {
            option.value.clone_from(&value);
        }
        let shown = format!("{} = {}", printable(&spec.name), value_text(&value));
        for fen in ORDINARY {
            let game = game(fen);
            let as_created = created.fingerprint(&game, DEPTH).await?;
            if created_again.fingerprint(&game, DEPTH).await? != as_created {
                continue;
            }
            let changed = changing
                .search_with_options(&game, DEPTH, options.clone())
                .await?
                .fingerprint();
            let changed_back = changing.fingerprint(&game, DEPTH).await?;
            let by_default = unchanged.fingerprint(&game, DEPTH).await?;
            for (found, expected, when) in [
                (changed, as_created, "after set_option to"),
                (changed_back, by_default, "after set_option back from"),
            ] {
                if found != expected {
                    let reason =
                        format!("{fen}: {when} {shown}: {found}; in a new instance: {expected}");
                    return Err(CheckFailure::failed(reason, REMEDY));
                }
            }
        }
        tried += 1;
    }
    Ok(Passed::with_note(format!("{tried} values")))
}

/// Returns allowed values, from the least or first to the greatest or last. Returns none for text
/// and paths.
fn values(spec: &OptionSpec) -> Vec<OptionValue> {
    match &spec.kind {
        OptionKind::Flag => [false, true].map(OptionValue::Flag).to_vec(),
        OptionKind::Integer { min, max } => [*min, *max].map(OptionValue::Integer).to_vec(),
        OptionKind::Decimal { min, max } => [*min, *max].map(OptionValue::Decimal).to_vec(),
        OptionKind::Choice(choices) => choices.iter().cloned().map(OptionValue::Text).collect(),
        _ => Vec::new(),
    }
}

/// Fails if the AI crashes or hangs when it sees an invalid setting. The host rejects the setting
/// afterwards.
async fn survives(
    subject: &Subject,
    settings: &[OptionSetting],
    name: &str,
) -> Result<(), CheckFailure> {
    let loaded =
        WorkerSession::load(&subject.program, &subject.library, &subject.ai, settings).await;
    match loaded {
        Ok(_) | Err(StartError::Refused(_)) => Ok(()),
        Err(error) => {
            Err(CheckFailure::from(error).at(&format!("with an invalid '{}'", printable(name))))
        }
    }
}

/// Returns the subject's settings with one option changed.
fn with(subject: &Subject, name: &str, value: OptionValue) -> Vec<OptionSetting> {
    let mut settings = subject.settings.clone();
    settings.retain(|setting| setting.name != name);
    settings.push(OptionSetting {
        name: name.into(),
        value,
    });
    settings
}

fn value_text(value: &OptionValue) -> String {
    match value {
        OptionValue::Text(value) => format!("'{}'", printable(value)),
        value => printable(&value.to_string()),
    }
}
