/* The note is a C macro, which Zig does not translate. */
#include "rookery_ai.h"

ROOKERY_NOTE("zig-dice", "1.0");
