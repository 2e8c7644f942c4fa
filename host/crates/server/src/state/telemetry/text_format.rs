//! Prometheus text format 0.0.4, for readers that do not support `OpenMetrics`.

use std::fmt::Write as _;

/// Converts `OpenMetrics` text to format 0.0.4, which declares counter and info types by their
/// sample names.
pub(super) fn text_format(open_metrics: &str) -> String {
    let mut text = String::with_capacity(open_metrics.len());
    let mut help = "";
    for line in open_metrics.lines() {
        if let Some(found) = line.strip_prefix("# HELP ") {
            help = found;
        } else if let Some((name, kind)) = line
            .strip_prefix("# TYPE ")
            .and_then(|family| family.split_once(' '))
        {
            let (suffix, kind) = match kind {
                "counter" => ("_total", "counter"),
                "info" => ("_info", "gauge"),
                kind => ("", kind),
            };
            if let Some(help) = help.strip_prefix(name) {
                let _ = writeln!(text, "# HELP {name}{suffix}{help}");
            }
            let _ = writeln!(text, "# TYPE {name}{suffix} {kind}");
        } else if !line.starts_with('#') {
            text += line;
            text.push('\n');
        }
    }
    text
}

#[test]
fn names_the_samples_of_counters_and_infos() {
    let open = "# HELP a Counted.\n# TYPE a counter\na_total{b=\"# c\"} 1\n# HELP d Told.\n# TYPE \
                d info\nd_info{v=\"1\"} 1\n# HELP e_seconds Times.\n# TYPE e_seconds histogram\n# \
                UNIT e_seconds seconds\ne_seconds_bucket{le=\"+Inf\"} 0\n# EOF\n";
    let expected = "# HELP a_total Counted.\n# TYPE a_total counter\na_total{b=\"# c\"} 1\n# HELP \
                    d_info Told.\n# TYPE d_info gauge\nd_info{v=\"1\"} 1\n# HELP e_seconds \
                    Times.\n# TYPE e_seconds histogram\ne_seconds_bucket{le=\"+Inf\"} 0\n";
    assert_eq!(text_format(open), expected);
}
