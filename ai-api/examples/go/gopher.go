// Gopher, a chess AI for Rookery. It searches with alpha-beta and iterative deepening, and counts material
// and placement.
package main

/*
#include "rookery_ai.h"

// Go can't call a C function pointer, so each host function that it calls has a wrapper.
static inline void legal_moves(const rookery_host *host, const rookery_position *at, bool captures, rookery_move_list *to) {
	(captures ? host->rules->legal_captures : host->rules->legal_moves)(at, to);
}
static inline bool has_legal_move(const rookery_host *host, const rookery_position *at) {
	return host->rules->has_legal_move(at);
}
static inline bool is_insufficient(const rookery_host *host, const rookery_position *at) {
	return host->rules->is_insufficient_material(at);
}
static inline void play(const rookery_host *host, const rookery_position *at, rookery_move move, rookery_position *next) {
	host->rules->play(at, move, next);
}
*/
import "C"

import (
	"math"
	"math/bits"
	"unsafe"
)

const (
	maxPly   = 64
	infinite = C.ROOKERY_MATE + 1
	centre   = 0x00003c3c3c3c0000
)

var values = [6]int{100, 310, 320, 500, 900, 0}

// search preallocates a position and a move list for each ply, so that it doesn't allocate memory
// while it runs.
type search struct {
	host      *C.rookery_host
	history   []C.uint64_t
	positions [maxPly + 2]C.rookery_position
	lists     [maxPly + 1]C.rookery_move_list
	best      C.rookery_move
	nodes     uint64
	maxNodes  uint64
	stopped   bool
}

var self search

//export goSearch
func goSearch(request *C.rookery_search_request, host *C.rookery_host, result *C.rookery_search_result) (status C.rookery_status) {
	// A panic that leaves an exported function ends the process.
	defer func() {
		if recover() != nil {
			status = C.ROOKERY_PANICKED
		}
	}()

	self.host, self.nodes, self.stopped = host, 0, false
	self.history = unsafe.Slice(request.history, int(request.history_length))
	self.positions[0] = *request.position
	self.maxNodes = math.MaxUint64
	limits := request.limits
	if limits.nodes > 0 {
		self.maxNodes = uint64(limits.nodes)
	}
	depths := maxPly
	for _, limit := range [...]C.uint32_t{limits.depth, limits.mate_plies} {
		if limit > 0 && int(limit) < depths {
			depths = int(limit)
		}
	}

	C.legal_moves(host, &self.positions[0], false, &self.lists[0])
	self.best = self.lists[0].moves[0]
	result.best_move = self.best
	for depth := 1; depth <= depths; depth++ {
		score := self.negamax(depth, 0, -infinite, infinite)
		if self.stopped {
			break
		}
		if self.positions[0].turn == C.ROOKERY_BLACK {
			score = -score // scores are from White's point of view
		}
		result.best_move, result.score, result.depth = self.best, C.rookery_score(score), C.uint32_t(depth)
	}
	result.nodes = C.uint64_t(self.nodes)
	return C.ROOKERY_OK
}

// negamax returns the value of a position for the side to move. It is meaningless once the search is stopped.
func (s *search) negamax(depth, ply, alpha, beta int) int {
	// The host stops the search when its time is up.
	if s.nodes >= s.maxNodes || s.nodes%256 == 0 && bool(C.rookery_should_stop(s.host)) {
		s.stopped = true
		return 0
	}
	s.nodes++

	at := &s.positions[ply]
	if !C.has_legal_move(s.host, at) {
		if at.checkers != 0 {
			return ply - C.ROOKERY_MATE
		}
		return 0
	}
	if ply > 0 && s.isDraw(ply) {
		return 0
	}
	highest := -infinite
	if depth <= 0 {
		// After the last ply, search only captures, unless the position is better without one.
		highest = evaluate(at)
		if highest >= beta || ply >= maxPly {
			return highest
		}
		if highest > alpha {
			alpha = highest
		}
	}

	for _, move := range s.moves(depth, ply) {
		C.play(s.host, at, move, &s.positions[ply+1])
		value := -s.negamax(depth-1, ply+1, -beta, -alpha)
		if s.stopped {
			return 0
		}
		if value > highest {
			highest = value
			if ply == 0 {
				s.best = move
			}
		}
		if highest > alpha {
			alpha = highest
		}
		if alpha >= beta {
			break
		}
	}
	return highest
}

// moves returns the moves to search: first the best move of the previous iteration, then the most valuable
// captures.
func (s *search) moves(depth, ply int) []C.rookery_move {
	at, list := &s.positions[ply], &s.lists[ply]
	C.legal_moves(s.host, at, C.bool(depth <= 0), list)
	moves := list.moves[:list.count]
	var keys [C.ROOKERY_MAX_MOVES]int
	for i, move := range moves {
		key := 0
		target := C.uint64_t(1) << (move >> 6 & 63)
		for role, squares := range at.roles {
			if squares&at.colors[at.turn^1]&target != 0 {
				key = values[role]
			}
		}
		if ply == 0 && move == s.best {
			key = infinite
		}
		place := i
		for ; place > 0 && keys[place-1] < key; place-- {
			keys[place], moves[place] = keys[place-1], moves[place-1]
		}
		keys[place], moves[place] = key, move
	}
	return moves
}

func (s *search) isDraw(ply int) bool {
	at := &s.positions[ply]
	if at.halfmove_clock >= 100 || bool(C.is_insufficient(s.host, at)) {
		return true
	}
	for earlier := ply - 4; earlier >= 0; earlier -= 2 {
		if s.positions[earlier].hash == at.hash {
			return true
		}
	}
	// The opponent can avoid repeating a position of the game, so only its third occurrence is a draw.
	occurrences := 0
	for _, hash := range s.history {
		if hash == at.hash {
			occurrences++
		}
	}
	return occurrences >= 2
}

// evaluate returns the value of material and centre for the side to move, in centipawns.
func evaluate(at *C.rookery_position) int {
	sum := 0
	for role, squares := range at.roles {
		own, other := uint64(squares&at.colors[at.turn]), uint64(squares&at.colors[at.turn^1])
		sum += values[role] * (bits.OnesCount64(own) - bits.OnesCount64(other))
		if role != C.ROOKERY_KING {
			sum += 5 * (bits.OnesCount64(own&centre) - bits.OnesCount64(other&centre))
		}
	}
	return sum
}

func main() {}
