/* A weak UCI engine with the peculiarity that its argument names. Every peculiarity occurs in real engines, and only `writes-san`
   violates the protocol. */

#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <unistd.h>

/* Squares are 0x88: rank * 16 + file. */
typedef struct {
    char squares[128];
    int white, castling, en_passant;
} Board;

typedef struct {
    int from, to;
    char promotion;
} Move;

enum { ANONYMOUS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE };

static const char *peculiarity = "";

static int is(const char *name) { return strcmp(peculiarity, name) == 0; }

static void fail(const char *reason) {
    fprintf(stderr, "%s\n", reason);
    exit(1);
}

static int owner(char piece) { return piece == 0 ? -1 : isupper((unsigned char)piece) != 0; }

static const int KNIGHT[] = {14, 18, 31, 33, -14, -18, -31, -33};
static const int KING[] = {1, 15, 16, 17, -1, -15, -16, -17};

/* Rook directions have even indices here, and bishop directions have odd ones. */
static const int RAYS[] = {1, 15, 16, 17, -1, -15, -16, -17};

static int is_attacked(const Board *board, int square, int by_white) {
    int pawn = by_white ? -16 : 16;
    for (int side = -1; side <= 1; side += 2) {
        int from = square + pawn + side;
        if (!(from & 0x88) && board->squares[from] == (by_white ? 'P' : 'p')) return 1;
    }
    for (int i = 0; i < 8; i++) {
        int from = square + KNIGHT[i];
        if (!(from & 0x88) && board->squares[from] == (by_white ? 'N' : 'n')) return 1;
        for (int step = 1; ; step++) {
            from = square + step * RAYS[i];
            if (from & 0x88) break;
            char piece = board->squares[from];
            if (!piece) continue;
            if (owner(piece) == by_white) {
                char kind = (char)tolower((unsigned char)piece);
                if (kind == 'q' || kind == (i % 2 ? 'b' : 'r') || (kind == 'k' && step == 1)) return 1;
            }
            break;
        }
    }
    return 0;
}

static void play(Board *board, Move move) {
    char *squares = board->squares, piece = squares[move.from];
    int is_pawn = tolower((unsigned char)piece) == 'p', ahead = board->white ? 16 : -16;
    if (is_pawn && move.to == board->en_passant) squares[move.to - ahead] = 0;
    if (tolower((unsigned char)piece) == 'k' && abs(move.to - move.from) == 2) {
        int rook = move.to > move.from ? move.from + 3 : move.from - 4;
        squares[(move.from + move.to) / 2] = squares[rook];
        squares[rook] = 0;
    }
    squares[move.to] = piece;
    squares[move.from] = 0;
    if (move.promotion) squares[move.to] = (char)(board->white ? toupper(move.promotion) : move.promotion);
    board->en_passant = is_pawn && abs(move.to - move.from) == 32 ? move.from + ahead : -1;
    static const int CORNERS[] = {7, 0, 119, 112}, KINGS[] = {4, 4, 116, 116};
    for (int i = 0; i < 4; i++) {
        int is_touched = move.from == CORNERS[i] || move.to == CORNERS[i] || move.from == KINGS[i];
        if (is_touched) board->castling &= ~(1 << i);
    }
    board->white = !board->white;
}

static int king_of(const Board *board, int white) {
    for (int square = 0; square < 120; square++)
        if (board->squares[square] == (white ? 'K' : 'k')) return square;
    return 0;
}

static int add(const Board *board, Move *moves, int count, int from, int to) {
    Move move = {from, to, 0};
    Board after = *board;
    if (tolower((unsigned char)board->squares[from]) == 'p' && (to < 8 || to >= 112)) move.promotion = 'q';
    play(&after, move);
    if (is_attacked(&after, king_of(&after, board->white), !board->white)) return count;
    for (const char *role = move.promotion ? "qrbn" : "x"; *role; role++) {
        if (move.promotion) move.promotion = *role;
        moves[count++] = move;
    }
    return count;
}

static int legal_moves(const Board *board, Move *moves) {
    int count = 0, us = board->white;
    for (int from = 0; from < 120; from++) {
        char piece = from & 0x88 ? 0 : board->squares[from];
        if (owner(piece) != us) continue;
        char kind = (char)tolower((unsigned char)piece);
        if (kind == 'p') {
            int ahead = us ? 16 : -16, is_home = from / 16 == (us ? 1 : 6);
            if (!board->squares[from + ahead]) {
                count = add(board, moves, count, from, from + ahead);
                if (is_home && !board->squares[from + 2 * ahead]) count = add(board, moves, count, from, from + 2 * ahead);
            }
            for (int side = -1; side <= 1; side += 2) {
                int to = from + ahead + side;
                if (!(to & 0x88) && (owner(board->squares[to]) == !us || to == board->en_passant))
                    count = add(board, moves, count, from, to);
            }
            continue;
        }
        for (int i = 0; i < 8; i++) {
            if ((kind == 'r' && i % 2) || (kind == 'b' && i % 2 == 0)) continue;
            int step = kind == 'n' ? KNIGHT[i] : kind == 'k' ? KING[i] : RAYS[i];
            for (int to = from + step; !(to & 0x88) && owner(board->squares[to]) != us; to += step) {
                count = add(board, moves, count, from, to);
                if (board->squares[to] || kind == 'n' || kind == 'k') break;
            }
        }
        for (int i = 0; kind == 'k' && i < 2; i++) {
            int step = i == 0 ? 1 : -1, is_free = (board->castling >> (us ? i : i + 2)) & 1;
            for (int to = from + step; is_free && to != from + (i == 0 ? 3 : -4); to += step) is_free = !board->squares[to];
            if (is_free && !is_attacked(board, from, !us) && !is_attacked(board, from + step, !us))
                count = add(board, moves, count, from, from + 2 * step);
        }
    }
    return count;
}

static int value(const Board *board) {
    static const char ROLES[] = "pnbrq";
    static const int VALUES[] = {100, 300, 310, 500, 900};
    int sum = 0;
    for (int square = 0; square < 120; square++) {
        char piece = square & 0x88 ? 0 : board->squares[square];
        const char *role = piece ? strchr(ROLES, tolower((unsigned char)piece)) : NULL;
        /* Advanced pieces are worth more, so that games end. */
        int rank = owner(piece) == 1 ? square / 16 : 7 - square / 16;
        if (role) sum += (owner(piece) == board->white ? 1 : -1) * (VALUES[role - ROLES] + 3 * rank);
    }
    return sum;
}

static int square_of(const char *name) { return (name[1] - '1') * 16 + name[0] - 'a'; }

static const char *name_of(Move move) {
    static char name[6];
    snprintf(name, sizeof name, "%c%c%c%c%c", 'a' + move.from % 16, '1' + move.from / 16, 'a' + move.to % 16, '1' + move.to / 16,
             move.promotion);
    return name;
}

/* Returns the score for the side to move. `only` lists the moves that the root may play, or is NULL. */
static int search(const Board *board, int depth, const char *only, Move *best) {
    Move moves[256];
    int count = legal_moves(board, moves), highest = -100000;
    if (count == 0) return is_attacked(board, king_of(board, board->white), !board->white) ? -30000 - depth : 0;
    if (depth == 0) return value(board);
    for (int i = 0; i < count; i++) {
        Board after = *board;
        Move reply;
        if (only && !strstr(only, name_of(moves[i]))) continue;
        play(&after, moves[i]);
        int score = -search(&after, depth - 1, NULL, &reply);
        if (score > highest) {
            highest = score;
            *best = moves[i];
        }
    }
    return highest;
}

static void set_up(Board *board, char *line) {
    char fen[128] = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", side, castling[8], en_passant[8], *moves, *given;
    if ((given = strstr(line, "fen "))) {
        if (is("only-startpos") && strstr(given, "rnbqkbnr/pppppppp")) fail("expected position startpos");
        snprintf(fen, sizeof fen, "%s", given + 4);
    }
    memset(board, 0, sizeof *board);
    char *at = fen;
    for (int square = 112; *at && *at != ' '; at++) {
        if (*at == '/') square -= 24;
        else if (isdigit((unsigned char)*at)) square += *at - '0';
        else board->squares[square++] = *at;
    }
    if (sscanf(at, " %c %7s %7s", &side, castling, en_passant) != 3) fail("expected a FEN");
    board->white = side == 'w';
    for (int i = 0; i < 4; i++) board->castling |= (strchr(castling, "KQkq"[i]) != NULL) << i;
    board->en_passant = en_passant[0] == '-' ? -1 : square_of(en_passant);
    if ((moves = strstr(line, " moves "))) {
        for (char *name = strtok(moves + 7, " "); name; name = strtok(NULL, " "))
            play(board, (Move){square_of(name), square_of(name + 2), name[4]});
    }
}

static void *idle(void *none) {
    pause();
    return none;
}

static void go(const Board *board, int depth, const char *only) {
    Move best = {0, 0, 0};
    pthread_t thread;
    /* A real engine hangs if it gets no thread or no memory. */
    if (is("leaks-threads") && pthread_create(&thread, NULL, idle, NULL) != 0) pause();
    if (is("grows")) {
        char *cache = mmap(NULL, 8 << 20, PROT_READ | PROT_WRITE, ANONYMOUS, -1, 0);
        if (cache == MAP_FAILED) pause();
        memset(cache, 1, 64 << 10);
    }
    int score = search(board, depth, only, &best);
    if (is("floods")) for (int i = 1; i < 20000; i++) printf("info depth %d nodes %d score cp %d pv %s\n", depth, i, score, name_of(best));
    if (is("no-pv")) printf("info depth %d score cp %d nodes 400\n", depth, score);
    else printf("info depth %d score cp %d nodes 400 pv %s\n", depth, score, name_of(best));
    if (is("writes-san")) printf("bestmove Nf3\n");
    else printf("bestmove %s\n", best.from == best.to ? "0000" : name_of(best));
}

/* Does what the peculiarity requires before the first line of input. */
static void start(const char *program) {
    char path[4096] = "", folder[4096];
    if (is("starts-slowly")) sleep(6);
    if (is("net-beside") && !fopen("net.bin", "r")) fail("net.bin: not found");
    if (is("net-by-proc")) {
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
        if (length < 0) abort();
        snprintf(strrchr(path, '/'), 9, "/net.bin");
        if (!fopen(path, "r")) fail("the net next to /proc/self/exe: not found");
    }
    if (is("net-by-argument")) {
        snprintf(folder, sizeof folder, "%s", program);
        char *end = strrchr(folder, '/');
        snprintf(path, sizeof path, "%.*s/net.bin", end ? (int)(end - folder) : 1, end ? folder : ".");
        if (!fopen(path, "r")) fail("the net next to the program's name: not found");
    }
    /* Java and WebAssembly do this. */
    if (is("reserves") && mmap(NULL, 12ULL << 30, PROT_NONE, ANONYMOUS, -1, 0) == MAP_FAILED) fail("cannot reserve 12 GiB");
    if (is("shared-memory") && shm_open("/peculiar", O_CREAT | O_RDWR, 0600) < 0) fail("no shared memory");
    if (is("writes-home")) {
        snprintf(path, sizeof path, "%s/.peculiar", getenv("HOME") ? getenv("HOME") : "~");
        if (open(path, O_CREAT | O_RDWR, 0600) < 0) fail("cannot write a file of experience");
    }
}

/* fgets() buffers the second line of a write, so select() reports it only after the next write. The engine waits only after an
   answer, because `ucinewgame` and `isready` may come together. */
static void wait_for_input(void) {
    fd_set descriptors;
    FD_ZERO(&descriptors);
    FD_SET(0, &descriptors);
    select(1, &descriptors, NULL, NULL, NULL);
}

int main(int count, char **arguments) {
    static char line[65536], restricted[4096];
    Board board;
    int is_new = 0, is_loaded = 0, is_endless = 0, is_answered = 0;
    if (count > 1) peculiarity = arguments[1];
    setvbuf(stdout, NULL, _IONBF, 0);
    start(arguments[0]);
    set_up(&board, line);
    for (;;) {
        if (is("selects") && is_answered) wait_for_input();
        if (!fgets(line, sizeof line, stdin)) return 0;
        line[strcspn(line, "\r\n")] = 0;
        is_answered = !strcmp(line, "uci") || !strcmp(line, "isready") || !strncmp(line, "go", 2);
        for (char *at = line; is("counts-to-2-31") && *at; at++)
            if (strtoull(at, &at, 10) > 2147483647ULL) fail("a number is too great");
            else if (!*at) break;
        if (strcmp(line, "uci") == 0) {
            if (is("ends-at-uci")) fail("Error (unknown command): uci");
            printf("id name Peculiar 1.0\nid author Rookery\noption name Hash type spin default 16 min 1 max 1024\nuciok\n");
        } else if (strcmp(line, "isready") == 0) {
            is_loaded = 1;
            printf("readyok\n");
        } else if (is("loads-at-isready") && !is_loaded && strncmp(line, "setoption", 9) != 0) fail("nothing is loaded");
        else if (strcmp(line, "ucinewgame") == 0) is_new = 1;
        else if (strncmp(line, "position", 8) == 0) set_up(&board, line);
        else if (strncmp(line, "go", 2) == 0) {
            if (is("needs-new-game") && !is_new) printf("info string send ucinewgame first\n");
            else if (strstr(line, "infinite")) {
                char *moves = strstr(line, "searchmoves");
                snprintf(restricted, sizeof restricted, "%s", moves ? moves : "");
                is_endless = 1;
            }
            else {
                char *depth = strstr(line, "depth ");
                go(&board, depth && atoi(depth + 6) == 1 ? 1 : 2, strstr(line, "searchmoves"));
            }
        } else if (strcmp(line, "stop") == 0 && is_endless) {
            is_endless = 0;
            go(&board, 2, restricted[0] ? restricted : NULL);
        } else if (strcmp(line, "quit") == 0) return 0;
    }
}
