-- Old matches are removed, with the players that only they used.
ALTER TABLE matches ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
UPDATE matches SET bytes = length(request)
    + coalesce((SELECT sum(length(pgn) + 1024) FROM games JOIN texts ON game = games.id WHERE match_id = matches.id), 0);
-- The players, once the match has begun.
ALTER TABLE matches ADD COLUMN first INTEGER REFERENCES players (id);
ALTER TABLE matches ADD COLUMN second INTEGER REFERENCES players (id);
ALTER TABLE players ADD COLUMN is_of_matches INTEGER NOT NULL DEFAULT 0 CHECK (is_of_matches IN (0, 1));
CREATE INDEX matches_by_age ON matches (created_ms, client, bytes, is_finished, id);
CREATE INDEX matches_of_first ON matches (first);
CREATE INDEX matches_of_second ON matches (second);
-- Foreign keys of a removed player are looked up in these indexes.
CREATE INDEX games_of_white ON games (white);
CREATE INDEX games_of_black ON games (black);

-- Imports accepted any time and depth of a move. The maximum is now a day and 1000 plies.
UPDATE players SET time_ms = min(time_ms, moves * 86400000), depth_sum = min(depth_sum, moves * 1000);
