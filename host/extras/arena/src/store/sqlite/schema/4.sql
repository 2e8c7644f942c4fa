-- Counts of an AI and its candidate, without positions or games.
CREATE TABLE rollouts (ai TEXT PRIMARY KEY, versions TEXT NOT NULL, tallies TEXT NOT NULL) STRICT, WITHOUT ROWID;
