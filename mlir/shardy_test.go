package mlir_test

import (
	"os"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/ir/shardyform"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

func shardyForms(name string) []byte { return check.Must(os.ReadFile("testdata/shardy/" + name)) }

// TestShardyForms reads each operation of Shardy in each form that it has, and prints it as Shardy does.
func TestShardyForms(t *testing.T) {
	text := string(shardyForms("forms.mlir"))
	c := mlirtest.Context(t)
	m := check.Must(c.Parse("forms", []byte(text)))
	if err := m.Verify(); err != nil {
		t.Fatal(err)
	}
	sources := map[string][]byte{
		"what it prints":          []byte(m.String()),
		"the generic form":        []byte(m.Operation().Print(mlir.PrintOptions{Generic: true})),
		"with locations":          []byte(m.Operation().Print(mlir.PrintOptions{DebugInfo: true})),
		"the generic form of JAX": []byte(properties(m.Operation().Print(mlir.PrintOptions{Generic: true}))),
		"bytecode":                check.Must(m.Bytecode()),
		"bytecode of JAX":         shardyForms("forms.mlirbc"),
		"a copy":                  []byte(m.Clone().String()),
	}
	for name, source := range sources {
		check.Diff(t, name, m.String(), check.Must(mlirtest.Context(t).Parse("forms", source)).String())
	}
	for line := range strings.Lines(text) { // its values have other names
		_, op, ok := strings.Cut(line, "sdy.")
		if name, _, _ := strings.Cut(op, " "); ok && !strings.Contains(m.String(), "sdy."+strings.TrimSpace(name)) {
			t.Errorf("sdy.%s is not printed", name)
		}
	}
}

// properties gives the attributes of manual computations the place that properties have.
func properties(text string) string {
	const mesh = `"sdy.mesh"() {mesh = `
	text = strings.ReplaceAll(text, mesh, `"sdy.mesh"() <{mesh = `)
	lines := strings.SplitAfter(text, "\n")
	for i, line := range lines {
		if strings.Contains(line, `"sdy.mesh"() <{`) {
			lines[i] = strings.Replace(line, "} : () -> ()", "}> : () -> ()", 1)
		}
	}
	return strings.Join(lines, "")
}

// TestShardyRegions counts what the library has for itself as nothing.
func TestShardyRegions(t *testing.T) {
	c := mlirtest.Context(t)
	m := check.Must(c.Parse("forms", shardyForms("forms.mlir")))
	found := 0
	for op := range m.Operation().All() {
		if op.Name() == "sdy.manual_computation" || op.Name() == "sdy.named_computation" {
			found++
			check.Diff(t, "regions of "+op.Name(), 1, op.NumRegions())
			check.Diff(t, op.Name()+" is registered", true, c.Registered(op.Name()))
		}
	}
	check.Diff(t, "computations", 3, found)
}

// TestShardyAlone refuses everything else that the library does not have.
func TestShardyAlone(t *testing.T) {
	const mesh = "sdy.mesh @m = <[\"x\"=2]>\n"
	for name, test := range map[string]struct{ text, want string }{
		"an operation": {mesh + `"foo.bar"() : () -> ()`, "foo.bar"},
		"an attribute": {mesh + `module attributes {a = #foo.bar<1>} {}`, "foo"},
		"a type":       {mesh + `func.func private @f(!foo.bar)`, "foo"},
		"a form": {"func.func @f(%a: tensor<2xf32>) {\n  sdy.sharding_constraint %a : tensor<2xf32>\n return }",
			"f.mlir:2:3: error: 'sdy.sharding_constraint' is not in its form: write sdy.sharding_constraint %0 <…> : type"},
		"a place": {mesh + "func.func @f(%a: tensor<2xf32>) {\n" +
			`  %0 = sdy.reshard %a <@m, [{"x"}]> : tensor<2xf32> %b = 3` + "\n return }", "f.mlir:3:57"},
	} {
		_, err := mlirtest.Context(t).Parse("f.mlir", []byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: the error lacks %q:\n%v", name, test.want, err)
		}
	}
	c := mlirtest.Context(t)
	if _, err := c.Parse("", []byte(mesh)); err != nil || c.AllowsUnregistered() {
		t.Error("the context allows unregistered dialects", err)
	}
	m := check.Must(c.Parse("", []byte("module {}")))
	foreign := mlir.OperationState{Name: "foo.bar", Location: c.UnknownLocation()}
	if _, err := mlir.Create(mlir.AtEnd(m.Body()), foreign); err == nil {
		t.Error("foo.bar was created")
	}
}

// FuzzShardyBytecode changes bytecode of JAX. Nothing crashes, and what is read can be written.
func FuzzShardyBytecode(f *testing.F) {
	data := shardyForms("forms.mlirbc")
	f.Add(data)
	for n := 0; n < len(data); n += 7 {
		f.Add(data[:n])
	}
	for i := 20; i < len(data); i += 11 {
		changed := append([]byte(nil), data...)
		changed[i] ^= 0x15
		f.Add(changed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !mlir.IsBytecode(data) {
			return
		}
		before := string(data)
		shardyform.Bytecode(data)
		check.Diff(t, "the data", before, string(data))
	})
}
