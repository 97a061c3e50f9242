package guard

import (
	"fmt"
	"slices"
	"strings"
)

// upstreamGuards are for operations of upstream dialects whose verifier or inference indexes
// with numbers that it has not checked.
var upstreamGuards = map[string]Check{
	"acc.reduction_combine_region":         blocks,
	"acc.reduction_init":                   blocks,
	"amdgpu.gather_to_lds":                 buffers,
	"affine.delinearize_index":             dynamicBasis,
	"amdgpu.dpp":                           all(permuted, numbersOnly),
	"affine.for":                           loopBounds,
	"async.await":                          awaited,
	"llvm.indirectbr":                      segments("indbr_operand_segments", 0),
	"llvm.switch":                          segments("case_operand_segments", 1),
	"math.isfinite":                        numbersOrArrays,
	"math.isinf":                           numbersOrArrays,
	"math.isnan":                           numbersOrArrays,
	"math.isnormal":                        numbersOrArrays,
	"omp.fuse":                             knownLoops,
	"ptr.get_metadata":                     withMetadata,
	"shard.shard_shape":                    shardDevice,
	"affine.parallel":                      parallelBounds,
	"cf.switch":                            switchCases,
	"llvm.extractvalue":                    position,
	"llvm.insertvalue":                     position,
	"spirv.EXT.ConstantCompositeReplicate": all(typedValue, replicated),
	"sparse_tensor.binary":                 yielding,
	"sparse_tensor.reduce":                 yielding,
	"sparse_tensor.select":                 yielding,
	"sparse_tensor.unary":                  yielding,
	"spirv.SpecConstantComposite":          symbols,
	"nvgpu.mma.sp.sync":                    matrices,
	"nvgpu.mma.sync":                       matrices,
	"tensor.concat":                        concatenated,
	"tensor.from_elements":                 filled,
	"tosa.concat":                          someAxis,
	"transform.foreach":                    yields,
	"tt.elementwise_inline_asm":            packed,
	"wasmssa.global":                       initialized,
}

// blocks requires a block in each region. The verifier reads it.
func blocks(s *Operation) string {
	return want(len(s.Regions) > 0 && !slices.ContainsFunc(s.Regions, func(r Region) bool { return first(r) == nil }),
		"a region that has a block")
}

// yields requires a region that ends with transform.yield. The verifier takes what ends it for one. Where the operation
// is unknown, the library does not take it for a terminator.
func yields(s *Operation) string {
	for _, r := range s.Regions {
		if b := first(r); b != nil {
			return want(b.Last() == "transform.yield", ending)
		}
	}
	return ending
}

const ending = "a region that ends with transform.yield: build it first"

// sampledImage requires the first operand of an operation to be a sampled image. Verifiers
// cast its type before they check it.
func sampledImage(s *Operation) string {
	return want(len(s.Operands) > 0 && allOf([]Type{s.Operands[0].Type()}, "!spirv.sampled_image<"),
		"a sampled image as its first operand")
}

// loopBounds requires an operand for each input of the maps of a loop's bounds. The verifier
// accepts other numbers of them, but passes index the operands.
func loopBounds(s *Operation) string {
	lower, upper, ok := s.inputs("lowerBoundMap", "upperBoundMap")
	var sizes []int32
	if segments := s.attribute("operandSegmentSizes"); segments != nil {
		sizes, _ = segments.Int32s()
	}
	return want(ok && len(sizes) == 3 && int(sizes[0]) == lower && int(sizes[1]) == upper,
		"an operand for each input of its attributes lowerBoundMap and upperBoundMap")
}

// parallelBounds does so for a loop whose iterations may run at the same time.
func parallelBounds(s *Operation) string {
	lower, upper, ok := s.inputs("lowerBoundsMap", "upperBoundsMap")
	return want(ok && len(s.Operands) == lower+upper,
		"an operand for each input of its attributes lowerBoundsMap and upperBoundsMap")
}

// inputs returns the numbers of inputs of two attributes that are maps.
func (s *Operation) inputs(lower, upper string) (int, int, bool) {
	var numbers [2]int
	for i, name := range []string{lower, upper} {
		a := s.attribute(name)
		if a == nil {
			return 0, 0, false
		}
		n, ok := a.MapInputs()
		if !ok {
			return 0, 0, false
		}
		numbers[i] = n
	}
	return numbers[0], numbers[1], true
}

// dynamicBasis requires an operand for each dynamic number of the basis.
func dynamicBasis(s *Operation) string {
	list, ok := s.int64s("static_basis")
	dynamic := 1
	for _, n := range list {
		if n == dynamicSize {
			dynamic++
		}
	}
	return want(ok && len(list) > 0 && dynamic == len(s.Operands),
		"a static_basis that is not empty, and an operand for each dynamic number in it")
}

// switchCases requires as many successors and lists of operands as there are cases.
func switchCases(s *Operation) string {
	n := 0
	if values := s.attribute("case_values"); values != nil {
		t, ok := values.Type()
		if !ok || !t.IsShaped() {
			return "case_values that are a vector of integers"
		}
		size, _ := t.NumElements()
		n = int(size)
	}
	lengths := s.attribute("case_operand_segments")
	if lengths == nil {
		return "the attribute case_operand_segments"
	}
	list, ok := lengths.Int32s()
	return want(ok && len(list) == n && s.Successors == n+1,
		fmt.Sprintf("a successor and a list of operands for each of %d cases, and one further successor", n))
}

// position requires an index that is not negative for each aggregate.
func position(s *Operation) string {
	list, ok := s.int64s("position")
	return want(ok && len(list) > 0 && !slices.ContainsFunc(list, func(n int64) bool { return n < 0 || n > 1<<30 }),
		"a position of indices that are not negative")
}

// typedValue requires a value that has a type, or an array of such values.
func typedValue(s *Operation) string {
	return want(isTyped(s.attribute("value")), "a value that has a type, or an array of them that is not empty")
}

func isTyped(a Attribute) bool {
	if a == nil {
		return false
	}
	if elements, ok := a.Elements(); ok {
		return len(elements) > 0 && !slices.ContainsFunc(elements, func(e Attribute) bool { return !isTyped(e) })
	}
	_, ok := a.Type()
	return ok
}

// matrices requires three vectors of two dimensions. The verifier reads the second.
func matrices(s *Operation) string {
	ok := len(s.Operands) >= 3
	for _, v := range s.Operands[:min(3, len(s.Operands))] {
		rank, ranked := v.Type().Rank()
		ok = ok && ranked && rank == 2
	}
	return want(ok, "three vectors of two dimensions")
}

// yielding requires each region to be empty, or to end with a yield of a value.
func yielding(s *Operation) string {
	for _, r := range s.Regions {
		for _, b := range r.Blocks() {
			if name, yielded, _ := b.End(); name != "sparse_tensor.yield" || yielded == 0 {
				return "regions whose blocks end with a sparse_tensor.yield of a value"
			}
		}
	}
	return ""
}

// symbols requires an array of symbols.
func symbols(s *Operation) string {
	a := s.attribute("constituents")
	if a == nil {
		return "the attribute constituents"
	}
	elements, ok := a.Elements()
	return want(ok && !slices.ContainsFunc(elements, func(e Attribute) bool { return !e.IsSymbol() }),
		"symbols as its constituents")
}

// axis requires that an axis, if there is one, is of the operands. The verifier and the inference index with it.
func axis(s *Operation) string { return want(s.within("axis"), "an axis that its operands have") }

// someAxis requires the axis, too.
func someAxis(s *Operation) string {
	return want(s.attribute("axis") != nil, "an axis that its operands have")
}

// concatenated requires a dimension of the operands.
func concatenated(s *Operation) string {
	return want(s.within("dim"), "a dim that its operands have")
}

// within reports whether the attribute of a name, if there is one, is the number of a dimension of each operand.
func (s *Operation) within(name string) bool {
	a := s.attribute(name)
	if a == nil {
		return true
	}
	n, ok := a.Int()
	for _, v := range s.Operands {
		if rank, ranked := v.Type().Rank(); ranked && n >= int64(rank) {
			ok = false
		}
	}
	return ok && n >= 0
}

// filled requires an operand for each element of the result. The verifier lists the types of as many.
func filled(s *Operation) string {
	for _, t := range s.Results {
		if n, known := t.NumElements(); known && n != int64(len(s.Operands)) {
			return fmt.Sprintf("%d operands, as its result has elements", n)
		}
	}
	return ""
}

// segmented requires a device type for each segment of operands. The printer indexes the segments by it.
func segmented(s *Operation) string {
	for _, a := range s.Attributes {
		list, ok := strings.CutSuffix(a.Name, "Segments")
		if !ok {
			continue
		}
		types, segments := 0, []int32(nil)
		if a := s.attribute(list + "DeviceType"); a != nil {
			each, _ := a.Elements()
			types = len(each)
		}
		if segments, ok = a.Value.Int32s(); !ok || len(segments) != types {
			return fmt.Sprintf("a number in its %s for each of its %sDeviceType", a.Name, list)
		}
	}
	return ""
}

// computedShapes requires that each operand that is a shape is computed by an operation. The verifier looks for it.
func computedShapes(s *Operation) string {
	for _, v := range s.Operands {
		if !v.IsResult() && strings.HasPrefix(v.Type().String(), "!tosa.shape") {
			return "shapes that operations compute as operands"
		}
	}
	return ""
}

// numbersOnly requires operands that are integers or floating-point numbers. The verifier asks for their bits.
func numbersOnly(s *Operation) string {
	return want(!slices.ContainsFunc(s.types(), func(t Type) bool {
		return !t.IsInteger() && !t.IsFloat()
	}), "operands that are integers or floating-point numbers")
}

// knownLayouts requires tensors without a layout, or with one of Triton. The inference asks the layout's dialect.
func knownLayouts(s *Operation) string {
	for _, v := range s.Operands {
		text := v.Type().String()
		of := func(dialect string) bool { return strings.Contains(text, ", #"+dialect) }
		if strings.HasPrefix(text, "tensor<") && of("") && !of("ttg.") && !of("ttng.") && !of("triton_") {
			return "tensors whose layouts are of Triton"
		}
	}
	return ""
}

// expanded requires an axis of the result. The inference inserts it without a check.
func expanded(s *Operation) string {
	a := s.attribute("axis")
	if a == nil || len(s.Operands) == 0 {
		return "an operand and an axis"
	}
	n, ok := a.Int()
	rank, ranked := s.Operands[0].Type().Rank()
	return want(ok && n >= 0 && (!ranked || n <= int64(rank)), "an axis that its result has")
}

// permuted requires the argument of those kinds of permutations that have one.
func permuted(s *Operation) string {
	kind, argument := s.attribute("kind"), s.attribute("permArgument")
	if kind == nil {
		return "the attribute kind"
	}
	text := kind.String()
	ok := true
	switch {
	case strings.Contains(text, "quad_perm"):
		if ok = argument != nil; ok {
			_, ok = argument.Elements()
		}
	case strings.Contains(text, "row_sh"), strings.Contains(text, "row_ror"):
		if ok = argument != nil; ok {
			_, ok = argument.Int()
		}
	}
	return want(ok, "a permArgument: an array for quad_perm, and an integer for shifts and rotations of rows")
}

// initialized requires each region to end with a terminator.
func initialized(s *Operation) string {
	return want(len(s.Regions) > 0 && !slices.ContainsFunc(s.Regions, func(r Region) bool {
		_, _, ok := end(r)
		return !ok
	}), "a region that ends with a terminator")
}

// packed requires a number of packed elements. The verifier divides by it.
func packed(s *Operation) string {
	n, ok := int64(0), false
	if a := s.attribute("packed_element"); a != nil {
		n, ok = a.Int()
	}
	return want(ok && n > 0, "a packed_element greater than 0")
}

// upstreamGuard returns the guard of an operation of an upstream dialect, or nil.
func upstreamGuard(name string) Check {
	if guard := upstreamGuards[name]; guard != nil {
		return guard
	}
	switch {
	case HasStatic(name):
		return staticNumbers(name)
	case slices.Contains(castsOfElements, name):
		return differentUnranked
	case slices.Contains(pointerFirst, name), strings.HasPrefix(name, "spirv.Atomic"),
		strings.HasPrefix(name, "spirv.EXT.Atomic"):
		return spirvPointer
	}
	switch {
	case strings.HasPrefix(name, "spirv.ImageSample"):
		return sampledImage
	case strings.HasPrefix(name, "spirv.Tosa."):
		return armTensors
	}
	return nil
}

// castsOfElements are casts that change the type of elements.
var castsOfElements = []string{"arith.bitcast", "arith.convertf", "arith.extf", "arith.extsi", "arith.extui",
	"arith.fptosi", "arith.fptoui", "arith.index_cast", "arith.index_castui", "arith.scaling_extf",
	"arith.scaling_truncf", "arith.sitofp", "arith.truncf", "arith.trunci", "arith.uitofp"}

// differentUnranked requires that a tensor of unknown rank isn't cast to its own type. The verifier wants to print the
// sizes of such a tensor.
func differentUnranked(s *Operation) string {
	return want(len(s.Operands) == 0 || len(s.Results) == 0 || s.Results[0].String() != s.Operands[0].Type().String() ||
		!strings.HasPrefix(s.Results[0].String(), "tensor<*x"), "a tensor with a rank, or another type to cast to")
}

// pointerFirst are operations, besides the atomic ones, whose verifier or inference casts the type of the first
// operand to a pointer before it is checked.
var pointerFirst = []string{"spirv.AccessChain", "spirv.InBoundsPtrAccessChain", "spirv.Load", "spirv.PtrAccessChain",
	"spirv.Store"}

func spirvPointer(s *Operation) string {
	return want(len(s.Operands) > 0 && allOf([]Type{s.Operands[0].Type()}, "!spirv.ptr<"),
		"a pointer as its first operand")
}

// buffers requires two memrefs, the source and the destination, behind the lengths of the operands.
func buffers(s *Operation) string {
	var sizes []int32
	if a := s.attribute("operandSegmentSizes"); a != nil {
		sizes, _ = a.Int32s()
	}
	ok := len(sizes) == 4 && sizes[0] == 1 && sizes[2] == 1 && sizes[1] >= 0 && int(sizes[1])+2 <= len(s.Operands)
	return want(ok && allOf([]Type{s.Operands[0].Type(), s.Operands[1+sizes[1]].Type()}, "memref<"),
		"a source and a destination that are memrefs")
}

// armTensors requires what the operations of TOSA in SPIR-V take. Verifiers cast the types of all operands.
func armTensors(s *Operation) string {
	return want(allOf(slices.Concat(s.types(), s.Results), "!spirv.arm.tensor<"),
		"operands and results of type !spirv.arm.tensor")
}

// awaited requires a result for a value. The verifier reads it.
func awaited(s *Operation) string {
	return want(len(s.Operands) == 0 || len(s.Results) == 1 ||
		!strings.HasPrefix(s.Operands[0].Type().String(), "!async.value<"), "a result for the value that it awaits")
}

// segments requires a number of operands for each successor from one on. The verifier indexes them.
func segments(attribute string, first int) Check {
	return func(s *Operation) string {
		var list []int32
		if a := s.attribute(attribute); a != nil {
			list, _ = a.Int32s()
		}
		negative := slices.ContainsFunc(list, func(n int32) bool { return n < 0 })
		return want(len(list) == s.Successors-first && !negative,
			fmt.Sprintf("a number in its %s for each of its successors", attribute))
	}
}

// numbersOrArrays requires floating-point numbers, or tensors or vectors of them. The inference changes the elements of
// any type that has some, and crashes on SPIR-V's matrices.
func numbersOrArrays(s *Operation) string {
	return want(!slices.ContainsFunc(s.types(), func(t Type) bool {
		return !t.IsFloat() && !allOf([]Type{t}, "tensor<", "vector<")
	}), "floating-point numbers, or tensors or vectors of them")
}

// withMetadata requires a pointer that has metadata. The type of the result of others cannot be read again.
func withMetadata(s *Operation) string {
	return want(!slices.ContainsFunc(s.types(), func(t Type) bool {
		return strings.HasPrefix(t.String(), "!ptr.ptr<")
	}), "a pointer with metadata, such as a memref: a !ptr.ptr has none")
}

// shardDevice requires a number of the device for each number of dims, and a result. The printer indexes them.
func shardDevice(s *Operation) string {
	dims, _ := s.int64s("dims")
	device, _ := s.int64s("device")
	return want(len(device) > 0 && len(s.Results) == len(dims), "a device, and a result for each of its dims")
}

// replicated requires a result with elements. The verifier reads the type of the first.
func replicated(s *Operation) string {
	return want(!slices.ContainsFunc(s.Results, func(t Type) bool { return t.String() == "!spirv.struct<()>" }),
		"a result that has elements")
}

// knownLoops requires loops that operations have made. The verifier looks for their generators.
func knownLoops(s *Operation) string {
	return want(!slices.ContainsFunc(s.Operands, func(v Value) bool { return !v.IsResult() }),
		"results of operations as its loops")
}
