package transform

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Parameters and Results name the attributes of a function with those of its parameters and results.
const (
	Parameters = "arg_attrs"
	Results    = "res_attrs"
)

// Shardings returns for each of the n parameters or results of a function a dictionary that says how devices
// divide it, which may be empty.
func Shardings(f mlir.Operation, of string, n int) []mlir.Attribute {
	list := NoShardings(f.Context(), n)
	a, _ := f.Attribute(of)
	if a.IsNil() {
		return list
	}
	all, _ := a.Elements()
	for i, a := range all {
		var kept []mlir.NamedAttribute
		for _, name := range []string{"mhlo.sharding", "sdy.sharding"} {
			if s, ok := a.Entry(name); ok {
				kept = append(kept, mlir.NamedAttribute{Name: name, Value: s})
			}
		}
		list[i] = f.Context().DictionaryAttribute(kept...)
	}
	return list
}

// NoShardings returns n empty dictionaries.
func NoShardings(c *mlir.Context, n int) []mlir.Attribute {
	return slices.Repeat([]mlir.Attribute{c.DictionaryAttribute()}, n)
}

// SetShardings gives the parameters or results of a function these attributes and no others.
func SetShardings(f mlir.Operation, of string, list []mlir.Attribute) {
	f.RemoveAttribute(of)
	none := f.Context().DictionaryAttribute()
	if slices.ContainsFunc(list, func(a mlir.Attribute) bool { return a != none }) {
		f.SetAttribute(of, f.Context().ArrayAttribute(list...))
	}
}

// WithDimension returns a dictionary of Shardings for arrays with a further dimension, which is not divided.
func WithDimension(a mlir.Attribute, at int) mlir.Attribute {
	var list []mlir.NamedAttribute
	for name, s := range a.Entries() {
		if text, ok := s.Text(); ok {
			s = a.Context().StringAttribute(tilesWith(text, at))
		} else {
			s = Must(a.Context().ParseAttribute(axesWith(s.String(), at)))
		}
		list = append(list, mlir.NamedAttribute{Name: name, Value: s})
	}
	return a.Context().DictionaryAttribute(list...)
}

// tilesWith adds a dimension to a sharding of XLA, such as {devices=[2,1]<=[2]}. One without the numbers of devices
// holds for all dimensions.
func tilesWith(text string, at int) string {
	before, rest, _ := strings.Cut(text, "devices=[")
	tiles, after, ok := strings.Cut(rest, "]")
	if !ok {
		return text
	}
	list := split(tiles)
	return before + "devices=[" + strings.Join(slices.Insert(list, min(at, len(list)), "1"), ",") + "]" + after
}

// axesWith adds a dimension to #sdy.sharding<mesh, [axes of each dimension], …>. Axes may be added to it.
func axesWith(text string, at int) string {
	parts := split(strings.TrimSuffix(strings.TrimPrefix(text, "#sdy.sharding<"), ">"))
	dimensions := split(strings.Trim(parts[1], "[]"))
	parts[1] = "[" + strings.Join(slices.Insert(dimensions, min(at, len(dimensions)), "{?}"), ", ") + "]"
	return "#sdy.sharding<" + strings.Join(parts, ", ") + ">"
}

// DimensionAxes returns the axes that divide each dimension of a sharding <mesh, [axes of each dimension], …>, as MLIR
// prints them. The error is for a part of one of some axes.
func DimensionAxes(sharding string, some []string) (axes [][]string, err error) {
	for _, dimension := range split(strings.Trim(split(sharding[1 : len(sharding)-1])[1], "[]")) {
		var list []string
		for _, name := range split(strings.Trim(dimension, "{}")) {
			if before, _, isPart := strings.Cut(name, ":("); isPart && slices.Contains(some, before) {
				return nil, fmt.Errorf("the sharding %s has a part of the axis %s only", sharding, before)
			}
			if name != "?" {
				list = append(list, name)
			}
		}
		axes = append(axes, list)
	}
	return axes, nil
}

// DropAxis removes an axis of a mesh from shardings that Shardings returned, and those that have no axis then.
func DropAxis(list []mlir.Attribute, axis string) {
	for i, a := range list {
		s, ok := a.Entry("sdy.sharding")
		if !ok {
			continue
		}
		var kept []mlir.NamedAttribute
		if text := WithoutAxis(s.String(), axis); strings.Contains(text, `"`) {
			s = Must(a.Context().ParseAttribute(text))
			kept = append(kept, mlir.NamedAttribute{Name: "sdy.sharding", Value: s})
		}
		list[i] = a.Context().DictionaryAttribute(kept...)
	}
}

// WithoutAxis removes an axis from the text of a sharding.
func WithoutAxis(sharding, axis string) string {
	of := regexp.MustCompile(regexp.QuoteMeta(axis) + `(:\(\d+\)\d+)?(, )?`)
	return strings.ReplaceAll(of.ReplaceAllString(sharding, ""), ", }", "}")
}

// DropScalarShardings removes the constraints of the shardings of numbers, which have no parts. JAX writes them where
// a computation is over some axes of a mesh only, also where a reduction adds and where a loop counts.
func DropScalarShardings(f mlir.Operation) {
	for _, op := range slices.Collect(f.All()) {
		if op.Name() == "sdy.sharding_constraint" && Rank(op.Result(0)) == 0 {
			Replace(op.ResultValues(), op.OperandValues())
			Check(op.Erase())
		}
	}
}
