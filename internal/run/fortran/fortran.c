#include "fortran.h"

#if defined(__linux__) && defined(__aarch64__)
#include <sys/prctl.h>
#endif

enum { WORDS = CALLIOPE_FORTRAN_ARGS + CALLIOPE_FORTRAN_STRINGS };

_Static_assert(WORDS == 20, "the call passes each word");
_Static_assert(sizeof(size_t) == sizeof(void*), "the length of a string is a word");

typedef void (*function)(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                         void*, void*, void*, void*, void*, void*, void*, void*, void*, void*);

void calliope_fortran_call(void* subroutine, int64_t times, const calliope_fortran_arg* args, int n) {
  void* w[WORDS];
  for (int i = 0; i < WORDS; i++) w[i] = (void*)(uintptr_t)1;
  for (int64_t k = 0; k < times; k++) {
    for (int i = 0; i < n; i++) w[i] = args[i].address + (size_t)k * args[i].step;
    ((function)subroutine)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9],
                           w[10], w[11], w[12], w[13], w[14], w[15], w[16], w[17], w[18], w[19]);
  }
}

const char* calliope_fortran_text(void* f) { return ((const char* (*)(void))f)(); }

int calliope_fortran_streaming(void) {
#if defined(__linux__) && defined(__aarch64__)
  enum { GET_LENGTH = 64, LENGTH = 0xffff };  // PR_SME_GET_VL and PR_SME_VL_LEN_MASK, which older headers lack
  int length = prctl(GET_LENGTH, 0, 0, 0, 0);
  return length < 0 ? 0 : length & LENGTH;
#else
  return 0;
#endif
}
