#ifndef CALLIOPE_JIT_PROFILE_H
#define CALLIOPE_JIT_PROFILE_H

#include <stdint.h>

// Makes words the profile of this thread, which begins now, and returns the one before. Both may be NULL. The words are
// the time of the last lap, the numbers of laps, of pieces and of laps that there is room for, the time and the number
// of laps of each piece, and the piece and the end of each lap. Times are in nanoseconds; *now gets that of now.
uint64_t* calliope_jit_profile(uint64_t* words, uint64_t* now);

// What compiled code calls where a piece of it ends.
void calliope_jit_lap(int64_t piece);

#endif
