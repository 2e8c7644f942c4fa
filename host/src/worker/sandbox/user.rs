//! Whose rights the process has: nobody's.

use rustix::{
    fs::{Gid, Uid},
    process::geteuid,
    rand::{GetRandomFlags, getrandom},
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, set_capabilities, set_thread_groups, set_thread_res_gid,
        set_thread_res_uid, unshare_unsafe,
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
        // SAFETY: it is not about descriptors, and this process has one thread.
        unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }.map_err(|error| {
            format!(
                "the worker can't be made a user of its own ({not_changed}) nor given its own namespace of users \
                 ({error}); allow the latter (sysctl kernel.unprivileged_userns_clone=1 and \
                 user.max_user_namespaces above 0) or start the server as root"
            )
        })
    });
    alone.map(|()| 0)
}

/// Also keeps the workers apart: none may signal or trace another.
fn become_unassigned_user() -> Result<(), String> {
    let told = |error: rustix::io::Errno| format!("can't change the user: {error}");
    let mut random = [0; 4];
    getrandom(&mut random, GetRandomFlags::empty()).map_err(told)?;
    let number = UNASSIGNED.start + u32::from_ne_bytes(random) % (UNASSIGNED.end - UNASSIGNED.start);
    let (user, group) = (Uid::from_raw(number), Gid::from_raw(number));
    set_thread_groups(&[]).map_err(told)?;
    set_thread_res_gid(group, group, group).map_err(told)?;
    set_thread_res_uid(user, user, user).map_err(told)
}

/// Drops what root may beyond others, and what a namespace's first process may within it.
pub(super) fn drop_capabilities() -> Result<(), String> {
    let none = CapabilitySet::empty();
    let none = CapabilitySets { effective: none, permitted: none, inheritable: none };
    set_capabilities(None, none).map_err(|error| format!("can't drop capabilities: {error}"))
}
