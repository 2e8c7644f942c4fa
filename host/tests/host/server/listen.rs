//! The address of the server, and reasons not to start.

use std::{
    net::TcpListener,
    process::{Output, Stdio},
};

use super::{Server, command, one_ai};
use crate::support::{ConfigFile, ai, basic1_and};

fn start_error(command: &mut std::process::Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    assert_eq!(String::from_utf8(stdout).unwrap(), "");
    (status.code(), String::from_utf8(stderr).unwrap())
}

#[test]
fn flag_overrides_environment_overrides_file() {
    // Each source names another loopback address.
    let file = basic1_and("[server]\nlisten = \"127.0.0.2:0\"");
    let listening = |flag: Option<&str>, variable: Option<&str>| {
        let mut command = command(&file);
        command.args(flag.map(|flag| format!("--listen={flag}")));
        command.envs(variable.map(|value| ("ROOKERY_LISTEN", value)));
        let server = Server::spawn(command.stderr(Stdio::null()));
        assert_eq!(server.get("/healthz").0, 200);
        assert_ne!(server.address.port(), 0);
        server.address.ip().to_string()
    };
    assert_eq!(listening(None, None), "127.0.0.2");
    assert_eq!(listening(None, Some("127.0.0.3:0")), "127.0.0.3");
    assert_eq!(listening(Some("127.0.0.4:0"), Some("127.0.0.3:0")), "127.0.0.4");
    assert_eq!(listening(Some("127.0.0.4:0"), None), "127.0.0.4");
}

#[test]
fn reports_a_port_in_use() {
    let file = one_ai();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let (code, error_output) = start_error(command(&file).args(["--listen", &address.to_string()]));
    assert_eq!(code, Some(1), "{error_output}");
    assert!(error_output.contains(&format!("error: cannot listen on {address}: ")), "{error_output}");
    assert!(error_output.ends_with("choose another address with --listen\n"), "{error_output}");
}

#[test]
fn rejects_a_bad_configuration_before_listening() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let bad = ConfigFile::new("[ai.basic1]\nlibrary = \"ai_basic1\"\n[client.default]\nai = \"basic2\"\n");
    let moody = ai("moody", "required_option", "");
    for (file, part) in [(&bad, "did you mean `basic1`?"), (&moody, "not in a bad mood")] {
        let (code, error_output) = start_error(command(file).args(["--listen", &free.to_string()]));
        assert_eq!(code, Some(2), "{error_output}");
        assert!(error_output.contains(part), "{error_output}");
        // The server never used the port.
        TcpListener::bind(free).unwrap();
    }
    let good = one_ai();
    for (flag, part) in
        [("nowhere", "--listen nowhere"), ("127.0.0.1", "--listen 127.0.0.1"), ("", "--listen")]
    {
        let (code, error_output) = start_error(command(&good).args(["--listen", flag]));
        assert_eq!(code, Some(2), "{error_output}");
        assert!(
            error_output.contains(part) && error_output.contains("an IP address and a port"),
            "{error_output}"
        );
    }
    let (code, error_output) = start_error(command(&good).env("ROOKERY_LISTEN", "8080"));
    assert_eq!(code, Some(2), "{error_output}");
    assert!(error_output.contains("ROOKERY_LISTEN"), "{error_output}");
}
