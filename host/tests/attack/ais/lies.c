/* Returns results that are wrong, excessive, repeated or late, some from other threads, and misuses
 * memory and the contract. */
#include "hostile.h"

static rookery_move line[200000];
static rookery_pv_line lines[2000];
static rookery_trace_node nodes[20000];
static const rookery_host *kept_host;
static volatile bool reporting;

static void *report_from_a_thread(void *host) {
    const rookery_host *target = host;
    rookery_search_info report = {.size = sizeof(rookery_search_info), .depth = 1, .nodes = 1, .pv = line, .pv_length = 1, .pv_number = 1};
    for (int i = 0; i < 100000 && reporting; i++) {
        report.depth = (uint32_t)i;
        target->report(target->context, &report);
    }
    return NULL;
}

static void *report_later(void *host) {
    pause_ms(20);
    return report_from_a_thread(host);
}

static void shuffle(const rookery_search_request *request, const rookery_host *host) {
    /* The first 400 moves are legal. */
    rookery_position position = *request->position;
    for (size_t i = 0; i < sizeof line / sizeof *line; i++) {
        rookery_move_list list;
        host->rules->legal_moves(&position, &list);
        if (list.count == 0) return;
        line[i] = list.moves[0];
        if (i < 400) {
            rookery_position next;
            host->rules->play(&position, line[i], &next);
            position = next;
        }
    }
}

static rookery_status search(void *ai, const rookery_search_request *request, const rookery_host *host,
                             rookery_search_result *result, rookery_error *error) {
    (void)ai;
    kept_host = host;
    result->best_move = first_legal(request->position, host);
    pthread_t thread;
    if (is("no move")) result->best_move = 0;
    if (is("illegal move")) result->best_move = ROOKERY_MOVE(0, 63);
    if (is("invalid move")) result->best_move = 0xffff;
    if (is("endless line")) {
        shuffle(request, host);
        result->pv = line;
        result->pv_length = sizeof line / sizeof *line;
        result->best_move = line[0];
    }
    if (is("invalid line")) {
        memset(line, 0xa5, sizeof line);
        result->pv = line;
        result->pv_length = 500;
    }
    if (is("too many lines")) {
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
            lines[i] = (rookery_pv_line){.score = (rookery_score)i, .moves = &result->best_move, .move_count = 1};
        result->multipv = lines;
        result->multipv_count = sizeof lines / sizeof *lines;
        result->multipv_stride = sizeof *lines;
    }
    if (is("trace without a tree")) {
        for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
            nodes[i] = (rookery_trace_node){.parent = (uint32_t)(i * 7), .bound = 77, .kind = 99, .chosen = 0xffff,
                                            .alpha = INT32_MAX, .beta = INT32_MIN, .score = INT32_MIN};
        nodes[0].parent = UINT32_MAX;
        result->trace = nodes;
        result->trace_length = sizeof nodes / sizeof *nodes;
        result->trace_stride = sizeof *nodes;
    }
    if (is("array longer than memory")) {
        result->pv = line;
        result->pv_length = SIZE_MAX / 2;
    }
    if (is("dangling array")) {
        result->pv = (const rookery_move *)8;
        result->pv_length = 100;
    }
    if (is("reports from a thread")) {
        reporting = true;
        for (int i = 0; i < 4; i++) pthread_create(&thread, NULL, report_from_a_thread, (void *)host);
        pause_ms(100);
        reporting = false;
        pause_ms(20);
    }
    if (is("reports after its result")) {
        reporting = true;
        pthread_create(&thread, NULL, report_later, (void *)host);
    }
    if (is("endless reports")) {
        rookery_search_info report = {.size = sizeof(rookery_search_info), .depth = 1, .nodes = 1, .pv = &result->best_move, .pv_length = 1,
                                      .pv_number = 1};
        while (!rookery_should_stop(host)) host->report(host->context, &report);
    }
    if (is("endless output")) {
        static char words[1 << 12];
        memset(words, '\n', sizeof words);
        while (!rookery_should_stop(host) && write(1, words, sizeof words) > 0) continue;
    }
    if (is("invalid reports")) {
        memset(line, 0x5a, sizeof line);
        rookery_search_info report = {.size = sizeof(rookery_search_info), .depth = UINT32_MAX, .score = INT32_MIN, .nodes = UINT64_MAX, .pv = line,
                                 .pv_length = 100000, .pv_number = UINT32_MAX, .selective_depth = UINT32_MAX};
        for (int i = 0; i < 2000; i++) host->report(host->context, &report);
    }
    if (is("unterminated error")) {
        memset(error->message, 'x', sizeof error->message);
        memcpy(error->message, "\x1b]0;x\a\xff\xfe\r\n", 10);
        return ROOKERY_FAILED;
    }
    if (is("writes to the host's tables")) {
        *(bool *)(uintptr_t)host->stop = true;
        memset((void *)(uintptr_t)host->rules, 0, sizeof *host->rules);
    }
    if (is("writes to the request")) {
        memset((void *)(uintptr_t)request->position, 0xff, sizeof *request->position);
        memset((void *)(uintptr_t)request, 0xff, sizeof *request);
    }
    if (is("smashes the stack")) {
        volatile char *here = (volatile char *)&thread;
        for (int i = 0; i < 1 << 20; i++) here[i] = (char)0xcc;
    }
    if (is("smashes the heap")) {
        for (int i = 0; i < 1000; i++) {
            volatile char *block = malloc(64);
            for (int at = -32; at < 128; at++) block[at] = (char)0xcc;
        }
    }
    if (is("frees foreign memory")) free((void *)(uintptr_t)request->position);
    if (is("exits the thread")) pthread_exit(NULL);
    if (is("jumps to an invalid address")) ((void (*)(void))(uintptr_t)12345)();
    if (is("closes all descriptors")) close_range(0, ~0u, 0);
    if (is("swaps the socket")) {
        int ends[2];
        if (pipe(ends) == 0) dup2(ends[0], 3);
    }
    if (is("makes descriptors non-blocking")) {
        fcntl(3, F_SETFL, O_NONBLOCK | O_ASYNC | O_APPEND);
        fcntl(1, F_SETFL, O_NONBLOCK | O_DIRECT);
    }
    if (is("alarms")) {
        signal(SIGALRM, SIG_IGN);
        ualarm(100, 100);
        alarm(1);
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
    }
    if (is("stops itself")) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSTOP);
    if (is("probes an invalid position")) {
        const rookery_tablebase *tables = (const rookery_tablebase *)host->extension(ROOKERY_TABLEBASE);
        rookery_position none;
        memset(&none, 0xff, sizeof none);
        tables->probe_wdl(&none);
        tables->probe_wdl((const rookery_position *)8);
    }
    if (is("logs")) {
        const rookery_log *log = (const rookery_log *)host->extension(ROOKERY_LOG);
        static char line[2000];
        memset(line, 'l', sizeof line - 1);
        for (int i = 0; i < 1000; i++) log->log(ROOKERY_LOG_ERROR, line);
    }
    if (is("floods")) {
        static char much[1 << 16];
        memset(much, 'y', sizeof much);
        for (int i = 0; i < 400; i++)
            if (write(i % 2 + 1, much, sizeof much) < 0) break;
    }
    if (is("recurses")) {
        volatile char frame[1 << 16];
        frame[0] = 1;
        return search(ai, request, host, result, error) && frame[0];
    }
    return ROOKERY_OK;
}

static void try_all(const rookery_position *position, const rookery_host *host) {
    (void)position, (void)host;
    if (is("invalid names")) {
        found_count = MAX_FOUND;
        for (size_t i = 0; i < MAX_FOUND; i++)
            found[i] = (rookery_eval_term){.name = "\x1b[2J\xff\xfe \xe2\x80\xae<script>", .score = i % 2 ? INT32_MIN : INT32_MAX};
    }
    if (is("too many terms")) found_count = SIZE_MAX;
    if (is("dangling name")) found[0].name = (const char *)8, found_count = 1;
}

HOSTILE("lies", search);
