package capi

/*
#include <stdlib.h>
#include "gen_mlir_api.h"

extern void calliopePassConstruct(uintptr_t handle);
extern void calliopePassDestruct(uintptr_t handle);
extern int calliopePassInitialize(void* context, uintptr_t handle);
extern void calliopePassRun(void* op, void* pass, uintptr_t handle);

static void pass_construct(void* user) { calliopePassConstruct((uintptr_t)user); }
static void pass_destruct(void* user) { calliopePassDestruct((uintptr_t)user); }
static void* pass_clone(void* user) { return user; }
static MlirLogicalResult pass_initialize(MlirContext ctx, void* user) {
  return (MlirLogicalResult){(int8_t)calliopePassInitialize(ctx.ptr, (uintptr_t)user)};
}
static void pass_run(MlirOperation op, MlirExternalPass pass, void* user) {
  calliopePassRun(op.ptr, pass.ptr, (uintptr_t)user);
}

static MlirPass create_pass(const void* table, MlirTypeID id, char* name, size_t name_len,
                            char* description, size_t description_len, char* op, size_t op_len,
                            uintptr_t handle) {
  const calliope_mlir_api* api = table;
  MlirExternalPassCallbacks callbacks = {pass_construct, pass_destruct, pass_initialize,
                                         pass_clone, pass_run};
  MlirStringRef called = {name, name_len};
  return api->mlirCreateExternalPass(id, called, called,
                                     (MlirStringRef){description, description_len},
                                     (MlirStringRef){op, op_len}, 0, NULL, callbacks, (void*)handle);
}

static void call_void(void* f) { ((void (*)(void))f)(); }
*/
import "C"

import (
	"runtime/cgo"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Pass holds the functions that the library calls while it runs a pass. They must not
// panic, and may be called from any thread.
type Pass struct {
	Name, Description string
	Op                string // empty for a pass on any operation
	Initialize        func(MlirContext) bool
	Run               func(MlirOperation, MlirExternalPass)
}

// A passEntry is the part of a pass that its C++ objects share: clones for other threads
// have the same one.
type passEntry struct {
	pass  Pass
	refs  atomic.Int64
	texts []*C.char // MLIR keeps pointers to them for as long as the pass lives
}

// CreatePass creates a pass, which a pass manager must take over.
func CreatePass(t *Table, id MlirTypeID, p Pass) MlirPass {
	called := p
	called.Initialize = func(ctx MlirContext) bool {
		defer t.pause()()
		return p.Initialize(ctx)
	}
	called.Run = func(op MlirOperation, external MlirExternalPass) {
		defer t.pause()()
		p.Run(op, external)
	}
	e := &passEntry{pass: called}
	text := func(s string) (*C.char, C.size_t) {
		c := C.CString(s)
		e.texts = append(e.texts, c)
		return c, C.size_t(len(s))
	}
	name, nameLen := text(p.Name)
	description, descriptionLen := text(p.Description)
	op, opLen := text(p.Op)
	t.enter()
	defer t.leave()
	made := C.create_pass(t.pointer(), *(*C.MlirTypeID)(unsafe.Pointer(&id)), name, nameLen,
		description, descriptionLen, op, opLen, C.uintptr_t(cgo.NewHandle(e)))
	return *(*MlirPass)(unsafe.Pointer(&made))
}

// upstreamPasses are the functions that register the passes of upstream MLIR in a library
// without mlirRegisterAllPasses.
var upstreamPasses = []string{
	"mlirRegisterTransformsPasses", "mlirRegisterConversionPasses", "mlirRegisterLinalgPasses",
	"mlirRegisterAsyncPasses", "mlirRegisterGPUPasses", "mlirRegisterSparseTensorPasses",
}

// furtherPasses are the functions that register the other passes.
var furtherPasses = []string{
	"mlirRegisterAllStablehloPasses", "mlirRegisterAllMhloPasses",
	"mlirRegisterAllSdyPassesAndPipelines", "mlirRegisterTPUPasses", "mlirMosaicGpuRegisterPasses",
	"torchMlirRegisterAllPasses",
}

var passesRegistered sync.Map // address of a library's mlirPassManagerCreateOnOperation -> *sync.Once

// RegisterPasses registers every pass of the library, for pipelines that are parsed.
func (t *Table) RegisterPasses() {
	once, _ := passesRegistered.LoadOrStore(t.lib.Symbol("mlirPassManagerCreateOnOperation"), new(sync.Once))
	once.(*sync.Once).Do(func() {
		if t.lib.Symbol("ireeCompilerGlobalInitialize") != nil {
			return // registered when the first context was made
		}
		groups := slices.Concat(upstreamPasses, furtherPasses)
		if t.lib.Symbol("mlirRegisterAllPasses") != nil {
			groups = append([]string{"mlirRegisterAllPasses"}, furtherPasses...)
		}
		for _, group := range groups {
			if f := t.lib.Symbol(group); f != nil {
				C.call_void(f)
			}
		}
	})
}
