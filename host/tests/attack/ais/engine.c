/* Not an AI: a hostile UCI engine that plays and whose name reports what else it could do. The test puts files with
 * secrets around it, below ROOT: each contains the word "secret". */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char done[4096];
static int tried;

static void tries(const char *what, int is_done) {
    tried++;
    if (!is_done || strlen(done) + strlen(what) + 2 > sizeof done) return;
    strcat(done, ";");
    strcat(done, what);
}

/* Looks for secrets along every path to the folders next to the engine's. */
static int has_secret(const char *path) {
    char text[64] = "";
    int file = open(path, O_RDONLY | O_NONBLOCK);
    if (file < 0) return 0;
    int length = (int)read(file, text, sizeof text - 1);
    close(file);
    return length > 0 && strstr(text, "secret") != NULL;
}

static void read_secrets(void) {
    static const char *const ways[] = {
        "../user/secret", "../../user/secret", "../.ssh/secret", "/proc/self/cwd/../user/secret", "link", "folder/secret",
        "../lib/secret", "../bin/../lib/secret", "./../user/./secret", "/proc/thread-self/cwd/../user/secret", "..//user//secret",
        "share/../../user/secret", "bin/../../user/secret",
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) tries(ways[i], has_secret(ways[i]));
    static const char *const below[] = {
        "%s/user/secret", "%s/.ssh/secret", "/proc/self/root%s/user/secret", "/proc/1/root%s/user/secret", "/proc/2/root%s/user/secret",
        "/proc/2/cwd%s/user/secret", "/proc/self/task/%s/../root/user/secret",
    };
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        char path[8192];
        snprintf(path, sizeof path, below[i], ROOT);
        tries(below[i], has_secret(path));
    }
}

/* Reads files of the kernel and of other processes. */
static void read_processes(void) {
    static const char *const own[] = {
        "status", "maps", "mem", "environ", "cmdline", "net/tcp", "net/unix", "net/route", "mountinfo", "cgroup", "limits", "stat",
        "attr/current", "fd", "ns", "task", "map_files", "oom_score_adj", "io", "auxv", "pagemap", "smaps", "timerslack_ns", "root",
    };
    static const char *const of_kernel[] = {
        "/proc", "/proc/meminfo", "/proc/cpuinfo", "/proc/version", "/proc/kcore", "/proc/keys", "/proc/mounts", "/proc/uptime",
        "/proc/loadavg", "/proc/stat", "/proc/net/tcp", "/proc/sys/kernel/hostname", "/proc/sys/kernel/random/boot_id",
        "/proc/sysrq-trigger", "/proc/kmsg", "/proc/interrupts", "/proc/modules", "/sys", "/dev", "/etc/passwd", "/etc/shadow", "/root",
        "/tmp", "/home", "/run", "/var/log", "/dev/mem", "/dev/shm", "/boot",
    };
    char path[256];
    for (int process = 0; process < 8; process++)
        for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
            if (process) snprintf(path, sizeof path, "/proc/%d/%s", process, own[i]);
            else snprintf(path, sizeof path, "/proc/self/%s", own[i]);
            tries(path, open(path, O_RDONLY | O_NONBLOCK) >= 0);
        }
    for (size_t i = 0; i < sizeof of_kernel / sizeof *of_kernel; i++)
        tries(of_kernel[i], open(of_kernel[i], O_RDONLY | O_NONBLOCK) >= 0);
    /* No other process may be visible. */
    struct stat status;
    for (int process = 1; process < 8; process++) {
        snprintf(path, sizeof path, "/proc/%d", process);
        if (process != getpid()) tries(path, stat(path, &status) == 0);
    }
}

static void change_files(void) {
    tries("create", open("new", O_WRONLY | O_CREAT, 0600) >= 0);
    tries("create above", open("../new", O_WRONLY | O_CREAT, 0600) >= 0);
    tries("truncate", open("engine", O_WRONLY | O_TRUNC) >= 0 || truncate("engine", 0) == 0);
    tries("itself", open("/proc/self/exe", O_WRONLY) >= 0);
    tries("remove", unlink("engine") == 0 || unlink("net.bin") == 0);
    tries("rename", rename("engine", "other") == 0);
    tries("make a folder", mkdir("made", 0700) == 0);
    tries("make a link", symlink("/", "made") == 0 || link("engine", "made") == 0);
    tries("make a pipe", mkfifo("made", 0600) == 0);
    tries("change a mode", chmod("engine", 0777) == 0 || chmod("/", 0777) == 0);
    tries("own memory", open("/proc/self/mem", O_RDWR) >= 0);
    tries("its score for the kernel", open("/proc/self/oom_score_adj", O_WRONLY) >= 0);
}

static void leave(void) {
    static const char *const folders[] = {"/proc/1/cwd", "/proc/1/root", "/proc/2/root", "/proc/2/cwd", "../user", "folder"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) tries(folders[i], chdir(folders[i]) == 0);
    tries("chroot", chroot(".") == 0);
    tries("mount", mount("proc", "/proc", "proc", 0, NULL) == 0 || mount("/", "/proc", NULL, MS_BIND, NULL) == 0);
    tries("remount", mount(NULL, "/", NULL, MS_REMOUNT, NULL) == 0 || umount2("/proc", MNT_DETACH) == 0);
    tries("unshare", unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0 || unshare(CLONE_NEWPID) == 0);
    int space = open("/proc/1/ns/mnt", O_RDONLY);
    tries("enter a namespace", space >= 0 || setns(0, 0) == 0);
    tries("open tree", syscall(SYS_open_tree, AT_FDCWD, "/", 1) >= 0);
    tries("a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
}

static void reach_processes(void) {
    for (int process = 1; process < 4; process++) {
        if (process == getpid()) continue;
        char word[8];
        struct iovec here = {word, sizeof word}, there = {(void *)0x400000, sizeof word};
        tries("read memory", process_vm_readv(process, &here, 1, &there, 1, 0) > 0);
        tries("trace", ptrace(PTRACE_ATTACH, process, 0, 0) == 0);
    }
    tries("signal the first process", kill(1, SIGKILL) == 0);
    static char *const shell[] = {"sh", "-c", "exit 0", NULL};
    int child = fork(), status = 1;
    if (child == 0) {
        execv("/bin/sh", shell);
        execv("/usr/bin/env", shell);
        _exit(1);
    }
    if (child > 0) waitpid(child, &status, 0);
    tries("start a shell", status == 0);
    int memory = (int)syscall(SYS_memfd_create, "code", 0);
    tries("code in memory", memory >= 0);
}

static const char *move(const char *p) {
    return strstr(p, "r3k2r/p1ppqpb1") ? "e2a6" : strstr(p, "5p2/6p1") ? "f7f6" : strstr(p, "6k1/5ppp") ? "e1e8"
         : strstr(p, "5KQ1") ? "g6g7" : strstr(p, "r1bqkbnr") ? "g8f6" : "e2e4";
}

/* Uses memory, processes, processor time or output without limit. */
static void take(const char *what) {
    for (unsigned depth = 1; strcmp(what, "reports") == 0;)
        printf("info depth %u score cp 1 nodes %u pv e2e4\n", depth, depth), depth++;
    for (volatile unsigned long work = 0; strcmp(what, "time") == 0;) work++;
    if (strcmp(what, "processes") == 0)
        for (;;) fork();
    if (strcmp(what, "memory of many") == 0)
        for (int more = 0; more < 3; more++) fork();
    for (;;) {
        char *block = malloc(1 << 20);
        if (block) memset(block, 1, 1 << 20);
    }
}

int main(int count, char **arguments) {
    char line[16384], position[16384] = "";
    setvbuf(stdout, NULL, _IONBF, 0);
    if (count < 2) {
        read_secrets();
        read_processes();
        change_files();
        reach_processes();
        leave();
    }
    while (fgets(line, sizeof line, stdin)) {
        if (strncmp(line, "uci\n", 4) == 0) printf("id name tried:%d%s\nuciok\n", tried, done);
        else if (strncmp(line, "isready", 7) == 0) puts("readyok");
        else if (strncmp(line, "position", 8) == 0) strcpy(position, line);
        else if (strncmp(line, "go", 2) == 0 && count > 1) take(arguments[1]);
        else if (strncmp(line, "go", 2) == 0) printf("bestmove %s\n", move(position));
        else if (strncmp(line, "quit", 4) == 0) break;
    }
    return 0;
}
