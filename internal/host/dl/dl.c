#include "dl.h"

#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <stdint.h>
#include <stdio.h>
#include <windows.h>

// absolute returns the absolute path with wide characters, which LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR
// needs, or NULL.
static wchar_t* absolute(const char* path) {
  int n = MultiByteToWideChar(CP_UTF8, 0, path, -1, NULL, 0);
  wchar_t* wide = n > 0 ? malloc((size_t)n * sizeof *wide) : NULL;
  if (wide == NULL) return NULL;
  MultiByteToWideChar(CP_UTF8, 0, path, -1, wide, n);
  DWORD size = GetFullPathNameW(wide, 0, NULL, NULL);
  wchar_t* full = size > 0 ? malloc(size * sizeof *full) : NULL;
  if (full != NULL && GetFullPathNameW(wide, size, full, NULL) == 0) {
    free(full);
    full = NULL;
  }
  free(wide);
  return full;
}

static char* message_of(DWORD code) {
  wchar_t wide[512];
  char text[1024];
  DWORD n = FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, code, 0,
                           wide, sizeof wide / sizeof *wide, NULL);
  while (n > 0 && (wide[n - 1] == L'\n' || wide[n - 1] == L'\r' || wide[n - 1] == L'.')) n--;
  int size = WideCharToMultiByte(CP_UTF8, 0, wide, (int)n, text, sizeof text - 1, NULL, NULL);
  if (size <= 0) snprintf(text, sizeof text, "error %lu", code);
  else text[size] = 0;
  return strdup(text);
}

// Libraries that this one needs are searched next to it, too. A name without a folder is
// searched in the system's folder only, and not in the current one.
void* calliope_dlopen(const char* path, char** error) {
  HMODULE library = NULL;
  if (*path == 0) {
    *error = strdup("Windows has no symbols of a process, only of a library: name the library");
    return NULL;
  }
  if (strpbrk(path, "/\\") == NULL) {
    library = LoadLibraryExA(path, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    if (library == NULL) *error = message_of(GetLastError());
    return library;
  }
  wchar_t* full = absolute(path);
  if (full != NULL) {
    library = LoadLibraryExW(full, NULL, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS);
  }
  if (library == NULL) *error = message_of(GetLastError());
  free(full);
  return library;
}

void* calliope_dlsym(void* library, const char* name) {
  return (void*)(uintptr_t)GetProcAddress(library, name);
}

#else
#include <dlfcn.h>

// dlopen and dlerror stand in one function because the message is kept per
// thread, and a goroutine may change threads between two calls into C.
void* calliope_dlopen(const char* path, char** error) {
  void* library = dlopen(*path == 0 ? NULL : path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    const char* message = dlerror();
    *error = strdup(message ? message : "unknown error");
  }
  return library;
}

void* calliope_dlsym(void* library, const char* name) { return dlsym(library, name); }
#endif

#ifdef __GLIBC__
// The structure of mallinfo2 in <malloc.h>, which is not in glibc before 2.33.
struct counts {
  size_t arena, ordblks, smblks, hblks, mapped, usmblks, fsmblks, used, free, keepcost;
};

size_t calliope_allocated(void) {
  void* library = dlopen(NULL, RTLD_NOW | RTLD_LOCAL);
  struct counts (*count)(void) = (struct counts(*)(void))(library ? dlsym(library, "mallinfo2") : NULL);
  if (count == NULL) return 0;
  struct counts c = count();
  return c.used + c.mapped;
}
#else
size_t calliope_allocated(void) { return 0; }
#endif
