//! Which files the process may read and execute. It may write none.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// Adds a layer that leaves reading of these files and of what is below these folders, and execution of these programs, as
/// far as they exist and as the layers before leave them.
pub(super) fn leave<'a>(
    readable: impl Iterator<Item = &'a Path>,
    executable: impl Iterator<Item = &'a Path>,
) -> Result<(), String> {
    const ADVICE: &str =
        "the kernel must be Linux 5.13 or later with \"landlock\" among its security modules (lsm=)";
    match add_layer(readable, executable) {
        Ok(RulesetStatus::NotEnforced) => Err(format!("Landlock is switched off; {ADVICE}")),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("Landlock failed: {error}; {ADVICE}")),
    }
}

fn add_layer<'a>(
    readable: impl Iterator<Item = &'a Path>,
    executable: impl Iterator<Item = &'a Path>,
) -> Result<RulesetStatus, RulesetError> {
    // What the first version can't restrict (truncating, devices, the network, signals) the filter of system calls
    // forbids; later versions do it twice.
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V6))?
        .handle_access(AccessNet::from_all(ABI::V6))?
        .scope(Scope::from_all(ABI::V6))?
        .create()?
        .add_rules(path_beneath_rules(readable, AccessFs::ReadFile | AccessFs::ReadDir))?
        .add_rules(path_beneath_rules(executable, AccessFs::ReadFile | AccessFs::Execute))?;
    Ok(ruleset.restrict_self()?.ruleset)
}
