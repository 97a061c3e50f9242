package capi_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

// A trial calls the functions of a library in a context that has its dialects.
type trial struct {
	*testing.T
	table   *capi.Table
	context capi.MlirContext
}

// eachNewer runs a test on each library whose functions after LLVM 22 are called.
func eachNewer(t *testing.T, test func(t trial)) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		if !e.Library.Has("mlirDistinctAttrCreate") {
			return
		}
		table := check.Must(capi.Open(e.Library.Path()))
		registry := capi.MlirDialectRegistryCreate(table)
		table.RegisterDialects(registry)
		c := capi.MlirContextCreateWithRegistry(table, registry, false)
		defer capi.MlirContextDestroy(table, c)
		capi.MlirDialectRegistryDestroy(table, registry)
		capi.MlirContextLoadAllAvailableDialects(table, c)
		test(trial{t, table, c})
	})
}

// is24 reports whether the library has the functions that LLVM 23 lacks.
func (t trial) is24() bool { return t.table.Has("mlirFloat8E5M3FNUTypeGet") }

func (t trial) attribute(text string) capi.MlirAttribute {
	t.Helper()
	a := capi.MlirAttributeParseGet(t.table, t.context, text)
	if a.Ptr == nil {
		t.Fatalf("%s cannot be parsed", text)
	}
	return a
}

func (t trial) typ(text string) capi.MlirType {
	t.Helper()
	typ := capi.MlirTypeParseGet(t.table, t.context, text)
	if typ.Ptr == nil {
		t.Fatalf("%s cannot be parsed", text)
	}
	return typ
}

// is checks the text of an attribute.
func (t trial) is(want string, a capi.MlirAttribute) {
	t.Helper()
	if a.Ptr == nil {
		t.Errorf("there is no %s", want)
		return
	}
	check.Diff(t, "the attribute", want, string(capi.Collect(func(f capi.MlirStringCallback, user unsafe.Pointer) {
		capi.MlirAttributePrint(t.table, a, f, user)
	})))
}

func (t trial) isType(want string, typ capi.MlirType) {
	t.Helper()
	check.Diff(t, "the type", want, string(capi.Collect(func(f capi.MlirStringCallback, user unsafe.Pointer) {
		capi.MlirTypePrint(t.table, typ, f, user)
	})))
}

// id checks the identity of a kind of attributes.
func (t trial) id(want string, get func(*capi.Table) capi.MlirTypeID) {
	t.Helper()
	if !capi.MlirTypeIDEqual(t.table, get(t.table), capi.MlirAttributeGetTypeID(t.table, t.attribute(want))) {
		t.Errorf("the identity of %s is another one", want)
	}
}

func (t trial) typeID(want string, get func(*capi.Table) capi.MlirTypeID) {
	t.Helper()
	if !capi.MlirTypeIDEqual(t.table, get(t.table), capi.MlirTypeGetTypeID(t.table, t.typ(want))) {
		t.Errorf("the identity of %s is another one", want)
	}
}

// TestNewerBuiltin calls functions on builtin types, attributes and locations that libraries
// have after LLVM 22.
func TestNewerBuiltin(t *testing.T) {
	eachNewer(t, func(t trial) {
		t.is("distinct[0]<1 : i32>", capi.MlirDistinctAttrCreate(t.table, t.attribute("1 : i32")))
		if t.is24() {
			t.isType("f8E5M3FNU", capi.MlirFloat8E5M3FNUTypeGet(t.table, t.context))
			t.typeID("f8E5M3FNU", capi.MlirFloat8E5M3FNUTypeGetTypeID)
			check.Diff(t, "the name", "builtin.f8E5M3FNU", capi.MlirFloat8E5M3FNUTypeGetName(t.table))
			check.Diff(t, "f8E5M3FNU, f32", []bool{true, false}, []bool{
				capi.MlirTypeIsAFloat8E5M3FNU(t.table, t.typ("f8E5M3FNU")),
				capi.MlirTypeIsAFloat8E5M3FNU(t.table, t.typ("f32"))})
		}
		t.id("dense<1> : tensor<2xi32>", capi.MlirDenseTypedElementsAttrGetTypeID)
		unknown, file := capi.MlirLocationUnknownGet(t.table, t.context),
			capi.MlirLocationFileLineColGet(t.table, t.context, "f", 1, 2)
		check.Diff(t, "unknown locations", []bool{true, false},
			[]bool{capi.MlirLocationIsAUnknown(t.table, unknown), capi.MlirLocationIsAUnknown(t.table, file)})
		if !capi.MlirTypeIDEqual(t.table, capi.MlirLocationUnknownGetTypeID(t.table),
			capi.MlirAttributeGetTypeID(t.table, capi.MlirLocationGetAttribute(t.table, unknown))) {
			t.Error("the identity of unknown locations is another one")
		}
	})
}

// TestNewerSupport calls those on threads, files, rewriters and ancestors.
func TestNewerSupport(t *testing.T) {
	eachNewer(t, func(t trial) {
		pool := capi.MlirLlvmThreadPoolCreate(t.table)
		if n := capi.MlirLlvmThreadPoolGetMaxConcurrency(t.table, pool); n < 1 || n > 4096 {
			t.Errorf("a pool has %d threads", n)
		}
		capi.MlirLlvmThreadPoolDestroy(t.table, pool)

		path := filepath.Join(t.TempDir(), "text")
		name := append([]byte(path), 0)
		stream := capi.MlirLlvmRawFdOStreamCreate(t.table, unsafe.Pointer(&name[0]), true, nil, nil)
		if capi.MlirLlvmRawFdOStreamIsNull(t.table, stream) {
			t.Fatal("the file cannot be made")
		}
		capi.MlirLlvmRawFdOStreamWrite(t.table, stream, "some text")
		capi.MlirLlvmRawFdOStreamDestroy(t.table, stream)
		check.Diff(t, "the file", "some text", string(check.Must(os.ReadFile(path))))
		name = append([]byte(filepath.Join(path, "inside")), 0)
		message := capi.Collect(func(f capi.MlirStringCallback, user unsafe.Pointer) {
			stream = capi.MlirLlvmRawFdOStreamCreate(t.table, unsafe.Pointer(&name[0]), false, f, user)
		})
		if !capi.MlirLlvmRawFdOStreamIsNull(t.table, stream) ||
			!strings.Contains(strings.ToLower(string(message)), "not a directory") {
			t.Errorf("a file in a file: %s", message)
		}
		if !t.is24() {
			return
		}

		module := capi.MlirModuleCreateParse(t.table, t.context, "func.func @f() { return }\x00")
		defer capi.MlirModuleDestroy(t.table, module)
		top := capi.MlirModuleGetOperation(t.table, module)
		block := capi.MlirModuleGetBody(t.table, module)
		f := capi.MlirBlockGetFirstOperation(t.table, block)
		rewriter := capi.MlirIRRewriterCreate(t.table, t.context)
		capi.MlirRewriterBaseSetInsertionPointBefore(t.table, rewriter, f)
		at := capi.MlirRewriterBaseSaveInsertionPoint(t.table, rewriter)
		check.Diff(t, "a point before an operation", capi.MlirRewriterInsertionPoint{Block: block, Point: f}, at)
		capi.MlirRewriterBaseSetInsertionPointToEnd(t.table, rewriter, block)
		check.Diff(t, "a point at the end", capi.MlirRewriterInsertionPoint{Block: block},
			capi.MlirRewriterBaseSaveInsertionPoint(t.table, rewriter))
		capi.MlirRewriterBaseRestoreInsertionPoint(t.table, rewriter, at)
		check.Diff(t, "the point again", f, capi.MlirRewriterBaseGetOperationAfterInsertion(t.table, rewriter))

		if t.table.Has("mlirOperationIsAncestor") {
			check.Diff(t, "ancestors", []bool{true, true, false, true, false}, []bool{
				capi.MlirOperationIsAncestor(t.table, top, f), capi.MlirOperationIsAncestor(t.table, f, f),
				capi.MlirOperationIsAncestor(t.table, f, top),
				capi.MlirOperationIsProperAncestor(t.table, top, f), capi.MlirOperationIsProperAncestor(t.table, f, f)})
			check.Diff(t, "the attribute", "sym_visibility",
				capi.MlirSymbolTableGetDefaultVisibilityAttributeName(t.table))
			made := capi.MlirDialectMaterializeConstant(t.table,
				capi.MlirContextGetOrLoadDialect(t.table, t.context, "arith"), rewriter,
				t.attribute("7 : i32"), t.typ("i32"), capi.MlirLocationUnknownGet(t.table, t.context))
			t.is("7 : i32", capi.MlirOperationGetAttributeByName(t.table, made, "value"))
			check.Diff(t, "in a scope", false, capi.MlirContextIsInTransientScope(t.table, t.context))
			capi.MlirContextBeginTransientScope(t.table, t.context)
			check.Diff(t, "in a scope", true, capi.MlirContextIsInTransientScope(t.table, t.context))
			capi.MlirContextEndTransientScope(t.table, t.context)
		}
		capi.MlirIRRewriterDestroy(t.table, rewriter)
	})
}

// TestNewerLLVM calls those of the LLVM dialect.
func TestNewerLLVM(t *testing.T) {
	eachNewer(t, func(t trial) {
		array, function := t.typ("!llvm.array<7 x i8>"), t.typ("!llvm.func<void (i32, ...)>")
		check.Diff(t, "kinds", []bool{true, false, true, false, true, false}, []bool{
			capi.MlirTypeIsALLVMArrayType(t.table, array), capi.MlirTypeIsALLVMArrayType(t.table, function),
			capi.MlirTypeIsALLVMFunctionType(t.table, function), capi.MlirTypeIsALLVMFunctionType(t.table, array),
			capi.MlirLLVMFunctionTypeIsVarArg(t.table, function),
			capi.MlirLLVMFunctionTypeIsVarArg(t.table, t.typ("!llvm.func<void (i32)>"))})
		check.Diff(t, "elements", uint32(7), capi.MlirLLVMArrayTypeGetNumElements(t.table, array))
		t.typeID("!llvm.array<7 x i8>", capi.MlirLLVMArrayTypeGetTypeID)
		t.typeID("!llvm.func<void (i32)>", capi.MlirLLVMFunctionTypeGetTypeID)

		text := capi.MlirLLVMMDStringAttrGet(t.table, t.context, "some text")
		check.Diff(t, "the text", "some text", capi.MlirLLVMMDStringAttrGetValue(t.table, text))
		constant := capi.MlirLLVMMDConstantAttrGet(t.table, t.context, t.attribute("3 : i32"))
		t.is("3 : i32", capi.MlirLLVMMDConstantAttrGetValue(t.table, constant))
		getGlobal, globalName := capi.MlirLLVMMDGlobalValueAttrGet, capi.MlirLLVMMDGlobalValueAttrGetName
		isGlobal, globalID := capi.MlirLLVMAttrIsAMDGlobalValueAttr, capi.MlirLLVMMDGlobalValueAttrGetTypeID
		if !t.is24() {
			getGlobal, globalName = capi.MlirLLVMMDFuncAttrGet, capi.MlirLLVMMDFuncAttrGetName
			isGlobal, globalID = capi.MlirLLVMAttrIsAMDFuncAttr, capi.MlirLLVMMDFuncAttrGetTypeID
		}
		global := getGlobal(t.table, t.context, t.attribute("@g"))
		t.is("@g", globalName(t.table, global))
		operands := []capi.MlirAttribute{text, constant, global}
		node := capi.MlirLLVMMDNodeAttrGet(t.table, t.context, len(operands), &operands[0])
		check.Diff(t, "operands", len(operands), capi.MlirLLVMMDNodeAttrGetNumOperands(t.table, node))
		for i, a := range operands {
			check.Diff(t, "an operand", a, capi.MlirLLVMMDNodeAttrGetOperand(t.table, node, i))
		}
		is := []func(*capi.Table, capi.MlirAttribute) bool{
			capi.MlirLLVMAttrIsAMDStringAttr, capi.MlirLLVMAttrIsAMDConstantAttr, isGlobal,
			capi.MlirLLVMAttrIsAMDNodeAttr}
		id := []func(*capi.Table) capi.MlirTypeID{
			capi.MlirLLVMMDStringAttrGetTypeID, capi.MlirLLVMMDConstantAttrGetTypeID,
			globalID, capi.MlirLLVMMDNodeAttrGetTypeID}
		for i, a := range append(operands, node) {
			for k := range is {
				check.Diff(t, "the kind", i == k, is[k](t.table, a))
				check.Diff(t, "the identity", i == k,
					capi.MlirTypeIDEqual(t.table, id[k](t.table), capi.MlirAttributeGetTypeID(t.table, a)))
			}
		}
		if unit := capi.MlirLLVMDICompileUnitAttrGetRecSelf(t.table, t.attribute("distinct[0]<1 : i32>")); unit.Ptr ==
			nil {
			t.Error("there is no compile unit that names itself")
		}
	})
}

// TestNewerDialects calls those of StableHLO and other dialects.
func TestNewerDialects(t *testing.T) {
	eachNewer(t, func(t trial) {
		var maps []capi.MlirAffineMap
		for _, text := range []string{"(n, w, k) -> (n, w + k)", "(n, w, k) -> (k)", "(n, w, k) -> (n, w)"} {
			maps = append(maps, capi.MlirAffineMapAttrGetValue(t.table, t.attribute("affine_map<"+text+">")))
		}
		dims := capi.MlirLinalgInferConvolutionDimensionsFromMaps(t.table, &maps[0], len(maps))
		t.is("array<i64: 1>", attributeOf32(t, dims.OutputImage))
		t.is("array<i64: 2>", attributeOf32(t, dims.FilterLoop))
		if dims := capi.MlirLinalgInferConvolutionDimensionsFromMaps(t.table, &maps[0], 2); dims.Batch.Ptr != nil {
			t.Error("two maps are a convolution")
		}
		for typ, get := range map[string]func(*capi.Table) capi.MlirTypeID{
			"!smt.bv<3>": capi.MlirSMTBitVectorTypeGetTypeID, "!smt.bool": capi.MlirSMTBoolTypeGetTypeID,
			"!smt.int": capi.MlirSMTIntTypeGetTypeID} {
			t.typeID(typ, get)
		}
		if !t.table.Has("stablehloMeshAttrGet") {
			return
		}
		types := []capi.MlirType{t.typ("tensor<2xi8>"), t.typ("tensor<f32>")}
		future := capi.StablehloFutureTypeGet(t.table, t.context, 2, &types[0])
		check.Diff(t, "futures", []any{true, false, 2, types[0], types[1]}, []any{
			capi.StablehloTypeIsAFuture(t.table, future), capi.StablehloTypeIsAFuture(t.table, types[0]),
			capi.StablehloFutureTypeGetNumTypes(t.table, future), capi.StablehloFutureTypeGetType(t.table, future, 0),
			capi.StablehloFutureTypeGetType(t.table, future, 1)})
		axis := capi.StablehloMeshAxisAttrGet(t.table, t.context, "x", 4)
		check.Diff(t, "an axis", []any{"x", int64(4)},
			[]any{capi.StablehloMeshAxisAttrGetName(t.table, axis), capi.StablehloMeshAxisAttrGetSize(t.table, axis)})
		axes := capi.MlirArrayAttrGet(t.table, t.context, 1, &axis)
		ids := t.attribute("dense<[3, 2, 1, 0]> : tensor<4xi64>")
		mesh := capi.StablehloMeshAttrGet(t.table, t.context, axes, ids)
		check.Diff(t, "a mesh", []any{axes, ids},
			[]any{capi.StablehloMeshAttrGetAxes(t.table, mesh), capi.StablehloMeshAttrGetDeviceIds(t.table, mesh)})
		part := capi.StablehloSubAxisInfoAttrGet(t.table, t.context, 2, 3)
		check.Diff(t, "a part", []int64{2, 3}, []int64{capi.StablehloSubAxisInfoAttrGetPreSize(t.table, part),
			capi.StablehloSubAxisInfoAttrGetSize(t.table, part)})
		ref := capi.StablehloAxisRefAttrGet(t.table, t.context, "x", part)
		check.Diff(t, "a reference", []any{"x", part}, []any{capi.StablehloAxisRefAttrGetName(t.table, ref),
			capi.StablehloAxisRefAttrGetSubAxisInfo(t.table, ref)})
		refs := capi.MlirArrayAttrGet(t.table, t.context, 1, &ref)
		group := capi.StablehloReplicaGroupMeshAxesAttrGet(t.table, t.context, mesh, refs)
		check.Diff(t, "a group", []any{mesh, refs}, []any{
			capi.StablehloReplicaGroupMeshAxesAttrGetMesh(t.table, group),
			capi.StablehloReplicaGroupMeshAxesAttrGetAxes(t.table, group)})
		is := []func(*capi.Table, capi.MlirAttribute) bool{capi.StablehloAttributeIsAMeshAxisAttr,
			capi.StablehloAttributeIsAMeshAttr,
			capi.StablehloAttributeIsASubAxisInfoAttr, capi.StablehloAttributeIsAnAxisRefAttr,
			capi.StablehloAttributeIsAReplicaGroupMeshAxesAttr}
		for i, a := range []capi.MlirAttribute{axis, mesh, part, ref, group} {
			for k := range is {
				check.Diff(t, "the kind", i == k, is[k](t.table, a))
			}
		}
		capi.MlirRegisterAllStablehloPasses(t.table)
	})
}

// attributeOf32 returns array<i64: …> with the elements of an array of 32 bits.
func attributeOf32(t trial, a capi.MlirAttribute) capi.MlirAttribute {
	var list []int64
	for i := range capi.MlirDenseArrayGetNumElements(t.table, a) {
		list = append(list, int64(capi.MlirDenseI32ArrayGetElement(t.table, a, i)))
	}
	return capi.MlirDenseI64ArrayGet(t.table, t.context, len(list), &append(list, 0)[0])
}

// TestNewerPasses makes and registers each pass, and adds it to a pass manager.
func TestNewerPasses(t *testing.T) {
	eachNewer(t, func(t trial) {
		pm := capi.MlirPassManagerCreate(t.table, t.context)
		defer capi.MlirPassManagerDestroy(t.table, pm)
		for name, p := range newerPasses {
			if t.table.Has("mlirCreate" + name) {
				p.register(t.table)
				capi.MlirPassManagerAddOwnedPass(t.table, pm, p.create(t.table))
			}
		}
		text := string(capi.Collect(func(f capi.MlirStringCallback, user unsafe.Pointer) {
			capi.MlirPrintPassPipeline(t.table, capi.MlirPassManagerGetAsOpPassManager(t.table, pm), f, user)
		}))
		for _, want := range []string{"canonicalize", "cse", "symbol-dce", "sccp"} {
			if !strings.Contains(text, want) {
				t.Errorf("the pipeline lacks %s: %s", want, text)
			}
		}
	})
}

// TestNewerTraits makes traits and reads their identities.
func TestNewerTraits(t *testing.T) {
	eachNewer(t, func(t trial) {
		seen := map[capi.MlirTypeID]bool{}
		for _, get := range []func(*capi.Table) capi.MlirTypeID{capi.MlirDynamicOpTraitIsTerminatorGetTypeID,
			capi.MlirDynamicOpTraitNoTerminatorGetTypeID, capi.MlirTransformOpInterfaceTypeID,
			capi.MlirPatternDescriptorOpInterfaceTypeID} {
			seen[get(t.table)] = true
		}
		check.Diff(t, "identities", 4, len(seen))
		makers := []func(*capi.Table) capi.MlirDynamicOpTrait{capi.MlirDynamicOpTraitIsTerminatorCreate,
			capi.MlirDynamicOpTraitNoTerminatorCreate}
		if t.is24() {
			makers = append(makers, capi.MlirDynamicOpTraitIsIsolatedFromAboveCreate)
			if seen[capi.MlirDynamicOpTraitIsIsolatedFromAboveGetTypeID(t.table)] {
				t.Error("two traits have one identity")
			}
		}
		if t.table.Has("mlirDynamicOpTraitRecursiveMemoryEffectsCreate") {
			makers = append(makers, capi.MlirDynamicOpTraitRecursiveMemoryEffectsCreate)
			if seen[capi.MlirDynamicOpTraitRecursiveMemoryEffectsGetTypeID(t.table)] {
				t.Error("two traits have one identity")
			}
		}
		for _, make := range makers {
			capi.MlirDynamicOpTraitDestroy(t.table, make(t.table))
		}
		check.Diff(t, "arith is extensible", false, capi.MlirDialectIsAExtensibleDialect(t.table,
			capi.MlirContextGetOrLoadDialect(t.table, t.context, "arith")))
	})
}

// newerPasses are the passes by the ends of the names of their functions.
var newerPasses = map[string]struct {
	create   func(*capi.Table) capi.MlirPass
	register func(*capi.Table)
}{
	"ConversionConvertACCToLLVMPass": {capi.MlirCreateConversionConvertACCToLLVMPass,
		capi.MlirRegisterConversionConvertACCToLLVMPass},
	"ConversionConvertMathToNVVM": {capi.MlirCreateConversionConvertMathToNVVM,
		capi.MlirRegisterConversionConvertMathToNVVM},
	"ConversionRaiseSCFToAffinePass": {capi.MlirCreateConversionRaiseSCFToAffinePass,
		capi.MlirRegisterConversionRaiseSCFToAffinePass},
	"ConversionRaiseWasmMLIR": {capi.MlirCreateConversionRaiseWasmMLIR,
		capi.MlirRegisterConversionRaiseWasmMLIR},
	"ConversionTosaToSPIRVTosa": {capi.MlirCreateConversionTosaToSPIRVTosa,
		capi.MlirRegisterConversionTosaToSPIRVTosa},
	"ConversionTosaToSPIRVTosaMarkGraphConstants": {capi.MlirCreateConversionTosaToSPIRVTosaMarkGraphConstants,
		capi.MlirRegisterConversionTosaToSPIRVTosaMarkGraphConstants},
	"LinalgLinalgCategorizeOpsPass": {capi.MlirCreateLinalgLinalgCategorizeOpsPass,
		capi.MlirRegisterLinalgLinalgCategorizeOpsPass},
	"TransformsCSEPass": {capi.MlirCreateTransformsCSEPass, capi.MlirRegisterTransformsCSEPass},
	"TransformsCanonicalizerPass": {capi.MlirCreateTransformsCanonicalizerPass,
		capi.MlirRegisterTransformsCanonicalizerPass},
	"TransformsControlFlowSinkPass": {capi.MlirCreateTransformsControlFlowSinkPass,
		capi.MlirRegisterTransformsControlFlowSinkPass},
	"TransformsGenerateRuntimeVerificationPass": {capi.MlirCreateTransformsGenerateRuntimeVerificationPass,
		capi.MlirRegisterTransformsGenerateRuntimeVerificationPass},
	"TransformsInlinerPass": {capi.MlirCreateTransformsInlinerPass,
		capi.MlirRegisterTransformsInlinerPass},
	"TransformsLoopInvariantCodeMotionPass": {capi.MlirCreateTransformsLoopInvariantCodeMotionPass,
		capi.MlirRegisterTransformsLoopInvariantCodeMotionPass},
	"TransformsLoopInvariantSubsetHoistingPass": {capi.MlirCreateTransformsLoopInvariantSubsetHoistingPass,
		capi.MlirRegisterTransformsLoopInvariantSubsetHoistingPass},
	"TransformsPrintOpStatsPass": {capi.MlirCreateTransformsPrintOpStatsPass,
		capi.MlirRegisterTransformsPrintOpStatsPass},
	"TransformsRemoveDeadValuesPass": {capi.MlirCreateTransformsRemoveDeadValuesPass,
		capi.MlirRegisterTransformsRemoveDeadValuesPass},
	"TransformsSCCPPass": {capi.MlirCreateTransformsSCCPPass,
		capi.MlirRegisterTransformsSCCPPass},
	"TransformsStripDebugInfoPass": {capi.MlirCreateTransformsStripDebugInfoPass,
		capi.MlirRegisterTransformsStripDebugInfoPass},
	"TransformsSymbolDCEPass": {capi.MlirCreateTransformsSymbolDCEPass,
		capi.MlirRegisterTransformsSymbolDCEPass},
	"TransformsSymbolPrivatizePass": {capi.MlirCreateTransformsSymbolPrivatizePass,
		capi.MlirRegisterTransformsSymbolPrivatizePass},
	"TransformsTopologicalSortPass": {capi.MlirCreateTransformsTopologicalSortPass,
		capi.MlirRegisterTransformsTopologicalSortPass},
	"TransformsTrivialDeadCodeEliminationPass": {capi.MlirCreateTransformsTrivialDeadCodeEliminationPass,
		capi.MlirRegisterTransformsTrivialDeadCodeEliminationPass},
	"TransformsViewOpGraphPass": {capi.MlirCreateTransformsViewOpGraphPass, capi.MlirRegisterTransformsViewOpGraphPass},
}
