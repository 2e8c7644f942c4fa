//! The endless tournament: players, ratings, schedule and the file that keeps its games.
