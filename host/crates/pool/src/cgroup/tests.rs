use tempfile::TempDir;

use super::{hierarchy::own_path, *};

const PROCESS: u32 = 4321;
const GROUP: &str = "rookery-4321";

/// A folder with the files of a mounted hierarchy.
struct Tree(TempDir);

impl Tree {
    /// Creates a root cgroup with these controllers. Like the kernel's, it has no type.
    fn new(controllers: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fill(folder.path(), controllers).unwrap();
        fs::remove_file(folder.path().join("cgroup.type")).unwrap();
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Adds a cgroup with these processes.
    fn with(self, name: &str, processes: &str) -> Self {
        make(&self.path(name)).unwrap();
        fs::write(self.path(name).join("cgroup.procs"), processes).unwrap();
        self
    }

    fn hierarchy(&self, own: &str) -> Hierarchy {
        let root = self.0.path().to_path_buf();
        Hierarchy {
            root,
            own: own.into(),
            process: PROCESS,
            is_privileged: false,
            make,
            remove,
        }
    }

    fn prepare(&self, own: &str) -> Cgroups {
        Cgroups::of(Delegation::prepare(self.hierarchy(own)))
    }

    /// Returns the child cgroups, by name.
    fn below(&self, name: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(name))
            .unwrap()
            .map(|entry| entry.unwrap());
        let folders = entries.filter(|entry| entry.file_type().unwrap().is_dir());
        let mut names: Vec<_> = folders
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn fill(path: &Path, controllers: &str) -> io::Result<()> {
    for file in [
        "cgroup.procs",
        "cgroup.kill",
        "cgroup.subtree_control",
        "cpu.weight",
        "cpu.stat",
    ] {
        fs::write(path.join(file), "")?;
    }
    for file in [
        "memory.max",
        "memory.swap.max",
        "memory.oom.group",
        "memory.events",
        "pids.max",
    ] {
        fs::write(path.join(file), "")?;
    }
    fs::write(path.join("cgroup.type"), "domain\n")?;
    fs::write(path.join("cgroup.controllers"), controllers)
}

fn make(path: &Path) -> io::Result<()> {
    fs::create_dir(path)?;
    fill(
        path,
        &fs::read_to_string(path.parent().unwrap().join("cgroup.controllers"))?,
    )
}

/// Refuses to remove a cgroup with children, as the kernel does, or one with a file named busy.
fn remove(path: &Path) -> io::Result<()> {
    let has_children = fs::read_dir(path)?
        .flatten()
        .any(|entry| entry.path().is_dir());
    if has_children || path.join("busy").exists() {
        return Err(io::ErrorKind::ResourceBusy.into());
    }
    fs::remove_dir_all(path)
}

fn sandbox() -> SandboxSettings {
    SandboxSettings {
        memory_mb: 16,
        threads: 3,
        ..SandboxSettings::default()
    }
}

const ALL: &str = "cpuset cpu io memory pids\n";

#[test]
fn creates_a_limited_cgroup_per_worker_and_removes_it() {
    let tree = Tree::new(ALL);
    let cgroups = Arc::new(tree.prepare(""));
    let worker = cgroups.worker(&sandbox()).unwrap();
    worker.add(77).unwrap();
    assert_eq!(
        tree.read("cgroup.subtree_control"),
        "+cpu\n+memory\n+pids\n"
    );
    assert_eq!(
        tree.read(&format!("{GROUP}/cgroup.subtree_control")),
        "+cpu\n+memory\n+pids\n"
    );
    let memory_max = (16 << 20) + OWN_MEMORY_BYTES + 3 * THREAD_MEMORY_BYTES;
    for (file, value) in [
        ("memory.max", memory_max.to_string()),
        ("memory.swap.max", "0".into()),
        ("memory.oom.group", "1".into()),
        ("pids.max", "11".into()),
        ("cpu.weight", "100".into()),
        ("cgroup.procs", "77".into()),
    ] {
        assert_eq!(
            tree.read(&format!("{GROUP}/worker-0/{file}")),
            format!("{value}\n"),
            "{file}"
        );
    }
    assert_eq!(worker.status(&sandbox()).to_string(), "cpu, memory, pids");
    drop(worker);
    assert_eq!(tree.below(GROUP), [""; 0]);
    cgroups.close();
    assert_eq!(tree.below(""), [""; 0]);
    assert!(
        tree.read("cgroup.subtree_control")
            .ends_with("-cpu\n-memory\n-pids\n")
    );
}

#[test]
fn limits_only_the_processor_without_a_sandbox() {
    let tree = Tree::new(ALL);
    let cgroups = Arc::new(tree.prepare(""));
    let off = SandboxSettings {
        mode: SandboxMode::Off,
        ..sandbox()
    };
    let worker = cgroups.worker(&off).unwrap();
    let file = |name| tree.read(&format!("{GROUP}/worker-0/{name}"));
    assert_eq!(
        (file("memory.max"), file("pids.max"), file("cpu.weight")),
        (String::new(), String::new(), "100\n".into())
    );
    assert_eq!(worker.status(&off).controllers, [Controller::Cpu]);
}

#[test]
fn reads_the_kernels_counters() {
    let tree = Tree::new(ALL);
    let worker = Arc::new(tree.prepare("")).worker(&sandbox()).unwrap();
    let computed = || {
        worker
            .processor_time()
            .map(|counter| counter.used().unwrap())
    };
    assert_eq!((worker.is_out_of_memory(), computed()), (false, None));
    let write = |file: &str, text: &str| {
        fs::write(tree.path(&format!("{GROUP}/worker-0/{file}")), text).unwrap();
    };
    write(
        "memory.events",
        "low 0\nhigh 0\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n",
    );
    write(
        "cpu.stat",
        "usage_usec 1500000\nuser_usec 1\nsystem_usec 1\n",
    );
    assert_eq!(
        (worker.is_out_of_memory(), computed()),
        (false, Some(Duration::from_millis(1500)))
    );
    write(
        "memory.events",
        "low 0\nhigh 0\nmax 9\noom 1\noom_kill 1\noom_group_kill 1\n",
    );
    assert!(worker.is_out_of_memory());
}

#[test]
fn moves_the_server_to_a_leaf_and_back() {
    let tree = Tree::new(ALL).with("rookery.service", &format!("{PROCESS}\n"));
    let cgroups = tree.prepare("rookery.service");
    assert_eq!(cgroups.reason(), None);
    let leaf = format!("{GROUP}.server");
    assert_eq!(tree.below("rookery.service"), [GROUP, &leaf]);
    assert_eq!(
        tree.read(&format!("rookery.service/{leaf}/cgroup.procs")),
        format!("{PROCESS}\n")
    );
    cgroups.close();
    assert_eq!(tree.below("rookery.service"), [""; 0]);
    let moved = format!("{PROCESS}\n{PROCESS}\n");
    assert_eq!(
        tree.read("rookery.service/cgroup.procs"),
        moved,
        "it has moved back"
    );
}

#[test]
fn keeps_a_shared_cgroup_and_lets_root_use_its_parent() {
    let processes = format!("1\n{PROCESS}\n");
    let tree = Tree::new(ALL)
        .with("user.slice", "")
        .with("user.slice/session.scope", &processes);
    let shared = tree.prepare("user.slice/session.scope");
    assert_eq!(shared.reason(), Some(NoCgroup::Shared));
    assert_eq!(tree.below("user.slice"), ["session.scope"]);
    let hierarchy = Hierarchy {
        is_privileged: true,
        ..tree.hierarchy("user.slice/session.scope")
    };
    let cgroups = Cgroups::of(Delegation::prepare(hierarchy));
    assert_eq!(cgroups.reason(), None);
    assert_eq!(tree.below("user.slice"), [GROUP, "session.scope"]);
    cgroups.close();
    assert_eq!(tree.below("user.slice"), ["session.scope"]);
    assert_eq!(tree.below("user.slice/session.scope"), [""; 0]);
    // Never uses a cgroup above the root that a container sees.
    let all = Hierarchy {
        is_privileged: true,
        root: tree.path("user.slice/session.scope"),
        ..tree.hierarchy("")
    };
    assert_eq!(
        Cgroups::of(Delegation::prepare(all)).reason(),
        Some(NoCgroup::Shared)
    );
}

#[test]
fn removes_only_the_cgroups_of_killed_servers() {
    let names = [
        "rookery-1",
        "rookery-1/worker-0",
        "rookery-2",
        "rookery-tools",
    ];
    let tree = names
        .into_iter()
        .fold(Tree::new(ALL), |tree, name| tree.with(name, ""));
    let running = fs::File::open(tree.path("rookery-2")).unwrap();
    rustix::fs::flock(&running, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let _cgroups = tree.prepare("");
    assert_eq!(tree.below(""), ["rookery-2", GROUP, "rookery-tools"]);
}

#[test]
fn removes_a_busy_cgroup_later() {
    let tree = Tree::new(ALL);
    let cgroups = Arc::new(tree.prepare(""));
    let first = cgroups.worker(&sandbox()).unwrap();
    let busy = tree.path(&format!("{GROUP}/worker-0/busy"));
    fs::write(&busy, "").unwrap();
    drop(first);
    assert_eq!(tree.below(GROUP), ["worker-0"]);
    assert_eq!(tree.read(&format!("{GROUP}/worker-0/cgroup.kill")), "1\n");
    fs::remove_file(busy).unwrap();
    let _second = cgroups.worker(&sandbox()).unwrap();
    assert_eq!(tree.below(GROUP), ["worker-1"]);
}

#[test]
fn reports_failures_and_leaves_nothing_behind() {
    let tree = Tree::new("cpuset io\n");
    assert_eq!(tree.prepare("").reason(), Some(NoCgroup::NoControllers));
    assert_eq!(tree.below(""), [""; 0]);
    let denied: fn(&Path) -> io::Result<()> = |_| Err(io::ErrorKind::PermissionDenied.into());
    let hierarchy = Hierarchy {
        make: denied,
        ..tree.hierarchy("")
    };
    assert_eq!(
        Cgroups::of(Delegation::prepare(hierarchy)).reason(),
        Some(NoCgroup::NotWritable)
    );
    let tree = Tree::new(ALL);
    fs::remove_file(tree.path("cgroup.controllers")).unwrap();
    assert_eq!(tree.prepare("").reason(), Some(NoCgroup::NotMounted));
    let without = Arc::new(Cgroups::unused());
    assert!(matches!(without.worker(&sandbox()), Err(NoCgroup::NotUsed)));
}

#[test]
fn uses_the_available_controllers() {
    let tree = Tree::new("memory\n");
    let worker = Arc::new(tree.prepare("")).worker(&sandbox()).unwrap();
    let CgroupStatus {
        controllers,
        reason,
    } = worker.status(&sandbox());
    assert_eq!(
        (controllers, reason),
        (vec![Controller::Memory], Some(NoCgroup::NoControllers))
    );
    assert_eq!(tree.read(&format!("{GROUP}/worker-0/cpu.weight")), "");
}

#[test]
fn parses_the_path_of_its_own_cgroup() {
    assert_eq!(
        own_path("4:memory:/x\n0::/a.slice/b.scope\n").unwrap(),
        "a.slice/b.scope"
    );
    assert_eq!(own_path("0::/\n").unwrap(), "");
    assert_eq!(own_path("0::/../other\n"), Err(NoCgroup::NotMounted));
    assert_eq!(own_path("1:name=systemd:/\n"), Err(NoCgroup::NotMounted));
}
