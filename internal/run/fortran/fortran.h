#ifndef CALLIOPE_FORTRAN_H
#define CALLIOPE_FORTRAN_H

#include <stddef.h>
#include <stdint.h>

// The most arguments that a subroutine may have, and how many of them may be strings.
enum { CALLIOPE_FORTRAN_ARGS = 16, CALLIOPE_FORTRAN_STRINGS = 4 };

// An argument: its address, and how many bytes further it is in each next call.
typedef struct {
  char* address;
  size_t step;
} calliope_fortran_arg;

// Calls a Fortran subroutine a number of times, with n arguments. See Routine.Call.
void calliope_fortran_call(void* subroutine, int64_t times, const calliope_fortran_arg* args, int n);

// Calls a C function that takes nothing and returns a string.
const char* calliope_fortran_text(void* function);

// Returns how many bytes a vector has in the streaming mode of SME, or 0 if it cannot be found out.
int calliope_fortran_streaming(void);

#endif
