//! The cgroup that contains the workers' cgroups. Except in the root, the kernel enables
//! controllers for the children of a cgroup only if the cgroup itself contains no processes.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use rustix::fs::{FlockOperation, flock};

use strum::VariantArray as _;

use super::{
    hierarchy::{Hierarchy, write},
    status::{Controller, NoCgroup},
};

/// The name prefix of a server's cgroup. The process id follows.
const PREFIX: &str = "rookery-";
/// The file extension of the leaf cgroup that the server moves to if its own cgroup contains no
/// other process.
const SERVER: &str = "server";

#[derive(Debug)]
pub(super) struct Delegation {
    pub(super) hierarchy: Hierarchy,
    /// The cgroup that contains `group` and the server's leaf.
    parent: PathBuf,
    /// The cgroup that contains the workers' cgroups.
    pub(super) group: PathBuf,
    pub(super) controllers: Vec<Controller>,
    /// Controllers that this process has enabled for the parent's children.
    added: Vec<Controller>,
    /// Whether the server has moved out of the parent.
    has_moved: bool,
    /// Held while the server runs. A server that acquires another group's lock may remove that
    /// group.
    _lock: File,
}

impl Delegation {
    /// Finds the parent, creates the group and enables its controllers. Leaves nothing behind on
    /// failure.
    pub(super) fn prepare(hierarchy: Hierarchy) -> Result<Self, NoCgroup> {
        if !hierarchy.root.join("cgroup.controllers").exists() {
            return Err(NoCgroup::NotMounted);
        }
        let (parent, has_to_move) = parent(&hierarchy)?;
        remove_stale(&hierarchy, &parent);
        let group = parent.join(format!("{PREFIX}{}", hierarchy.process));
        hierarchy.make(&group).map_err(|_| NoCgroup::NotWritable)?;
        let lock = lock(&group).inspect_err(|_| _ = hierarchy.remove(&group));
        let lock = lock.map_err(|_| NoCgroup::NotWritable)?;
        let (controllers, added) = (Vec::new(), Vec::new());
        let mut delegation = Self {
            hierarchy,
            parent,
            group,
            controllers,
            added,
            has_moved: false,
            _lock: lock,
        };
        let prepared = if has_to_move {
            delegation.move_server()
        } else {
            Ok(())
        };
        prepared
            .and_then(|()| delegation.add_controllers())
            .inspect_err(|_| _ = delegation.remove())?;
        Ok(delegation)
    }

    fn server(&self) -> PathBuf {
        self.group.with_extension(SERVER)
    }

    fn move_server(&mut self) -> Result<(), NoCgroup> {
        let server = self.server();
        let moved = self.hierarchy.make(&server).and_then(|()| {
            self.has_moved = true;
            write(
                &server.join("cgroup.procs"),
                &self.hierarchy.process.to_string(),
            )
        });
        moved.map_err(|_| NoCgroup::NotWritable)
    }

    fn add_controllers(&mut self) -> Result<(), NoCgroup> {
        let available = words(&self.parent.join("cgroup.controllers"));
        let of_children = words(&self.parent.join("cgroup.subtree_control"));
        for &controller in Controller::VARIANTS {
            let name = controller.to_string();
            if !available.contains(&name) {
                continue;
            }
            if !of_children.contains(&name) {
                if set_controller(&self.parent, '+', controller).is_err() {
                    continue;
                }
                self.added.push(controller);
            }
            if set_controller(&self.group, '+', controller).is_ok() {
                self.controllers.push(controller);
            }
        }
        if self.controllers.is_empty() {
            Err(NoCgroup::NoControllers)
        } else {
            Ok(())
        }
    }

    /// Removes the group and moves the server back. Returns whether everything was removed.
    pub(super) fn remove(&self) -> bool {
        if !self.hierarchy.remove(&self.group) {
            return false;
        }
        for controller in &self.added {
            // The kernel rejects this while a sibling group uses the controller.
            let _ = set_controller(&self.parent, '-', *controller);
        }
        if !self.has_moved {
            return true;
        }
        let _ = write(
            &self.parent.join("cgroup.procs"),
            &self.hierarchy.process.to_string(),
        );
        self.hierarchy.remove(&self.server())
    }
}

/// Returns the cgroup in which groups can be created, and whether the server must leave it first.
fn parent(hierarchy: &Hierarchy) -> Result<(PathBuf, bool), NoCgroup> {
    let own = hierarchy.root.join(&hierarchy.own);
    let members = fs::read_to_string(own.join("cgroup.procs")).map_err(|_| NoCgroup::NotMounted)?;
    if is_root(&own) {
        return Ok((own, false));
    }
    if members
        .lines()
        .all(|member| member.parse() == Ok(hierarchy.process))
    {
        return Ok((own, true));
    }
    // The parent cgroup is not delegated to the server, but root may use it.
    let above = own
        .parent()
        .filter(|above| hierarchy.is_privileged && above.starts_with(&hierarchy.root));
    let above = above.filter(|above| {
        is_root(above)
            || fs::read_to_string(above.join("cgroup.procs"))
                .is_ok_and(|processes| processes.is_empty())
    });
    above
        .map(|above| (above.to_owned(), false))
        .ok_or(NoCgroup::Shared)
}

/// Returns whether this is the root of all cgroups, the only one without a type.
fn is_root(cgroup: &Path) -> bool {
    !cgroup.join("cgroup.type").exists()
}

/// Removes the groups that killed servers left behind.
fn remove_stale(hierarchy: &Hierarchy, parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let path = entry.path();
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let is_group = name
            .strip_prefix(PREFIX)
            .is_some_and(|number| number.parse::<u32>().is_ok());
        // A group's server holds the lock while it runs.
        let Some(_lock) = is_group.then(|| lock(&path).ok()).flatten() else {
            continue;
        };
        let workers = fs::read_dir(&path)
            .into_iter()
            .flatten()
            .flatten()
            .map(|child| child.path());
        for worker in workers.filter(|worker| worker.is_dir()) {
            let _ = write(&worker.join("cgroup.kill"), "1");
            hierarchy.remove(&worker);
        }
        let is_removed = hierarchy.remove(&path) && hierarchy.remove(&path.with_extension(SERVER));
        tracing::info!(cgroup = %path.display(), is_removed, "found the cgroup of a killed \
            server");
    }
}

fn lock(cgroup: &Path) -> io::Result<File> {
    let folder = File::open(cgroup)?;
    flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
    Ok(folder)
}

/// Enables (`+`) or disables (`-`) a controller for the children of a cgroup.
fn set_controller(cgroup: &Path, sign: char, controller: Controller) -> io::Result<()> {
    write(
        &cgroup.join("cgroup.subtree_control"),
        &format!("{sign}{controller}"),
    )
}

fn words(file: &Path) -> Vec<String> {
    fs::read_to_string(file)
        .unwrap_or_default()
        .split_whitespace()
        .map(str::to_owned)
        .collect()
}
