//! `rookery ais`.

mod pin;

use std::sync::Arc;

use ai_api::{OptionKind, OptionSpec, OptionValue};
use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::{
    config_file::ConfigFile,
    failure::Failure,
    output::{print_json, print_message, print_table},
};
use api::{
    replies::ai_summary::{CapabilitiesReply, SandboxReply, limit_schema, options_schema},
    words::kinds,
};
use config::{AiSettings, SearchMaxima};
use game::smoke_tests;
use pool::{About, AiStartError, Inspection, Inspections, WorkerProgram, cgroup::Cgroups, inspect};
use protocol::Confined;
use text::printable;

/// The column at which descriptions begin.
const INDENT: usize = 11;

#[derive(Debug, Args)]
pub(super) struct ListAis {
    #[command(flatten)]
    file: ConfigFile,
    /// Print JSON
    #[arg(long, global = true)]
    json: bool,
    /// Explain why AIs cannot be loaded
    #[arg(long, short)]
    verbose: bool,
    #[command(subcommand)]
    command: Option<AisCommand>,
}

#[derive(Debug, Subcommand)]
enum AisCommand {
    /// Print pins of current files
    #[command(after_help = "\
Examples:
  rookery ais pin                            every AI of the configuration
  rookery ais pin basic1 --config my.toml    one AI

Only these bytes of a pinned library are loaded, and an AI whose pinned program, script or other \
file has changed does not start. Review changes before you pin it again. The command runs no code \
of a library.")]
    Pin(pin::PinAis),
}

impl ListAis {
    pub(super) fn run(self) -> Result<(), Failure> {
        let config = self.file.load()?;
        if let Some(AisCommand::Pin(pin)) = self.command {
            let form = if self.json {
                pin::PinForm::Json
            } else {
                pin::PinForm::Toml
            };
            return pin.run(&config, form);
        }
        let cgroups = Arc::new(Cgroups::of_this_process());
        let program = WorkerProgram::this_binary().in_cgroups(Arc::clone(&cgroups));
        let Inspections {
            configured,
            discovered,
            skipped,
        } = inspect(&config, &program, &smoke_tests())?;
        cgroups.close();
        let failed = configured
            .iter()
            .filter(|inspection| inspection.about.is_err())
            .count();
        let count = configured.len();
        let inspections: Vec<_> = configured.into_iter().chain(discovered).collect();
        for library in skipped {
            let kind = if library.lacks_settings() {
                "note"
            } else {
                "warning"
            };
            print_message(&format!("{kind}: {library}"));
        }
        if self.json {
            print_json(&inspections.iter().map(as_json).collect::<Vec<_>>())?;
        } else {
            let texts: Vec<_> = inspections.iter().map(as_text).collect();
            print_table(&texts.join("\n"), INDENT)?;
        }
        if self.verbose {
            let errors = inspections
                .iter()
                .filter_map(|inspection| inspection.about.as_ref().err());
            let details =
                errors.flat_map(|errors| errors.0.iter().filter_map(AiStartError::details));
            details.for_each(print_message);
        }
        if failed == 0 {
            Ok(())
        } else {
            Err(anyhow::anyhow!("{failed} of {count} AIs cannot be served").into())
        }
    }
}

fn as_json(inspection: &Inspection) -> Value {
    let id = &inspection.settings.id;
    let sha256 = inspection.sha256.map(|sha256| sha256.to_string());
    let library = json!({"file": inspection.settings.library, "sha256": sha256});
    match &inspection.about {
        Ok(about) => json!({
            "id": id,
            "name": about.name,
            "version": about.version,
            "author": about.author,
            "kinds": kinds(about.searcher, about.evaluator),
            "capabilities": CapabilitiesReply::from(about.capabilities),
            "options": options_schema(
                &about.options,
                &inspection.options,
                &inspection.settings.overridable_options,
            ),
            "limit": limit_schema(&inspection.settings, &SearchMaxima::default()),
            "isolate": inspection.settings.isolate.into_str(),
            "state": "ready",
            "library": library,
            "sandbox": sandbox(inspection).map(|(reply, _)| reply),
        }),
        Err(errors) => {
            json!({"id": id, "state": "failed", "error": errors.to_string(), "library": library})
        }
    }
}

fn as_text(inspection: &Inspection) -> String {
    let AiSettings { id, library, .. } = &inspection.settings;
    let mut lines = match &inspection.about {
        Ok(about) => describe(inspection, about),
        Err(errors) => vec![format!(
            "{id}: failed\n  {}",
            errors.to_string().replace('\n', "\n  ")
        )],
    };
    lines.push(format!("  library  {}", library.display()));
    lines.extend(
        inspection
            .sha256
            .map(|sha256| format!("  sha256   {sha256}")),
    );
    if let Some((reply, confined)) = sandbox(inspection) {
        lines.extend(describe_sandbox(inspection, reply, confined));
    }
    lines.join("\n") + "\n"
}

fn describe(inspection: &Inspection, about: &About) -> Vec<String> {
    let kinds = kinds(about.searcher, about.evaluator).join(" and ");
    let mut lines = vec![format!(
        "{}: {} ({kinds}), ready",
        inspection.settings.id,
        about.full_name()
    )];
    if !about.author.is_empty() {
        lines.push(format!("  author   {}", about.author));
    }
    let (advanced, others): (Vec<_>, Vec<_>) = about.options.iter().partition(|spec| spec.advanced);
    let options = others.into_iter().chain(advanced);
    lines.extend(options.map(|spec| format!("  option   {}", option_line(spec, inspection))));
    lines
}

/// Returns the sandbox of a started AI.
fn sandbox(inspection: &Inspection) -> Option<(SandboxReply, &Confined)> {
    let (confined, cgroup) = (inspection.confined.as_ref()?, inspection.cgroup.as_ref()?);
    Some((
        SandboxReply::new(&inspection.settings.sandbox, confined, cgroup),
        confined,
    ))
}

fn describe_sandbox(
    inspection: &Inspection,
    reply: SandboxReply,
    confined: &Confined,
) -> Vec<String> {
    let SandboxReply {
        mode,
        memory_mb,
        threads,
        exec: _,
        enforced,
        missing: _,
        cgroup: _,
    } = reply;
    let memory = memory_mb
        .map(|memory_mb| format!(", {memory_mb} MB"))
        .unwrap_or_default();
    let threads = threads
        .map(|threads| format!(", {threads} threads"))
        .unwrap_or_default();
    let enforced = if enforced.is_empty() {
        "nothing".to_owned()
    } else {
        enforced.join(", ")
    };
    let mut lines = vec![format!(
        "  sandbox  {mode}{memory}{threads}; enforced: {enforced}"
    )];
    let programs = inspection.settings.sandbox.exec.iter();
    lines.extend(
        programs
            .map(|program| format!("  exec     {}", printable(&program.file.to_string_lossy()))),
    );
    lines.extend(
        confined
            .missing
            .iter()
            .map(|missing| format!("           not enforced: {missing}")),
    );
    lines.extend(
        inspection
            .cgroup
            .iter()
            .map(|cgroup| format!("  cgroup   {cgroup}")),
    );
    lines
}

/// Describes an option: its value, the allowed values, a different default, and whether requests
/// can override it.
fn option_line(spec: &OptionSpec, inspection: &Inspection) -> String {
    let allowed = match &spec.kind {
        OptionKind::Flag => "true or false".to_owned(),
        OptionKind::Integer { min, max } => format!("{min} to {max}"),
        OptionKind::Decimal { min, max } => format!("{min} to {max}"),
        OptionKind::Choice(choices) => choices
            .iter()
            .map(|choice| printable(choice))
            .collect::<Vec<_>>()
            .join(", "),
        OptionKind::Text => "text".to_owned(),
        OptionKind::File => "a file".to_owned(),
        OptionKind::Folder => "a folder".to_owned(),
        OptionKind::Files => "files and folders".to_owned(),
    };
    let setting = inspection
        .options
        .iter()
        .find(|setting| setting.name == spec.name);
    let value = setting.map_or(&spec.default, |setting| &setting.value);
    let default = if *value == spec.default || spec.secret {
        String::new()
    } else {
        format!("; default {}", value_text(&spec.default))
    };
    let (name, help) = (printable(&spec.name), printable(&spec.help));
    let overridable = if inspection
        .settings
        .overridable_options
        .iter()
        .any(|listed| **listed == *spec.name)
    {
        "; overridable"
    } else {
        ""
    };
    let advanced = if spec.advanced { "; advanced" } else { "" };
    let value = if spec.secret {
        "(secret)".to_owned()
    } else {
        value_text(value)
    };
    format!("{name} = {value}  ({allowed}{default}{advanced}{overridable})  {help}")
}

fn value_text(value: &OptionValue) -> String {
    match value {
        OptionValue::Text(value) => format!("{:?}", printable(value)),
        value => printable(&value.to_string()),
    }
}
