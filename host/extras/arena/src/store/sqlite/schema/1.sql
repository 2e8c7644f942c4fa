CREATE TABLE arena (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    time_control TEXT NOT NULL,
    -- The prefix of the ids of its matches.
    server TEXT NOT NULL DEFAULT (lower(hex(randomblob(4))))
) STRICT;

CREATE TABLE players (
    id INTEGER PRIMARY KEY,
    entry TEXT NOT NULL,
    version INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    ai TEXT NOT NULL,
    name TEXT NOT NULL,
    since_ms INTEGER NOT NULL,
    rests_until_ms INTEGER,
    -- The rating that the configuration gives this version.
    anchor_elo REAL,
    -- From rated games only.
    faults INTEGER NOT NULL DEFAULT 0,
    moves INTEGER NOT NULL DEFAULT 0,
    depth_sum INTEGER NOT NULL DEFAULT 0,
    time_ms INTEGER NOT NULL DEFAULT 0,
    UNIQUE (entry, version),
    UNIQUE (entry, fingerprint)
) STRICT;

CREATE TABLE matches (
    id TEXT PRIMARY KEY,
    client TEXT NOT NULL,
    idempotency_key TEXT,
    request TEXT NOT NULL,
    state TEXT NOT NULL,
    is_finished INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    UNIQUE (client, idempotency_key)
) STRICT;
CREATE INDEX matches_unfinished ON matches (created_ms) WHERE is_finished = 0;

-- The texts are in a separate table, so that a search for games reads little.
CREATE TABLE games (
    id INTEGER PRIMARY KEY,
    pair INTEGER NOT NULL,
    match_id TEXT REFERENCES matches (id),
    white INTEGER NOT NULL REFERENCES players (id),
    black INTEGER NOT NULL REFERENCES players (id),
    -- White's half points.
    points INTEGER NOT NULL CHECK (points BETWEEN 0 AND 2),
    termination TEXT NOT NULL,
    opening INTEGER,
    plies INTEGER NOT NULL,
    ended_ms INTEGER NOT NULL,
    -- The hash of the PGN text.
    hash INTEGER NOT NULL,
    faulty_player INTEGER,
    fault_ply INTEGER,
    fault_code TEXT,
    fault_details TEXT
) STRICT;
-- Each index lists games with equal values by id.
CREATE INDEX games_of_white ON games (white);
CREATE INDEX games_of_black ON games (black);
CREATE INDEX games_of_pairing ON games (white, black);
CREATE INDEX games_of_white_by_points ON games (white, points);
CREATE INDEX games_of_black_by_points ON games (black, points);
CREATE INDEX games_of_opening ON games (opening);
CREATE INDEX games_of_match ON games (match_id) WHERE match_id IS NOT NULL;
CREATE INDEX games_with_fault ON games (id) WHERE faulty_player IS NOT NULL;
CREATE INDEX games_of_faulty_player ON games (faulty_player) WHERE faulty_player IS NOT NULL;
CREATE INDEX games_by_hash ON games (hash);

CREATE TABLE texts (
    game INTEGER PRIMARY KEY REFERENCES games (id),
    pgn TEXT NOT NULL
) STRICT;

-- White's results in rated games.
CREATE TABLE color_tallies (
    white INTEGER NOT NULL REFERENCES players (id),
    black INTEGER NOT NULL REFERENCES players (id),
    wins INTEGER NOT NULL DEFAULT 0,
    draws INTEGER NOT NULL DEFAULT 0,
    losses INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (white, black)
) STRICT, WITHOUT ROWID;

-- The rated pairs of two players, the smaller id first, by the half points of the first.
CREATE TABLE pair_tallies (
    first INTEGER NOT NULL REFERENCES players (id),
    second INTEGER NOT NULL REFERENCES players (id),
    points_0 INTEGER NOT NULL DEFAULT 0,
    points_1 INTEGER NOT NULL DEFAULT 0,
    points_2 INTEGER NOT NULL DEFAULT 0,
    points_3 INTEGER NOT NULL DEFAULT 0,
    points_4 INTEGER NOT NULL DEFAULT 0,
    void INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (first, second)
) STRICT, WITHOUT ROWID;
