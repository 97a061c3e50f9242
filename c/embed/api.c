// The exported functions. Each refuses a process in which Go cannot run, and passes its
// arguments to a function of Go. All other symbols of the library are hidden, because the C of
// all its packages is compiled with -fvisibility=hidden.

#define _GNU_SOURCE  // for dl_iterate_phdr and dladdr
#include "api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#if defined(__linux__)
#include <elf.h>
#include <link.h>
#endif

#include "_cgo_export.h"

// The message of each thread.
static pthread_key_t messages;
static pthread_once_t messages_once = PTHREAD_ONCE_INIT;

static void make_messages(void) { pthread_key_create(&messages, free); }

void calliope_shared_set_error(char* message) {
  pthread_once(&messages_once, make_messages);
  free(pthread_getspecific(messages));
  pthread_setspecific(messages, message);
}

const char* calliope_error_message(void) {
  pthread_once(&messages_once, make_messages);
  const char* message = pthread_getspecific(messages);
  return message == NULL ? "" : message;
}

const char* calliope_shared_path(void) {
#ifdef _WIN32
  static __thread char path[4 * MAX_PATH];
  HMODULE own;
  DWORD how = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (!GetModuleHandleExA(how, (const char*)(void*)calliope_shared_path, &own)) return NULL;
  DWORD size = GetModuleFileNameA(own, path, sizeof path);
  return size > 0 && size < sizeof path ? path : NULL;
#else
  Dl_info info;
  return dladdr((void*)calliope_shared_path, &info) != 0 ? info.dli_fname : NULL;
#endif
}

static int forked, host_is_go;

#ifndef _WIN32
static void note_fork(void) { forked = 1; }
#endif

#if defined(__linux__)
// Reports whether the program, which is the first object, has the note of Go's linker. A program
// that has this code itself, from an archive or as a program in Go, has one Go runtime, and may.
static int find_go(struct dl_phdr_info* info, size_t size, void* found) {
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    uintptr_t start = info->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_LOAD && (uintptr_t)find_go - start < header->p_memsz) return 1;
  }
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr)* header = &info->dlpi_phdr[i];
    if (header->p_type != PT_NOTE) continue;
    const char* at = (const char*)(info->dlpi_addr + header->p_vaddr);
    const char* end = at + header->p_memsz;
    while (end - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
      const ElfW(Nhdr)* note = (const ElfW(Nhdr)*)at;
      const char* name = at + sizeof *note;
      size_t name_size = (note->n_namesz + 3u) & ~3u, text_size = (note->n_descsz + 3u) & ~3u;
      if ((size_t)(end - name) < name_size + text_size) break;
      if (note->n_namesz == 4 && memcmp(name, "Go\0", 4) == 0) *(int*)found = 1;
      at = name + name_size + text_size;
    }
  }
  return 1;  // the first object only
}
#endif

__attribute__((constructor)) static void look_around(void) {
#ifndef _WIN32
  pthread_atfork(NULL, NULL, note_fork);
#endif
#if defined(__linux__)
  dl_iterate_phdr(find_go, &host_is_go);
#endif
}

static calliope_status refuse(calliope_status status, const char* why) {
  calliope_shared_set_error(strdup(why));
  return status;
}

static calliope_status refused(void) {
  if (__builtin_expect(forked, 0)) {
    return refuse(CALLIOPE_FAILED_PRECONDITION,
                  "calliope: the process was forked after the library was loaded, and the library does not work in the "
                  "child: start the child by exec (Python: multiprocessing's method spawn)");
  }
  if (__builtin_expect(host_is_go, 0)) {
    return refuse(CALLIOPE_FAILED_PRECONDITION,
                  "calliope: the program is written in Go, and a process has room for one Go runtime: import the "
                  "packages of github.com/calliope-mlir/calliope instead of loading the library");
  }
  return CALLIOPE_OK;
}

#define CHECK()                       \
  do {                                \
    calliope_status no = refused();   \
    if (no != CALLIOPE_OK) return no; \
  } while (0)

// How many calls of functions are under way on this thread.
static __thread int inside;

calliope_status calliope_shared_invoke(calliope_function function, uintptr_t user_data, calliope_shared_call* call) {
  inside++;
  calliope_status status = function((void*)user_data, &call->call);
  inside--;
  return status;
}

int32_t calliope_version(void) { return CALLIOPE_VERSION; }

calliope_status calliope_free(void* memory) {
  CHECK();
  return calliopeFree((uintptr_t)memory);
}

calliope_status calliope_get_handler(const char* target, calliope_stage stage, calliope_handler* handler) {
  CHECK();
  return calliopeGetHandler((char*)target, stage, handler);
}

calliope_status calliope_register_pjrt(const struct PJRT_Api* api) {
  CHECK();
  return calliopeRegisterPJRT((void*)api);
}

void calliope_fail(calliope_call* call, const char* message, size_t size) {
  if (call == NULL || message == NULL) return;
  calliope_shared_call* shared = (calliope_shared_call*)call;
  char* copy = malloc(size > 0 ? size : 1);
  if (copy == NULL) return;
  memcpy(copy, message, size);
  free(shared->message);
  shared->message = copy;
  shared->message_size = size;
}

int32_t calliope_stopped(const calliope_call* call) {
  return call != NULL && __atomic_load_n(&((const calliope_shared_call*)call)->stopped, __ATOMIC_ACQUIRE);
}

calliope_status calliope_register(const char* name, calliope_function function, void* user_data,
                                  const calliope_options* options) {
  CHECK();
  return calliopeRegister((char*)name, function, (uintptr_t)user_data, (calliope_options*)options);
}

calliope_status calliope_register_id(calliope_function function, void* user_data, const calliope_options* options,
                                     int64_t* id) {
  CHECK();
  return calliopeRegisterID(function, (uintptr_t)user_data, (calliope_options*)options, id);
}

calliope_status calliope_unregister(const char* registry, const char* name) {
  CHECK();
  return calliopeUnregister((char*)registry, (char*)name);
}

calliope_status calliope_unregister_id(const char* registry, int64_t id) {
  CHECK();
  return calliopeUnregisterID((char*)registry, id);
}

calliope_status calliope_registry_open(const char* name, const calliope_registry_options* options) {
  CHECK();
  return calliopeRegistryOpen((char*)name, (calliope_registry_options*)options);
}

calliope_status calliope_registry_close(const char* name) {
  CHECK();
  return calliopeRegistryClose((char*)name);
}

calliope_status calliope_barrier(const char* name, int64_t timeout_ns) {
  CHECK();
  if (inside > 0) {
    return refuse(CALLIOPE_FAILED_PRECONDITION,
                  "calliope: calliope_barrier: a barrier in a callback would wait for itself: call it outside of "
                  "callbacks, when the run is over");
  }
  return calliopeBarrier((char*)name, timeout_ns);
}

calliope_status calliope_stats(char** json) {
  CHECK();
  return calliopeStats(json);
}

calliope_status calliope_mlir_open(const char* path, int64_t* library) {
  CHECK();
  return calliopeMLIROpen((char*)path, library);
}

calliope_status calliope_append(int64_t library, void* context, void* module, void* block, void* location,
                                const calliope_operation* description, size_t num_operands, void* const* operands,
                                size_t num_results, void* const* results, void** operation) {
  CHECK();
  return calliopeAppend(library, context, module, block, location, (calliope_operation*)description, num_operands,
                        (void**)operands, num_results, (void**)results, operation);
}

calliope_status calliope_prepare(int64_t library, void* context, void* module) {
  CHECK();
  return calliopePrepare(library, context, module);
}

calliope_status calliope_order_effects(int64_t library, void* context, void* module) {
  CHECK();
  return calliopeOrderEffects(library, context, module);
}

calliope_status calliope_check(int64_t library, void* context, void* module) {
  CHECK();
  return calliopeCheck(library, context, module);
}

calliope_status calliope_preflight(int64_t library, void* context, void* module,
                                   const calliope_preflight_options* options) {
  CHECK();
  return calliopePreflight(library, context, module, (calliope_preflight_options*)options);
}

calliope_status calliope_register_legacy(const char* target, void (*function)(void), calliope_legacy_form form) {
  CHECK();
  return calliopeRegisterLegacy((char*)target, (void*)function, form);
}

calliope_status calliope_replace_legacy(int64_t library, void* context, void* module) {
  CHECK();
  return calliopeReplaceLegacy(library, context, module);
}

calliope_status calliope_lint(const void* module, size_t size, const char* name, const char* format,
                              const char* options, char** report, int32_t* findings) {
  CHECK();
  return calliopeLint((void*)module, size, (char*)name, (char*)format, (char*)options, report, findings);
}

calliope_status calliope_fix(const void* module, size_t size, const char* options, void** fixed, size_t* fixed_size) {
  CHECK();
  return calliopeFix((void*)module, size, (char*)options, fixed, fixed_size);
}
