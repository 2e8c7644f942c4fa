//! Whose rights the process has: nobody's.

use std::fs;

use rustix::{
    fs::{Gid, Uid},
    io::Errno,
    process::{getegid, geteuid},
    rand::{GetRandomFlags, getrandom},
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, set_capabilities, set_keep_capabilities,
        set_thread_groups, set_thread_res_gid, set_thread_res_uid, unshare_unsafe,
    },
};

use super::processes::{self, Namespaces};

/// Numbers of users that nobody assigns, as <https://systemd.io/UIDS-GIDS/> lists them.
const UNASSIGNED: std::ops::Range<u32> = 0x7000_0000..0x7FFF_FFFE;

/// Makes this process the only one of its user, as the kernel counts them: root becomes a user of its own, everybody
/// else gets a namespace of users with nobody else in it, unless it has one. Tells how many others are there.
pub(super) fn become_alone(namespaces: Option<Namespaces>) -> Result<u64, String> {
    if namespaces == Some(Namespaces::ProcessesAndUsers) {
        return Ok(processes::WAITING);
    }
    let own_user = if geteuid().is_root() { become_unassigned_user() } else { Err("not root".into()) };
    let alone = own_user.or_else(|not_changed| {
        unshare_users(UnshareFlags::empty()).map_err(|error| {
            format!(
                "the worker can't be made a user of its own ({not_changed}) nor given its own namespace of users \
                 ({error}); allow the latter (sysctl kernel.unprivileged_userns_clone=1 and \
                 user.max_user_namespaces above 0) or start the server as root"
            )
        })
    });
    alone.map(|()| 0)
}

/// Enters a new namespace of users, with these others, in which this process has every capability. To be called while this
/// process has one thread only.
pub(super) fn unshare_users(also: UnshareFlags) -> Result<(), Errno> {
    let (user, group) = (geteuid(), getegid());
    // SAFETY: it is not about descriptors, and this process has one thread.
    unsafe { unshare_unsafe(UnshareFlags::NEWUSER | also) }?;
    // Without a number in the namespace, this process could make no folder for a mount point: then there is no private
    // root, which is reported there.
    let _ = fs::write("/proc/self/setgroups", "deny");
    for (map, number) in [("uid_map", user.as_raw()), ("gid_map", group.as_raw())] {
        let _ = fs::write(format!("/proc/self/{map}"), format!("{number} {number} 1"));
    }
    Ok(())
}

/// Also keeps the workers apart: none may signal or trace another. What was permitted stays permitted, until it is dropped.
fn become_unassigned_user() -> Result<(), String> {
    let told = |error: Errno| format!("can't change the user: {error}");
    let mut random = [0; 4];
    getrandom(&mut random, GetRandomFlags::empty()).map_err(told)?;
    let number = UNASSIGNED.start + u32::from_ne_bytes(random) % (UNASSIGNED.end - UNASSIGNED.start);
    let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
    set_keep_capabilities(true).map_err(told)?;
    set_thread_groups(&[]).map_err(told)?;
    set_thread_res_gid(group, group, group).map_err(told)?;
    set_thread_res_uid(user, user, user).map_err(told)?;
    set_keep_capabilities(false).map_err(told)
}

/// Drops what root may beyond others, and what a namespace's first process may within it, except these.
pub(super) fn drop_capabilities_but(kept: CapabilitySet) -> Result<(), String> {
    let kept = if kept.is_empty() {
        kept
    } else {
        kept & capabilities(None).map_err(|error| format!("can't read capabilities: {error}"))?.permitted
    };
    let sets = CapabilitySets { effective: kept, permitted: kept, inheritable: CapabilitySet::empty() };
    set_capabilities(None, sets).map_err(|error| format!("can't drop capabilities: {error}"))
}
