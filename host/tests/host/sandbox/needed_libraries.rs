//! Needed libraries: system libraries load before the AI's library, and all others load with the
//! AI's rights.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
    path::Path,
    process::Command,
};

use serde_json::json;

use crate::{
    plugins::c_abi::{WHOLE, compile, contract, source_of},
    support::{Application, ConfigFile, ai, assert_has, start_error},
};

/// A needed library that reports whether its constructor could read a system file.
const PLANTED: &str = "
    #include <fcntl.h>
    int planted(void);
    static int constructor_can_read;
    __attribute__((constructor)) static void look(void) {
        constructor_can_read = open(\"/etc/ld.so.cache\", O_RDONLY) >= 0;
    }
    int planted(void) { return constructor_can_read; }
";

/// A configuration of an AI that needs a library in the folder `libraries` next to it. `link`
/// returns the linker flags.
fn ai_next_to_library(settings: &str, link: impl Fn(&Path) -> Vec<String>) -> ConfigFile {
    let file = ai("c", "./libc_ai.so", settings);
    let folder = file.folder().join("libraries");
    fs::create_dir(&folder).unwrap();
    for path in [file.folder(), &folder] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    let (source, planted) = (
        file.folder().join("planted.c"),
        folder.join("libplanted.so"),
    );
    fs::write(&source, PLANTED).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&planted)
        .arg(&source)
        .status();
    assert!(built.unwrap().success());
    let judge = "extern int planted(void);
        static rookery_score judge(void *ai, const rookery_position *p, const rookery_host *h,
                                   rookery_error *e) {
            UNUSED(ai), UNUSED(p), UNUSED(h), UNUSED(e);
            return 100 * planted();
        }";
    let ai = file.folder().join("ai.c");
    fs::write(
        &ai,
        source_of(judge, &format!("{WHOLE}, .evaluate = judge")),
    )
    .unwrap();
    compile(
        &contract(),
        &ai,
        &file.folder().join("libc_ai.so"),
        &link(&planted),
    );
    file
}

fn by_path(planted: &Path) -> Vec<String> {
    vec![planted.display().to_string()]
}

fn by_name(planted: &Path) -> Vec<String> {
    let folder = planted.parent().unwrap().display();
    vec![
        format!("-L{folder}"),
        "-l:libplanted.so".into(),
        format!("-Wl,-rpath,{folder}"),
    ]
}

/// Links by name, relative to the folder of the AI's library.
fn by_origin(planted: &Path) -> Vec<String> {
    let [place, name, _] = by_name(planted).try_into().unwrap();
    vec![place, name, "-Wl,-rpath,$ORIGIN/libraries".into()]
}

async fn constructor_can_read(file: &ConfigFile) -> bool {
    Application::of(file)
        .post("/v1/evaluate", &json!({"game": {}}))
        .await
        .ok()["score"]
        == json!({"cp": 100})
}

#[actix_web::test]
async fn opens_a_granted_library_with_the_rights_of_the_ai() {
    for link in [by_path, by_name] {
        assert!(
            !constructor_can_read(&ai_next_to_library("allow_read = [\"libraries\"]", link)).await
        );
        assert!(constructor_can_read(&ai_next_to_library("sandbox = \"off\"", link)).await);
    }
}

#[test]
fn rejects_a_needed_library_that_is_not_granted() {
    // A library that can't be opened runs no code.
    for link in [by_path, by_name, by_origin] {
        let remedy = "it needs a library that is not installed; install it";
        let message = start_error(&ai_next_to_library("", link));
        assert_has(
            &message,
            &["libplanted.so: cannot open shared object file", remedy],
        );
    }
}

#[test]
fn names_a_needed_library_that_is_missing() {
    let file = ai_next_to_library("allow_read = [\"libraries\"]", by_name);
    fs::remove_file(file.folder().join("libraries/libplanted.so")).unwrap();
    let missing = "libplanted.so: cannot open shared object file: No such file";
    assert_has(&start_error(&file), &[missing]);
}

#[actix_web::test]
async fn opens_further_system_libraries() {
    let link = |planted: &Path| {
        let flags = ["-Wl,--no-as-needed", "-l:libresolv.so.2", "-l:libanl.so.1"].map(String::from);
        [by_name(planted), flags.into()].concat()
    };
    assert!(!constructor_can_read(&ai_next_to_library("allow_read = [\"libraries\"]", link)).await);
}
