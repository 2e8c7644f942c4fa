//! Dependent options, and options that name files.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Application, ConfigFile, ai, assert_has, start_error};

fn dependent_options(settings: &str) -> ConfigFile {
    ai("dependent_options", "dependent_options", settings)
}

/// The options of the AI, as its evaluation returns them.
async fn reported(file: &ConfigFile) -> Value {
    Application::of(file)
        .post("/v1/evaluate", &json!({"game": {}}))
        .await
        .ok()["terms"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|term| {
            (
                term["name"].as_str().unwrap().to_owned(),
                term["score"]["cp"].clone(),
            )
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

#[actix_web::test]
async fn sets_a_dependent_option_or_its_default() {
    let file = dependent_options("options = { layers = 2, layer_2 = 40 }");
    assert_eq!(reported(&file).await, json!({"layer_1": 1, "layer_2": 40}));
    let shown = Application::of(&file)
        .get("/v1/ais/dependent_options")
        .await;
    assert_eq!(
        shown.body["options"]["properties"]["layer_2"]["maximum"],
        99
    );
    assert_eq!(
        shown.body["options"]["properties"]["weights"]["format"],
        "path"
    );
}

#[test]
fn rejects_a_dependent_option_without_its_parent() {
    let message = start_error(&dependent_options("options = { layers = 1, layer_2 = 40 }"));
    assert!(
        message.contains("declares no option `layer_2`") && message.contains("layer_1"),
        "{message}"
    );
}

#[test]
fn reports_the_error_of_options_for() {
    let message = start_error(&dependent_options("options = { layers = \"two\" }"));
    assert!(
        message.contains("can't describe itself") && message.contains("not a number"),
        "{message}"
    );
}

#[actix_web::test]
async fn resolves_and_grants_the_file_of_an_option() {
    for (settings, name) in [
        ("options = { weights = \"net.txt\" }", "net.txt"),
        (
            "options = { weights = \"nets/deep/../net.txt\" }",
            "nets/net.txt",
        ),
        (
            "allow_read = [\"nets\"]\noptions = { weights = \"nets/net.txt\" }",
            "nets/net.txt",
        ),
        (
            "sandbox = \"off\"\noptions = { weights = \"net.txt\" }",
            "net.txt",
        ),
    ] {
        let file = dependent_options(settings);
        fs::create_dir_all(file.folder().join("nets/deep")).unwrap();
        fs::write(file.folder().join(name), "77\n").unwrap();
        assert_eq!(reported(&file).await, json!({"weights": 77}), "{settings}");
    }
}

#[test]
fn reports_where_it_looked_for_a_missing_file() {
    let file = dependent_options("options = { weights = \"nowhere.txt\" }");
    let message = start_error(&file);
    let looked_for = file.folder().canonicalize().unwrap().join("nowhere.txt");
    assert_has(
        &message,
        &[format!(
            "names {}, which can't be found",
            looked_for.display()
        )],
    );
    assert!(message.contains("rookery.toml:"), "{message}");
}
