//! A worker's event loop: receives requests and runs them on the main thread while a second thread
//! receives stops.

use std::{
    io::{self, BufReader, Write as _},
    os::unix::net::UnixStream,
    sync::Arc,
    thread,
};

use ai_api::{GrantTable, SearchInfo};
use ai_search::Search;

use crate::{
    error::WorkerError,
    flags::Flags,
    loading::LoadedLibrary,
    outgoing::{self, send},
    session::AiSession,
};
use protocol::{
    Control, FrameError, Iteration, Job, Loaded, MAX_FRAME_BYTES, PROTOCOL_VERSION, Refusal,
    Request, RequestId, Wanted, WorkerReply, read_frame, sanitize,
};
use text::printable;

/// Reports the library to the host, then runs jobs until the socket is closed.
pub(crate) fn serve(
    socket: UnixStream,
    control: UnixStream,
    library: Result<LoadedLibrary, Refusal>,
    grants: &GrantTable,
) -> Result<(), WorkerError> {
    let library = match library {
        Ok(library) => library,
        Err(refusal) => return Ok(send(&WorkerReply::Refused(refusal))?),
    };
    let LoadedLibrary {
        functions,
        mut manifest,
    } = library;
    let (searcher, evaluator) = (functions.is_searcher(), functions.is_evaluator());
    if !searcher {
        manifest.capabilities = Search::capabilities_with(manifest.capabilities);
    }
    let live = manifest
        .options
        .iter()
        .filter(|spec| spec.live && functions.sets_options());
    let live = live.map(|spec| spec.name.clone()).collect();
    let loaded = Loaded {
        protocol: PROTOCOL_VERSION,
        manifest,
        searcher,
        evaluator,
    };
    match send(&WorkerReply::Loaded(loaded)) {
        Err(FrameError::TooLong(bytes)) => {
            let message = format!(
                "the AI's manifest takes {bytes} bytes; at most {MAX_FRAME_BYTES} are allowed; \
                 declare fewer options and shorter texts"
            );
            return Ok(send(&WorkerReply::Refused(message.into()))?);
        }
        sent => sent?,
    }
    let mut requests = BufReader::new(socket);
    let Request::Configure(options) = read_frame(&mut requests)? else {
        return Err(unexpected_request());
    };
    let mut session = match AiSession::new(functions, options, live, grants) {
        Ok(session) => session,
        Err(error) => return Ok(send(&WorkerReply::NotCreated(sanitize::error(error)))?),
    };
    send(&WorkerReply::Created)?;

    let flags = Arc::new(Flags::default());
    let listener = {
        let flags = Arc::clone(&flags);
        move || listen(control, &flags)
    };
    thread::Builder::new()
        .spawn(listener)
        .map_err(|error| WorkerError::System("start a second thread", error))?;
    loop {
        let request = read_frame(&mut requests).unwrap_or_else(|error| exit(&error));
        outgoing::request_started();
        match request {
            Request::Configure(new_options) => {
                let configured = session.configure(new_options).map_err(sanitize::error);
                send(&configured.map_or_else(WorkerReply::NotCreated, |()| WorkerReply::Created))?;
            }
            Request::NewGame(number) => {
                let result = session.new_game().map_err(sanitize::error);
                send(&WorkerReply::NewGame(number, result))?;
                session.recover()?;
            }
            Request::Run(number, request_id, job, wanted) => {
                flags.start(number, job.params.ponder);
                run(
                    &mut session,
                    number,
                    request_id.as_ref(),
                    &job,
                    wanted,
                    &flags,
                )?;
                session.recover()?;
            }
            Request::Load(..) => return Err(unexpected_request()),
        }
    }
}

/// Sets the flags when the host sends a ponder hit or a stop. Exits the process when the host
/// closes the socket, whatever the AI is doing.
fn listen(mut socket: UnixStream, flags: &Flags) {
    loop {
        match read_frame(&mut socket) {
            Ok(Control::PonderHit(number)) => flags.ponder_hit(number),
            Ok(Control::Stop(number)) => flags.stop(number),
            Err(error) => exit(&error),
        }
    }
}

/// Exits without running the instance's destructors, which may take arbitrarily long.
fn exit(error: &FrameError) -> ! {
    std::process::exit(i32::from(!matches!(error, FrameError::Closed)))
}

fn run(
    session: &mut AiSession<'_>,
    number: u64,
    request_id: Option<&RequestId>,
    job: &Job,
    wanted: Wanted,
    flags: &Flags,
) -> Result<(), WorkerError> {
    let on_info = |info: &SearchInfo<'_>| {
        if wanted == Wanted::Iterations {
            // The listener notices a closed socket.
            let _ = send(&WorkerReply::Iteration(
                number,
                sanitize::iteration(Iteration::from(info)),
            ));
        }
        let &SearchInfo {
            depth, pv_number, ..
        } = info;
        // Stops the search on the AI's own thread, so that it stops at this depth even on a busy
        // machine and results stay repeatable.
        let complete = if pv_number >= job.params.lines {
            depth
        } else {
            depth.saturating_sub(1)
        };
        if !info.pv.is_empty()
            && job
                .task
                .limits()
                .depth
                .is_some_and(|limit| complete >= limit)
        {
            flags.stop.set(true);
        }
    };
    let result = session.run(job, flags, &on_info);
    if let Err(error) = &result {
        // Standard error keeps this line in order with the AI's output. Errors are ignored, because
        // the reader may have closed the pipe.
        let request = request_id.map_or("without id", RequestId::as_str);
        let _ = writeln!(
            io::stderr(),
            "rookery worker: request {request}: {}",
            printable(&error.to_string())
        );
    }
    let result = result
        .map(|response| sanitize::response(response, &job.params))
        .map_err(sanitize::error);
    Ok(send(&WorkerReply::Finished(number, result))?)
}

fn unexpected_request() -> WorkerError {
    let error = io::Error::other("the host sent a request out of order");
    WorkerError::System("run the worker", error)
}
