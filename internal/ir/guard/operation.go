package guard

import "math"

// An Operation is one that is created, or was changed, or that a text has.
type Operation struct {
	Name       string
	Operands   []Value
	Results    []Type
	Attributes []NamedAttribute
	Regions    []Region
	Successors int
}

// A NamedAttribute is an attribute, which is not nil, and its name.
type NamedAttribute struct {
	Name  string
	Value Attribute
}

// A Value is an operand.
type Value interface {
	Type() Type
	IsResult() bool // of an operation
}

// A Type is a type, as package mlir has it.
type Type interface {
	String() string
	IsFloat() bool
	IsInteger() bool
	IsShaped() bool
	Rank() (int, bool)
	Dims() ([]int64, bool)
	NumElements() (int64, bool)
}

// An Attribute is an attribute, as package mlir has it.
type Attribute interface {
	String() string
	Type() (Type, bool)
	Int() (int64, bool)
	IsSymbol() bool
	Elements() ([]Attribute, bool)
	Int32s() ([]int32, bool)
	Int64s() ([]int64, bool)
	Bools() ([]bool, bool)
	FunctionResults() (int, bool) // how many the function type has that it is
	MapInputs() (int, bool)       // how many the affine map has that it is
}

// A Region is a region that may be built.
type Region interface{ Blocks() []Block }

// A Block is a block of a region.
type Block interface {
	NumArguments() int
	End() (name string, operands int, ok bool) // the terminator
	Last() (name string)                       // of the last operation, or ""
}

// A Check returns what an operation lacks, so that the library would crash on it, or "".
type Check func(*Operation) string

// dynamicSize stands for a number that an operand gives.
const dynamicSize = math.MinInt64

func first(r Region) Block {
	if blocks := r.Blocks(); len(blocks) > 0 {
		return blocks[0]
	}
	return nil
}

// end returns the terminator of the first block of a region.
func end(r Region) (name string, operands int, ok bool) {
	if b := first(r); b != nil {
		return b.End()
	}
	return "", 0, false
}

// types returns the types of the operands.
func (o *Operation) types() []Type {
	list := make([]Type, len(o.Operands))
	for i, v := range o.Operands {
		list[i] = v.Type()
	}
	return list
}

// attribute returns the attribute of a name, or nil.
func (o *Operation) attribute(name string) (a Attribute) {
	for _, named := range o.Attributes {
		if named.Name == name {
			a = named.Value
		}
	}
	return a
}

// int64s returns the numbers of the attribute of a name.
func (o *Operation) int64s(name string) ([]int64, bool) {
	if a := o.attribute(name); a != nil {
		return a.Int64s()
	}
	return nil, false
}
