package capi

/*
#include <stdlib.h>
#include "gen_mlir_api.h"

extern void calliopeHostCall(int slot, void* argument);

// Compiled code calls a Go function by an address, so each Go function needs its own C
// function. There are as many of them as Go functions that can be in use at one time.
#define HOST(n) static void host_##n(void* argument) { calliopeHostCall(n, argument); }
#define EIGHT(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7)
#define ALL(M) EIGHT(M, 0) EIGHT(M, 01) EIGHT(M, 02) EIGHT(M, 03) EIGHT(M, 04) EIGHT(M, 05) \
               EIGHT(M, 06) EIGHT(M, 07)
ALL(HOST)
#define NAME(n) host_##n,
static void (*const hosts[])(void*) = {ALL(NAME)};
static void* host_at(int slot) { return (void*)hosts[slot]; }
enum { kHosts = sizeof(hosts) / sizeof(hosts[0]) };

static void call_packed(void* f, void** arguments) { ((void (*)(void**))f)(arguments); }

static char* llvm_text(MlirOperation module, void* translate, void* create, void* print,
                       void* dispose, void* destroy, bool* ok) {
  void* ctx = ((void* (*)(void))create)();
  void* translated = ((void* (*)(MlirOperation, void*))translate)(module, ctx);
  *ok = translated != NULL;
  char* text = NULL;
  if (translated != NULL) {
    text = ((char* (*)(void*))print)(translated);
    ((void (*)(void*))dispose)(translated);
  }
  ((void (*)(void*))destroy)(ctx);
  return text;
}
*/
import "C"

import (
	"sync"
	"unsafe"
)

var hosts struct {
	sync.Mutex
	functions [C.kHosts]func(unsafe.Pointer)
}

// HostFunction returns the address of a C function void(void*) that calls f, which must not
// panic, and a function that releases it. The address is nil if all are in use.
func HostFunction(f func(argument unsafe.Pointer)) (address unsafe.Pointer, free func()) {
	hosts.Lock()
	defer hosts.Unlock()
	for i := range hosts.functions {
		if hosts.functions[i] == nil {
			hosts.functions[i] = f
			return C.host_at(C.int(i)), func() {
				hosts.Lock()
				defer hosts.Unlock()
				hosts.functions[i] = nil
			}
		}
	}
	return nil, nil
}

// CreateEngine creates an execution engine by the prototype of the library's release.
func CreateEngine(t *Table, m MlirModule, optimize int, libraries []string, dump, pic bool) MlirExecutionEngine {
	paths, free := stringRefs(libraries)
	defer free()
	n := int32(len(libraries))
	if t.HasOf("mlirExecutionEngineCreate", 19) {
		return MlirExecutionEngineCreate_19(t, m, int32(optimize), n, &paths[0], dump)
	}
	return MlirExecutionEngineCreate_22(t, m, int32(optimize), n, &paths[0], dump, pic)
}

// CallPacked calls a packed function of compiled code. arguments has the addresses of the
// arguments and of the result.
func CallPacked(f unsafe.Pointer, arguments *unsafe.Pointer) { C.call_packed(f, arguments) }

// Alloc allocates n zeroed bytes of C memory, which Free releases.
func Alloc(n int) unsafe.Pointer { return C.calloc(1, C.size_t(max(n, 1))) }

// Free releases memory of Alloc.
func Free(p unsafe.Pointer) { C.free(p) }

// LLVMText translates a module to LLVM IR and prints it. missing is the name of a function
// that this needs and the library lacks. ok is false if the module cannot be translated.
func LLVMText(t *Table, module MlirOperation) (text, missing string, ok bool) {
	var f [5]unsafe.Pointer
	for i, name := range []string{"mlirTranslateModuleToLLVMIR", "LLVMContextCreate", "LLVMPrintModuleToString",
		"LLVMDisposeModule", "LLVMContextDispose"} {
		if f[i] = t.lib.Symbol(name); f[i] == nil {
			return "", name, false
		}
	}
	var translated C.bool
	c := C.llvm_text(*(*C.MlirOperation)(unsafe.Pointer(&module)), f[0], f[1], f[2], f[3], f[4], &translated)
	defer C.free(unsafe.Pointer(c))
	return C.GoString(c), "", bool(translated)
}
