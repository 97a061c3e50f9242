package mlir_test

import (
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func TestLocations(t *testing.T) {
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := loose(t, e)
		file := c.FileLocation(`a "b"\c.py`, 3, 7)
		other := c.FileLocation("d.py", 1, 2)
		name := c.NameLocation("na(me", file)
		bare := c.NameLocation("x, y", mlir.Location{})
		call := c.CallSiteLocation(c.CallSiteLocation(name, other), c.CallSiteLocation(other, file))
		fused := c.FusedLocation(mlir.Attribute{}, call, name, other)
		tagged := c.FusedLocation(
			c.DictionaryAttribute(mlir.NamedAttribute{Name: "k", Value: c.StringAttribute("]>, [")}), file, other)

		for _, test := range []struct {
			what string
			l    mlir.Location
			kind mlir.LocationKind
		}{
			{"unknown", c.UnknownLocation(), mlir.LocationUnknown},
			{"file", file, mlir.LocationFile},
			{"name", name, mlir.LocationName},
			{"bare name", bare, mlir.LocationName},
			{"call", call, mlir.LocationCallSite},
			{"fused", fused, mlir.LocationFused},
			{"tagged", tagged, mlir.LocationFused},
		} {
			check.Diff(t, test.what+" kind", test.kind, test.l.Kind())
			again, err := c.ParseLocation(test.l.String())
			if err != nil || !again.Equal(test.l) {
				t.Errorf("%s: %s parses as %s, %v", test.what, test.l, again, err)
			}
			viaAttribute, err := c.AttributeLocation(test.l.Attribute())
			if err != nil || !viaAttribute.Equal(test.l) {
				t.Errorf("%s through an attribute: %s, %v", test.what, viaAttribute, err)
			}
			_, isFile := test.l.FileRange()
			_, _, isName := test.l.Name()
			_, _, isCall := test.l.CallSite()
			_, _, isFused := test.l.Fused()
			check.Diff(t, test.what+" taken apart", []bool{test.kind == mlir.LocationFile,
				test.kind == mlir.LocationName, test.kind == mlir.LocationCallSite, test.kind == mlir.LocationFused},
				[]bool{isFile, isName, isCall, isFused})
		}
		if e.Library.Has("mlirLocationIsAFused") {
			check.Diff(t, "allocations, whatever the parts", 0.0, testing.AllocsPerRun(100, func() { call.Kind() }))
		}
		place, _ := file.FileRange()
		check.Diff(t, "place",
			mlir.FileRange{File: `a "b"\c.py`, StartLine: 3, StartColumn: 7, EndLine: 3, EndColumn: 7}, place)
		text, child, _ := name.Name()
		check.Diff(t, "name", []any{"na(me", true}, []any{text, child.Equal(file)})
		text, child, _ = bare.Name()
		check.Diff(t, "bare name", []any{"x, y", mlir.LocationUnknown}, []any{text, child.Kind()})
		callee, caller, _ := call.CallSite()
		check.Diff(t, "call", []bool{true, true},
			[]bool{callee.Equal(c.CallSiteLocation(name, other)), caller.Equal(c.CallSiteLocation(other, file))})
		parts, metadata, _ := fused.Fused()
		check.Diff(t, "fused", []bool{true, true, true, true, true}, []bool{len(parts) == 3, parts[0].Equal(call),
			parts[1].Equal(name), parts[2].Equal(other), metadata.IsNil()})
		parts, metadata, _ = tagged.Fused()
		check.Diff(t, "tagged", []any{2, true, `{k = "]>, ["}`},
			[]any{len(parts), parts[1].Equal(other), metadata.String()})
		check.Diff(t, "one alone", true, c.FusedLocation(mlir.Attribute{}, file, file).Equal(file))
		check.Diff(t, "none", mlir.LocationUnknown, c.FusedLocation(mlir.Attribute{}).Kind())
		if _, err := c.ParseLocation("3 : i32"); err == nil {
			t.Error("a number was parsed as a location")
		}
		if _, err := c.ParseLocation("loc(\"a\":1"); err == nil {
			t.Error("an incomplete location was parsed")
		}

		for _, r := range []mlir.FileRange{
			{File: "r.py", StartLine: 1, StartColumn: 2, EndLine: 1, EndColumn: 9},
			{File: "r.py", StartLine: 1, StartColumn: 2, EndLine: 3, EndColumn: 4},
			{File: "r.py", StartLine: 1, StartColumn: 2, EndLine: 1, EndColumn: 2},
		} {
			l, err := c.FileRangeLocation(r)
			if without(t, e, "mlirLocationFileLineColRangeGet", err) {
				continue
			}
			got, ok := l.FileRange()
			check.Diff(t, l.String(), []any{r, true, mlir.Position{File: "r.py", Line: 1, Column: 2}},
				[]any{got, ok, l.Position()})
		}
		check.Panics(t, "of another context", func() { loose(t, e).NameLocation("x", file) })
	})
}
