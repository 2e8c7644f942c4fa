//! The files that the process may read and execute, by Landlock. It may write none.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

/// Adds a layer that allows reading of these files and folders and execution of these programs, if they exist and earlier layers
/// allow them.
pub(super) fn allow_only<'a>(
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
    // The first version can't restrict truncation, devices, the network and signals; the filter of system calls denies them.
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
