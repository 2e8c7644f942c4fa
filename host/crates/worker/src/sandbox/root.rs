//! A private root for the worker: a read-only file system in memory that contains only the granted
//! paths and the library. Other paths do not exist, even for `stat` and `access`, which Landlock
//! can't deny.

use std::{
    collections::VecDeque,
    ffi::OsString,
    fs, io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd},
    os::unix::fs::FileTypeExt,
    path::{Component, Path, PathBuf},
};

use rustix::{
    fs::{CWD, FileType, Mode, OFlags, ResolveFlags, mkdirat, mknodat, openat, openat2, symlinkat},
    io::Errno,
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags,
        OpenTreeFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen, mount_change,
        move_mount, open_tree,
    },
    process::{chroot, fchdir},
    thread::{UnshareFlags, unshare_unsafe},
};

pub(super) const LIBRARY: &str = "/rookery-ai.so";
/// Enough for the names of the granted paths. No file in the new root has content.
const LIMITS: [(&str, &str); 3] = [("size", "64k"), ("nr_inodes", "16k"), ("mode", "755")];
const FOLDER_MODE: u32 = 0o755;
const PROC: &str = "proc";
/// As defined in the kernel.
const MAX_LINKS: usize = 40;
/// The attributes of all mounts in the new root.
const CONFINED: u64 = libc::MOUNT_ATTR_RDONLY | libc::MOUNT_ATTR_NOSUID;

/// What the AI's programs find below `/proc`.
pub(super) struct OwnProcesses<'a> {
    /// The program that is started first.
    pub(super) program: &'a Path,
    /// Whether this process is in its own PID namespace.
    pub(super) has_namespace: bool,
}

/// The new root, before this process enters it.
pub(super) struct PrivateRoot {
    mount: OwnedFd,
}

impl PrivateRoot {
    /// Enters a mount namespace and builds a new root next to the old one. The new root contains
    /// these files and folders, if they are accessible, these links and the library behind this
    /// descriptor. Makes the new root the working directory. Requires `CAP_SYS_ADMIN` and a single
    /// thread.
    pub(super) fn build<'a>(
        granted: impl Iterator<Item = &'a Path>,
        links: impl Iterator<Item = &'a Path>,
        library: RawFd,
        processes: Option<OwnProcesses<'_>>,
    ) -> Result<Self, String> {
        const ADVICE: &str = "paths that are not granted can't be read, but their existence and \
                              size can be seen; let the server's user create user and mount \
                              namespaces";
        let failed =
            |error: io::Error| format!("the worker can't build a private root: {error}; {ADVICE}");
        Self::try_build(granted, links, library, processes).map_err(failed)
    }

    fn try_build<'a>(
        granted: impl Iterator<Item = &'a Path>,
        mut links: impl Iterator<Item = &'a Path>,
        library: RawFd,
        processes: Option<OwnProcesses<'_>>,
    ) -> io::Result<Self> {
        // SAFETY: the flag does not affect descriptors, and this process has one thread.
        unsafe { unshare_unsafe(UnshareFlags::NEWNS) }?;
        // Mounts here must not propagate outside.
        mount_change("/", MountPropagationFlags::PRIVATE)?;
        let tmpfs = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        for (key, value) in LIMITS {
            fsconfig_set_string(&tmpfs, key, value)?;
        }
        fsconfig_create(&tmpfs)?;
        let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
            | MountAttrFlags::MOUNT_ATTR_NODEV
            | MountAttrFlags::MOUNT_ATTR_NOEXEC;
        let mount = fsmount(&tmpfs, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
        // Mounts the new root on top of the old one, which remains this process's root until the
        // process enters the new one.
        attach(&mount, CWD, Path::new("/"))?;
        link_library(&mount, library)?;
        let mut granted: Vec<_> = granted.collect();
        granted.sort_unstable();
        let mut contents = Contents {
            mount: mount.as_fd(),
            paths: Vec::new(),
        };
        granted
            .into_iter()
            .try_for_each(|path| contents.add(path))?;
        links.try_for_each(|link| {
            contents
                .add_link(link.strip_prefix("/").unwrap_or(link))
                .map(|_| ())
        })?;
        processes.map_or(Ok(()), |processes| processes.add(&mount))?;
        set_attributes(&mount, libc::MOUNT_ATTR_RDONLY, 0)?;
        fchdir(&mount)?;
        Ok(Self { mount })
    }

    /// Opens a path in the new root, even if this process has not entered it.
    pub(super) fn open(&self, path: &Path) -> Result<OwnedFd, Errno> {
        let (flags, mode) = (OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
        match openat2(&self.mount, path, flags, mode, ResolveFlags::IN_ROOT) {
            // systemd's `RestrictSUIDSGID` hides the call. An absolute link then leads to the same
            // file through the folders outside.
            Err(Errno::NOSYS) => {
                let inside = path.strip_prefix("/").unwrap_or(path);
                openat(&self.mount, Path::new(".").join(inside), flags, mode)
            }
            opened => opened,
        }
    }

    /// Makes the new root this process's root and working directory. The working directory then has
    /// a path, without which runtimes such as Python's fail to start. Requires `CAP_SYS_CHROOT`. A
    /// process without capabilities and without descriptors of folders in the old root can't return
    /// to it.
    pub(super) fn enter(self) -> Result<(), String> {
        let entered = fchdir(&self.mount).and_then(|()| chroot("."));
        entered.map_err(|error| format!("the worker can't enter its private root: {error}"))
    }
}

/// Mounts only the descriptor's link in `/proc`, so that no page is copied and no process is
/// visible. The link disappears when the descriptor is closed.
fn link_library(root: &OwnedFd, library: RawFd) -> io::Result<()> {
    let link = open_tree(
        CWD,
        format!("/proc/self/fd/{library}"),
        OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_SYMLINK_NOFOLLOW,
    )?;
    let at = Path::new(LIBRARY.trim_start_matches('/'));
    mknodat(root, at, FileType::RegularFile, Mode::empty(), 0)?;
    attach(&link, root.as_fd(), at)
}

impl OwnProcesses<'_> {
    /// Lets a program find itself as `/proc/self/exe`: many look for their libraries and data next
    /// to it. Landlock keeps it from reading any other file there.
    fn add(&self, root: &OwnedFd) -> io::Result<()> {
        let made = mkdirat(root, PROC, Mode::from_raw_mode(FOLDER_MODE));
        // `/proc` may be granted.
        if made == Err(Errno::EXIST) {
            return Ok(());
        }
        made?;
        if self.has_namespace && mount_processes(root).is_ok() {
            return Ok(());
        }
        // The kernel rejects such a mount where parts of `/proc` are hidden, as in containers.
        let own = Path::new(PROC).join("self");
        mkdirat(root, &own, Mode::from_raw_mode(FOLDER_MODE))?;
        Ok(symlinkat(self.program, root, own.join("exe"))?)
    }
}

/// Mounts a `/proc` in which each process of this PID namespace sees only itself and nothing of the
/// kernel.
fn mount_processes(root: &OwnedFd) -> io::Result<()> {
    let processes = fsopen("proc", FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in [("subset", "pid"), ("hidepid", "ptraceable")] {
        fsconfig_set_string(&processes, key, value)?;
    }
    fsconfig_create(&processes)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID
        | MountAttrFlags::MOUNT_ATTR_NODEV
        | MountAttrFlags::MOUNT_ATTR_NOEXEC
        | MountAttrFlags::MOUNT_ATTR_RDONLY;
    let mount = fsmount(&processes, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
    attach(&mount, root.as_fd(), Path::new(PROC))
}

struct Contents<'r> {
    mount: BorrowedFd<'r>,
    /// Relative to the root, without symbolic links.
    paths: Vec<PathBuf>,
}

impl Contents<'_> {
    /// Adds a file or a folder, with the symbolic links on its path. Skips an inaccessible path,
    /// which `check_grants` reports.
    fn add(&mut self, path: &Path) -> io::Result<()> {
        let (mut at, mut links) = (PathBuf::new(), 0);
        let mut rest = steps(path);
        while let Some(step) = rest.pop_front() {
            if step == ".." {
                at.pop();
                continue;
            }
            let next = at.join(step);
            // A mounted folder contains its own links, which may lead out of it.
            let is_placed = self.paths.iter().any(|placed| next.starts_with(placed));
            let Ok(metadata) = fs::symlink_metadata(outside(&next)) else {
                return Ok(());
            };
            if metadata.is_symlink() {
                links += 1;
                if links > MAX_LINKS {
                    return Ok(());
                }
                let target = if is_placed {
                    fs::read_link(outside(&next))?
                } else {
                    self.add_link(&next)?
                };
                if target.is_absolute() {
                    at.clear();
                }
                steps(&target)
                    .into_iter()
                    .rev()
                    .for_each(|target_step| rest.push_front(target_step));
                continue;
            }
            if is_placed {
                at = next;
                if rest.is_empty() {
                    return Ok(());
                }
                continue;
            }
            if metadata.is_dir() {
                existing(mkdirat(self.mount, &next, Mode::from_raw_mode(FOLDER_MODE)))?;
            } else {
                existing(mknodat(
                    self.mount,
                    &next,
                    FileType::RegularFile,
                    Mode::empty(),
                    0,
                ))?;
            }
            at = next;
            if rest.is_empty() {
                let kind = metadata.file_type();
                let is_device = kind.is_char_device() || kind.is_block_device();
                return self.bind(at, is_device);
            }
        }
        Err(io::Error::other(format!(
            "{} can't be granted together with everything below it",
            path.display()
        )))
    }

    /// Copies a symbolic link into the new root and returns its target.
    fn add_link(&self, at: &Path) -> io::Result<PathBuf> {
        let target = fs::read_link(outside(at))?;
        existing(symlinkat(&target, self.mount, at))?;
        Ok(target)
    }

    fn bind(&mut self, at: PathBuf, is_device: bool) -> io::Result<()> {
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_RECURSIVE;
        let tree = match open_tree(CWD, outside(&at), flags) {
            Err(Errno::ACCESS | Errno::NOENT) => return Ok(()),
            opened => opened?,
        };
        let no_devices = if is_device { 0 } else { libc::MOUNT_ATTR_NODEV };
        set_attributes(&tree, CONFINED | no_devices, libc::AT_RECURSIVE)?;
        attach(&tree, self.mount, &at)?;
        self.paths.push(at);
        Ok(())
    }
}

/// Returns the names and `..` of a path.
fn steps(path: &Path) -> VecDeque<OsString> {
    let is_step = |component: &Component<'_>| {
        matches!(component, Component::Normal(_) | Component::ParentDir)
    };
    path.components()
        .filter(is_step)
        .map(|component| component.as_os_str().to_owned())
        .collect()
}

fn outside(path: &Path) -> PathBuf {
    Path::new("/").join(path)
}

fn existing(made: rustix::io::Result<()>) -> io::Result<()> {
    match made {
        Err(Errno::EXIST) => Ok(()),
        made => Ok(made?),
    }
}

fn attach(mount: &OwnedFd, folder: BorrowedFd<'_>, at: &Path) -> io::Result<()> {
    Ok(move_mount(
        mount,
        "",
        folder,
        at,
        MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH,
    )?)
}

/// Sets the attributes of a mount and makes it private.
fn set_attributes(mount: &OwnedFd, attributes: u64, flags: i32) -> io::Result<()> {
    let attributes = libc::mount_attr {
        attr_set: attributes,
        attr_clr: 0,
        propagation: libc::MS_PRIVATE,
        userns_fd: 0,
    };
    // SAFETY: the path is an empty string, and the kernel reads the structure only during the call.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | flags,
            &raw const attributes,
            size_of::<libc::mount_attr>(),
        )
    };
    if outcome == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}
