//! Sections of extras, tested with an extra that exists only here.

use config::{
    LoadOptions,
    extra::{AbsentSection, ExtraSection, ExtraSettings},
    issue::Issues,
    kinds::{List, allowed_text, number},
    known_ais::KnownAis,
    section,
    section::{IntoField as _, Section as _},
    table::Table,
};
use test_kit::configuration::{AI, check, check_printed, errors, folder, load_in, loaded};

section! {
    /// `[pond]`.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) struct PondSettings {
        /// The AIs in the pond.
        ducks: Vec<String> = List::new(
            "a list of AI IDs",
            |text, _| allowed_text(text, |text| !text.is_empty()),
            String::clone,
        ).or(Vec::new()),
        /// In meters.
        depth: u64 = number(1..=9).or(1),
    }
}

impl ExtraSettings for PondSettings {
    const NAME: &'static str = "pond";
    const ABOUT: &'static str = "A pond.";
    const IS_OPTIONAL: bool = true;
    const BRINGS_AIS: bool = true;

    fn read_checked(table: &Table<'_>, known: &KnownAis<'_>, issues: &mut Issues<'_>) -> Self {
        for (duck, span) in table.texts("ducks") {
            if !known.contains(duck) {
                known.report_unknown(&table.path_of("ducks"), duck, &span, issues);
            }
        }
        Self::read_table(table, issues)
    }

    fn named_ais(&self) -> Vec<String> {
        self.ducks.clone()
    }

    fn is_taken_over(key: &str) -> bool {
        key != "depth"
    }
}

const SECTIONS: &[ExtraSection] = &[ExtraSection::of::<PondSettings>()];
const FILLED: &str = "[pond]\nducks = ['a']\n";

fn options() -> LoadOptions {
    LoadOptions::none().with_extras(SECTIONS, &[])
}

#[test]
fn an_optional_section_has_settings_if_the_file_or_a_flag_sets_it() {
    let (_folder, without) = loaded(AI, &options());
    assert_eq!(without.extra::<PondSettings>(), None);
    let (_folder, with) = loaded(&format!("{AI}{FILLED}"), &options());
    let expected = PondSettings {
        ducks: vec!["a".to_owned()],
        depth: 1,
    };
    assert_eq!(with.extra(), Some(&expected));
    let flag = options().with_flag("pond", ("--depth", "depth"), Some("2".to_owned()));
    for (text, depth) in [(AI, 2), (&*format!("{AI}[pond]\ndepth = 3\n"), 2)] {
        let (_folder, config) = loaded(text, &flag);
        assert_eq!(config.extra::<PondSettings>().unwrap().depth, depth);
    }
    let (_folder, none) = loaded(AI, &options().with_flag("pond", ("--depth", "depth"), None));
    assert_eq!(none.extra::<PondSettings>(), None);
}

#[test]
fn errors_of_an_extra_are_reported_with_core_errors() {
    check(
        &format!("{AI}[pond]\nducks = ['b']\ndeth = 1\n[server]\nmax_plies = 0\n"),
        r"
error: `pond.ducks` names the AI `b`, which is not configured
--> 4:10 'b'
= allowed: a

error: unknown key `deth` in [pond]
--> 5:1 deth
= allowed: ducks, depth
= did you mean `depth`?

error: `server.max_plies` is 0
--> 7:13 0
= allowed: a whole number from 1 to 20000 (default: 2000)
",
        &options(),
    );
}

#[test]
fn clients_may_name_remote_ais_that_an_extra_offers() {
    let client = "[client.b]\nai = 'swan'\n";
    let (_folder, config) = loaded(&format!("{AI}{client}[pond]\n"), &options());
    assert!(config.is_remote("swan") && !config.is_remote("a") && !config.is_remote("other"));
    check(
        &format!("{AI}{client}"),
        r"
error: `client.b.ai` names the AI `swan`, which is not configured
--> 4:6 'swan'
= allowed: a
",
        &options(),
    );
}

#[test]
fn names_settings_that_need_a_restart() {
    let load = |text: &str| loaded(&format!("{AI}{text}"), &options()).1;
    let (none, filled) = (load(""), load(FILLED));
    let other = load("[pond]\ndepth = 2\n");
    assert_eq!(filled.kept_until_restart(&other), ["pond.depth"]);
    assert_eq!(filled.changed_settings(&other), ["pond.ducks"]);
    assert_eq!(filled.kept_until_restart(&filled), [""; 0]);
    assert_eq!(none.kept_until_restart(&filled), ["[pond]"]);
}

#[test]
fn configurations_with_other_settings_differ() {
    let folder = folder(format!("{AI}{FILLED}"));
    let flag = options().with_flag("pond", ("--depth", "depth"), Some("2".to_owned()));
    let load = |options: LoadOptions| load_in(&folder, &options).unwrap();
    assert_eq!(load(options()), load(options()));
    assert_ne!(load(options()), load(flag));
}

#[test]
fn shows_the_settings_of_an_extra() {
    let (_folder, config) = loaded(&format!("{AI}{FILLED}"), &options());
    let shown = config.show(|_, _| false);
    assert!(
        shown.contains("[pond]\nducks = [\"a\"]\ndepth = 1\n"),
        "{shown}"
    );
}

#[test]
fn a_section_that_the_build_cannot_use_is_an_error() {
    const ABSENT: &[AbsentSection] = &[AbsentSection {
        name: "pond",
        remedy: "only in a build with water",
    }];
    let options = LoadOptions::none().with_extras(&[], ABSENT);
    check(
        FILLED,
        r"
error: this build of `rookery` does not support [pond]
--> 1:1 [pond]
= allowed: only in a build with water
",
        &options,
    );
    let flag = options.with_flag("pond", ("--depth", "depth"), Some("2".to_owned()));
    check_printed(
        &errors("", &flag),
        r"
error: --depth: this build of `rookery` does not support [pond]
  |
1 | --depth 2
  |         ^
  |
  = allowed: only in a build with water
",
    );
}
