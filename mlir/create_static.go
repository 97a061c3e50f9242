package mlir

import (
	"fmt"
	"slices"
)

// A staticList is a list of numbers of an operation of transform scripts some of which may be given by operands: in
// their place the attribute has Dynamic. Printing and running the operation read the attribute, and the operands
// that it says, without a check.
type staticList struct {
	attribute string
	scalable  string // an attribute with a flag for each number, if there is one
}

// staticLists has the lists of operations. Their operands follow the first one, in this order.
var staticLists = map[string][]staticList{
	"transform.structured.fuse":                 {{"static_tile_sizes", ""}, {"static_tile_interchange", ""}},
	"transform.structured.pack":                 {{"static_packed_sizes", ""}},
	"transform.structured.pack_greedily":        {{"static_matmul_packed_sizes", ""}},
	"transform.structured.pad":                  {{"static_pad_to_multiple_of", ""}},
	"transform.structured.pad_tiling_interface": {{"static_padding_sizes", ""}},
	"transform.structured.tile_using_for":       {{"static_sizes", "scalable_sizes"}},
	"transform.structured.tile_using_forall":    {{"static_num_threads", ""}, {"static_tile_sizes", ""}},
	"transform.structured.vectorize":            {{"static_vector_sizes", "scalable_sizes"}},
	"transform.xegpu.convert_layout": {{"static_input_sg_layout", ""}, {"static_input_sg_data", ""},
		{"static_input_inst_data", ""}, {"static_target_sg_layout", ""}, {"static_target_sg_data", ""},
		{"static_target_inst_data", ""}},
	"transform.xegpu.set_anchor_layout":      layoutLists,
	"transform.xegpu.set_desc_layout":        layoutLists,
	"transform.xegpu.set_gpu_launch_threads": {{"static_threads", ""}},
	"transform.xegpu.set_op_layout_attr":     layoutLists,
}

var layoutLists = []staticList{{"static_sg_layout", ""}, {"static_sg_data", ""}, {"static_inst_data", ""}}

const (
	insertPrefetch = "transform.xegpu.insert_prefetch"
	prefetches     = "static_nb_prefetch"
)

// hasStatic reports whether an operation has numbers that operands may give.
func hasStatic(name string) bool { return name == insertPrefetch || staticLists[name] != nil }

// withStatic returns the attributes of a state with those of its lists: what is left out stands for operands alone. It
// returns no state, because those of callers are on their stacks.
func (c *Context) withStatic(of *OperationState) []NamedAttribute {
	all := slices.Clone(of.Attributes)
	add := func(name string, a Attribute) { all = append(all, NamedAttribute{name, a}) }
	if of.Name == insertPrefetch && of.attribute(prefetches).IsNil() {
		n := int64(1)
		if len(of.Operands) > 1 {
			n = Dynamic
		}
		add(prefetches, c.IntegerAttribute(c.IntegerType(64, Signless), n))
	}
	for i, list := range staticLists[of.Name] {
		if of.attribute(list.attribute).IsNil() {
			add(list.attribute, NewDenseArray(c, slices.Repeat([]int64{Dynamic}, of.dynamic(i))...))
		}
		s := OperationState{Attributes: all}
		if numbers, ok := s.int64s(list.attribute); ok && list.scalable != "" && s.attribute(list.scalable).IsNil() {
			add(list.scalable, NewDenseArray(c, make([]bool, len(numbers))...))
		}
	}
	return all
}

// dynamic returns the number of operands of a list.
func (s *OperationState) dynamic(list int) int {
	if a := s.attribute("operandSegmentSizes"); !a.IsNil() {
		sizes, _ := DenseArrayOf[int32](a)
		if list+1 < len(sizes) {
			return max(0, int(sizes[list+1]))
		}
		return 0
	}
	return max(0, len(s.Operands)-1)
}

// staticNumbers requires an operand for each Dynamic, and a flag for each number.
func staticNumbers(name string) func(*OperationState) string {
	return func(s *OperationState) string {
		if name == insertPrefetch {
			a := s.attribute(prefetches)
			if a.IsNil() {
				return "the attribute " + prefetches
			}
			n, ok := a.Int()
			return want(ok && (n == Dynamic) == (len(s.Operands) > 1),
				"mlir.Dynamic as its "+prefetches+" if an operand gives the number, and only then")
		}
		for i, list := range staticLists[name] {
			numbers, ok := s.int64s(list.attribute)
			dynamic := 0
			for _, n := range numbers {
				if n == Dynamic {
					dynamic++
				}
			}
			if !ok || dynamic != s.dynamic(i) {
				return fmt.Sprintf("one mlir.Dynamic in its %s for each operand of that list: it has %d for %d operands",
					list.attribute, dynamic, s.dynamic(i))
			}
			if list.scalable == "" {
				continue
			}
			var flags []bool
			if a := s.attribute(list.scalable); !a.IsNil() {
				flags, _ = DenseArrayOf[bool](a)
			}
			if len(flags) != len(numbers) {
				return fmt.Sprintf("a flag in %s for each number of %s: it has %d for %d", list.scalable,
					list.attribute, len(flags), len(numbers))
			}
		}
		return ""
	}
}
