package client

/*
#include <stdlib.h>
#include <string.h>
#include "../../../../experimental/capi/gen_mlir_api.h"

#define REF(s) ((MlirStringRef){(char*)(s), strlen(s)})

static MlirBlock first_function(const calliope_mlir_api* api, MlirModule m) {
  MlirOperation f = api->mlirBlockGetFirstOperation(api->mlirModuleGetBody(m));
  return api->mlirRegionGetFirstBlock(api->mlirOperationGetRegion(f, 0));
}

static bool build(const void* table, MlirContext ctx, MlirModule m, const char* name, const char* file, int lines,
                  int n) {
  const calliope_mlir_api* api = table;
  MlirBlock block = first_function(api, m);
  MlirValue x = api->mlirBlockGetArgument(block, 0);
  for (int i = 0; i < n; i++) {
    MlirLocation at = api->mlirLocationFileLineColGet(ctx, REF(file), i % lines + 1, 7);
    MlirOperationState s = api->mlirOperationStateGet(REF(name), at);
    MlirValue operands[2] = {x, x};
    api->mlirOperationStateAddOperands(&s, 2, operands);
    api->mlirOperationStateEnableResultTypeInference(&s);
    MlirOperation op = api->mlirOperationCreate(&s);
    if (op.ptr == NULL) return false;
    api->mlirBlockAppendOwnedOperation(block, op);
    x = api->mlirOperationGetResult(op, 0);
  }
  return true;
}

// call appends n custom calls that pass their operand through, each with attributes of
// its own making.
static bool call(const void* table, MlirContext ctx, MlirModule m, const char* callback, const char* signature,
                 const char* file, int lines, int n) {
  const calliope_mlir_api* api = table;
  MlirBlock block = first_function(api, m);
  MlirValue x = api->mlirBlockGetArgument(block, 0);
  MlirType type = api->mlirValueGetType(x);
#define ATTRIBUTE(name, value) \
  ((MlirNamedAttribute){api->mlirIdentifierGet(ctx, REF(name)), value})
#define TEXT(value) api->mlirStringAttrGet(ctx, REF(value))
#define NUMBER(bits, value) api->mlirIntegerAttrGet(api->mlirIntegerTypeGet(ctx, bits), value)
  for (int i = 0; i < n; i++) {
    MlirLocation at = api->mlirLocationFileLineColGet(ctx, REF(file), i % lines + 1, 7);
    MlirOperationState s = api->mlirOperationStateGet(REF("stablehlo.custom_call"), at);
    MlirNamedAttribute config[] = {
        ATTRIBUTE("callback", TEXT(callback)), ATTRIBUTE("form", TEXT("passthrough")),
        ATTRIBUTE("loc", TEXT(file)),          ATTRIBUTE("signature", TEXT(signature)),
        ATTRIBUTE("v", NUMBER(64, 1)),
    };
    MlirAttribute alias = api->stablehloOutputOperandAliasGet(ctx, 0, NULL, 0, 0, NULL);
    MlirNamedAttribute attributes[] = {
        ATTRIBUTE("api_version", NUMBER(32, 4)),
        ATTRIBUTE("backend_config", api->mlirDictionaryAttrGet(ctx, 5, config)),
        ATTRIBUTE("call_target_name", TEXT("calliope_io_callback")),
        ATTRIBUTE("has_side_effect", api->mlirBoolAttrGet(ctx, 1)),
        ATTRIBUTE("output_operand_aliases", api->mlirArrayAttrGet(ctx, 1, &alias)),
    };
    api->mlirOperationStateAddOperands(&s, 1, &x);
    api->mlirOperationStateAddResults(&s, 1, &type);
    api->mlirOperationStateAddAttributes(&s, 5, attributes);
    MlirOperation op = api->mlirOperationCreate(&s);
    if (op.ptr == NULL) return false;
    api->mlirBlockAppendOwnedOperation(block, op);
    x = api->mlirOperationGetResult(op, 0);
  }
  return true;
}

static int count_in(const calliope_mlir_api* api, MlirOperation op, MlirStringRef name) {
  MlirStringRef is = api->mlirIdentifierStr(api->mlirOperationGetName(op));
  int n = is.length == name.length && memcmp(is.data, name.data, name.length) == 0;
  for (intptr_t i = 0, regions = api->mlirOperationGetNumRegions(op); i < regions; i++) {
    MlirBlock b = api->mlirRegionGetFirstBlock(api->mlirOperationGetRegion(op, i));
    for (; b.ptr != NULL; b = api->mlirBlockGetNextInRegion(b)) {
      MlirOperation in = api->mlirBlockGetFirstOperation(b);
      for (; in.ptr != NULL; in = api->mlirOperationGetNextInBlock(in)) n += count_in(api, in, name);
    }
  }
  return n;
}

static int count(const void* table, MlirModule m, const char* name) {
  const calliope_mlir_api* api = table;
  return count_in(api, api->mlirModuleGetOperation(m), REF(name));
}

typedef struct { char* data; size_t length, capacity; } text;

static void add(MlirStringRef part, void* into) {
  text* t = into;
  if (t->length + part.length > t->capacity) {
    t->capacity = 2 * t->capacity + part.length;
    t->data = realloc(t->data, t->capacity);
    if (t->data == NULL) abort();
  }
  memcpy(t->data + t->length, part.data, part.length);
  t->length += part.length;
}

static size_t print(const void* table, MlirModule m) {
  const calliope_mlir_api* api = table;
  text t = {0};
  api->mlirOperationPrint(api->mlirModuleGetOperation(m), add, &t);
  free(t.data);
  return t.length;
}

static MlirModule parse(const void* table, MlirContext ctx, const char* source) {
  return ((const calliope_mlir_api*)table)->mlirModuleCreateParse(ctx, REF(source));
}

static void destroy(const void* table, MlirModule m) {
  ((const calliope_mlir_api*)table)->mlirModuleDestroy(m);
}

static bool verify(const void* table, MlirModule m) {
  const calliope_mlir_api* api = table;
  return api->mlirOperationVerify(api->mlirModuleGetOperation(m));
}
*/
import "C"

import (
	"errors"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// Client works on one context of one library. It trusts what it is given.
type Client struct {
	table unsafe.Pointer
	ctx   C.MlirContext
}

// New makes a client.
func New(t *capi.Table, ctx capi.MlirContext) *Client {
	return &Client{t.Functions(), C.MlirContext{ctx.Ptr}}
}

// Build appends n operations of two operands and one inferred result to the first
// block of the module's first function. The first takes the block's first argument
// twice, each other one the result before it. Their lines go round in the file.
func (c *Client) Build(m capi.MlirModule, operation, file string, lines, n int) error {
	name, at := C.CString(operation), C.CString(file)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(at))
	if !C.build(c.table, c.ctx, C.MlirModule{m.Ptr}, name, at, C.int(lines), C.int(n)) {
		return errors.New("the C client could not infer a result type")
	}
	return nil
}

// Call appends n custom calls of a callback to the same block, each of the result before
// it, which it passes through in the same memory.
func (c *Client) Call(m capi.MlirModule, callback, signature, file string, lines, n int) error {
	name, hash, at := C.CString(callback), C.CString(signature), C.CString(file)
	defer C.free(unsafe.Pointer(name))
	defer C.free(unsafe.Pointer(hash))
	defer C.free(unsafe.Pointer(at))
	if !C.call(c.table, c.ctx, C.MlirModule{m.Ptr}, name, hash, at, C.int(lines), C.int(n)) {
		return errors.New("the C client could not make a custom call")
	}
	return nil
}

// Count walks the module and counts the operations of one name.
func (c *Client) Count(m capi.MlirModule, operation string) int {
	name := C.CString(operation)
	defer C.free(unsafe.Pointer(name))
	return int(C.count(c.table, C.MlirModule{m.Ptr}, name))
}

// Print makes the module's text and returns how long it is.
func (c *Client) Print(m capi.MlirModule) int {
	return int(C.print(c.table, C.MlirModule{m.Ptr}))
}

// Source is a module's text in C's memory.
type Source struct{ text *C.char }

// NewSource copies text, which Free releases.
func NewSource(text string) Source { return Source{C.CString(text)} }

// Free releases the text.
func (s Source) Free() { C.free(unsafe.Pointer(s.text)) }

// Parse reads a module and reports whether it could. The module is destroyed by
// the function that is returned.
func (c *Client) Parse(s Source) (destroy func(), ok bool) {
	m := C.parse(c.table, c.ctx, s.text)
	return func() { C.destroy(c.table, m) }, m.ptr != nil
}

// Verify reports whether the module is valid.
func (c *Client) Verify(m capi.MlirModule) bool {
	return bool(C.verify(c.table, C.MlirModule{m.Ptr}))
}
