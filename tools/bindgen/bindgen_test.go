package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// header has each form of declaration that the real headers have.
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
MlirType mlirGetDialectHandle__func__(void);
`

func parsed(t *testing.T) *api { return parseText(t, header) }

func parseText(t *testing.T, header string) *api {
	t.Helper()
	dir := t.TempDir()
	check.NoError(t, os.MkdirAll(filepath.Join(dir, "mlir-c", "Bindings"), 0o755))
	check.NoError(t, os.Mkdir(filepath.Join(dir, "more"), 0o755))
	for name, text := range map[string]string{
		"mlir-c/A.h":                header,
		"mlir-c/Bindings/Interop.h": "#error only for Python",
		"more/StablehloMore.h":      "MlirType stablehloToken(MlirType of);",
	} {
		check.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	a, err := parse([]string{dir}, declarations{dir: filepath.Join(dir, "more"), headers: stablehloHeaders})
	check.NoError(t, err)
	return a
}

// TestWhatIsBound checks that inline functions, dialect handles and functions of other
// libraries are left out.
func TestWhatIsBound(t *testing.T) {
	var got []string
	for _, f := range parsed(t).functions {
		got = append(got, f.name)
	}
	want := []string{"mlirContextCreate", "mlirTypeParse", "mlirTypePrint", "mlirTypeEqual", "mlirTuple", "mlirOrder",
		"mlirAttach", "stablehloToken"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("bound functions (-want +got):\n%s", diff)
	}
}

func callsOf(t *testing.T, a *api) map[string]string {
	t.Helper()
	files, err := goCalls(a)
	check.NoError(t, err)
	return files
}

func TestOutput(t *testing.T) {
	a := parsed(t)
	outputs := callsOf(t, a)
	outputs["header"], outputs["names"], outputs["types"] = string(cHeader(a)), string(cNames(a)), goTypes(a)
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
		{"gen_a.go", "func MlirContextCreate(t *Table) MlirContext {"},
		{"gen_a.go", "func MlirTypeParse(t *Table, ctx MlirContext, text string) MlirType {"},
		{"gen_a.go", "func MlirTypePrint(t *Table, type_ MlirType, callback MlirStringCallback, userData unsafe.Pointer) {"},
		{"gen_a.go", "func MlirTypeEqual(t *Table, a MlirType, arg1 MlirType) bool {"},
		{"gen_a.go", "func MlirTuple(t *Table, ctx MlirContext, n int, elements *MlirType, dims *int64) MlirType {"},
		{"gen_a.go", "func MlirOrder(t *Table, range_ MlirOrder, id MlirID, x float64, y int32) uint32 {"},
		{"gen_a.go", "\tt.enter()\n\tr := call4(f, ctx, n, elements, dims)\n\tt.leave()\n\treturn r\n"},
		{"gen_a.go", "if f == nil {\n\t\tmissing(\"mlirTuple\")"},
		{"gen_stablehlo_more.go", "func StablehloToken(t *Table, of MlirType) MlirType {"},
		{"gen_prototypes.go", "{ return ((MlirType (*)(MlirContext, MlirStringRef))f)((MlirContext){(void*)a0}, (MlirStringRef){(char*)a1, na1}); }"},
		{"gen_prototypes.go", "(uintptr_t f, uintptr_t a0, intptr_t a1, uintptr_t *a2, int64_t *a3) { return ((MlirType (*)(MlirContext, intptr_t, MlirType *, int64_t *))f)((MlirContext){(void*)a0}, a1, (MlirType*)a2, a3); }"},
		{"gen_prototypes.go",
			"func call4(f unsafe.Pointer, a0 MlirContext, a1 int, a2 *MlirType, a3 *int64) MlirType {\n" +
				"\tr := C.call4(C.uintptr_t(uintptr(f)), C.uintptr_t(uintptr(a0.Ptr)), C.intptr_t(a1), (*C.uintptr_t)(unsafe.Pointer(a2)), (*C.int64_t)(unsafe.Pointer(a3)))\n" +
				"\treturn *(*MlirType)(unsafe.Pointer(&r))\n}"},
		{"gen_prototypes.go", "{ ((void (*)(MlirContext, void (*)(void *)))f)((MlirContext){(void*)a0}, a1); }"},
	} {
		if !strings.Contains(outputs[test.output], test.want) {
			t.Errorf("%s: no %q:\n%s", test.output, test.want, outputs[test.output])
		}
	}
	for _, name := range []string{"types", "gen_a.go", "gen_stablehlo_more.go", "gen_prototypes.go"} {
		if _, err := formatGo(name, outputs[name]); err != nil {
			t.Error(err)
		}
	}
}

func TestParseErrors(t *testing.T) {
	if _, err := parse([]string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "looking for headers") {
		t.Errorf("a folder without headers: %v", err)
	}
	dir := t.TempDir()
	check.NoError(t, os.Mkdir(filepath.Join(dir, "mlir-c"), 0o755))
	check.NoError(t, os.WriteFile(filepath.Join(dir, "mlir-c", "A.h"), []byte("int broken(int;"), 0o644))
	if _, err := parse([]string{dir}); err == nil || !strings.Contains(err.Error(), "A.h:1:") {
		t.Errorf("a broken header: %v", err)
	}
}

// TestMerge checks that a function that differs between two releases is bound once for each,
// and never by its name alone.
func TestMerge(t *testing.T) {
	const common = `
#include <stdbool.h>
struct MlirType { void *ptr; };
typedef struct MlirType MlirType;
void mlirSame(MlirType renamed);
`
	older := parseText(t, common+`
typedef enum MlirKind { MlirKindA, MlirKindB } MlirKind;
typedef enum MlirGrown { MlirGrownA } MlirGrown;
struct MlirGone { void *ptr; };
typedef struct MlirGone MlirGone;
void mlirChanged(MlirType t);
void mlirTakesKind(MlirKind k);
void mlirTakesGrown(MlirGrown g);
MlirGone mlirOnlyOld(void);
`)
	newer := parseText(t, common+`
typedef enum MlirKind { MlirKindB, MlirKindA } MlirKind;
typedef enum MlirGrown { MlirGrownA, MlirGrownB } MlirGrown;
void mlirChanged(MlirType t, bool strict);
void mlirTakesKind(MlirKind k);
void mlirTakesGrown(MlirGrown g);
void mlirOnlyNew(void);
`)
	merged := merge(release{19, older}, release{22, newer})
	var got []string
	for _, f := range merged.functions {
		got = append(got, f.field())
	}
	want := []string{"mlirSame", "mlirChanged_19", "mlirChanged_22", "mlirTakesKind_22", "mlirTakesGrown",
		"mlirOnlyNew", "stablehloToken", "mlirOnlyOld"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("functions (-want +got):\n%s", diff)
	}
	outputs := callsOf(t, merged)
	outputs["header"], outputs["names"] = string(cHeader(merged)), string(cNames(merged))
	for _, test := range []struct{ output, want string }{
		{"header", "void (*mlirChanged_19)(MlirType t_);"},
		{"header", "void (*mlirChanged_22)(MlirType t_, bool strict);"},
		{"header", "} MlirGone;"},
		{"names", `{"mlirChanged", 19},`},
		{"names", `{"mlirSame", 0},`},
		{"gen_a.go", "func MlirChanged_22(t *Table, t_ MlirType, strict bool) {"},
		{"gen_a.go", `missing("mlirChanged")`},
	} {
		if !strings.Contains(outputs[test.output], test.want) {
			t.Errorf("%s: no %q:\n%s", test.output, test.want, outputs[test.output])
		}
	}
}

// TestChangedAfter checks that a function that changed after the newest release has the
// symbol that distinguishes newer libraries, and that changedAfter agrees with the headers.
func TestChangedAfter(t *testing.T) {
	const both = `
struct MlirType { void *ptr; };
typedef struct MlirType MlirType;
void mlirLLVMDIDerivedTypeAttrGet(int tag);
void mlirLLVMDIStringTypeAttrGet(int tag);
`
	older, newer := parseText(t, both), parseText(t, both+"void mlirLLVMDIDerivedTypeAttrGetName(int of);")
	check.Report(t, checkChanged(older, newer))
	names := string(cNames(merge(release{19, older}, release{22, newer})))
	for _, want := range []string{
		`{"mlirLLVMDIDerivedTypeAttrGet", 0, 22, "mlirLLVMDIDerivedTypeAttrGetName"},`,
		`{"mlirLLVMDIStringTypeAttrGet", 0, 23, "mlirLLVMDIDerivedTypeAttrGetName"},`,
		`{"mlirLLVMDIDerivedTypeAttrGetName", 0},`,
		"calliope_mlir_last = 24",
	} {
		if !strings.Contains(names, want) {
			t.Errorf("the names lack %q:\n%s", want, names)
		}
	}
	check.Error(t, checkChanged(older, older), "must be in LLVM 22")
	check.Error(t, checkChanged(older, parsed(t)), "remove it")
}

// TestSameUntil checks that a function which is known to be the same in later releases has the
// last of them, and that sameUntil agrees with the headers.
func TestSameUntil(t *testing.T) {
	const text = `
struct MlirType { void *ptr; };
typedef struct MlirType MlirType;
void mlirLLVMLinkageAttrGet(int);
void mlirExecutionEngineCreate(int);
void mlirLLVMDILocalVariableAttrGet(int);
void mlirLLVMDISubprogramAttrGet(int);
void mlirPassManagerEnableIRPrinting(int);
`
	older, newer := parseText(t, text), parseText(t, strings.ReplaceAll(text, "(int)", "(long)"))
	merged := merge(release{19, older}, release{22, newer})
	check.Report(t, checkSame(merged))
	for _, want := range []string{`{"mlirLLVMLinkageAttrGet", 19},`, `{"mlirLLVMLinkageAttrGet", 22, 24},`} {
		if names := string(cNames(merged)); !strings.Contains(names, want) {
			t.Errorf("the names lack %q:\n%s", want, names)
		}
	}
	if err := checkSame(merge(release{19, older}, release{22, older})); err == nil ||
		!strings.Contains(err.Error(), "remove it") {
		t.Errorf("with the same functions in both releases: %v", err)
	}
}

func TestCoverage(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"mlir/a.go":                   "package mlir\n\nfunc f() { capi.MlirTypeEqual(nil) }",
		"mlir/a_test.go":              "package mlir\n\nfunc g() { capi.MlirTuple(nil) }",
		"stablehlo/b.go":              "package stablehlo\n\nvar v = capi.StablehloToken",
		"experimental/capi/gen_a.go":  "package capi\n\nfunc MlirTuple() {}",
		"experimental/capi/helper.go": "package capi\n\n/*\nstatic void f(table* api) { api->mlirTypePrint(); }\n*/\nimport \"C\"\n\nfunc h() { MlirOrder(); symbol(\"mlirAttach\") }",
		"experimental/capi/helper.c":  "void g(table* api) { api->mlirContextCreate(); }",
	} {
		path := filepath.Join(root, filepath.FromSlash(name))
		check.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	page, err := coverage(parsed(t), root)
	check.NoError(t, err)
	for _, want := range []string{
		"| `mlir-c/A.h` | 7 | 5 |", "| `stablehlo/integrations/c/StablehloMore.h` | 1 | 1 |",
		"| **all** | **8** | **6** |",
		"- `mlir-c/A.h`: mlirTuple, mlirTypeParse\n",
	} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}
