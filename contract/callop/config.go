package callop

import (
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// ConfigAttribute writes a Config as the backend_config of a custom call. It is the
// zero Attribute for the encoding that has none.
func ConfigAttribute(c *mlir.Context, config contract.Config) (mlir.Attribute, error) {
	attrs, err := config.Attrs()
	if err != nil || len(attrs) == 0 {
		return mlir.Attribute{}, err
	}
	entries := make([]mlir.NamedAttribute, len(attrs))
	for i, a := range attrs {
		entries[i].Name = a.Key
		switch v := a.Value.(type) {
		case string:
			entries[i].Value = c.StringAttribute(v)
		case bool:
			entries[i].Value = c.BoolAttribute(v)
		case int64:
			entries[i].Value = c.IntegerAttribute(c.IntegerType(64, mlir.Signless), v)
		case uint64: // a length, far from where the sign would be
			entries[i].Value = c.IntegerAttribute(c.IntegerType(64, mlir.Unsigned), int64(v))
		case []int64:
			entries[i].Value = mlir.NewDenseArray(c, v...)
		}
	}
	return c.DictionaryAttribute(entries...), nil
}

// ReadConfig reads a backend_config as the runtime will. The zero Attribute stands for
// none.
func ReadConfig(dictionary mlir.Attribute) (contract.Config, error) {
	var attrs []contract.Attr
	if !dictionary.IsNil() {
		for key, a := range dictionary.Entries() {
			attrs = append(attrs, contract.Attr{Key: key, Value: valueOf(a)})
		}
	}
	return contract.Decode(attrs)
}

// valueOf is the Go value of an attribute, as the call frame of the typed FFI has it.
func valueOf(a mlir.Attribute) any {
	switch a.Kind() {
	case mlir.AttrString:
		v, _ := a.Text()
		return v
	case mlir.AttrBool:
		v, _ := a.Bool()
		return v
	case mlir.AttrInteger:
		return integer(a)
	case mlir.AttrFloat:
		v, _ := a.Float()
		return v
	case mlir.AttrDenseArray:
		if words, ok := mlir.DenseArrayOf[int64](a); ok {
			return words
		}
	case mlir.AttrDenseElements:
		// XLA makes no difference, and portable artifacts know no other arrays.
		if words, ok := elements(a); ok {
			return words
		}
	}
	return unread(a.String())
}

// maxElements is more words than any id has: a splat of a few bytes may stand for very many.
const maxElements = 1 << 16

// elements are those of a list of i64.
func elements(a mlir.Attribute) ([]int64, bool) {
	t, _ := a.Type()
	shape, err := stablehlo.ShapeOf(t)
	if err != nil || shape.DType != tensor.S64 || shape.Rank() != 1 || shape.Dims[0] > maxElements {
		return nil, false
	}
	d, err := mlir.DenseOf[int64](a)
	if err != nil {
		return nil, false
	}
	words, err := d.Values()
	return words, err == nil
}

// integer gives an integer the width that the module has it in.
func integer(a mlir.Attribute) any {
	t, _ := a.Type()
	bits, sign, _ := t.IntegerWidth()
	v, _ := a.Int()
	switch unsigned := sign == mlir.Unsigned; {
	case bits == 64 && unsigned:
		return uint64(v)
	case bits == 64:
		return v
	case bits == 32 && unsigned:
		return uint32(v)
	case bits == 32:
		return int32(v)
	}
	return unread(a.String())
}

// unread is an attribute of a kind that the contract has no use for, as MLIR prints it.
type unread string
