//! File systems whose files the kernel generates on read.

/// Magic numbers from `linux/magic.h` and the kernel sources, with names as in `mount`.
const GENERATED: &[(u32, &str)] = &[
    (0x9fa0, "proc"),
    (0x6265_6572, "sysfs"),
    (0x6462_6720, "debugfs"),
    (0x7472_6163, "tracefs"),
    (0x7363_6673, "securityfs"),
    (0x0027_e0eb, "cgroup"),
    (0x6367_7270, "cgroup2"),
    (0xcafe_4a11, "bpf"),
    (0x6165_676c, "pstore"),
    (0xde5e_81e4, "efivarfs"),
    (0x6265_6570, "configfs"),
    (0xf97c_ff8c, "selinuxfs"),
    (0x4341_5d53, "smackfs"),
    (0x5a3c_69f0, "apparmorfs"),
    (0x0000_1cd1, "devpts"),
    (0x1980_0202, "mqueue"),
    (0x4249_4e4d, "binfmt_misc"),
    (0x6573_5543, "fusectl"),
    (0x6759_6969, "rpc_pipefs"),
    (0x0000_9fa2, "usbdevfs"),
    (0x6e73_6673, "nsfs"),
    (0x5049_4446, "pidfs"),
    (0x5049_5045, "pipefs"),
    (0x534f_434b, "sockfs"),
    (0x0904_1934, "anon_inodefs"),
    (0x444d_4142, "dmabuf"),
    (0x0765_5821, "resctrl"),
    (0xabba_1974, "xenfs"),
];

/// Returns the name of a file system that generates its files, by its magic number.
pub(super) fn generated(magic: u32) -> Option<&'static str> {
    GENERATED
        .iter()
        .find(|(number, _)| *number == magic)
        .map(|(_, name)| *name)
}
