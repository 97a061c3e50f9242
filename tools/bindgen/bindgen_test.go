package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The shapes of declaration that the real headers are made of.
const header = `
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#define HANDLE(name, storage) struct name { storage *ptr; }; typedef struct name name
HANDLE(MlirContext, void);
HANDLE(MlirType, const void);
struct MlirStringRef { const char *data; size_t length; };
typedef struct MlirStringRef MlirStringRef;
typedef void (*MlirStringCallback)(MlirStringRef, void *);
typedef enum MlirOrder { MlirFirst, MlirSecond = 5 } MlirOrder;
typedef uint64_t MlirID;
static inline bool mlirContextIsNull(MlirContext c) { return !c.ptr; }
MlirContext mlirContextCreate(void);
MlirType mlirTypeParse(MlirContext ctx, MlirStringRef text);
void mlirTypePrint(MlirType type, MlirStringCallback callback, void *userData);
bool mlirTypeEqual(struct MlirType a, struct MlirType);
MlirType mlirTuple(MlirContext ctx, intptr_t n, MlirType const *elements, const int64_t *dims);
unsigned mlirOrder(MlirOrder range, MlirID id, double x, int32_t y);
void mlirAttach(MlirContext ctx, void (*free_)(void *));
int otherFunction(void);
void mlirPassManagerEnableIRPrinting(MlirContext ctx);
MlirType mlirGetDialectHandle__func__(void);
`

func parsed(t *testing.T) *api {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "mlir-c"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"mlir-c/A.h": header, "more.h": "MlirType stablehloToken(MlirContext ctx);"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	a, err := parse(dir, []string{"A.h"}, filepath.Join(dir, "more.h"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestWhatIsBound holds that inline functions, dialect handles, functions of others
// and those of changed prototype are left out.
func TestWhatIsBound(t *testing.T) {
	var got []string
	for _, f := range parsed(t).functions {
		got = append(got, f.name)
	}
	want := []string{"mlirContextCreate", "mlirTypeParse", "mlirTypePrint", "mlirTypeEqual", "mlirTuple", "mlirOrder", "mlirAttach", "stablehloToken"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bound functions (-want +got):\n%s", diff)
	}
}

func TestOutput(t *testing.T) {
	a := parsed(t)
	outputs := map[string]string{
		"header": string(cHeader(a)), "names": string(cNames(a)), "types": goTypes(a), "calls": goCalls(a),
	}
	for _, test := range []struct{ output, want string }{
		{"header", "typedef struct MlirContext {\n  void *ptr;\n} MlirContext;"},
		{"header", "typedef void (*MlirStringCallback)(MlirStringRef, void *);"},
		{"header", "typedef unsigned MlirOrder;"},
		{"header", "MlirType (*mlirTuple)(MlirContext ctx, intptr_t n, MlirType *elements, int64_t *dims);"},
		{"header", "void (*mlirAttach)(MlirContext ctx, void (*free_)(void *));"},
		{"names", `"stablehloToken",`},
		{"types", "type MlirContext struct{ Ptr unsafe.Pointer }"},
		{"types", "MlirSecond MlirOrder = 5"},
		{"types", "type MlirID uint64"},
		{"types", "type MlirStringCallback unsafe.Pointer"},
		{"calls", "func MlirContextCreate(t *Table) MlirContext {"},
		{"calls", "func MlirTypeParse(t *Table, ctx MlirContext, text string) MlirType {"},
		{"calls", "func MlirTypePrint(t *Table, type_ MlirType, callback MlirStringCallback, userData unsafe.Pointer) {"},
		{"calls", "func MlirTypeEqual(t *Table, a MlirType, arg1 MlirType) bool {"},
		{"calls", "func MlirTuple(t *Table, ctx MlirContext, n int, elements *MlirType, dims *int64) MlirType {"},
		{"calls", "func MlirOrder(t *Table, range_ MlirOrder, id MlirID, x float64, y int32) uint32 {"},
		{"calls", "if t.api.mlirTuple == nil {\n\t\tmissing(\"mlirTuple\")"},
		{"calls", "(MlirStringRef){(char*)text, text_len}"},
	} {
		if !strings.Contains(outputs[test.output], test.want) {
			t.Errorf("the %s lack %q:\n%s", test.output, test.want, outputs[test.output])
		}
	}
	for _, name := range []string{"types", "calls"} {
		if _, err := formatGo(name, outputs[name]); err != nil {
			t.Error(err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	if _, err := parse(t.TempDir(), []string{"Nothing.h"}, "none.h"); err == nil || !strings.Contains(err.Error(), "Nothing.h") {
		t.Errorf("a missing header: %v", err)
	}
}
