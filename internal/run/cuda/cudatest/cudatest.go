// Package cudatest has a library that stands in for CUDA's driver, for tests on machines
// without a GPU. The C file in testdata says what it does.
package cudatest

/*
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  int64_t waits, to_host, to_device, records, allocated, pinned, misuses;
} standin_counts;

static void* call_context(void* f) { return ((void* (*)(void))f)(); }
static void* call_stream(void* f, void* context) { return ((void* (*)(void*))f)(context); }
static void* call_alloc(void* f, size_t n) { return ((void* (*)(size_t))f)(n); }
static void call_pointer(void* f, void* p) { ((void (*)(void*))f)(p); }
static int call_move(void* f, void* device, void* data, size_t n, int write) {
  return ((int (*)(void*, void*, size_t, int))f)(device, data, n, write);
}
static void call_fill(void* f, void* stream, void* device, int value, size_t n) {
  ((void (*)(void*, void*, int, size_t))f)(stream, device, value, n);
}
static void call_int(void* f, void* stream, int n) { ((void (*)(void*, int))f)(stream, n); }
static void call_counts(void* f, standin_counts* c) { ((void (*)(standin_counts*))f)(c); }
static void call_fail(void* f, const char* name, int code, int after, int always) {
  ((void (*)(const char*, int, int, int))f)(name, code, after, always);
}
*/
import "C"

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/internal/host/dl"
	"github.com/calliope-mlir/calliope/internal/run/cuda"
)

// Codes of errors (CUresult).
const (
	OutOfMemory  = 2
	NoDevice     = 100
	LaunchFailed = 719
)

// Open compiles the library, once in a process, and makes it the driver of the process: it
// must be called before package cuda opens the driver. The test needs a C compiler.
func Open(t testing.TB) *Driver {
	t.Helper()
	d, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var open = sync.OnceValues(func() (*Driver, error) {
	dir, err := os.MkdirTemp("", "cudatest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path, err := Build(dir)
	if err != nil {
		return nil, err
	}
	library, err := dl.Open(path)
	if err != nil {
		return nil, err
	}
	// The driver is opened now, because the file is removed.
	if err := os.Setenv(cuda.Env, path); err != nil {
		return nil, err
	}
	if _, err := cuda.Open(); err != nil {
		return nil, err
	}
	return (&Driver{library: library}).Context(), nil
})

// Build compiles the library in a folder, with further flags of the compiler, and returns its
// path.
func Build(dir string, flags ...string) (string, error) {
	source, err := source()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "driver.so")
	flags = append([]string{"-shared", "-fPIC", "-O1", "-o", path, source}, flags...)
	out, err := exec.Command("cc", append(flags, "-lpthread")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("a C compiler is needed: %w\n%s", err, out)
	}
	return path, nil
}

// source returns the path of the library's C file. Tests run in the folders of their packages.
func source() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "internal", "run", "cuda", "cudatest", "testdata", "driver.c"), nil
		}
	}
	return "", os.ErrNotExist
}

// A Driver is the library, and one context of it.
type Driver struct {
	library *dl.Library
	context unsafe.Pointer
}

func (d *Driver) symbol(name string) unsafe.Pointer {
	p := d.library.Symbol("standin_" + name)
	if p == nil {
		panic("cudatest: the library has no standin_" + name)
	}
	return p
}

// Context returns the library with another context, as of another device.
func (d *Driver) Context() *Driver {
	return &Driver{d.library, C.call_context(d.symbol("context"))}
}

// Fail makes a function of the driver, such as "cuMemHostAlloc", return an error once, after
// it has been called a number of times. After LaunchFailed each function returns that, until
// the test ends.
func (d *Driver) Fail(t testing.TB, function string, code, after int) {
	d.fail(t, function, code, after, 0)
}

// FailAlways makes a function of the driver return an error until the test ends.
func (d *Driver) FailAlways(t testing.TB, function string, code int) { d.fail(t, function, code, 0, 1) }

func (d *Driver) fail(t testing.TB, function string, code, after, always int) {
	set := func(function string, code int) {
		name := C.CString(function)
		defer C.free(unsafe.Pointer(name))
		C.call_fail(d.symbol("fail"), name, C.int(code), C.int(after), C.int(always))
	}
	set(function, code)
	t.Cleanup(func() { set("", 0) })
}

// Counts are what the library has counted since it was opened.
type Counts struct {
	Waits     int // for an event
	ToHost    int // copies that were asked for
	ToDevice  int
	Records   int // of an event
	Allocated int // blocks of pinned memory
	Pinned    int // bytes of pinned memory that are not freed
	Misuses   int // what no caller may do, such as to free memory that is being copied
}

// Counts returns the current counts.
func (d *Driver) Counts() Counts {
	var c C.standin_counts
	C.call_counts(d.symbol("counts"), &c)
	return Counts{int(c.waits), int(c.to_host), int(c.to_device), int(c.records), int(c.allocated), int(c.pinned),
		int(c.misuses)}
}

// Since returns how much the counts have grown.
func (c Counts) Since(before Counts) Counts {
	return Counts{
		c.Waits - before.Waits, c.ToHost - before.ToHost, c.ToDevice - before.ToDevice, c.Records - before.Records,
		c.Allocated - before.Allocated, c.Pinned - before.Pinned, c.Misuses - before.Misuses,
	}
}

// A Stream does its work in order, on its own thread. It lives as long as the process.
type Stream struct {
	driver *Driver
	c      unsafe.Pointer
}

// Stream returns a new stream of the context.
func (d *Driver) Stream() *Stream {
	return &Stream{d, C.call_stream(d.symbol("stream"), d.context)}
}

// Pointer returns the stream as a CUstream.
func (s *Stream) Pointer() unsafe.Pointer { return s.c }

// Sleep makes the stream sleep, as a kernel that takes long.
func (s *Stream) Sleep(ms int) { C.call_int(s.driver.symbol("sleep"), s.c, C.int(ms)) }

// Fill makes the stream set all bytes of an array, as a kernel would.
func (s *Stream) Fill(a *Array, value byte) {
	C.call_fill(s.driver.symbol("fill"), s.c, a.Pointer(), C.int(value), C.size_t(a.n))
}

// Hold stops the stream before its next work, until LetGo.
func (s *Stream) Hold() { C.call_int(s.driver.symbol("hold"), s.c, 1) }

// LetGo ends Hold.
func (s *Stream) LetGo() { C.call_int(s.driver.symbol("hold"), s.c, 0) }

// Drain waits until the stream has done its work.
func (s *Stream) Drain() { C.call_pointer(s.driver.symbol("drain"), s.c) }

// An Array is memory of the device. It cannot be accessed.
type Array struct {
	driver *Driver
	p      unsafe.Pointer
	n      int
}

// Array returns an array with a copy of data.
func (d *Driver) Array(t testing.TB, data []byte) *Array {
	t.Helper()
	a := &Array{d, C.call_alloc(d.symbol("alloc"), C.size_t(len(data))), len(data)}
	if a.p == nil {
		t.Fatal("no memory for an array of the device")
	}
	t.Cleanup(func() { C.call_pointer(d.symbol("free"), a.p) })
	a.move(data, 1)
	return a
}

// Pointer returns the address in the device's memory.
func (a *Array) Pointer() unsafe.Pointer { return a.p }

// Bytes returns what is in the memory now, whatever streams do.
func (a *Array) Bytes() []byte {
	data := make([]byte, a.n)
	a.move(data, 0)
	return data
}

func (a *Array) move(data []byte, write C.int) {
	if len(data) > 0 &&
		C.call_move(a.driver.symbol("move"), a.p, unsafe.Pointer(&data[0]), C.size_t(len(data)), write) == 0 {
		panic("cudatest: the array is freed")
	}
}
