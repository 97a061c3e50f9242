package ods

import (
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Attribute returns the attribute of v. If v is no case, the error lists the cases.
func (e *Enum) Attribute(c *mlir.Context, v uint64) (mlir.Attribute, error) {
	keyword, ok := e.keyword(v)
	if !ok && (v != 0 || !e.Bits) {
		return mlir.Attribute{}, fmt.Errorf("%d is no %s: use one of %s", v, e.What, strings.Join(e.Cases, ", "))
	}
	if e.Width == 0 {
		return c.ParseAttribute(strings.Replace(e.Text, "%", keyword, 1))
	}
	if !e.Bits {
		v = e.value(int(v) - 1)
	}
	return c.IntegerAttribute(c.IntegerType(e.Width, mlir.Signless), int64(v)), nil
}

// Read returns the value of an attribute.
func (e *Enum) Read(a mlir.Attribute) (v uint64, ok bool) {
	if a.IsNil() {
		return 0, false
	}
	if e.Width > 0 {
		return e.readInteger(a)
	}
	before, after, _ := strings.Cut(e.Text, "%")
	text, ok := strings.CutPrefix(spaceless(a.String()), spaceless(before))
	if !ok {
		return 0, false
	}
	if text, ok = strings.CutSuffix(text, spaceless(after)); !ok {
		return 0, false
	}
	words := []string{text}
	if e.Bits {
		words = strings.Split(text, strings.TrimSpace(e.Join))
	}
	for _, word := range words {
		i := slices.IndexFunc(e.Cases, func(c string) bool { return spaceless(c) == word })
		if i < 0 {
			return 0, false
		}
		if !e.Bits {
			return uint64(i + 1), true
		}
		v |= e.value(i)
	}
	return v, true
}

// readInteger returns the value of an attribute that is an integer.
func (e *Enum) readInteger(a mlir.Attribute) (v uint64, ok bool) {
	n, ok := a.Int()
	if e.Bits {
		return uint64(n), ok
	}
	for i := range e.Cases {
		if e.value(i) == uint64(n) {
			return uint64(i + 1), ok
		}
	}
	return 0, false
}

// spaceless returns a text without spaces, which the printed form may have elsewhere than
// the definition, and in the form #dialect<name… for #dialect.name<….
func spaceless(text string) string {
	return strings.ReplaceAll(text, " ", "")
}

// Enumerated returns the kind of an enumeration.
func Enumerated[T interface {
	Attribute(*mlir.Context) (mlir.Attribute, error)
}](read func(mlir.Attribute) (T, bool)) Kind[T] {
	return Kind[T]{func(c *mlir.Context, v T) (mlir.Attribute, error) { return v.Attribute(c) }, read}
}
