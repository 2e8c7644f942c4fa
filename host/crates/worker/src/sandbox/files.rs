//! Uses Landlock to restrict the files that the process may read and execute, and the one device
//! that it may write to.

use std::os::fd::OwnedFd;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{FileType, fstat};

/// Adds a layer that allows reading these files and folders, executing these programs and writing
/// to this device, if earlier layers allow them.
pub(super) fn allow_only(
    readable: impl Iterator<Item = OwnedFd>,
    executable: impl Iterator<Item = OwnedFd>,
    writable: Option<OwnedFd>,
) -> Result<(), String> {
    const ADVICE: &str = "Landlock requires Linux 5.13 or later with \"landlock\" among the \
        security modules (lsm=)";
    match add_layer(readable, executable, writable) {
        Ok(RulesetStatus::NotEnforced) => Err(format!("Landlock is off; {ADVICE}")),
        Ok(_) => Ok(()),
        Err(error) => Err(format!("Landlock failed: {error}; {ADVICE}")),
    }
}

fn add_layer(
    readable: impl Iterator<Item = OwnedFd>,
    executable: impl Iterator<Item = OwnedFd>,
    writable: Option<OwnedFd>,
) -> Result<RulesetStatus, RulesetError> {
    // Landlock's first version can't restrict truncation, devices, the network or signals, but the
    // system call filter denies them.
    let ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V1))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(ABI::V6))?
        .handle_access(AccessNet::from_all(ABI::V6))?
        .scope(Scope::from_all(ABI::V6))?
        .create()?
        .add_rules(rules(readable, AccessFs::ReadFile | AccessFs::ReadDir))?
        .add_rules(rules(executable, AccessFs::ReadFile | AccessFs::Execute))?
        .add_rules(rules(
            writable.into_iter(),
            AccessFs::ReadFile | AccessFs::WriteFile,
        ))?;
    Ok(ruleset.restrict_self()?.ruleset)
}

fn rules(
    opened: impl Iterator<Item = OwnedFd>,
    access: BitFlags<AccessFs>,
) -> impl Iterator<Item = Result<PathBeneath<OwnedFd>, RulesetError>> {
    opened.map(move |opened| {
        let is_folder =
            fstat(&opened).is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_dir());
        // The kernel rejects folder rights for files.
        let access = if is_folder {
            access
        } else {
            access & AccessFs::from_file(ABI::V1)
        };
        Ok(PathBeneath::new(opened, access))
    })
}
