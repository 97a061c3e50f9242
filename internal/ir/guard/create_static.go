package guard

import (
	"fmt"
	"slices"
)

// A staticList is a list of numbers of an operation of transform scripts some of which may be given by operands: in
// their place the attribute has dynamicSize. Printing and running the operation read the attribute, and the operands
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

// HasStatic reports whether an operation has numbers that operands may give.
func HasStatic(name string) bool { return name == insertPrefetch || staticLists[name] != nil }

// A Default is an attribute that an operation lacks: a number, numbers or flags.
type Default struct {
	Name    string
	Numbers []int64
	Flags   []bool
	Number  int64 // if both are nil
}

// Defaults returns the attributes that an operation needs besides those that it has: a list that is left out stands for
// operands alone.
func Defaults(s *Operation) (list []Default) {
	if s.Name == insertPrefetch && s.attribute(prefetches) == nil {
		n := int64(1)
		if len(s.Operands) > 1 {
			n = dynamicSize
		}
		list = append(list, Default{Name: prefetches, Number: n})
	}
	for i, of := range staticLists[s.Name] {
		numbers, ok := s.int64s(of.attribute)
		if s.attribute(of.attribute) == nil {
			numbers, ok = append([]int64{}, slices.Repeat([]int64{dynamicSize}, s.dynamic(i))...), true
			list = append(list, Default{Name: of.attribute, Numbers: numbers})
		}
		if ok && of.scalable != "" && s.attribute(of.scalable) == nil {
			list = append(list, Default{Name: of.scalable, Flags: make([]bool, len(numbers))})
		}
	}
	return list
}

// dynamic returns the number of operands of a list.
func (s *Operation) dynamic(list int) int {
	if a := s.attribute("operandSegmentSizes"); a != nil {
		sizes, _ := a.Int32s()
		if list+1 < len(sizes) {
			return max(0, int(sizes[list+1]))
		}
		return 0
	}
	return max(0, len(s.Operands)-1)
}

// staticNumbers requires an operand for each Dynamic, and a flag for each number.
func staticNumbers(name string) Check {
	return func(s *Operation) string {
		if name == insertPrefetch {
			a := s.attribute(prefetches)
			if a == nil {
				return "the attribute " + prefetches
			}
			n, ok := a.Int()
			return want(ok && (n == dynamicSize) == (len(s.Operands) > 1),
				"mlir.Dynamic as its "+prefetches+" if an operand gives the number, and only then")
		}
		for i, list := range staticLists[name] {
			numbers, ok := s.int64s(list.attribute)
			dynamic := 0
			for _, n := range numbers {
				if n == dynamicSize {
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
			if a := s.attribute(list.scalable); a != nil {
				flags, _ = a.Bools()
			}
			if len(flags) != len(numbers) {
				return fmt.Sprintf("a flag in %s for each number of %s: it has %d for %d", list.scalable,
					list.attribute, len(flags), len(numbers))
			}
		}
		return ""
	}
}
