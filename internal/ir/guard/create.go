package guard

import (
	"fmt"
	"slices"
	"strings"
)

// Some verifiers rely on earlier checks that did not happen, and crash in Verify, and in
// String, which verifies too. These were found by creating every operation that the
// libraries know with few and unusual parts. Operations that would crash are not created.
var createGuards = map[string]Check{
	"linalg.broadcast":        all(operands(2), structured),
	"linalg.transpose":        all(transposed, structured),
	"linalg":                  structured,
	"mhlo.reduce":             reduced,
	"sparse_tensor.coiterate": someOperand,
	"stablehlo.all_to_all":    someGroup,
	"stablehlo.custom_call":   aliased,
	"stablehlo.reduce":        reduced,
	"tm_tensor":               someOperand,
	"async.func":              functionType(1), // async.return assumes that the first one is a token
	"emitc.func":              functionType(0), // emitc.return reads it before it is verified
	"ml_program.func":         functionType(0), // and so does ml_program.return
	"gpu.func":                functionType(0), // the verifier requires a gpu.module around it first
	"tosa":                    all(tensorsOnly, computedShapes, axis),
	"tt":                      knownLayouts,
	"tt.expand_dims":          all(knownLayouts, expanded),
	"acc":                     segmented,
	"linalg.index":            anything,
	"linalg.yield":            anything,
	"affine.dma_start":        func(s *Operation) string { return transfer(s, "src_map", "dst_map", "tag_map") },
	"affine.dma_wait":         func(s *Operation) string { return transfer(s, "tag_map") },
	"xegpu.create_mem_desc": func(s *Operation) string {
		return want(allOf(s.Results, "!xegpu.mem_desc<"), "a result of type !xegpu.mem_desc")
	},
}

// ParsedOnly reports whether the verifier of an operation looks for a parent, or at a terminator, without checking that
// there is one. Only a parser can create it whole and in its place.
func ParsedOnly(operation string) bool {
	return slices.Contains([]string{"omp.canonical_loop", "omp.declare_mapper", "omp.taskloop.wrapper",
		"omp.workdistribute", "shard.grid_shape", "shard.process_multi_index", "spirv.mlir.referenceof",
		"torch.global_slot.module_initializer", "vhlo.func_v1"}, operation)
}

// NeedsParent reports whether the verifier of an operation reads the operation around it without checking that there is
// one. Operations are in none while they are detached, or in a region that is.
func NeedsParent(operation string) bool { return operation == "linalg.index" }

// Creation returns the check of an operation that is created, which is that of its dialect or its own, or nil.
func Creation(name string) Check {
	if exact := createGuards[name]; exact != nil {
		return exact
	}
	if _, ok := groupsOf[collective(name)]; ok {
		return fewGroups
	}
	if strings.HasPrefix(name, chloBroadcast) {
		return positiveDimensions
	}
	dialect, _, _ := strings.Cut(name, ".")
	own, general := upstreamGuard(name), createGuards[dialect]
	if own == nil || general == nil {
		if own != nil {
			return own
		}
		return general
	}
	return all(general, own)
}

// fewGroups is the guard of collective operations that are created.
func fewGroups(s *Operation) string {
	for _, a := range s.Attributes {
		if a.Name != "replica_groups" && a.Name != "source_target_pairs" {
			continue
		}
		if t, ok := a.Value.Type(); ok && t.IsShaped() {
			dims, _ := t.Dims()
			if manyElements(dims) {
				return fmt.Sprintf("groups of at most %d numbers", maxGroups)
			}
		}
	}
	return ""
}

// InText reports whether an operation in a text in generic form is to be checked by Creation, because Text does not
// stand for it.
func InText(name string) bool {
	dialect, _, _ := strings.Cut(name, ".")
	return dialect != "stablehlo" && dialect != "mhlo" && dialect != "chlo" && Creation(name) != nil
}

// all returns a guard that requires what each guard requires.
func all(guards ...Check) Check {
	return func(s *Operation) string {
		for _, each := range guards {
			if missing := each(s); missing != "" {
				return missing
			}
		}
		return ""
	}
}

func want(ok bool, what string) string {
	if ok {
		return ""
	}
	return what
}

// allOf reports whether the text of each type has one of the prefixes.
func allOf(types []Type, prefixes ...string) bool {
	return !slices.ContainsFunc(types, func(t Type) bool {
		text := t.String()
		return !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(text, p) })
	})
}

// positiveDimensions requires broadcast dimensions that are not negative: the verifier indexes with them.
func positiveDimensions(s *Operation) string {
	list, _ := s.int64s("broadcast_dimensions")
	return want(!slices.ContainsFunc(list, func(d int64) bool { return d < 0 }),
		"broadcast dimensions that are not negative")
}

// anything requires nothing, where a dialect's guard would.
func anything(*Operation) string { return "" }

func someOperand(s *Operation) string { return want(len(s.Operands) > 0, "an operand") }

// structured requires an output, operands that have a rank, if they are arrays, and an argument of the body and a map
// for each of them, if there are a body and maps. The verifier indexes them by each other.
func structured(s *Operation) string {
	if wrong := someOperand(s); wrong != "" {
		return wrong
	}
	for _, t := range slices.Concat(s.types(), s.Results) {
		if _, ranked := t.Rank(); t.IsShaped() && !ranked {
			return "operands and results that have a rank"
		}
	}
	for _, r := range s.Regions {
		if first := first(r); first != nil && first.NumArguments() != len(s.Operands) {
			return "a body with an argument for each operand"
		}
	}
	if a := s.attribute("operandSegmentSizes"); a != nil {
		// linalg.pack and linalg.unpack have other operands behind the output.
		if sizes, _ := a.Int32s(); len(sizes) == 2 && sizes[1] <= 0 {
			return "an output"
		}
	}
	if a := s.attribute("indexing_maps"); a != nil {
		if maps, ok := a.Elements(); !ok || len(maps) != len(s.Operands) {
			return "an affine map in its indexing_maps for each operand"
		}
	}
	return ""
}

func operands(n int) Check {
	return func(s *Operation) string { return want(len(s.Operands) >= n, fmt.Sprintf("%d operands", n)) }
}

// transposed requires a dimension: the library never comes back from the verification of a transposition without one.
func transposed(s *Operation) string {
	list, ok := s.int64s("permutation")
	return want(len(s.Operands) >= 2 && ok && len(list) > 0, "2 operands and a permutation that is not empty")
}

// reduced requires a body that returns a value: the verifier indexes it.
func reduced(s *Operation) string {
	for _, r := range s.Regions {
		if _, yielded, ok := end(r); !ok || yielded == 0 {
			return "a body that returns a value: build it first"
		}
	}
	return someOperand(s)
}

// aliased requires a result for aliases of operands: the verifier reads it.
func aliased(s *Operation) string {
	a := s.attribute("output_operand_aliases")
	if a == nil || len(s.Results) > 0 {
		return ""
	}
	list, _ := a.Elements()
	return want(len(list) == 0, "a result for its output_operand_aliases")
}

// someGroup requires replica groups: the verifier divides by their number.
func someGroup(s *Operation) string {
	if wrong := fewGroups(s); wrong != "" {
		return wrong
	}
	return want(!slices.ContainsFunc(s.Attributes, func(a NamedAttribute) bool {
		if a.Name != "replica_groups" {
			return false
		}
		t, ok := a.Value.Type()
		if !ok || !t.IsShaped() {
			return false
		}
		dims, _ := t.Dims()
		return len(dims) > 0 && dims[0] == 0
	}), "a replica group")
}

// functionType requires a function type with at least the given number of results.
func functionType(results int) Check {
	return func(s *Operation) string {
		return want(slices.ContainsFunc(s.Attributes, func(a NamedAttribute) bool {
			out, ok := a.Value.FunctionResults()
			return ok && a.Name == "function_type" && out >= results
		}), fmt.Sprintf("a function type with at least %d results as its attribute function_type", results))
	}
}

// tensorsOnly requires tensors, or shapes where an operation takes or computes them.
func tensorsOnly(s *Operation) string {
	computes := s.Name == "tosa.dim" || strings.HasSuffix(s.Name, "_shape")
	return want(allOf(s.types(), "tensor<", "!tosa.") &&
		(allOf(s.Results, "tensor<") || computes && allOf(s.Results, "tensor<", "!tosa.")),
		"operands and results that are tensors")
}

// transfer requires the maps of an operation, and as many operands as they need: a memref
// and its indices for each, and at least one number.
func transfer(s *Operation, maps ...string) string {
	operands := 1
	for _, name := range maps {
		i := slices.IndexFunc(s.Attributes, func(a NamedAttribute) bool { return a.Name == name })
		if i < 0 {
			return "the attribute " + name
		}
		inputs, ok := s.Attributes[i].Value.MapInputs()
		if !ok {
			return "an affine map as its attribute " + name
		}
		operands += 1 + inputs
	}
	return want(len(s.Operands) >= operands, fmt.Sprintf("%d operands for its maps", operands))
}
