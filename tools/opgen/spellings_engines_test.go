//go:build engines

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/ods"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/native"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

// plainForms has an attribute of each kind that is no enumeration.
var plainForms = map[string]string{"unit": "unit", "bool": "true", "i8": "1 : i8", "i16": "1 : i16", "i32": "1 : i32",
	"i64": "1 : i64", "index": "1 : index", "f32": "1.0 : f32", "f64": "1.0 : f64", "string": `"x"`, "symbol": "@x",
	"path": "@x::@y", "type": "i32", "map": "affine_map<() -> ()>", "int64s": "array<i64: 1>", "array": "[]",
	"int32s": "array<i32: 1>", "int16s": "array<i16: 1>", "int8s": "array<i8: 1>", "bools": "array<i1: true>",
	"array:i64": "[1 : i64]", "array:string": `["x"]`}

// TestSpellings gives each operation an attribute of each kind in the tables, and each case of its enumerations, on
// each library. The library refuses one of the wrong class.
func TestSpellings(t *testing.T) {
	tables := map[string]*table{}
	for _, dialect := range dialects {
		path := filepath.Join(root, filepath.FromSlash(tableFile(dialect)))
		tables[dialect] = check.Must(parse(path, check.Must(os.ReadFile(path))))
	}
	mlirtest.EachEngine(t, func(t *testing.T, e mlirtest.Engine) {
		c := mlirtest.ContextOf(t, e.Library)
		m := c.NewModule(mlir.Location{})
		refused := func(op, name string, a mlir.Attribute) bool {
			_, err := mlir.Create(m.Body(), mlir.OperationState{Name: op,
				Attributes: []mlir.NamedAttribute{{Name: name, Value: a}}})
			return err != nil && strings.Contains(err.Error(), "has a value of the wrong kind")
		}
		asked := 0
		for _, dialect := range dialects {
			if c.LoadDialect(dialect) != nil {
				continue
			}
			for _, op := range tables[dialect].operations {
				if !c.Registered(op.name) {
					continue
				}
				for _, p := range op.list("attribute") {
					f := formOf(op.name, p.name)
					name, isEnum := strings.CutPrefix(p.kind, "enum:")
					asked++
					switch text := plainForms[p.kind]; {
					case isEnum && f.kind == "":
						spelledRight(t, e.Name, c, op.name, p, enumNamed(tables, name), refused)
					case text != "" && f.kind == "" && refused(op.name, p.name, check.Must(c.ParseAttribute(text))):
						t.Errorf("%s: %s is not of the kind %s", op.name, p.name, p.kind)
					}
				}
			}
		}
		if asked < 1000 {
			t.Errorf("only %d attributes", asked)
		}
	})
}

// spelledRight gives an operation each case of an enumeration.
func spelledRight(
	t *testing.T, engine string, c *mlir.Context, op string, p part, e *ods.Enum,
	refused func(op, name string, a mlir.Attribute) bool,
) {
	t.Helper()
	missing := 0
	for i := range e.Cases {
		v := uint64(i + 1)
		if e.Bits {
			v = e.Values[i]
		}
		a, err := e.Attribute(c, v)
		if err != nil { // an older library lacks the case
			missing++
			continue
		}
		if got, ok := e.Read(a); !ok || got != v {
			t.Errorf("%s: %s is read as %d", op, a, got)
		}
		if refused(op, p.name, a) {
			t.Errorf("%s: %s is not of the kind of %s", op, p.name, a)
		}
	}
	if missing > 0 && !slices.Contains(without[engine], e.What) {
		t.Errorf("%s: the library lacks %d of %d cases of %s", op, missing, len(e.Cases), e.What)
	}
}

// without has the enumerations that libraries do not have, or not all cases of: jaxlib's is the oldest, and the default
// one has other names for two of OpenMP.
var without = map[string][]string{
	native.Jaxlib.String(): strings.Fields(`BarrierReduction CTAGroupKind FramePointerKind LdStMatrixEltType MMATypes
		TMALoadMode TMAStoreMode UWTableKind`),
	"default": {"ClauseMapFlags"},
}

func enumNamed(tables map[string]*table, name string) *ods.Enum {
	dialect, class, _ := strings.Cut(name, ".")
	list := tables[dialect].enums
	e := list[slices.IndexFunc(list, func(e enum) bool { return e.name == class })]
	o := &ods.Enum{What: e.name, Text: e.text, Join: e.join, Also: otherSpellings[e.name], Words: otherWords[e.name]}
	form, bits := strings.CutPrefix(e.form, "bits-")
	o.Bits = bits
	if width, ok := strings.CutPrefix(form, "int:"); ok {
		o.Width = check.Must(strconv.Atoi(width))
	}
	for _, c := range e.cases {
		o.Cases, o.Values = append(o.Cases, c.keyword), append(o.Values, c.value)
	}
	return o
}
