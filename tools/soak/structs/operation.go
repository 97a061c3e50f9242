package structs

import (
	"reflect"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/mlir/affine"
)

// A Creator is a generated struct.
type Creator interface {
	Create(b *mlir.Builder) mlir.Operation
}

// An Operation is a generated operation.
type Operation struct {
	Name string
	Zero Creator
	Read func(mlir.Operation) (Creator, bool)
}

func of[T Creator](name string, read func(mlir.Operation) (T, bool)) Operation {
	return Operation{name, *new(T), func(op mlir.Operation) (Creator, bool) { return read(op) }}
}

// Parts are what Make puts into fields.
type Parts interface {
	Value() mlir.Value
	Type() mlir.Type
	Attribute() mlir.Attribute
	Map() affine.Map
	Set() affine.Set
	Region() mlir.Region
	Block() mlir.Block
	Len() int // of a list
	Number() int64
	Text() string
}

// isResult reports whether a field has types of results.
func isResult(f reflect.StructField) bool {
	return f.Type == reflect.TypeFor[mlir.Type]() || f.Type == reflect.TypeFor[[]mlir.Type]()
}

// Make returns the operation's struct with its fields filled. If infer is set, it leaves the types of results out.
func (o Operation) Make(p Parts, infer bool) Creator {
	v := reflect.New(reflect.TypeOf(o.Zero)).Elem()
	for i := range v.NumField() {
		if !infer || !isResult(v.Type().Field(i)) {
			fill(v.Field(i), p)
		}
	}
	return v.Interface().(Creator)
}

func fill(f reflect.Value, p Parts) {
	switch v := f.Addr().Interface().(type) {
	case *mlir.Value:
		*v = p.Value()
	case *mlir.Type:
		*v = p.Type()
	case *mlir.Attribute:
		*v = p.Attribute()
	case *affine.Map:
		*v = p.Map()
	case *affine.Set:
		*v = p.Set()
	case *mlir.Region:
		*v = p.Region()
	case *mlir.Block:
		*v = p.Block()
	default:
		switch f.Kind() {
		case reflect.Slice:
			n := p.Len()
			f.Set(reflect.MakeSlice(f.Type(), n, n))
			for i := range n {
				fill(f.Index(i), p)
			}
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
			fill(f.Elem(), p)
		case reflect.Bool:
			f.SetBool(p.Number() != 0)
		case reflect.String:
			f.SetString(p.Text())
		case reflect.Float32, reflect.Float64:
			f.SetFloat(float64(p.Number()))
		case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			f.SetUint(uint64(max(p.Number(), 0)))
		default:
			f.SetInt(p.Number())
		}
	}
}
