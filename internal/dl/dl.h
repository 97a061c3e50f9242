#ifndef CALLIOPE_DL_H
#define CALLIOPE_DL_H

// Opens a shared library. On failure returns NULL and stores a malloc'ed copy of
// the loader's message in *error.
void* calliope_dlopen(const char* path, char** error);

// The address of a symbol, NULL where the library lacks it.
void* calliope_dlsym(void* library, const char* name);

#endif
