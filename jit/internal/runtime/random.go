package runtime

// #include "random.h"
import "C"

import "math/rand/v2"

func init() { C.calliope_jit_random_from(C.uint64_t(rand.Uint64())) }
