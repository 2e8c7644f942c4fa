-- Only the client of a match and admins see its games, unless they are rated. The file did not record which ones are.
ALTER TABLE games ADD COLUMN is_rated INTEGER NOT NULL DEFAULT 1 CHECK (is_rated IN (0, 1));
UPDATE games SET is_rated = 0 WHERE match_id IS NOT NULL;

-- Lists contain only rated games, except for the games of a match.
DROP INDEX games_of_white;
DROP INDEX games_of_black;
DROP INDEX games_of_pairing;
DROP INDEX games_of_white_by_points;
DROP INDEX games_of_black_by_points;
DROP INDEX games_of_opening;
DROP INDEX games_with_fault;
DROP INDEX games_of_faulty_player;
CREATE INDEX rated_games ON games (id) WHERE is_rated;
CREATE INDEX games_of_pairing ON games (white, black) WHERE is_rated;
CREATE INDEX games_of_white_by_points ON games (white, points) WHERE is_rated;
CREATE INDEX games_of_black_by_points ON games (black, points) WHERE is_rated;
CREATE INDEX games_of_opening ON games (opening) WHERE is_rated;
CREATE INDEX games_of_white_by_opening ON games (white, opening) WHERE is_rated;
CREATE INDEX games_of_black_by_opening ON games (black, opening) WHERE is_rated;
CREATE INDEX games_with_fault ON games (id) WHERE is_rated AND faulty_player IS NOT NULL;
CREATE INDEX games_of_faulty_player ON games (faulty_player) WHERE is_rated AND faulty_player IS NOT NULL;
