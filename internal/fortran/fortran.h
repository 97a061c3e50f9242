#ifndef CALLIOPE_FORTRAN_H
#define CALLIOPE_FORTRAN_H

// The most arguments that a subroutine may have, and how many of them may be strings.
enum { CALLIOPE_FORTRAN_ARGS = 16, CALLIOPE_FORTRAN_STRINGS = 4 };

// Calls a Fortran subroutine with n arguments. See Routine.Call.
void calliope_fortran_call(void* subroutine, void** args, int n);

// Calls a C function that takes nothing and returns a string.
const char* calliope_fortran_text(void* function);

#endif
