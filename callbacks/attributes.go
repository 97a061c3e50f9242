package callbacks

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Attributes are the attributes of a call of a foreign target, in the runtime's order.
//
// A value is a bool, an int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32 or
// float64, a string, a slice of any of these but strings, or Attributes for a dictionary. It
// is nil if the runtime passes a value of another type. Values must not be changed: all
// calls of one call site share them.
type Attributes []Attribute

// An Attribute is a named value.
type Attribute struct {
	Name  string
	Value any
}

// Get returns the value of an attribute. It returns false if there is none of this name.
func (a Attributes) Get(name string) (any, bool) {
	for _, e := range a {
		if e.Name == name {
			return e.Value, true
		}
	}
	return nil, false
}

// An AttributeError reports an attribute that cannot be decoded.
type AttributeError struct {
	Name string // in full: those of a dictionary follow its name and a period
	Want string // what the field of the struct takes; "" if there is no such field
	Got  string // the type of the attribute, or its value if that does not fit; "" if it is missing
}

func (e *AttributeError) Error() string {
	switch {
	case e.Got == "":
		return fmt.Sprintf("callbacks: the attribute %q is missing: it must be %s", e.Name, e.Want)
	case e.Want == "":
		return fmt.Sprintf("callbacks: unknown attribute %q: no field takes it (it is %s)", e.Name, e.Got)
	}
	return fmt.Sprintf("callbacks: the attribute %q must be %s, not %s", e.Name, e.Want, e.Got)
}

// Decode sets the fields of a struct, to which the argument points, from the attributes:
//
//	type scaling struct {
//		Factor float64          `attr:"factor"`
//		Axes   []int64          `attr:"axes,optional"`
//		Limit  *int32           `attr:"limit"`
//		Window struct {
//			Size int `attr:"size"`
//		} `attr:"window"`
//	}
//
// A field takes an attribute as follows. An integer takes an integer of any type whose value
// fits. A float64 takes a float64 or a float32, and a float32 only a float32. A bool and a
// string take their own type, and a slice takes an array whose elements it takes. A struct,
// or Attributes, takes a dictionary. An any takes every attribute. A pointer is nil if the
// attribute is missing; a field with the option "optional" keeps its value.
//
// The error is an *AttributeError for the first attribute that does not fit, is missing, or
// has no field. Decode copies nothing but slices of another type, so the fields must not be
// changed either. It panics if the argument is not a pointer to a struct, or if an exported
// field has no tag or a type that takes no attribute.
func (a Attributes) Decode(to any) error {
	v := reflect.ValueOf(to)
	if v.Kind() != reflect.Pointer || v.IsNil() || v.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("callbacks: Attributes.Decode needs a pointer to a struct, not a %T", to))
	}
	return a.decode("", v.Elem())
}

// A decodedField is a field of a struct and its tag.
type decodedField struct {
	index    int
	name     string
	optional bool
}

var decodedFields sync.Map // reflect.Type -> []decodedField

// fieldsOf returns the fields of a struct that take attributes.
func fieldsOf(t reflect.Type) []decodedField {
	if known, ok := decodedFields.Load(t); ok {
		return known.([]decodedField)
	}
	var list []decodedField
	for i := range t.NumField() {
		f := t.Field(i)
		if !f.IsExported() {
			continue
		}
		name, option, _ := strings.Cut(f.Tag.Get("attr"), ",")
		if name == "-" {
			continue
		}
		if name == "" || option != "" && option != "optional" {
			panic(fmt.Sprintf("callbacks: the field %s of %s needs a tag of the form `attr:\"name\"` or `attr:\"name,optional\"`", f.Name, t))
		}
		takes(f.Type) // panics if it takes no attribute
		list = append(list, decodedField{i, name, option != ""})
	}
	decodedFields.Store(t, list)
	return list
}

func (a Attributes) decode(prefix string, to reflect.Value) error {
	fields := fieldsOf(to.Type())
	found := 0
	for _, f := range fields {
		field := to.Field(f.index)
		value, ok := a.Get(f.name)
		if !ok {
			if f.optional {
				continue
			}
			if field.Kind() == reflect.Pointer {
				field.SetZero()
				continue
			}
			return &AttributeError{Name: prefix + f.name, Want: takes(field.Type())}
		}
		found++
		if err := set(prefix+f.name, field, value); err != nil {
			return err
		}
	}
	if found == len(a) {
		return nil
	}
	for _, e := range a {
		if !slices.ContainsFunc(fields, func(f decodedField) bool { return f.name == e.Name }) {
			return &AttributeError{Name: prefix + e.Name, Got: typeOf(e.Value)}
		}
	}
	return nil
}

var attributesType = reflect.TypeFor[Attributes]()

// takes returns what a field of the type takes. It panics if that is nothing.
func takes(t reflect.Type) string {
	switch {
	case t == attributesType:
		return "a dictionary"
	case t.Kind() == reflect.Interface && t.NumMethod() == 0:
		return "any attribute"
	}
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() != reflect.Pointer {
			return takes(t.Elem())
		}
	case reflect.Struct:
		return "a dictionary"
	case reflect.Slice:
		switch t.Elem().Kind() {
		case reflect.Slice, reflect.Struct, reflect.String, reflect.Pointer, reflect.Interface:
		default:
			return "an array of " + t.Elem().Kind().String()
		}
	case reflect.String, reflect.Bool, reflect.Float32, reflect.Float64,
		reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Int,
		reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uint:
		return withArticle(t.Kind().String())
	}
	panic(fmt.Sprintf("callbacks: Attributes.Decode cannot set a %s", t))
}

func withArticle(kind string) string {
	if strings.HasPrefix(kind, "int") {
		return "an " + kind
	}
	return "a " + kind
}

// typeOf describes the type of an attribute.
func typeOf(value any) string {
	if value == nil {
		return "a value of an unknown type"
	}
	switch t := reflect.TypeOf(value); {
	case t == attributesType:
		return "a dictionary"
	case t.Kind() == reflect.Slice:
		return "an array of " + t.Elem().String()
	default:
		return withArticle(t.String())
	}
}

// set sets a field to an attribute.
func set(name string, field reflect.Value, value any) error {
	t := field.Type()
	switch {
	case t.Kind() == reflect.Pointer:
		to := reflect.New(t.Elem())
		if err := set(name, to.Elem(), value); err != nil {
			return err
		}
		field.Set(to)
		return nil
	case t.Kind() == reflect.Interface:
		field.Set(reflect.ValueOf(&value).Elem())
		return nil
	}
	wrong := &AttributeError{Name: name, Want: takes(t), Got: typeOf(value)}
	if value == nil {
		return wrong
	}
	from := reflect.ValueOf(value)
	if inner, ok := value.(Attributes); ok {
		switch {
		case t == attributesType:
			field.Set(from)
			return nil
		case t.Kind() == reflect.Struct:
			return inner.decode(name+".", field)
		}
		return wrong
	}
	if from.Kind() != reflect.Slice {
		return setScalar(field, from, wrong)
	}
	if t.Kind() != reflect.Slice || t == attributesType {
		return wrong
	}
	if from.Type().AssignableTo(t) {
		field.Set(from)
		return nil
	}
	list := reflect.MakeSlice(t, from.Len(), from.Len())
	for i := range from.Len() {
		if err := setScalar(list.Index(i), from.Index(i), wrong); err != nil {
			return err
		}
	}
	if from.Len() == 0 && !sameClass(t.Elem().Kind(), from.Type().Elem().Kind()) {
		return wrong
	}
	field.Set(list)
	return nil
}

// sameClass reports whether both kinds are integers, or whether they are the same.
func sameClass(a, b reflect.Kind) bool {
	isInteger := func(k reflect.Kind) bool { return reflect.Int <= k && k <= reflect.Uint64 }
	return isInteger(a) && isInteger(b) || a == b || a == reflect.Float64 && b == reflect.Float32
}

// setScalar sets a number, a bool or a string.
func setScalar(to, from reflect.Value, wrong *AttributeError) error {
	if !sameClass(to.Kind(), from.Kind()) {
		return wrong
	}
	outside := func() error {
		return &AttributeError{wrong.Name, wrong.Want, fmt.Sprintf("%v, which does not fit", from)}
	}
	switch {
	case to.Kind() == reflect.String:
		to.SetString(from.String())
	case to.Kind() == reflect.Bool:
		to.SetBool(from.Bool())
	case to.CanFloat():
		to.SetFloat(from.Float())
	case to.CanInt() && from.CanInt():
		if to.OverflowInt(from.Int()) {
			return outside()
		}
		to.SetInt(from.Int())
	case to.CanInt():
		if n := from.Uint(); n > math.MaxInt64 || to.OverflowInt(int64(n)) {
			return outside()
		}
		to.SetInt(int64(from.Uint()))
	case from.CanInt():
		if n := from.Int(); n < 0 || to.OverflowUint(uint64(n)) {
			return outside()
		}
		to.SetUint(uint64(from.Int()))
	default:
		if to.OverflowUint(from.Uint()) {
			return outside()
		}
		to.SetUint(from.Uint())
	}
	return nil
}
