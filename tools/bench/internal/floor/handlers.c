#include "handlers.h"

#include <sched.h>

#include "../../../../internal/run/ffi/ffi_call.h"
#include "gate.h"

enum { XLA_F32 = 11 };

static ffi_error* refuse(ffi_frame* frame, const char* message) {
  return ffi_new_error(frame->api, FFI_INTERNAL, message);
}

// What the passthrough floor keeps: no call site of it has a state of its own.
static struct {
  const ffi_api* api;
  int64_t type_id;
} trampoline;

static ffi_error* passthrough_instantiate(ffi_frame* frame) {
  static char state;
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  return ffi_state_set(trampoline.api, &trampoline.type_id, frame->context, &state);
}

// Does all that the trampoline of internal/run/ffi does but the crossing into Go.
static ffi_error* passthrough_execute(ffi_frame* frame) {
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  calliope_call call;
  ffi_error* error = ffi_open_call(trampoline.api, &trampoline.type_id, frame, &call);
  if (error != NULL) return error;
  for (int64_t i = 0; i < frame->args.size && i < frame->results.size; i++) {
    if (frame->args.kinds[i] != FFI_KIND_BUFFER || frame->results.kinds[i] != FFI_KIND_BUFFER) {
      return refuse(frame, "calliope: not a buffer");
    }
    ffi_buffer* from = frame->args.items[i];
    ffi_buffer* to = frame->results.items[i];
    if (from->data != to->data) return refuse(frame, "calliope: the floor needs its aliases honoured");
  }
  return NULL;
}

static void delete_state(void* state) { (void)state; }

// The operand, the result and the operand's size; an error where the call is none of
// those that the floors take.
typedef struct {
  char* in;
  char* out;
  size_t size;
} payload;

static ffi_error* read_call(ffi_frame* frame, int alias, payload* p) {
  if (frame->args.size != 1 || frame->results.size != 1 || frame->args.kinds[0] != FFI_KIND_BUFFER ||
      frame->results.kinds[0] != FFI_KIND_BUFFER) {
    return refuse(frame, "calliope: a floor takes one array and gives one");
  }
  ffi_buffer* in = frame->args.items[0];
  ffi_buffer* out = frame->results.items[0];
  if (in->dtype != XLA_F32) return refuse(frame, "calliope: a floor takes an array of f32");
  if (alias && in->data != out->data) {
    return refuse(frame, "calliope: the floor needs its aliases honoured");
  }
  p->in = in->data;
  p->out = out->data;
  p->size = 4;
  for (int64_t i = 0; i < in->rank; i++) p->size *= (size_t)in->dims[i];
  return NULL;
}

// A kept thread that serves one thread of XLA's.
typedef struct {
  gate ask, answer;
  ffi_frame* frame;
  ffi_error* error;
} partner;

static void* serve_partner(void* arg) {
  partner* p = arg;
  for (;;) {
    gate_pass(&p->ask);
    payload call;
    p->error = read_call(p->frame, 1, &call);
    gate_open(&p->answer);
  }
  return NULL;
}

static int start(void* (*serve)(void*), void* arg) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, serve, arg) != 0) return 0;
  pthread_detach(thread);
  return 1;
}

static partner* new_partner(int cond, int spin) {
  partner* p = calloc(1, sizeof *p);
  if (p == NULL) return NULL;
  gate_init(&p->ask, cond, spin);
  gate_init(&p->answer, cond, spin);
  if (!start(serve_partner, p)) {
    free(p);
    return NULL;
  }
  return p;
}

static ffi_error* hand_over(ffi_frame* frame, int cond, int spin) {
  static __thread partner* partners[2][2];
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  partner* p = partners[cond][spin];
  if (p == NULL) p = partners[cond][spin] = new_partner(cond, spin);
  if (p == NULL) return refuse(frame, "calliope: no thread for the floor");
  p->frame = frame;
  gate_open(&p->ask);
  gate_pass(&p->answer);
  return p->error;
}

static ffi_error* thread_futex(ffi_frame* f) { return hand_over(f, 0, 0); }
static ffi_error* thread_futex_spin(ffi_frame* f) { return hand_over(f, 0, 1); }
static ffi_error* thread_cond(ffi_frame* f) { return hand_over(f, 1, 0); }
static ffi_error* thread_cond_spin(ffi_frame* f) { return hand_over(f, 1, 1); }

// A ring that the calls of a device go through, to a kept thread that empties it.
enum { FLOOR_DEVICES = 64, RING = 1024, RING_BYTES = 4096 };

typedef struct {
  gate filled;
  int started;
  uint32_t head, tail;  // head is the producer's, tail the consumer's
  const ffi_api* api;
  ffi_future* futures[RING];
  char* copies[RING];
} ring;

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;
static __thread ring* served;  // by this thread

static void* serve_ring(void* arg) {
  ring* r = served = arg;
  for (;;) {
    gate_pass(&r->filled);
    for (;;) {
      uint32_t tail = r->tail;
      if (tail == __atomic_load_n(&r->head, __ATOMIC_ACQUIRE)) break;
      ffi_future* future = r->futures[tail % RING];
      // From here on the place is free: a finished future may fill it, on this thread.
      __atomic_store_n(&r->tail, tail + 1, __ATOMIC_RELEASE);
      if (future != NULL) ffi_finish(r->api, future);
    }
  }
  return NULL;
}

static int ring_ready(ring* r, int spin) {
  if (__atomic_load_n(&r->started, __ATOMIC_ACQUIRE)) return 1;
  pthread_mutex_lock(&starting);
  int ready = r->started;
  if (!ready) {
    gate_init(&r->filled, 0, spin);
    ready = start(serve_ring, r);
    __atomic_store_n(&r->started, ready, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&starting);
  return ready;
}

static ffi_error* device_of(ffi_frame* frame, int32_t* device) {
  ffi_device_args args = {.struct_size = FFI_SIZE(ffi_device_args, ordinal), .context = frame->context};
  ffi_error* error = frame->api->device_ordinal_get(&args);
  if (error == NULL && args.ordinal >= FLOOR_DEVICES) error = refuse(frame, "calliope: too many devices for the floor");
  *device = args.ordinal;
  return error;
}

static ffi_error* defer(ffi_frame* frame, int spin) {
  static ring* rings[FLOOR_DEVICES][2][2];
  payload call;
  int32_t device = 0;
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  ffi_error* error = device_of(frame, &device);
  if (error == NULL) error = read_call(frame, 1, &call);
  if (error != NULL) return error;
  // The thread that finishes a future may make the next call, too: two take turns, so
  // that each call changes threads. Only one call of a device is under way.
  ring** pair = rings[device][spin];
  int other = pair[0] != NULL && served == pair[0];
  if (pair[other] == NULL) pair[other] = calloc(1, sizeof(ring));
  ring* r = pair[other];
  if (r == NULL || !ring_ready(r, spin)) return refuse(frame, "calliope: no thread for the floor");
  ffi_future_args future = {.struct_size = sizeof future};
  error = frame->api->future_create(&future);
  if (error != NULL) return error;
  frame->future = future.future;
  r->api = frame->api;
  r->futures[r->head % RING] = future.future;
  __atomic_store_n(&r->head, r->head + 1, __ATOMIC_RELEASE);
  gate_open(&r->filled);
  return NULL;
}

static ffi_error* deferred(ffi_frame* f) { return defer(f, 0); }
static ffi_error* deferred_spin(ffi_frame* f) { return defer(f, 1); }

static ffi_error* enqueue(ffi_frame* frame, int spin) {
  static ring* rings[FLOOR_DEVICES][2];
  payload call;
  int32_t device = 0;
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  ffi_error* error = device_of(frame, &device);
  if (error == NULL) error = read_call(frame, 0, &call);
  if (error != NULL) return error;
  if (call.size > RING_BYTES) return refuse(frame, "calliope: too much for the floor's queue");
  if (rings[device][spin] == NULL) rings[device][spin] = calloc(1, sizeof(ring));
  ring* r = rings[device][spin];
  if (r == NULL || !ring_ready(r, spin)) return refuse(frame, "calliope: no thread for the floor");
  while (r->head - __atomic_load_n(&r->tail, __ATOMIC_ACQUIRE) == RING) sched_yield();
  char** copy = &r->copies[r->head % RING];
  if (*copy == NULL) *copy = malloc(RING_BYTES);
  if (*copy == NULL) return refuse(frame, "calliope: no memory for the floor");
  memcpy(*copy, call.in, call.size);
  *call.out = 0;
  __atomic_store_n(&r->head, r->head + 1, __ATOMIC_RELEASE);
  gate_open(&r->filled);
  return NULL;
}

static ffi_error* queue(ffi_frame* f) { return enqueue(f, 0); }
static ffi_error* queue_spin(ffi_frame* f) { return enqueue(f, 1); }

// Memory that a thread keeps, of at least that size.
static char* kept(size_t size) {
  static __thread char* memory;
  static __thread size_t capacity;
  if (size > capacity) {
    free(memory);
    memory = malloc(size);
    capacity = memory == NULL ? 0 : size;
  }
  return memory;
}

static ffi_error* move(ffi_frame* frame, int back) {
  payload call;
  if (frame->extensions != NULL && ffi_answer_metadata(frame)) return NULL;
  ffi_error* error = read_call(frame, back, &call);
  if (error != NULL) return error;
  char* memory = kept(call.size);
  if (memory == NULL) return refuse(frame, "calliope: no memory for the floor");
  memcpy(memory, call.in, call.size);
  __asm__ volatile("" ::"r"(memory) : "memory");  // what is not read is copied all the same
  if (back) {
    memcpy(call.out, memory, call.size);
  } else {
    *call.out = 0;
  }
  return NULL;
}

static ffi_error* copy(ffi_frame* f) { return move(f, 0); }
static ffi_error* copies(ffi_frame* f) { return move(f, 1); }

static const ffi_handler handlers[CALLIOPE_FLOORS] = {
    [CALLIOPE_FLOOR_PASSTHROUGH] = passthrough_execute,
    [CALLIOPE_FLOOR_THREAD_FUTEX] = thread_futex,
    [CALLIOPE_FLOOR_THREAD_FUTEX_SPIN] = thread_futex_spin,
    [CALLIOPE_FLOOR_THREAD_COND] = thread_cond,
    [CALLIOPE_FLOOR_THREAD_COND_SPIN] = thread_cond_spin,
    [CALLIOPE_FLOOR_DEFERRED] = deferred,
    [CALLIOPE_FLOOR_DEFERRED_SPIN] = deferred_spin,
    [CALLIOPE_FLOOR_QUEUE] = queue,
    [CALLIOPE_FLOOR_QUEUE_SPIN] = queue_spin,
    [CALLIOPE_FLOOR_COPY] = copy,
    [CALLIOPE_FLOOR_COPIES] = copies,
};

char* calliope_floor_init(const void* ffi) {
  static const ffi_type_info info = {.struct_size = sizeof info, .deleter = delete_state};
  trampoline.api = ffi;
  return ffi_register_type(trampoline.api, "calliope_floor", &info, &trampoline.type_id);
}

char* calliope_floor_register(const char* target, int floor) {
  ffi_handler instantiate = floor == CALLIOPE_FLOOR_PASSTHROUGH ? passthrough_instantiate : NULL;
  return ffi_register(trampoline.api, target, "Host", instantiate, handlers[floor]);
}
