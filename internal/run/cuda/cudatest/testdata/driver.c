// A library that stands in for CUDA's driver. A device's memory is host memory that is mapped
// twice: the addresses that callers get are inaccessible, so code that takes them for host
// memory stops at once. A stream is a thread with a queue of work, so copies are made later
// than they are asked for, unless the caller waits.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef int32_t code;

enum {
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_READY = 600,
  LAUNCH_FAILED = 719,
};

typedef struct context {
  int number;
} context;

typedef struct event {
  context* of;
  pthread_mutex_t mu;
  pthread_cond_t changed;
  int64_t asked, done;  // how often it was recorded, and how many of these the stream has reached
} event;

enum { TO_HOST, TO_DEVICE, RECORD, FILL, SLEEP };

typedef struct work {
  int kind;
  void* host;
  uint64_t device;
  size_t size;
  int value;  // of a FILL, milliseconds of a SLEEP
  event* event;
  int64_t number;  // of the event's record
  struct work* next;
} work;

typedef struct stream {
  context* of;
  pthread_t thread;
  pthread_mutex_t mu;
  pthread_cond_t changed;
  work *first, **last;
  int busy, held;
} stream;

// The state of the library.
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static int initialized;

typedef struct range {
  uint64_t device;  // the inaccessible address, 0 for pinned memory
  char* memory;
  size_t size;
  struct range* next;
} range;
static range* ranges;

typedef struct {
  int64_t waits, to_host, to_device, records, allocated, pinned, misuses;
} counts;
static counts counted;
static int failed;  // the code of an error of the device, which every later call returns

static char fail_name[64];
static int fail_code, fail_after, fail_always;

static __thread context* stack[16];
static __thread int depth;

static void misuse(const char* what) {
  fprintf(stderr, "stand-in for CUDA's driver: %s\n", what);
  pthread_mutex_lock(&mu);
  counted.misuses++;
  pthread_mutex_unlock(&mu);
}

// The error that a test has set for a function, OK if there is none.
static code injected(const char* name) {
  pthread_mutex_lock(&mu);
  code c = initialized ? failed : NOT_INITIALIZED;
  if (c == OK && fail_code != 0 && strcmp(name, fail_name) == 0 && fail_after-- <= 0) {
    c = fail_code;
    if (c == LAUNCH_FAILED) failed = c;
    if (!fail_always) fail_code = 0;
  }
  pthread_mutex_unlock(&mu);
  return c;
}

#define BEGIN                        \
  code c_ = injected(__func__);      \
  if (c_ != OK) return c_
#define IN_CONTEXT                   \
  BEGIN;                             \
  if (depth == 0) {                  \
    misuse("a call without context"); \
    return INVALID_CONTEXT;          \
  }                                  \
  context* here = stack[depth - 1];  \
  (void)here

static void count(int64_t* n, int64_t by) {
  pthread_mutex_lock(&mu);
  *n += by;
  pthread_mutex_unlock(&mu);
}

// The memory at size bytes of a device's or pinned memory, NULL if they are not all that.
static char* find(uint64_t device, const void* pinned, size_t size) {
  char* memory = NULL;
  pthread_mutex_lock(&mu);
  for (range* r = ranges; r != NULL && memory == NULL; r = r->next) {
    uint64_t start = device ? r->device : r->device ? 0 : (uint64_t)(uintptr_t)r->memory;
    uint64_t at = device ? device : (uint64_t)(uintptr_t)pinned;
    if (start != 0 && at >= start && at - start + size <= r->size) memory = r->memory + (at - start);
  }
  pthread_mutex_unlock(&mu);
  return memory;
}

static void milliseconds(int n) {
  struct timespec t = {.tv_sec = n / 1000, .tv_nsec = (long)(n % 1000) * 1000000};
  nanosleep(&t, NULL);
}

static void do_work(work* w) {
  char *device, *pinned;
  switch (w->kind) {
    case TO_HOST:
    case TO_DEVICE:
      // Both must still be there, as on a device.
      device = find(w->device, NULL, w->size);
      pinned = find(0, w->host, w->size);
      if (device == NULL || pinned == NULL) {
        misuse("memory of a copy was freed before the copy was made");
      } else if (w->kind == TO_HOST) {
        memcpy(pinned, device, w->size);
      } else {
        memcpy(device, pinned, w->size);
      }
      break;
    case RECORD:
      pthread_mutex_lock(&w->event->mu);
      if (w->event->done < w->number) w->event->done = w->number;
      pthread_cond_broadcast(&w->event->changed);
      pthread_mutex_unlock(&w->event->mu);
      break;
    case FILL:
      device = find(w->device, NULL, w->size);
      if (device == NULL) misuse("a fill of memory that is not the device's");
      else memset(device, w->value, w->size);
      break;
    case SLEEP:
      milliseconds(w->value);
      break;
  }
}

static void* serve(void* arg) {
  stream* s = arg;
  pthread_mutex_lock(&s->mu);
  for (;;) {
    while (s->first == NULL || s->held) pthread_cond_wait(&s->changed, &s->mu);
    work* w = s->first;
    s->first = w->next;
    if (s->first == NULL) s->last = &s->first;
    s->busy = 1;
    pthread_mutex_unlock(&s->mu);
    do_work(w);
    free(w);
    pthread_mutex_lock(&s->mu);
    s->busy = 0;
    pthread_cond_broadcast(&s->changed);
  }
  return NULL;
}

static void push(stream* s, work w) {
  work* copy = malloc(sizeof w);
  *copy = w;
  copy->next = NULL;
  pthread_mutex_lock(&s->mu);
  *s->last = copy;
  s->last = &copy->next;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->mu);
}

// The driver's functions.

code cuInit(unsigned flags) {
  (void)flags;
#ifdef NO_DEVICE
  return 100;
#endif
  pthread_mutex_lock(&mu);
  initialized = 1;
  pthread_mutex_unlock(&mu);
  return injected(__func__);
}

code cuCtxPushCurrent_v2(context* c) {
  BEGIN;
  if (c == NULL || depth == 16) return INVALID_CONTEXT;
  stack[depth++] = c;
  return OK;
}

code cuCtxPopCurrent_v2(context** c) {
  if (depth == 0) return INVALID_CONTEXT;
  *c = stack[--depth];
  return OK;
}

code cuStreamGetCtx(stream* s, context** c) {
  BEGIN;
  if (s == NULL) return INVALID_HANDLE;
  *c = s->of;
  return OK;
}

static void add_range(uint64_t device, char* memory, size_t size) {
  range* r = malloc(sizeof *r);
  pthread_mutex_lock(&mu);
  *r = (range){device, memory, size, ranges};
  ranges = r;
  pthread_mutex_unlock(&mu);
}

static int drop_range(uint64_t device, const void* memory, range* dropped) {
  int found = 0;
  pthread_mutex_lock(&mu);
  for (range** at = &ranges; *at != NULL; at = &(*at)->next) {
    range* r = *at;
    if (device ? r->device != device : r->device != 0 || r->memory != memory) continue;
    *dropped = *r;
    *at = r->next;
    free(r);
    found = 1;
    break;
  }
  pthread_mutex_unlock(&mu);
  return found;
}

code cuMemHostAlloc(void** memory, size_t size, unsigned flags) {
  (void)flags;
  IN_CONTEXT;
  void* p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return OUT_OF_MEMORY;
  memset(p, 0xa5, size);  // nobody may rely on zeros
  add_range(0, p, size);
  count(&counted.allocated, 1);
  count(&counted.pinned, (int64_t)size);
  *memory = p;
  return OK;
}

code cuMemFreeHost(void* memory) {
  IN_CONTEXT;
  range r;
  if (!drop_range(0, memory, &r)) return INVALID_VALUE;
  munmap(r.memory, r.size);
  count(&counted.pinned, -(int64_t)r.size);
  return OK;
}

static code copy(int kind, int64_t* n, void* host, uint64_t device, size_t size, stream* s) {
  if (s == NULL || s->of != stack[depth - 1]) {
    misuse("a copy on a stream of another context");
    return INVALID_HANDLE;
  }
  if (find(device, NULL, size) == NULL) return INVALID_VALUE;
  if (find(0, host, size) == NULL) {
    misuse("a copy of memory that is not pinned, which is not asynchronous");
    return INVALID_VALUE;
  }
  count(n, 1);
  push(s, (work){.kind = kind, .host = host, .device = device, .size = size});
  return OK;
}

code cuMemcpyDtoHAsync_v2(void* host, uint64_t device, size_t size, stream* s) {
  IN_CONTEXT;
  return copy(TO_HOST, &counted.to_host, host, device, size, s);
}

code cuMemcpyHtoDAsync_v2(uint64_t device, void* host, size_t size, stream* s) {
  IN_CONTEXT;
  return copy(TO_DEVICE, &counted.to_device, host, device, size, s);
}

code cuEventCreate(event** e, unsigned flags) {
  (void)flags;
  IN_CONTEXT;
  *e = calloc(1, sizeof **e);
  (*e)->of = here;
  pthread_mutex_init(&(*e)->mu, NULL);
  pthread_cond_init(&(*e)->changed, NULL);
  return OK;
}

code cuEventRecord(event* e, stream* s) {
  IN_CONTEXT;
  if (e->of != s->of) {
    misuse("an event of another context");
    return INVALID_HANDLE;
  }
  count(&counted.records, 1);
  pthread_mutex_lock(&e->mu);
  int64_t number = ++e->asked;
  pthread_mutex_unlock(&e->mu);
  push(s, (work){.kind = RECORD, .event = e, .number = number});
  return OK;
}

code cuEventSynchronize(event* e) {
  IN_CONTEXT;
  count(&counted.waits, 1);
  pthread_mutex_lock(&e->mu);
  while (e->done < e->asked) pthread_cond_wait(&e->changed, &e->mu);
  pthread_mutex_unlock(&e->mu);
  return OK;
}

code cuEventQuery(event* e) {
  IN_CONTEXT;
  pthread_mutex_lock(&e->mu);
  int over = e->done >= e->asked;
  pthread_mutex_unlock(&e->mu);
  return over ? OK : NOT_READY;
}

code cuEventDestroy_v2(event* e) {
  IN_CONTEXT;
  pthread_mutex_lock(&e->mu);
  int over = e->done >= e->asked;
  pthread_mutex_unlock(&e->mu);
  if (!over) misuse("an event was destroyed before its stream reached it");  // and stays: the stream has it
  else free(e);
  return OK;
}

static const struct {
  code code;
  const char *name, *text;
} errors[] = {
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {100, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

static code describe(code c, const char** text, int name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
    if (errors[i].code != c) continue;
    *text = name ? errors[i].name : errors[i].text;
    return OK;
  }
  *text = NULL;
  return INVALID_VALUE;
}
code cuGetErrorName(code c, const char** text) { return describe(c, text, 1); }
code cuGetErrorString(code c, const char** text) { return describe(c, text, 0); }

// What tests call.

void* standin_context(void) { return calloc(1, sizeof(context)); }

void* standin_stream(void* of) {
  stream* s = calloc(1, sizeof *s);
  s->of = of;
  s->last = &s->first;
  pthread_mutex_init(&s->mu, NULL);
  pthread_cond_init(&s->changed, NULL);
  pthread_create(&s->thread, NULL, serve, s);
  pthread_detach(s->thread);
  return s;
}

// Returns an inaccessible address for n bytes of the device's memory, or NULL.
void* standin_alloc(size_t n) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), size = (n + page - 1) / page * page;
  if (size == 0) size = page;
  char* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* device = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || device == MAP_FAILED) return NULL;
  add_range((uint64_t)(uintptr_t)device, memory, size);
  return device;
}

void standin_free(void* device) {
  range r;
  if (!drop_range((uint64_t)(uintptr_t)device, NULL, &r)) return;
  munmap(r.memory, r.size);
  munmap(device, r.size);
}

// Reads or writes a device's memory at once, whatever its streams do.
int standin_move(void* device, void* data, size_t n, int write) {
  char* memory = find((uint64_t)(uintptr_t)device, NULL, n);
  if (memory == NULL) return 0;
  memcpy(write ? (void*)memory : data, write ? data : (void*)memory, n);
  return 1;
}

void standin_fill(void* s, void* device, int value, size_t n) {
  push(s, (work){.kind = FILL, .device = (uint64_t)(uintptr_t)device, .size = n, .value = value});
}

void standin_sleep(void* s, int ms) { push(s, (work){.kind = SLEEP, .value = ms}); }

// A stream that is held does no work until it is let go on.
void standin_hold(void* arg, int on) {
  stream* s = arg;
  pthread_mutex_lock(&s->mu);
  s->held = on;
  pthread_cond_broadcast(&s->changed);
  pthread_mutex_unlock(&s->mu);
}

// Waits until a stream has done its work.
void standin_drain(void* arg) {
  stream* s = arg;
  pthread_mutex_lock(&s->mu);
  while (s->first != NULL || s->busy) pthread_cond_wait(&s->changed, &s->mu);
  pthread_mutex_unlock(&s->mu);
}

void standin_counts(counts* c) {
  pthread_mutex_lock(&mu);
  *c = counted;
  pthread_mutex_unlock(&mu);
}

// Makes a function return an error, after it has been called a number of times: once or, if
// always is not 0, from then on. After an error of a launch every function returns that.
void standin_fail(const char* name, int code_, int after, int always) {
  pthread_mutex_lock(&mu);
  snprintf(fail_name, sizeof fail_name, "%s", name);
  fail_code = code_;
  fail_after = after;
  fail_always = always;
  failed = OK;
  pthread_mutex_unlock(&mu);
}
