//! Whether the options of an AI are as it declares them.

use ai_api::{Limits, OptionKind, OptionSetting, OptionSpec, OptionValue};

use super::{
    Check, CheckFailure, Passed, Subject, Verdict,
    positions::{ORDINARY, game},
    session::{CheckSession, place},
};
use text::printable;

/// Values that are tried, each in a worker of its own.
const MOST_TRIED: usize = 48;
const DEPTH: Limits = Limits::depth(3);

pub(super) const CHECKS: &[Check] = &[
    Check {
        name: "options.declared",
        description: "Each option has a name that a configuration can have, once, and a default that it allows.",
        run: |subject| Box::pin(declared(subject)),
    },
    Check {
        name: "options.help",
        description: "Each option says in a line what it is for.",
        run: |subject| Box::pin(help(subject)),
    },
    Check {
        name: "options.least",
        description: "It starts with the least value of each number, each switch off and the first of each choice.",
        run: |subject| Box::pin(least(subject)),
    },
    Check {
        name: "options.greatest",
        description: "It starts with the greatest value of each number, each switch on and the last of each choice.",
        run: |subject| Box::pin(greatest(subject)),
    },
    Check {
        name: "options.wrong_type",
        description: "It describes itself, or refuses in words, when an option is set to a value of another type.",
        run: |subject| Box::pin(wrong_type(subject)),
    },
    Check {
        name: "options.out_of_bounds",
        description: "It describes itself, or refuses in words, when an option is set to a value that it does not allow.",
        run: |subject| Box::pin(out_of_bounds(subject)),
    },
    Check {
        name: "options.unknown",
        description: "It describes itself, or refuses in words, when an option is set that it does not declare.",
        run: |subject| Box::pin(unknown(subject)),
    },
    Check {
        name: "options.live",
        description: "A live option that is changed has the same effect as in a new instance, and changed back it has none.",
        run: |subject| Box::pin(live(subject)),
    },
];

async fn specs(subject: &Subject) -> Result<Vec<OptionSpec>, CheckFailure> {
    let specs: Vec<_> = subject.load(&subject.settings).await?.manifest().options.clone();
    if specs.is_empty() { Err(CheckFailure::skipped("the AI declares no options")) } else { Ok(specs) }
}

async fn declared(subject: &Subject) -> Result<Passed, CheckFailure> {
    let specs = specs(subject).await?;
    // What contradicts itself is refused before there is an instance.
    subject.start().await?;
    Ok(Passed::and(format!("{} options", specs.len())))
}

async fn help(subject: &Subject) -> Result<Passed, CheckFailure> {
    let without: Vec<_> = specs(subject)
        .await?
        .iter()
        .filter(|spec| spec.help.trim().is_empty() || printable(&spec.help) != spec.help.as_str())
        .map(|spec| printable(&spec.name))
        .collect();
    if without.is_empty() {
        return Ok(Passed::PLAINLY);
    }
    Err(CheckFailure::warning(
        format!("there is no line of help for {}", without.join(", ")),
        "say in one line what the option is for",
    ))
}

async fn least(subject: &Subject) -> Result<Passed, CheckFailure> {
    let value = |spec: &OptionSpec| match &spec.kind {
        OptionKind::Flag => Some(OptionValue::Flag(false)),
        OptionKind::Integer { min, .. } => Some(OptionValue::Integer(*min)),
        OptionKind::Decimal { min, .. } => Some(OptionValue::Decimal(*min)),
        OptionKind::Choice(choices) => Some(OptionValue::Text(choices.first()?.clone())),
        _ => None,
    };
    starts_with_each(subject, value, |failure| failure).await
}

async fn greatest(subject: &Subject) -> Result<Passed, CheckFailure> {
    let value = |spec: &OptionSpec| match &spec.kind {
        OptionKind::Flag => Some(OptionValue::Flag(true)),
        OptionKind::Integer { max, .. } => Some(OptionValue::Integer(*max)),
        OptionKind::Decimal { max, .. } => Some(OptionValue::Decimal(*max)),
        OptionKind::Choice(choices) => Some(OptionValue::Text(choices.last()?.clone())),
        _ => None,
    };
    // The greatest may be for other machines than this one.
    let mild = |failure: CheckFailure| match failure.verdict() {
        Verdict::Fail => failure.into_warning("allow no more than what it can start with somewhere"),
        _ => failure,
    };
    starts_with_each(subject, value, mild).await
}

async fn starts_with_each(
    subject: &Subject,
    value: impl Fn(&OptionSpec) -> Option<OptionValue>,
    judge: impl Fn(CheckFailure) -> CheckFailure,
) -> Result<Passed, CheckFailure> {
    let specs = specs(subject).await?;
    // What was given for the examination stays as it is.
    let free = |spec: &&OptionSpec| subject.settings.iter().all(|setting| setting.name != spec.name);
    let mut tried = 0;
    for spec in specs.iter().filter(free).take(MOST_TRIED) {
        let Some(value) = value(spec) else { continue };
        let shown = format!("with {} = {}", printable(&spec.name), value_text(&value));
        // A number may be one of threads or megabytes.
        let may_lack = matches!(value, OptionValue::Integer(_));
        let settings = with(subject, &spec.name, value);
        if may_lack && subject.load(&settings).await?.lacks(&subject.ai.sandbox).is_some() {
            continue;
        }
        subject.start_with(&settings).await.map_err(|failure| judge(failure).at(&shown))?;
        tried += 1;
    }
    Ok(Passed::and(format!("{tried} tried")))
}

async fn wrong_type(subject: &Subject) -> Result<Passed, CheckFailure> {
    let wrong = |spec: &OptionSpec| match spec.kind {
        OptionKind::Flag => OptionValue::Text("maybe".into()),
        OptionKind::Integer { .. } | OptionKind::Decimal { .. } => OptionValue::Flag(true),
        _ => OptionValue::Integer(-1),
    };
    describes_itself_with(subject, wrong).await
}

async fn out_of_bounds(subject: &Subject) -> Result<Passed, CheckFailure> {
    let wrong = |spec: &OptionSpec| match spec.kind {
        OptionKind::Flag => OptionValue::Integer(2),
        OptionKind::Integer { max, .. } => OptionValue::Integer(max.saturating_add(1)),
        OptionKind::Decimal { max, .. } => OptionValue::Decimal(max * 2.0 + 1.0),
        OptionKind::Files => OptionValue::List(vec!["\u{0}".repeat(1000); 100]),
        _ => OptionValue::Text("\u{0}".repeat(1000)),
    };
    describes_itself_with(subject, wrong).await
}

async fn describes_itself_with(
    subject: &Subject,
    wrong: impl Fn(&OptionSpec) -> OptionValue,
) -> Result<Passed, CheckFailure> {
    for spec in specs(subject).await?.iter().take(MOST_TRIED) {
        let settings = with(subject, &spec.name, wrong(spec));
        describes_itself(subject, &settings, &spec.name).await?;
    }
    Ok(Passed::PLAINLY)
}

async fn unknown(subject: &Subject) -> Result<Passed, CheckFailure> {
    let name = "nobody_declares_this";
    describes_itself(subject, &with(subject, name, OptionValue::Integer(i64::MIN)), name).await?;
    Ok(Passed::PLAINLY)
}

async fn live(subject: &Subject) -> Result<Passed, CheckFailure> {
    const REMEDY: &str =
        "apply the whole effect of the value in set_option, or do not declare the option live";
    let specs = specs(subject).await?;
    let live: Vec<_> = specs.iter().filter(|spec| spec.live).take(MOST_TRIED).collect();
    if live.is_empty() {
        return Err(CheckFailure::skipped("the AI declares no live option"));
    }
    let mut tried = 0;
    for spec in live {
        let Some(value) = other_value(spec) else { continue };
        let set = with(subject, &spec.name, value.clone());
        // Whether it starts with the value, and always plays the same with it, is not the question here.
        let (Ok(one), Ok(other)) = (subject.start_with(&set).await, subject.start_with(&set).await) else {
            continue;
        };
        let [mut made, mut made_again] = [one, other].map(|session| CheckSession { session });
        let (mut changing, mut unchanged) =
            (CheckSession::of(subject).await?, CheckSession::of(subject).await?);
        let mut options = changing.session.options().to_vec();
        for option in options.iter_mut().filter(|option| option.name == spec.name) {
            option.value.clone_from(&value);
        }
        let shown = format!("{} = {}", printable(&spec.name), value_text(&value));
        for fen in ORDINARY {
            let game = game(fen);
            let expected = made.find(&game, DEPTH).await?.fingerprint();
            if made_again.find(&game, DEPTH).await?.fingerprint() != expected {
                continue;
            }
            let changed = changing.find_configured(&game, DEPTH, options.clone()).await?.fingerprint();
            let changed_back = changing.find(&game, DEPTH).await?.fingerprint();
            let by_default = unchanged.find(&game, DEPTH).await?.fingerprint();
            for (found, expected, when) in
                [(changed, expected, "changed to"), (changed_back, by_default, "changed back from")]
            {
                if found != expected {
                    let reason = format!(
                        "{}: {when} {shown} it finds {found}; a new instance, {expected}",
                        place(&game)
                    );
                    return Err(CheckFailure::failed(reason, REMEDY));
                }
            }
        }
        tried += 1;
    }
    Ok(Passed::and(format!("{tried} tried")))
}

/// A value that the option allows and that is not its default.
fn other_value(spec: &OptionSpec) -> Option<OptionValue> {
    let candidates = match &spec.kind {
        OptionKind::Flag => [false, true].map(OptionValue::Flag).to_vec(),
        OptionKind::Integer { min, max } => [*min, *max].map(OptionValue::Integer).to_vec(),
        OptionKind::Decimal { min, max } => [*min, *max].map(OptionValue::Decimal).to_vec(),
        OptionKind::Choice(choices) => choices.iter().cloned().map(OptionValue::Text).collect(),
        _ => Vec::new(),
    };
    candidates.into_iter().find(|value| *value != spec.default)
}

/// The host refuses the value later; the AI has only seen it, and must neither crash nor take it for a reason to wait.
async fn describes_itself(
    subject: &Subject,
    settings: &[OptionSetting],
    name: &str,
) -> Result<(), CheckFailure> {
    use pool::StartError;
    let loaded = pool::WorkerSession::load(&subject.program, &subject.library, &subject.ai, settings).await;
    match loaded {
        Ok(_) | Err(StartError::Refused(_)) => Ok(()),
        Err(error) => Err(CheckFailure::from(error).at(&format!("told a wrong '{}'", printable(name)))),
    }
}

/// The settings of the examination with one of them changed.
fn with(subject: &Subject, name: &str, value: OptionValue) -> Vec<OptionSetting> {
    let mut settings = subject.settings.clone();
    settings.retain(|setting| setting.name != name);
    settings.push(OptionSetting { name: name.into(), value });
    settings
}

fn value_text(value: &OptionValue) -> String {
    match value {
        OptionValue::Text(value) => format!("'{}'", printable(value)),
        value => printable(&value.to_string()),
    }
}
