//! Gives the process a user without rights or other processes.

use std::fs;

use rustix::{
    fs::{Gid, Uid},
    io::Errno,
    process::{getegid, geteuid},
    rand::{GetRandomFlags, getrandom},
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, set_capabilities,
        set_keep_capabilities, set_thread_groups, set_thread_res_gid, set_thread_res_uid,
        unshare_unsafe,
    },
};

/// User ids that no system assigns, according to <https://systemd.io/UIDS-GIDS/>.
const UNASSIGNED: std::ops::Range<u32> = 0x7000_0000..0x7FFF_FFFE;

/// Makes this process its user's only one, as the kernel counts them. Root becomes an unassigned
/// user; any other user enters its own user namespace.
pub(super) fn isolate() -> Result<(), String> {
    let own_user = if geteuid().is_root() {
        become_unassigned_user()
    } else {
        Err("not root".into())
    };
    own_user.or_else(|not_changed| {
        unshare_users(UnshareFlags::empty()).map_err(|error| {
            format!(
                "the worker can neither become its own user ({not_changed}) nor enter a user \
                 namespace ({error}); allow the latter (sysctl kernel.unprivileged_userns_clone=1 \
                 and user.max_user_namespaces above 0) or start the server as root"
            )
        })
    })
}

/// Enters a new user namespace and further namespaces, in which this process has every capability.
/// Requires a single thread.
pub(super) fn unshare_users(also: UnshareFlags) -> Result<(), Errno> {
    let (user, group) = (geteuid(), getegid());
    // SAFETY: the flag does not affect descriptors, and this process has one thread.
    unsafe { unshare_unsafe(UnshareFlags::NEWUSER | also) }?;
    // Without ids in the namespace, this process can't create folders for mount points. Building
    // the private root reports that.
    let _ = fs::write("/proc/self/setgroups", "deny");
    for (map, number) in [("uid_map", user.as_raw()), ("gid_map", group.as_raw())] {
        let _ = fs::write(format!("/proc/self/{map}"), format!("{number} {number} 1"));
    }
    Ok(())
}

/// Changes to an unassigned user, which also keeps workers from signalling or tracing each other.
/// Permitted capabilities remain until they are dropped.
fn become_unassigned_user() -> Result<(), String> {
    let failed = |error: Errno| format!("can't change the user: {error}");
    let mut random = [0; 4];
    getrandom(&mut random, GetRandomFlags::empty()).map_err(failed)?;
    let number =
        UNASSIGNED.start + u32::from_ne_bytes(random) % (UNASSIGNED.end - UNASSIGNED.start);
    let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
    set_keep_capabilities(true).map_err(failed)?;
    set_thread_groups(&[]).map_err(failed)?;
    set_thread_res_gid(group, group, group).map_err(failed)?;
    set_thread_res_uid(user, user, user).map_err(failed)?;
    set_keep_capabilities(false).map_err(failed)
}

/// Drops the capabilities of root or of a namespace's first process, except these.
pub(super) fn drop_capabilities_except(kept: CapabilitySet) -> Result<(), String> {
    let kept = if kept.is_empty() {
        kept
    } else {
        kept & capabilities(None)
            .map_err(|error| format!("can't read capabilities: {error}"))?
            .permitted
    };
    let sets = CapabilitySets {
        effective: kept,
        permitted: kept,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets).map_err(|error| format!("can't drop capabilities: {error}"))
}
