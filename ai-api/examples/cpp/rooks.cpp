// An evaluator in C++: material and rooks on open files. Every function catches its exceptions,
// because none may leave the library.
#include "rookery_ai.h"

#include <array>
#include <cstdio>
#include <exception>
#include <memory>
#include <string_view>

namespace {

constexpr rookery_bitboard a_file = 0x0101010101010101;

class Rooks {
  public:
    explicit Rooks(int open_file) : open_file_(open_file) {}

    rookery_score evaluate(const rookery_position &position) {
        return material(position) + open_files(position);
    }

    void terms(const rookery_position &position, rookery_eval_terms &terms) {
        terms_[0] = {"material", material(position), 0};
        terms_[1] = {"open files", open_files(position), 0};
        terms.terms = terms_.data();
        terms.count = terms_.size();
        terms.stride = sizeof terms_[0];
    }

  private:
    static int count(const rookery_position &position, rookery_role role, rookery_color color) {
        return rookery_count(position.roles[role] & position.colors[color]);
    }

    static rookery_score material(const rookery_position &position) {
        constexpr std::array<int, 5> values{100, 320, 330, 500, 950};
        rookery_score sum = 0;
        for (rookery_role role = ROOKERY_PAWN; role < ROOKERY_KING; role++)
            sum += values[role] * (count(position, role, ROOKERY_WHITE) - count(position, role, ROOKERY_BLACK));
        return sum;
    }

    rookery_score open_files(const rookery_position &position) const {
        rookery_score sum = 0;
        for (unsigned file = 0; file < 8; file++) {
            const rookery_bitboard squares = a_file << file;
            if (position.roles[ROOKERY_PAWN] & squares) continue;
            const rookery_bitboard rooks = position.roles[ROOKERY_ROOK] & squares;
            sum += open_file_ * (rookery_count(rooks & position.colors[ROOKERY_WHITE]) -
                                 rookery_count(rooks & position.colors[ROOKERY_BLACK]));
        }
        return sum;
    }

    int open_file_;
    std::array<rookery_eval_term, 2> terms_{};
};

rookery_status failed(rookery_error *error, const char *reason) {
    std::snprintf(error->message, sizeof error->message, "%s", reason);
    return ROOKERY_FAILED;
}

// Runs `work` and turns an exception into an error.
template <typename Work> rookery_status guarded(rookery_error *error, Work work) {
    try {
        work();
        return ROOKERY_OK;
    } catch (const std::exception &exception) {
        return failed(error, exception.what());
    } catch (...) {
        return failed(error, "unknown exception");
    }
}

rookery_option options[1];

rookery_status manifest(const rookery_host *, const rookery_setting *, size_t, rookery_manifest *manifest,
                        rookery_error *) {
    options[0] = {};
    options[0].name = "open_file";
    options[0].help = "centipawns for a rook on an open file";
    options[0].kind = ROOKERY_OPTION_INTEGER;
    options[0].max = 100;
    options[0].value.kind = ROOKERY_VALUE_INTEGER;
    options[0].value.integer = 20;
    manifest->name = "Rooks in C++";
    manifest->version = "1.0";
    manifest->author = "The Rookery developers";
    manifest->options = options;
    manifest->option_count = 1;
    manifest->option_stride = sizeof options[0];
    return ROOKERY_OK;
}

rookery_status create(const rookery_host *, const rookery_setting *settings, size_t count, void **ai,
                      rookery_error *error) {
    return guarded(error, [&] {
        int open_file = 20;
        for (size_t i = 0; i < count; i++)
            if (settings[i].name == std::string_view("open_file"))
                open_file = static_cast<int>(settings[i].value.integer);
        *ai = std::make_unique<Rooks>(open_file).release();
    });
}

void destroy(void *ai) { delete static_cast<Rooks *>(ai); }

rookery_score evaluate(void *ai, const rookery_position *position, const rookery_host *, rookery_error *error) {
    rookery_score score = ROOKERY_NO_SCORE;
    guarded(error, [&] { score = static_cast<Rooks *>(ai)->evaluate(*position); });
    return score;
}

rookery_status terms(void *ai, const rookery_position *position, const rookery_host *, rookery_eval_terms *terms,
                     rookery_error *error) {
    return guarded(error, [&] { static_cast<Rooks *>(ai)->terms(*position, *terms); });
}

} // namespace

ROOKERY_NOTE("cpp-rooks", "1.0");
// The header declares it as exported.
const rookery_ai rookery_ai_entry = {sizeof(rookery_ai), ROOKERY_ABI, 0,        manifest, create, destroy,
                                     nullptr,            nullptr,     evaluate, terms,    nullptr,
                                     nullptr};
