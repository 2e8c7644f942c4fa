//! An AI that logs its grants, logs from two threads and floods the log.

use ai_api::{
    Ai, AiError, Host, Log, LogLevel, Options, SearchRequest, SearchResult, Searcher, export_ai,
};

const FLOOD: u32 = 10_000;

struct Logging;

impl Ai for Logging {
    fn create(_: &Options, host: &Host<'_>) -> Result<Self, AiError> {
        host.log(LogLevel::Info, &format!("created with {:?}", host.grants()));
        Ok(Self)
    }

    fn new_game(&mut self, host: &Host<'_>) -> Result<(), AiError> {
        host.log(LogLevel::Error, "new game\n\u{1b}[2Jforged line");
        Ok(())
    }
}

impl Searcher for Logging {
    fn search(
        &mut self,
        request: &SearchRequest<'_>,
        host: &Host<'_>,
    ) -> Result<SearchResult, AiError> {
        host.log(LogLevel::Warn, "searching");
        let log = host
            .extension(Log::NAME)
            .ok_or_else(|| AiError::new("the host has no log"))?;
        // SAFETY: the extension of this name is this table.
        let log = unsafe { &*std::ptr::from_ref(log).cast::<Log>() };
        std::thread::scope(|scope| {
            // SAFETY: the message ends with a NUL.
            scope.spawn(|| unsafe { (log.log)(LogLevel::Info as u32, c"from a thread".as_ptr()) });
        });
        for number in 0..FLOOD {
            host.log(LogLevel::Debug, &format!("flood {number}"));
        }
        Ok(SearchResult::play(host.legal_moves(&request.position)[0]))
    }
}

export_ai!(Logging: Searcher);
