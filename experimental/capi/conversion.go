package capi

/*
#include "gen_mlir_api.h"

extern void calliopeConversionDestruct(uintptr_t handle);
extern int calliopeLegality(void* op, uintptr_t handle);
extern int calliopeConvertType(void* type, void* results, uintptr_t handle);
extern void* calliopeMaterializeSource(void* rewriter, void* type, intptr_t n, void* inputs, void* loc, uintptr_t handle);
extern int calliopeMaterializeTarget(void* rewriter, intptr_t n_types, void* types, intptr_t n, void* inputs, void* loc,
                                     void* original, void* outputs, uintptr_t handle);
extern int calliopeConvert(void* op, intptr_t n_ranges, void* sizes, intptr_t n, void* operands, void* rewriter,
                           uintptr_t handle);

static void conversion_destruct(void* user) { calliopeConversionDestruct((uintptr_t)user); }
static MlirConversionTargetLegality legality(MlirOperation op, void* user) {
  return (MlirConversionTargetLegality)calliopeLegality(op.ptr, (uintptr_t)user);
}
static MlirTypeConverterConversionStatus convert_type(MlirType type, MlirTypeConverterConversionResults results,
                                                      void* user) {
  return (MlirTypeConverterConversionStatus)calliopeConvertType((void*)type.ptr, results.ptr, (uintptr_t)user);
}
static MlirValue materialize_source(MlirRewriterBase rewriter, MlirType type, intptr_t n, MlirValue* inputs,
                                    MlirLocation loc, void* user) {
  return (MlirValue){calliopeMaterializeSource(rewriter.ptr, (void*)type.ptr, n, inputs, (void*)loc.ptr, (uintptr_t)user)};
}
static MlirLogicalResult materialize_target(MlirRewriterBase rewriter, intptr_t n_types, MlirType* types, intptr_t n,
                                            MlirValue* inputs, MlirLocation loc, MlirType original, MlirValue* outputs,
                                            void* user) {
  return (MlirLogicalResult){(int8_t)calliopeMaterializeTarget(rewriter.ptr, n_types, types, n, inputs, (void*)loc.ptr,
                                                               (void*)original.ptr, outputs, (uintptr_t)user)};
}
static MlirLogicalResult convert(MlirConversionPattern pattern, MlirOperation op, intptr_t n_ranges, intptr_t* sizes,
                                 intptr_t n, MlirValue* operands, MlirConversionPatternRewriter rewriter, void* user) {
  return (MlirLogicalResult){
      (int8_t)calliopeConvert(op.ptr, n_ranges, sizes, n, operands, rewriter.ptr, (uintptr_t)user)};
}

enum { LEGAL_OP, LEGAL_DIALECT, LEGAL_RECURSIVELY, LEGAL_UNKNOWN };

static void add_legality(const void* table, MlirConversionTarget target, int kind, const char* name, size_t name_len,
                         uintptr_t handle) {
  const calliope_mlir_api* api = table;
  MlirStringRef of = {(char*)name, name_len};
  switch (kind) {
    case LEGAL_OP:
      api->mlirConversionTargetAddDynamicallyLegalOp(target, of, legality, (void*)handle);
      return;
    case LEGAL_DIALECT:
      api->mlirConversionTargetAddDynamicallyLegalDialect(target, of, legality, (void*)handle);
      return;
    case LEGAL_RECURSIVELY:
      api->mlirConversionTargetMarkOpRecursivelyLegal(target, of, NULL, NULL);
      return;
    case LEGAL_UNKNOWN:
      api->mlirConversionTargetMarkUnknownOpDynamicallyLegal(target, legality, (void*)handle);
  }
}

static MlirTypeConverter create_converter(const void* table, bool source, bool target, uintptr_t handle) {
  const calliope_mlir_api* api = table;
  MlirTypeConverter made = api->mlirTypeConverterCreate();
  api->mlirTypeConverterAdd1ToNConversion(made, convert_type, (void*)handle);
  if (source) api->mlirTypeConverterAddSourceMaterialization(made, materialize_source, (void*)handle);
  if (target) api->mlirTypeConverterAdd1ToNTargetMaterialization(made, materialize_target, (void*)handle);
  return made;
}

static MlirRewritePattern create_conversion(const void* table, MlirContext ctx, const char* root, size_t root_len,
                                            unsigned benefit, MlirTypeConverter converter, intptr_t n_names,
                                            MlirStringRef* names, uintptr_t handle) {
  const calliope_mlir_api* api = table;
  MlirConversionPatternCallbacks callbacks = {NULL, conversion_destruct, NULL, convert};
  return api->mlirConversionPatternAsRewritePattern(
      api->mlirOpConversionPatternCreate((MlirStringRef){(char*)root, root_len}, benefit, ctx, converter, callbacks,
                                         (void*)handle, n_names, names));
}
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// A LegalityKind says which operations a legality function is for.
type LegalityKind int

const (
	LegalOp          LegalityKind = C.LEGAL_OP          // those of a name
	LegalDialect     LegalityKind = C.LEGAL_DIALECT     // those of a dialect
	LegalRecursively LegalityKind = C.LEGAL_RECURSIVELY // those of a name, with all that is in them; without a function
	LegalUnknown     LegalityKind = C.LEGAL_UNKNOWN     // those that nothing else is said about
)

// A LegalityFunc reports whether an operation is legal. It must not panic.
type LegalityFunc func(MlirOperation) MlirConversionTargetLegality

// AddLegality adds a function to a target. The returned function releases it, and must be
// called after the target was destroyed.
func AddLegality(
	t *Table, target MlirConversionTarget, kind LegalityKind, name string, f LegalityFunc,
) (forget func()) {
	h := cgo.NewHandle(LegalityFunc(func(op MlirOperation) MlirConversionTargetLegality {
		defer t.pause()()
		return f(op)
	}))
	t.enter()
	defer t.leave()
	C.add_legality(t.pointer(), *(*C.MlirConversionTarget)(unsafe.Pointer(&target)), C.int(kind),
		(*C.char)(unsafe.Pointer(unsafe.StringData(name))), C.size_t(len(name)), C.uintptr_t(h))
	return h.Delete
}

// A TypeConverter holds the functions of a type converter. They must not panic.
type TypeConverter struct {
	// Convert returns the types that a type is converted to, or false.
	Convert func(MlirType) ([]MlirType, bool)
	// Source returns a value of the type, or the null value. It may be nil.
	Source func(r MlirRewriterBase, to MlirType, inputs []MlirValue, loc MlirLocation) MlirValue
	// Target stores values of the types, or returns false. It may be nil.
	Target func(r MlirRewriterBase, to []MlirType, inputs []MlirValue, loc MlirLocation, original MlirType,
		out []MlirValue) bool
}

// CreateTypeConverter creates a type converter. The returned function destroys it, and must
// be called after the patterns that use it were destroyed.
func CreateTypeConverter(t *Table, c TypeConverter) (converter MlirTypeConverter, destroy func()) {
	called := &TypeConverter{}
	called.Convert = func(from MlirType) ([]MlirType, bool) {
		defer t.pause()()
		return c.Convert(from)
	}
	called.Source = func(r MlirRewriterBase, to MlirType, inputs []MlirValue, loc MlirLocation) MlirValue {
		defer t.pause()()
		return c.Source(r, to, inputs, loc)
	}
	called.Target = func(r MlirRewriterBase, to []MlirType, inputs []MlirValue, loc MlirLocation, original MlirType,
		out []MlirValue) bool {
		defer t.pause()()
		return c.Target(r, to, inputs, loc, original, out)
	}
	h := cgo.NewHandle(&converterEntry{t, called})
	t.enter()
	made := C.create_converter(t.pointer(), C.bool(c.Source != nil), C.bool(c.Target != nil), C.uintptr_t(h))
	t.leave()
	converter = *(*MlirTypeConverter)(unsafe.Pointer(&made))
	return converter, func() {
		MlirTypeConverterDestroy(t, converter)
		h.Delete()
	}
}

type converterEntry struct {
	table *Table
	*TypeConverter
}

// A ConversionFunc reports whether it converted an operation. sizes has the number of
// operands that each operand was converted to. It must not panic.
type ConversionFunc func(op MlirOperation, sizes []int, operands []MlirValue, r MlirConversionPatternRewriter) bool

// CreateConversionPattern creates a pattern, which a pattern set must take over.
func CreateConversionPattern(
	t *Table, ctx MlirContext, root string, benefit int, converter MlirTypeConverter, generates []string,
	convert ConversionFunc,
) MlirRewritePattern {
	names, free := stringRefs(generates)
	defer free() // the library has read them by then
	called := ConversionFunc(
		func(op MlirOperation, sizes []int, operands []MlirValue, r MlirConversionPatternRewriter) bool {
			defer t.pause()()
			return convert(op, sizes, operands, r)
		})
	t.enter()
	defer t.leave()
	p := C.create_conversion(t.pointer(), *(*C.MlirContext)(unsafe.Pointer(&ctx)),
		(*C.char)(unsafe.Pointer(unsafe.StringData(root))), C.size_t(len(root)), C.uint(benefit),
		*(*C.MlirTypeConverter)(unsafe.Pointer(&converter)), C.intptr_t(len(generates)),
		(*C.MlirStringRef)(unsafe.Pointer(&names[0])), C.uintptr_t(cgo.NewHandle(called)))
	return *(*MlirRewritePattern)(unsafe.Pointer(&p))
}

// ReplaceWithParts replaces each result of an operation by as many values as sizes says.
func ReplaceWithParts(t *Table, r MlirConversionPatternRewriter, op MlirOperation, sizes []int, values []MlirValue) {
	n := make([]int, len(sizes)+1) // one more, because the library reads the address even if there are none
	copy(n, sizes)
	values = append(values, MlirValue{})
	MlirConversionPatternRewriterReplaceOpWithMultiple(t, r, op, len(sizes), &n[0], &values[0])
}
