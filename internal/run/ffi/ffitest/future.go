package ffitest

/*
#cgo !windows LDFLAGS: -lpthread
#cgo windows LDFLAGS: -Wl,-Bstatic -lwinpthread -Wl,-Bdynamic
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "../ffi_handler.h"

struct ffi_error {
  int32_t code;
  char* message;
};

struct ffi_future {
  pthread_mutex_t mu;
  pthread_cond_t changed;
  int done;
  struct ffi_error error;
};

// The future of the call that is deferred next.
static __thread ffi_future* ffitest_next;

static ffi_error* future_create(ffi_future_args* args) {
  args->future = ffitest_next;
  return NULL;
}

static void end(ffi_future* f, struct ffi_error e) {
  pthread_mutex_lock(&f->mu);
  f->done++;
  f->error = e;
  pthread_cond_broadcast(&f->changed);
  pthread_mutex_unlock(&f->mu);
}

static ffi_error* future_set_available(ffi_future_args* args) {
  end(args->future, (struct ffi_error){0});
  return NULL;
}

static ffi_error* future_set_error(ffi_future_error_args* args) {
  end(args->future, *args->error);
  free(args->error);
  return NULL;
}

static ffi_error* error_create(ffi_error_create_args* args) {
  ffi_error* e = malloc(sizeof *e);
  *e = (ffi_error){args->code, strdup(args->message)};
  return e;
}

static ffi_api ffitest_table = {
    .struct_size = sizeof ffitest_table,
    .version = {.struct_size = sizeof(ffi_version), .minor = FFI_NEWEST_MINOR},
    .error_create = error_create,
    .future_create = future_create,
    .future_set_available = future_set_available,
    .future_set_error = future_set_error,
};

static const ffi_api* ffitest_api(void) { return &ffitest_table; }

static ffi_future* ffitest_future(void) {
  ffi_future* f = calloc(1, sizeof *f);
  pthread_mutex_init(&f->mu, NULL);
  pthread_cond_init(&f->changed, NULL);
  return f;
}

static void ffitest_expect(ffi_future* f) { ffitest_next = f; }

static int ffitest_wait(ffi_future* f, char** message) {
  pthread_mutex_lock(&f->mu);
  while (!f->done) pthread_cond_wait(&f->changed, &f->mu);
  int code = f->error.code;
  *message = f->error.message;
  pthread_mutex_unlock(&f->mu);
  return code;
}
*/
import "C"

import (
	"runtime"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/run/ffi"
)

// A Future is XLA's end of a deferred call. It is never freed.
type Future struct{ c *C.ffi_future }

// Execute executes the call, which may be deferred, as XLA does. future is nil if it is over.
// The call is never freed.
func (f Frame) Execute(site ffi.Site) (future *Future, code int32, message string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	call := f.call(cMemory{})
	c := (*C.calliope_call)(unsafe.Pointer(call))
	c.api = C.ffitest_api()
	made := C.ffitest_future()
	C.ffitest_expect(made)
	code, message = site.Execute(call)
	if c.frame.future != nil {
		return &Future{made}, code, message
	}
	return nil, code, message
}

// Wait waits for the end of the call.
func (f *Future) Wait() (code int32, message string) {
	var text *C.char
	code = int32(C.ffitest_wait(f.c, &text))
	return code, C.GoString(text)
}

// cMemory is for calls that C functions get.
type cMemory struct{}

func alloc[T any](n int) []T {
	var t T
	return unsafe.Slice((*T)(C.calloc(C.size_t(n+1), C.size_t(unsafe.Sizeof(t)))), n)
}

func (cMemory) frame() *C.ffi_frame          { return &alloc[C.ffi_frame](1)[0] }
func (cMemory) call() *C.calliope_call       { return &alloc[C.calliope_call](1)[0] }
func (cMemory) buffer() *C.ffi_buffer        { return &alloc[C.ffi_buffer](1)[0] }
func (cMemory) kinds(n int) []C.int32_t      { return alloc[C.int32_t](n) }
func (cMemory) items(n int) []unsafe.Pointer { return alloc[unsafe.Pointer](n) }
func (cMemory) dims(dims []int64) *C.int64_t {
	list := alloc[C.int64_t](len(dims))
	for i, d := range dims {
		list[i] = C.int64_t(d)
	}
	return unsafe.SliceData(list)
}
