package ods

import (
	"fmt"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Respelled returns the kind of an enumeration that an operation of libraries after LLVM 22 has with another text,
// though these libraries also have the text of e. There "none" is the default.
func Respelled[T ~int | ~uint64](e *Enum, text string) Kind[T] {
	after := &Enum{What: e.What, Bits: e.Bits, Text: text, Join: e.Join, Cases: e.Cases, Values: e.Values}
	return Kind[T]{func(c *mlir.Context, v T) (mlir.Attribute, error) {
		if isNewer(c) {
			return after.Attribute(c, uint64(v))
		}
		return e.Attribute(c, uint64(v))
	}, func(a mlir.Attribute) (T, bool) {
		v, ok := e.Read(a)
		if !ok {
			v, ok = after.Read(a)
		}
		ok = ok || !a.IsNil() && a.String() == strings.Replace(text, "%", "none", 1)
		return T(v), ok
	}}
}

// Coded returns the kind of an integer that is an enumeration in libraries after LLVM 22. The Go value is the integer.
func Coded[T int16 | int32](e *Enum) Kind[T] {
	return Kind[T]{func(c *mlir.Context, v T) (mlir.Attribute, error) {
		for i := range e.Cases {
			if !e.Bits && e.value(i) == uint64(v) {
				return e.Attribute(c, uint64(i+1))
			}
		}
		if _, ok := e.keyword(uint64(v)); e.Bits && ok {
			return e.Attribute(c, uint64(v))
		}
		if isNewer(c) {
			return mlir.Attribute{}, fmt.Errorf("%d is no %s: after LLVM 22 it must be one of %s", v, e.What,
				e.numbers())
		}
		return integer[T](map[string]int{"i16": 16, "i32": 32}[e.Also[0]], mlir.Signless).Write(c, v)
	}, func(a mlir.Attribute) (T, bool) {
		if v, ok := a.Int(); ok {
			return T(v), true
		}
		v, ok := e.Read(a)
		if ok && !e.Bits {
			v = e.value(int(v) - 1)
		}
		return T(v), ok
	}}
}

// numbers returns the cases with their numbers.
func (e *Enum) numbers() string {
	text := ""
	for i, keyword := range e.Cases {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d (%s)", e.value(i), keyword)
	}
	return text
}

// UnitOrBool is the kind of a flag that is a unit up to LLVM 22 and a bool after it.
var UnitOrBool = Kind[bool]{func(c *mlir.Context, v bool) (mlir.Attribute, error) {
	if isNewer(c) {
		return Bool.Write(c, v)
	}
	return Unit.Write(c, v)
}, Flag.Read}

// EntryCount is the kind of the number of calls of a function, which the newest libraries have as an attribute
// of LLVM's dialect.
var EntryCount = Kind[int64]{func(c *mlir.Context, v int64) (mlir.Attribute, error) {
	if entryCounts.spelling(c.Library(), "real").text == "i64" {
		return I64.Write(c, v)
	}
	return c.ParseAttribute(fmt.Sprintf("#llvm.function_entry_count<entry_count = %d, count_type = real>", uint64(v)))
}, func(a mlir.Attribute) (int64, bool) {
	if v, ok := a.Int(); ok || a.IsNil() {
		return v, ok
	}
	var v uint64
	_, err := fmt.Sscanf(a.String(), "#llvm.function_entry_count<entry_count = %d", &v)
	return int64(v), err == nil
}}

var entryCounts = &Enum{Text: "#llvm.function_entry_count<entry_count = 0, count_type = %>", Also: []string{"i64"},
	Cases: []string{"real"}}
