//! The time that the host adds to an AI's search.

use ai_api::{Ai, Flag, Host, Limits, Options, SearchRequest, Searcher};
use ai_basic1::Basic1;

use crate::{
    percentiles,
    server::{HEALTH, Server, best_move},
    time,
};

const ROUNDS: usize = 5000;
const DEPTH_OF_2014: u32 = 3;

/// Measures HTTP alone, a complete request and the AI alone alternately, so that other load affects
/// all three equally.
pub(crate) fn measure() {
    let (mut server, mut linked) = (Server::start(), Linked::new());
    let request = best_move(1);
    let (mut http, mut whole, mut alone, mut added) = (vec![], vec![], vec![], vec![]);
    for round in 0..ROUNDS + 200 {
        let of_http = time(|| drop(server.call(HEALTH)));
        let of_whole = time(|| drop(server.call(&request)));
        let of_search = time(|| linked.search(1));
        if round >= 200 {
            http.push(of_http);
            whole.push(of_whole);
            alone.push(of_search);
            added.push(of_whole.saturating_sub(of_search));
        }
    }
    let mut of_2014 = vec![];
    let request = best_move(DEPTH_OF_2014);
    for _ in 0..200 {
        of_2014.push(time(|| drop(server.call(&request))));
    }
    let (of_server, of_worker) = server.resident_kb();
    println!(
        "GET /healthz over loopback              {}",
        percentiles(&mut http)
    );
    println!(
        "POST /v1/best-move, depth 1             {}",
        percentiles(&mut whole)
    );
    println!(
        "the same search, linked                 {}",
        percentiles(&mut alone)
    );
    println!(
        "overhead of the host (HTTP included)    {}",
        percentiles(&mut added)
    );
    println!(
        "POST /v1/best-move, depth {DEPTH_OF_2014} (2014: 37 s) {}",
        percentiles(&mut of_2014)
    );
    println!("resident memory: server {of_server} kB, worker {of_worker} kB\n");
}

/// The AI, linked into this process.
struct Linked {
    ai: Basic1,
    stop: Flag,
}

impl Linked {
    fn new() -> Self {
        let stop = Flag::new(false);
        let options = Options::resolve(&Basic1::options(), &[]);
        let ai = Basic1::create(&options, &Host::new(&rules::RULES, &stop, &|_| ())).unwrap();
        Self { ai, stop }
    }

    fn search(&mut self, depth: u32) {
        let request = SearchRequest::new(rules::start_position(), Limits::depth(depth));
        self.ai
            .search(&request, &Host::new(&rules::RULES, &self.stop, &|_| ()))
            .unwrap();
    }
}
