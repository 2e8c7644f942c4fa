//! The event loop of a worker: runs one job at a time on the main thread, while a second thread receives stops.

use std::{
    io::{self, Write as _},
    os::unix::net::UnixStream,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use ai_api::{
    AiError, AiErrorKind, Evaluator, Flag, GrantTable, Host, Limits, OptionSetting, Position, Score,
    SearchInfo, SearchRequest, SearchResult,
};
use ai_search::{Search, SearchOptions};
use rules::Game;

use super::{
    WorkerError,
    loading::{EvaluationError, Functions, Instance, LoadedLibrary},
    outgoing::{self, send},
    with_idle_host,
};
use protocol::{
    self, FrameError, Iteration, Loaded, MAX_FRAME_BYTES, MAX_LINES, MAX_TRACE_NODES, PROTOCOL_VERSION,
    Refusal, Reply, Request, RequestId, Response, SearchParams, Task, read_frame, sanitize,
};
use text::printable;

/// A received job.
struct Asked {
    number: u64,
    request_id: Option<RequestId>,
    question: protocol::Job,
}

/// The flags that an AI reads, and the number of the job that they belong to.
#[derive(Default)]
struct Stop {
    flag: Flag,
    /// Whether the search ponders.
    pondering: Flag,
    question: AtomicU64,
}

/// A job of the main thread.
enum Work {
    Configure(Vec<OptionSetting>),
    NewGame(u64),
    Answer(Box<Asked>),
}

/// Reports the library to the host, then runs jobs until the socket is closed.
pub(super) fn serve(
    mut socket: UnixStream,
    library: Result<LoadedLibrary, Refusal>,
    grants: &GrantTable,
) -> Result<(), WorkerError> {
    let library = match library {
        Ok(library) => library,
        Err(refusal) => return Ok(send(&Reply::Refused(refusal))?),
    };
    let LoadedLibrary { functions, mut manifest } = library;
    let (searcher, evaluator) = (functions.is_searcher(), functions.is_evaluator());
    if !searcher {
        manifest.capabilities = Search::capabilities_with(manifest.capabilities);
    }
    let live = manifest.options.iter().filter(|spec| spec.live && functions.sets_options());
    let live = live.map(|spec| spec.name.clone()).collect();
    let loaded = Loaded { protocol: PROTOCOL_VERSION, manifest, searcher, evaluator };
    match send(&Reply::Loaded(loaded)) {
        Err(FrameError::TooLong(bytes)) => {
            let message = format!(
                "the AI describes itself in {bytes} bytes; at most {MAX_FRAME_BYTES} are allowed; let it declare fewer \
                 options and shorter texts"
            );
            let refusal = Refusal { message, details: String::new() };
            return Ok(send(&Reply::Refused(refusal))?);
        }
        written => written?,
    }
    let Request::Configure(options) = read_frame(&mut socket)? else { return Err(out_of_turn()) };
    let mut player = match AiSession::new(functions, options, live, grants) {
        Ok(player) => player,
        Err(error) => return Ok(send(&Reply::NotCreated(sanitize::error(error)))?),
    };
    send(&Reply::Created)?;

    let stop = Arc::new(Stop::default());
    let (work, to_do) = channel();
    let listening = {
        let stop = Arc::clone(&stop);
        move || listen(socket, &work, &stop)
    };
    thread::Builder::new()
        .spawn(listening)
        .map_err(|error| WorkerError::System("start a thread beside those of the AI", error))?;
    run_jobs(&mut player, &to_do, &stop)
}

/// Receives jobs and sets the stop flag. Exits the process when the host has closed the socket, whatever the AI does.
fn listen(mut socket: UnixStream, work: &Sender<Work>, stop: &Stop) {
    loop {
        let next = match read_frame(&mut socket) {
            Ok(Request::Configure(options)) => Work::Configure(options),
            Ok(Request::NewGame(number)) => Work::NewGame(number),
            Ok(Request::Ask(number, request_id, question)) => {
                stop.question.store(number, Ordering::Relaxed);
                stop.flag.set(false);
                stop.pondering.set(question.wishes.ponder);
                Work::Answer(Box::new(Asked { number, request_id, question }))
            }
            Ok(Request::PonderHit(number)) => {
                if stop.question.load(Ordering::Relaxed) == number {
                    stop.pondering.set(false);
                }
                continue;
            }
            Ok(Request::Stop(number)) => {
                if stop.question.load(Ordering::Relaxed) == number {
                    stop.flag.set(true);
                }
                continue;
            }
            Err(FrameError::Closed) => std::process::exit(0),
            Ok(Request::Load(..)) | Err(_) => std::process::exit(1),
        };
        if work.send(next).is_err() {
            return;
        }
    }
}

fn run_jobs(player: &mut AiSession<'_>, to_do: &Receiver<Work>, stop: &Stop) -> Result<(), WorkerError> {
    while let Ok(work) = to_do.recv() {
        outgoing::request_begins();
        let Asked { number, request_id, question } = match work {
            Work::Answer(asked) => *asked,
            Work::Configure(options) => {
                let made = player.configure(options).map_err(sanitize::error);
                send(&made.map_or_else(Reply::NotCreated, |()| Reply::Created))?;
                continue;
            }
            Work::NewGame(number) => {
                let heard = player.new_game().map_err(sanitize::error);
                send(&Reply::NewGame(number, heard))?;
                player.recover()?;
                continue;
            }
        };
        let report = |report: &SearchInfo<'_>| {
            let &SearchInfo { depth, score, bound, wdl, nodes, pv, pv_number, selective_depth } = report;
            let pv = sanitize::line(pv);
            let iteration = Iteration { depth, score, nodes, pv, pv_number, bound, wdl, selective_depth };
            // The listener notices a closed socket.
            let _ = send(&Reply::Report(number, iteration));
            // On the AI's own thread, so that the search ends here however busy the machine is: results stay repeatable.
            let complete = if pv_number >= question.wishes.lines { depth } else { depth.saturating_sub(1) };
            if question.task.limits().depth.is_some_and(|most| complete >= most) {
                stop.flag.set(true);
            }
        };
        let answer = player.answer(&question, stop, &report);
        if let Err(error) = &answer {
            // Beside the output of the AI, in its order. The reader may have closed the pipe.
            let request = request_id.as_ref().map_or("no name", RequestId::as_str);
            let _ = writeln!(
                io::stderr(),
                "rookery worker: request {request}: {}",
                printable(&error.to_string())
            );
        }
        let answer = answer.map(|found| sanitize::response(found, &question.wishes)).map_err(sanitize::error);
        send(&Reply::Answered(number, answer))?;
        player.recover()?;
    }
    Ok(())
}

/// The instance of an AI, with its options and its search.
struct AiSession<'a> {
    grants: &'a GrantTable,
    functions: Functions,
    /// The names of the options that need no new instance.
    live: Vec<String>,
    /// The options of the instance; `None` if it could not be made with them.
    options: Option<Vec<OptionSetting>>,
    instance: Option<Instance>,
    /// For an AI without its own search: the search of `ai-search`.
    search: Option<Search>,
}

impl<'a> AiSession<'a> {
    fn new(
        functions: Functions,
        options: Vec<OptionSetting>,
        live: Vec<String>,
        grants: &'a GrantTable,
    ) -> Result<Self, AiError> {
        let instance = Some(with_idle_host(grants, |host| functions.create(&options, host))?);
        let search =
            if functions.is_searcher() { None } else { Some(Search::new(SearchOptions::default())?) };
        Ok(Self { grants, functions, live, options: Some(options), instance, search })
    }

    /// Changes the options: by `set_option` if all changed ones are live, else by a new instance. The old one is destroyed first,
    /// because two may exceed the memory limit.
    fn configure(&mut self, options: Vec<OptionSetting>) -> Result<(), AiError> {
        if self.set_live(&options) {
            self.options = Some(options);
            return Ok(());
        }
        (self.instance, self.options) = (None, None);
        self.instance = Some(with_idle_host(self.grants, |host| self.functions.create(&options, host))?);
        self.options = Some(options);
        Ok(())
    }

    /// Sets the changed options, if all of them are live. Returns false if a new instance is needed.
    fn set_live(&mut self, options: &[OptionSetting]) -> bool {
        let (Some(instance), Some(before)) = (&mut self.instance, &self.options) else { return false };
        let different: Vec<_> = options.iter().zip(before).filter(|(new, old)| new != old).collect();
        let is_live = |(new, old): &(&OptionSetting, &OptionSetting)| {
            new.name == old.name && self.live.contains(&new.name)
        };
        if options.len() != before.len() || !different.iter().all(is_live) {
            return false;
        }
        let functions = self.functions;
        let set = with_idle_host(self.grants, |host| {
            different.iter().try_for_each(|(setting, _)| functions.set_option(instance, setting, host))?;
            functions.new_game(instance, host)
        });
        set.inspect_err(|error| {
            outgoing::warn(&format!("the AI gets a new instance, since a live option can't be set: {error}"));
        })
        .is_ok()
    }

    fn answer(
        &mut self,
        question: &protocol::Job,
        stop: &Stop,
        report: &impl Fn(&SearchInfo<'_>),
    ) -> Result<Response, AiError> {
        let game = replay(question)?;
        let host = Host::new(&rules::RULES, &stop.flag, report)
            .with_pondering(&stop.pondering)
            .with_grants(self.grants)
            .with_extensions(outgoing::extension);
        let result = match question.task {
            Task::Search(limits) => {
                let found = self.find_move(&game, limits, &question.wishes, &host, &stop.flag);
                found.map(Response::Searched)
            }
            Task::Evaluate => self.evaluator(game.position(), &host),
        };
        self.forget_after(&result);
        result
    }

    fn new_game(&mut self) -> Result<(), AiError> {
        let instance = self.instance.as_mut().ok_or_else(no_instance)?;
        let heard = with_idle_host(self.grants, |host| self.functions.new_game(instance, host));
        self.forget_after(&heard);
        heard
    }

    /// Drops the instance after a panic.
    fn forget_after<T>(&mut self, result: &Result<T, AiError>) {
        if result.as_ref().is_err_and(|error| error.kind == AiErrorKind::Panicked) {
            self.instance = None;
        }
    }

    fn find_move(
        &mut self,
        game: &Game,
        limits: Limits,
        wishes: &SearchParams,
        host: &Host<'_>,
        stop: &Flag,
    ) -> Result<SearchResult, AiError> {
        let history = game.history();
        let question = SearchRequest {
            history: &history,
            start: *game.start(),
            moves: game.moves(),
            clocks: wishes.clocks,
            root_moves: &wishes.root_moves,
            lines: wishes.lines.clamp(1, MAX_LINES),
            trace_nodes: wishes.trace_nodes.min(MAX_TRACE_NODES),
            ..SearchRequest::new(*game.position(), limits)
        };
        let instance = self.instance.as_mut().ok_or_else(no_instance)?;
        let Some(search) = &mut self.search else {
            return self.functions.search(instance, &question, host);
        };
        let mut evaluator = HostedEvaluator {
            functions: &self.functions,
            instance,
            stop,
            room: EvaluationError::new(),
            error: None,
        };
        let answer = search.search(&mut evaluator, &question, host);
        evaluator.error.map_or(Ok(answer), Err)
    }

    fn evaluator(&mut self, position: &Position, host: &Host<'_>) -> Result<Response, AiError> {
        let instance = self.instance.as_mut().ok_or_else(no_instance)?;
        let score = self.functions.evaluate(instance, position, host, &mut EvaluationError::new())?;
        Ok(Response::Evaluated(score, self.functions.terms(instance, position, host)?))
    }

    /// Makes a new instance after a panic. An instance that could not be made with other options is left to the host.
    fn recover(&mut self) -> Result<(), WorkerError> {
        if self.instance.is_none()
            && let Some(options) = &self.options
        {
            let made = with_idle_host(self.grants, |host| self.functions.create(options, host));
            let made = made.map_err(|error| {
                WorkerError::System("make a new instance of the AI", std::io::Error::other(error.to_string()))
            })?;
            self.instance = Some(made);
        }
        Ok(())
    }
}

/// An AI without its own search, as the evaluator of `ai-search`. Its first error ends the search.
struct HostedEvaluator<'a> {
    functions: &'a Functions,
    instance: &'a mut Instance,
    stop: &'a Flag,
    room: EvaluationError,
    error: Option<AiError>,
}

impl Evaluator for HostedEvaluator<'_> {
    fn evaluate(&mut self, position: &Position, host: &Host<'_>) -> Score {
        if self.error.is_some() {
            return Score::DRAW;
        }
        self.functions.evaluate(self.instance, position, host, &mut self.room).unwrap_or_else(|error| {
            self.error = Some(error);
            self.stop.set(true);
            Score::DRAW
        })
    }
}

fn replay(question: &protocol::Job) -> Result<Game, AiError> {
    let unplayable = || AiError::new("the host sent a game that can't be played");
    let mut game = Game::new(rules::parse_fen(&question.fen).map_err(|_| unplayable())?);
    for &chosen in &question.moves {
        game.play(chosen).map_err(|_| unplayable())?;
    }
    Ok(game)
}

fn no_instance() -> AiError {
    AiError::new("the AI has no instance")
}

fn out_of_turn() -> WorkerError {
    WorkerError::System(
        "be a worker",
        std::io::Error::other("the host's first request was not to make the AI"),
    )
}
