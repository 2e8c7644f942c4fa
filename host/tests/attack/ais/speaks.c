/* Writes to the host's socket: random bytes, frames that are too long, and unexpected frames. */
#include "hostile.h"

#define SOCKET 3

static void send_bytes(const void *bytes, size_t length) {
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

/* Frames with a valid length and random contents. The first byte gives the frame's kind. */
static void send_random_frames(int frames) {
    for (int i = 0; i < frames; i++) {
        unsigned char frame[4 + 256];
        uint32_t length = (uint32_t)(next_chance() % 200 + 1);
        memcpy(frame, &length, 4);
        for (uint32_t at = 0; at < length; at++) frame[4 + at] = (unsigned char)(next_chance() % (at < 3 ? 12 : 256));
        send_bytes(frame, length + 4);
    }
}

static void *send_between_requests(void *nothing) {
    pause_ms(50);
    for (int i = 0; i < 50; i++) {
        send_random_frames(1);
        pause_ms(2);
    }
    return nothing;
}

/* A result for each of the next requests, in advance: no score, no depth, no nodes, no lines. */
static void send_early_results(uint16_t move) {
    for (unsigned char number = 0; number < 100; number++) {
        unsigned char frame[] = {13, 0, 0, 0, 6, number, 0, 0, 1, (unsigned char)(move & 0x7f) | 0x80,
                                 (unsigned char)(move >> 7 & 0x7f), 0, 0, 0, 0, 0, 0};
        send_bytes(frame, sizeof frame);
    }
}

/* Frames of every kind, most of which only a starting worker sends. */
static void send_start_frames(void) {
    for (int kind = 0; kind < 12; kind++) {
        unsigned char frame[] = {8, 0, 0, 0, (unsigned char)kind, 0, 0, 0, 0, 0, 0, 0};
        send_bytes(frame, sizeof frame);
    }
}

static void attack_socket(uint16_t move) {
    static const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff, 1, 2, 3};
    static const unsigned char half[] = {0xff, 0, 0, 0, 6};
    static char zeros[1 << 16];
    pthread_t thread;
    if (is("random frames")) send_random_frames(1000);
    if (is("random frames between requests")) pthread_create(&thread, NULL, send_between_requests, NULL);
    if (is("a frame of 4 GiB")) send_bytes(huge, sizeof huge);
    if (is("half a frame")) {
        send_bytes(half, sizeof half);
        for (;;) pause();
    }
    if (is("endless empty frames"))
        for (;;) send_bytes(zeros, sizeof zeros);
    if (is("early results")) send_early_results(move);
    if (is("start frames")) send_start_frames();
    if (is("reads the host's frames"))
        for (;;) {
            char stolen[256];
            if (recv(SOCKET, stolen, sizeof stolen, 0) <= 0) break;
        }
}

static rookery_status search(void *ai, const rookery_search_request *request, const rookery_host *host,
                             rookery_search_result *result, rookery_error *error) {
    (void)ai, (void)error;
    result->best_move = first_legal(request->position, host);
    attack_socket(result->best_move);
    return ROOKERY_OK;
}

#ifdef SPEAK_IN_CONSTRUCTOR
__attribute__((constructor)) static void constructor(void) {
    snprintf(attack, sizeof attack, "%s", SPEAK_IN_CONSTRUCTOR);
    attack_socket(0);
    for (;;) pause();
}
#endif

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
}

HOSTILE("speaks", search);
