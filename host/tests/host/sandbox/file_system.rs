//! A worker's file system: the granted paths and nothing else.

use std::{
    fs::{self, Permissions},
    os::unix::{
        fs::{PermissionsExt, symlink},
        process::CommandExt,
    },
    process::Command,
};

use rustix::process::geteuid;
use serde_json::{Value, json};

use crate::{
    plugins::c_abi::{WHOLE, ai_with},
    support::{Application, ConfigFile, ai, built, copy_program, directories, rookery},
};

const NOBODY: u32 = 65534;

/// A configuration in a world-readable folder, with an AI that reads this file in the folder during
/// a search.
pub(super) fn reading(settings: &str, granted: &str) -> ConfigFile {
    let settings = format!("{settings}\noptions = {{ granted = \"FOLDER/{granted}\" }}");
    let file = ai("sandbox_probe", "sandbox_probe", &settings);
    let folder = file.folder();
    fs::set_permissions(folder, Permissions::from_mode(0o755)).unwrap();
    for path in ["nets", "nets/deep", "other"] {
        fs::create_dir(folder.join(path)).unwrap();
    }
    fs::write(folder.join("nets/deep/small"), "1.5").unwrap();
    fs::write(folder.join("other/large"), "2.5").unwrap();
    symlink("nets/deep", folder.join("link")).unwrap();
    symlink(folder.join("other"), folder.join("nets/far")).unwrap();
    let text = fs::read_to_string(file.path())
        .unwrap()
        .replace("FOLDER", folder.to_str().unwrap());
    fs::write(file.path(), text).unwrap();
    file
}

/// Returns the score: 0 if the AI can read the file.
async fn score(settings: &str, granted: &str) -> Value {
    score_of(&reading(settings, granted)).await
}

async fn score_of(file: &ConfigFile) -> Value {
    let app = Application::of(file);
    app.post("/v1/best-move", &json!({"game": {}})).await.ok()["score"]["cp"].clone()
}

#[actix_web::test]
async fn grants_appear_at_their_own_paths() {
    for (read, granted) in [
        ("[\"nets\"]", "nets/deep/small"),
        ("[\"nets/deep\", \"nets\"]", "nets/deep/small"),
        ("[\"nets/deep/small\"]", "nets/deep/small"),
        ("[\"link\"]", "link/small"),
        ("[\"link/small\"]", "link/small"),
        ("[\"link/small\", \"nets\"]", "link/small"),
        ("[\"other/../nets\"]", "nets/deep/small"),
        ("[\"nets\", \"other\"]", "nets/far/large"),
    ] {
        assert_eq!(
            score(&format!("allow_read = {read}"), granted).await,
            0,
            "{read}: {granted}"
        );
    }
    for (read, hidden) in [
        ("[\"nets\"]", "other/large"),
        ("[\"nets\"]", "nets/far/large"),
        ("[]", "nets/deep/small"),
    ] {
        let missing = 1000 + libc::ENOENT;
        assert_eq!(
            score(&format!("allow_read = {read}"), hidden).await,
            missing,
            "{read}: {hidden}"
        );
    }
}

/// Root's home folder is an example of such a folder.
#[actix_web::test]
async fn the_folders_above_a_grant_need_not_be_open_to_the_worker() {
    let file = reading("allow_read = [\"nets\"]", "nets/deep/small");
    let [folder, granted] = ["", "nets/deep/small"].map(|path| file.folder().join(path));
    fs::set_permissions(&folder, Permissions::from_mode(0o700)).unwrap();
    assert_eq!(score_of(&file).await, 0);
    if geteuid().is_root() {
        fs::set_permissions(&granted, Permissions::from_mode(0o600)).unwrap();
        assert_eq!(
            score_of(&file).await,
            1000 + libc::EACCES,
            "the mode of the file applies"
        );
    }
}

#[test]
fn hides_other_paths_from_every_user() {
    let file = reading("allow_read = [\"nets\"]", "nets/deep/small");
    // Another user might not have access to the build's folders.
    let [program, library] = ["rookery", "libprobe.so"].map(|name| file.folder().join(name));
    copy_program(rookery(), &program);
    fs::copy(built("sandbox_probe"), &library).unwrap();
    let text = fs::read_to_string(file.path()).unwrap();
    let named = text.replace("library = \"sandbox_probe\"", "library = \"./libprobe.so\"");
    fs::write(file.path(), named.replace(&directories(), "[]")).unwrap();
    for readable in [file.path(), library] {
        fs::set_permissions(readable, Permissions::from_mode(0o644)).unwrap();
    }
    let users = if geteuid().is_root() {
        vec![None, Some(NOBODY)]
    } else {
        vec![None]
    };
    for user in users {
        let mut command = Command::new(&program);
        command
            .args(["best-move", "--json", "--config"])
            .arg(file.path())
            .current_dir("/");
        if let Some(user) = user {
            command.uid(user).gid(user);
        }
        let output = command.output().unwrap();
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{user:?}: {reported}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["score"], json!({"cp": 0}), "{user:?}: {reported}");
    }
}

#[test]
fn workers_inherit_no_file_descriptors() {
    // With `allow_exec`, a program can open the system libraries and itself.
    for (settings, open) in [
        ("", 0),
        ("allow_exec = [\"/bin/true\"]", 4),
        ("sandbox = \"off\"", 20),
    ] {
        let file = ai("sandbox_probe", "sandbox_probe", settings);
        let mut command = Command::new("sh");
        // Descriptor 9 represents one that a supervisor left open.
        command.args([
            "-c",
            "exec 9</etc/hostname; exec \"$0\" best-move --json --config \"$1\"",
        ]);
        let output = command.arg(rookery()).arg(file.path()).output().unwrap();
        let reported = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{reported}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(
            found["score"],
            json!({"cp": open}),
            "{settings}: {reported}"
        );
    }
}

#[actix_web::test]
async fn the_working_directory_is_the_private_root() {
    let code = "#include <unistd.h>
        static rookery_score is_root(void *ai, const rookery_position *p, const rookery_host *h,
                                     rookery_error *error) {
            char path[4096] = \"\";
            UNUSED(ai), UNUSED(p), UNUSED(h), UNUSED(error);
            return getcwd(path, sizeof path) && path[0] == '/' && !path[1];
        }";
    let app = Application::of(&ai_with(code, &format!("{WHOLE}, .evaluate = is_root"), ""));
    let judged = app.post("/v1/evaluate", &json!({"game": {}})).await.ok();
    assert_eq!(judged["score"], json!({"cp": 1}), "{judged}");
}
