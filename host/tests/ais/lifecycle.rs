//! An AI that returns its option `level` as the depth, the number of instances created in its
//! process as the nodes and the number of live instances as the score. Its option `fault` makes
//! creation, a live option or drop fail.

use std::{
    sync::atomic::{AtomicI32, AtomicU64, Ordering},
    time::Duration,
};

use ai_api::{
    Ai, AiError, Evaluator, Host, OptionSetting, OptionSpec, OptionValue, Options, Position, Score,
    SearchRequest, SearchResult, Searcher, export_ai,
};

const LEVEL: i64 = 3;

static CREATED: AtomicU64 = AtomicU64::new(0);
static ALIVE: AtomicI32 = AtomicI32::new(0);

struct Lifecycle {
    level: u32,
    fault: String,
    offset: f64,
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

impl Ai for Lifecycle {
    fn options() -> Vec<OptionSpec> {
        let faults = [
            "none",
            "fails",
            "hangs",
            "sleeps",
            "aborts",
            "panics",
            "panics_when_dropped",
            "fails_to_return",
            "rejects_offset",
        ];
        vec![
            OptionSpec::integer("level", LEVEL, 1..=9, "the reported depth"),
            OptionSpec::choice("fault", "none", &faults, "an error at creation or drop"),
            OptionSpec::text("greeting", "", "unused"),
            OptionSpec::decimal("offset", 0.0, -9.0..=9.0, "added to the score, in pawns")
                .live()
                .advanced(),
            OptionSpec::text("token", "a default", "the key of a service").secret(),
            OptionSpec::folder("books", "the folder of books"),
            OptionSpec::files("tables", "files and folders of tables"),
        ]
    }

    fn create(options: &Options, _: &Host<'_>) -> Result<Self, AiError> {
        let level = options.integer("level")? as u32;
        let fault = options.text("fault")?;
        let created = CREATED.fetch_add(1, Ordering::Relaxed) + 1;
        match fault {
            "fails" => return Err(AiError::new(format!("level {level} is rejected"))),
            "hangs" => hang(),
            "sleeps" => std::thread::sleep(Duration::from_millis(300)),
            "aborts" => std::process::abort(),
            "panics" => panic!("level {level} is too much"),
            "fails_to_return" if created > 1 && i64::from(level) == LEVEL => {
                return Err(AiError::new("the default level is rejected"));
            }
            _ => {}
        }
        ALIVE.fetch_add(1, Ordering::Relaxed);
        Ok(Self {
            level,
            fault: fault.to_owned(),
            offset: options.decimal("offset")?,
        })
    }

    fn set_option(&mut self, setting: &OptionSetting, _: &Host<'_>) -> Result<(), AiError> {
        match (setting.name.as_str(), &setting.value) {
            ("offset", &OptionValue::Decimal(offset)) if self.fault != "rejects_offset" => {
                self.offset = offset;
                Ok(())
            }
            _ => Err(AiError::new(format!(
                "{} can't be {} now",
                setting.name, setting.value
            ))),
        }
    }
}

impl Drop for Lifecycle {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::Relaxed);
        assert_ne!(self.fault, "panics_when_dropped", "dropped");
    }
}

impl Searcher for Lifecycle {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        let mut result = SearchResult::play(host.legal_moves(&request.position)[0]);
        result.depth = self.level;
        result.nodes = CREATED.load(Ordering::Relaxed);
        let offset = (self.offset * 100.0) as i32;
        result.score = Score::centipawns(ALIVE.load(Ordering::Relaxed) + offset);
        Ok(result)
    }
}

impl Evaluator for Lifecycle {
    fn evaluate(&mut self, _: &Position, _: &Host<'_>) -> Score {
        Score::centipawns(self.level as i32)
    }
}

export_ai!(Lifecycle: Searcher + Evaluator);
