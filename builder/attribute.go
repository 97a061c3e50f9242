package builder

import (
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/mlir"
)

// NamedValue is one entry of a dictionary.
type NamedValue struct {
	Name  string
	Value any
}

// maxNesting limits the nesting of a Go value. It stops values that contain themselves.
const maxNesting = 100

// attributeOf returns the attribute for a Go value. Its errors continue a text that names
// the value.
func attributeOf(c *mlir.Context, value any, depth int) (mlir.Attribute, error) {
	if depth > maxNesting {
		return mlir.Attribute{}, fmt.Errorf(" is nested more than %d deep: does it contain itself?", maxNesting)
	}
	switch v := value.(type) {
	case mlir.Attribute:
		if v.IsNil() || v.Context() != c {
			return v, fmt.Errorf(" is the zero Attribute, or belongs to another context")
		}
		return v, nil
	case []NamedValue:
		return dictionary(c, v, depth)
	case []bool:
		return mlir.NewDenseArray(c, v...), nil
	case []int:
		words := make([]int64, len(v))
		for i, n := range v {
			words[i] = int64(n)
		}
		return mlir.NewDenseArray(c, words...), nil
	case []int8:
		return mlir.NewDenseArray(c, v...), nil
	case []int16:
		return mlir.NewDenseArray(c, v...), nil
	case []int32:
		return mlir.NewDenseArray(c, v...), nil
	case []int64:
		return mlir.NewDenseArray(c, v...), nil
	case []float32:
		return mlir.NewDenseArray(c, v...), nil
	case []float64:
		return mlir.NewDenseArray(c, v...), nil
	}
	return attributeOfKind(c, reflect.ValueOf(value), depth)
}

func attributeOfKind(c *mlir.Context, v reflect.Value, depth int) (mlir.Attribute, error) {
	switch v.Kind() {
	case reflect.String:
		return c.StringAttribute(v.String()), nil
	case reflect.Bool:
		return c.BoolAttribute(v.Bool()), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return c.IntegerAttribute(c.IntegerType(v.Type().Bits(), mlir.Signless), v.Int()), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return unsigned(c, v.Type().Bits(), v.Uint())
	case reflect.Float32:
		return c.FloatAttribute(c.F32Type(), v.Float()), nil
	case reflect.Float64:
		return c.FloatAttribute(c.F64Type(), v.Float()), nil
	case reflect.Pointer:
		if v.IsNil() {
			return mlir.Attribute{}, fmt.Errorf(" is a nil %s", v.Type())
		}
		return attributeOf(c, v.Elem().Interface(), depth+1)
	case reflect.Map:
		if v.Type().Key().Kind() != reflect.String {
			return mlir.Attribute{}, fmt.Errorf(" is a %s: its keys must be strings", v.Type())
		}
		var entries []NamedValue
		for key, value := range v.Seq2() {
			entries = append(entries, NamedValue{key.String(), value.Interface()})
		}
		return dictionary(c, entries, depth)
	case reflect.Struct:
		var entries []NamedValue
		for i := range v.NumField() {
			field := v.Type().Field(i)
			if !field.IsExported() {
				return mlir.Attribute{}, fmt.Errorf(": the field %s of %s is not exported", field.Name, v.Type())
			}
			name := field.Name
			if tag, ok := field.Tag.Lookup("mlir"); ok {
				name = tag
			}
			entries = append(entries, NamedValue{name, v.Field(i).Interface()})
		}
		return dictionary(c, entries, depth)
	case reflect.Slice, reflect.Array:
		if k := v.Type().Elem().Kind(); reflect.Uint <= k && k <= reflect.Uintptr {
			return mlir.Attribute{},
				fmt.Errorf(" is a %s: a handler cannot receive an array of unsigned numbers: use signed ones", v.Type())
		}
		elements := make([]mlir.Attribute, v.Len())
		for i := range elements {
			var err error
			if elements[i], err = attributeOf(c, v.Index(i).Interface(), depth+1); err != nil {
				return mlir.Attribute{}, fmt.Errorf("[%d]%w", i, err)
			}
		}
		return c.ArrayAttribute(elements...), nil
	case reflect.Invalid:
		return mlir.Attribute{}, fmt.Errorf(" is nil")
	}
	return mlir.Attribute{},
		fmt.Errorf(" is a %s: use numbers, strings, bools, and structs, maps and slices of them", v.Type())
}

func unsigned(c *mlir.Context, bits int, v uint64) (mlir.Attribute, error) {
	t := c.IntegerType(bits, mlir.Unsigned)
	if int64(v) >= 0 {
		return c.IntegerAttribute(t, int64(v)), nil
	}
	return c.ParseAttribute(fmt.Sprintf("%d : %s", v, t))
}

func dictionary(c *mlir.Context, entries []NamedValue, depth int) (mlir.Attribute, error) {
	named := make([]mlir.NamedAttribute, len(entries))
	seen := map[string]bool{}
	for i, e := range entries {
		if e.Name == "" || seen[e.Name] {
			return mlir.Attribute{}, fmt.Errorf(": the name %q is empty or occurs twice", e.Name)
		}
		seen[e.Name] = true
		a, err := attributeOf(c, e.Value, depth+1)
		if err != nil {
			return mlir.Attribute{}, fmt.Errorf(".%s%w", e.Name, err)
		}
		named[i] = mlir.NamedAttribute{Name: e.Name, Value: a}
	}
	return c.DictionaryAttribute(named...), nil
}
