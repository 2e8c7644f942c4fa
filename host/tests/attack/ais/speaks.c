/* Writes to the host's socket itself: bytes that are no frames, frames that are too long, frames that nobody asked for. */
#include "hostile.h"

#define SOCKET 3

static void say(const void *bytes, size_t length) {
    const char *rest = bytes;
    while (length > 0) {
        ssize_t wrote = write(SOCKET, rest, length);
        if (wrote <= 0) return;
        rest += wrote, length -= (size_t)wrote;
    }
}

static uint64_t chance = 88172645463325252u;

static uint64_t next_chance(void) {
    chance ^= chance << 13, chance ^= chance >> 7, chance ^= chance << 17;
    return chance;
}

/* Frames of the right length with random contents, whose first byte names a kind of frame. */
static void speak_at_random(int frames) {
    for (int i = 0; i < frames; i++) {
        unsigned char frame[4 + 256];
        uint32_t length = (uint32_t)(next_chance() % 200 + 1);
        memcpy(frame, &length, 4);
        for (uint32_t at = 0; at < length; at++) frame[4 + at] = (unsigned char)(next_chance() % (at < 3 ? 12 : 256));
        say(frame, length + 4);
    }
}

static void *speak_between(void *nothing) {
    pause_ms(50);
    for (int i = 0; i < 50; i++) {
        speak_at_random(1);
        pause_ms(2);
    }
    return nothing;
}

/* An answer to each of the next questions before it is asked: no score, no depth, no nodes, no lines. */
static void answer_ahead(uint16_t move) {
    for (unsigned char number = 0; number < 100; number++) {
        unsigned char frame[] = {13, 0, 0, 0, 6, number, 0, 0, 1, (unsigned char)(move & 0x7f) | 0x80,
                                 (unsigned char)(move >> 7 & 0x7f), 0, 0, 0, 0, 0, 0};
        say(frame, sizeof frame);
    }
}

/* Creates, refusals, confinements: what only the beginning of a worker's life may bring. */
static void begin_again(void) {
    for (int kind = 0; kind < 12; kind++) {
        unsigned char frame[] = {8, 0, 0, 0, (unsigned char)kind, 0, 0, 0, 0, 0, 0, 0};
        say(frame, sizeof frame);
    }
}

static void speak(uint16_t move) {
    static const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff, 1, 2, 3};
    static const unsigned char half[] = {0xff, 0, 0, 0, 6};
    static char zeros[1 << 16];
    pthread_t thread;
    if (is("random frames")) speak_at_random(1000);
    if (is("random frames between questions")) pthread_create(&thread, NULL, speak_between, NULL);
    if (is("a frame of 4 GiB")) say(huge, sizeof huge);
    if (is("half a frame")) {
        say(half, sizeof half);
        for (;;) pause();
    }
    if (is("empty frames without end"))
        for (;;) say(zeros, sizeof zeros);
    if (is("answers ahead")) answer_ahead(move);
    if (is("beginnings")) begin_again();
    if (is("reads the host's frames"))
        for (;;) {
            char stolen[256];
            if (recv(SOCKET, stolen, sizeof stolen, 0) <= 0) break;
        }
}

static rookery_status search(void *ai, const rookery_search_request *question, const rookery_host *host,
                             rookery_search_result *answer, rookery_error *error) {
    (void)ai, (void)error;
    answer->best_move = first_legal(question->position, host);
    speak(answer->best_move);
    return ROOKERY_OK;
}

#ifdef SPEAK_IN_CONSTRUCTOR
__attribute__((constructor)) static void constructor(void) {
    snprintf(attack, sizeof attack, "%s", SPEAK_IN_CONSTRUCTOR);
    speak(0);
    for (;;) pause();
}
#endif

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
}

HOSTILE("speaks", search);
