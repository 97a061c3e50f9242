package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/check"
)

var root = filepath.Join("..", "..")

// TestCommitted checks that `go generate` writes exactly the committed files.
func TestCommitted(t *testing.T) {
	want, err := generate(root)
	if err != nil {
		t.Fatal(err)
	}
	check.Files(t, root, want, "the files of `go generate ./...`")
	dialects, err := filepath.Glob(filepath.Join(root, "mlir", "dialect", "*"))
	if err != nil {
		t.Fatal(err)
	}
	folders := []string{"stablehlo", "stablehlo/chlo"}
	for _, dialect := range dialects {
		folders = append(folders, "mlir/dialect/"+filepath.Base(dialect))
	}
	for _, folder := range folders {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "gen_*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if name := folder + "/" + filepath.Base(file); want[name] == nil {
				t.Errorf("`go generate ./...` does not write %s", name)
			}
		}
	}
}

// TestTables checks that a table that is read and written stays the same.
func TestTables(t *testing.T) {
	for _, dialect := range dialects {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(tableFile(dialect))))
		if err != nil {
			t.Fatal(err)
		}
		ops, err := parseTable(dialect, data)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(data), string(formatTable(ops))); d != "" {
			t.Errorf("%s (-read +written):\n%s", dialect, d)
		}
	}
}

func TestTableErrors(t *testing.T) {
	for text, want := range map[string]string{
		"\toperand x\n":                 "x:1: the operation's name is missing above this line",
		"a.b\n\toperand\n":              "x:2: a part needs a name",
		"a.b\n\tattribute x\n":          "x:2: an attribute needs a kind",
		"a.b\n\toperand x often\n":      "x:2: a part must occur once, or be optional or variadic",
		"a.b\n\toperand x optional 2\n": "x:2: a part must occur once",
		"a.b\n\n\tthing x\n":            "x:3: a part must be an operand, attribute, region or result",
	} {
		if _, err := parseTable("x", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %q", text, err, want)
		}
	}
}

// bindings has MLIR's generated bindings of one operation with one part of each kind.
const bindings = `
class ThingOp(_ods_ir.OpView):
  OPERATION_NAME = "d.thing"

  def __init__(self, result, a, more, mode, *, deep=None, flag=None, loc=None, ip=None):
    operands = []
    operands.append(a)
    operands.extend(_get_op_results_or_values(more_))
    if maybe is not None: operands.append(maybe)
    attributes["mode"] = (mode if (
    isinstance(mode, _ods_ir.Attribute) or
    not _ods_ir.AttrBuilder.contains('ModeAttr')) else
      _ods_ir.AttrBuilder.get('ModeAttr')(mode, context=_ods_context))
    if deep is not None: attributes["deep"] = (deep if (
        not _ods_ir.AttrBuilder.contains('anonymous_7')) else
          _ods_ir.AttrBuilder.get('anonymous_7')(deep, context=_ods_context))
    if bool(flag): attributes["flag"] = _ods_ir.UnitAttr.get(
      _ods_get_default_loc_context(loc))
    results.append(result)

  @builtins.property
  def mode(self):
    return self.operation.attributes["mode"]

  @mode.setter
  def mode(self, value):
    self.operation.attributes["mode"] = value

  @builtins.property
  def body(self):
    return self.regions[0]

  @builtins.property
  def branches(self):
    return self.regions[1:]
`

func TestParseBindings(t *testing.T) {
	ops, err := parseBindings(bindings)
	if err != nil {
		t.Fatal(err)
	}
	const want = `d.thing
	operand a
	operand more variadic
	operand maybe optional
	attribute mode ModeAttr
	attribute deep anonymous optional
	attribute flag UnitAttr optional
	region body
	region branches variadic
	result result
`
	if d := cmp.Diff(want, string(formatTable(ops))); d != "" {
		t.Errorf("the table (-want +got):\n%s", d)
	}
	for line, want := range map[string]string{
		"    operands.append(a + b)":           "d.thing: unknown line",
		"    results.extend([a])":              "d.thing: unknown line",
		`    attributes["x"] = something.get(`: "d.thing: unknown line",
		`    return self.regions[-1]`:          "d.thing: unknown line",
		`    attributes["x"] = (x if (`:        "the kind of the attribute x is not found",
	} {
		if _, err := parseBindings("  OPERATION_NAME = \"d.thing\"\n" + line + "\n"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %q", line, err, want)
		}
	}
}

func TestGoName(t *testing.T) {
	for name, want := range map[string]string{
		"slice": "Slice", "dynamic_update_slice": "DynamicUpdateSlice", "cross-replica-sum": "CrossReplicaSum", "lhs": "LHS",
		"rhs_dilation": "RHSDilation", "replica_id": "ReplicaID", "use_global_device_ids": "UseGlobalDeviceIDs", "_asin_acos_kernel": "AsinAcosKernel",
	} {
		if got := goName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// TestUnknownParts checks that tables with parts of a new kind are an error.
func TestUnknownParts(t *testing.T) {
	one := func(text string) error {
		ops, err := parseTable("x", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return writeOperation(new(strings.Builder), ops[0], ownTypesOf(nil))
	}
	for text, want := range map[string]string{
		"d.x\n\tattribute a NewAttr\n":           "the attribute a is of the kind NewAttr",
		"d.x\n\toperand a optional\n":            "the operand a is optional",
		"d.x\n\tregion a variadic\n\tregion b\n": "the region a is variadic and not the only one",
		"d.x\n\tresult a variadic\n\tresult b\n": "single and variadic results",
	} {
		if err := one(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: the error is %v, want %q", text, err, want)
		}
	}
}
