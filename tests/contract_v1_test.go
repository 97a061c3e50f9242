package tests

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/contract/callop"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// The modules in testdata/contract-v1 were written when version 1 of the contract was the
// newest. Every later release reads and runs them as that one did: the files never change,
// nor do the golden files beside them. See the README there.

const contractV1 = "testdata/contract-v1"

// TestContractV1 holds what the contract reads out of each module, and what the module
// does when it runs, against the golden file.
func TestContractV1(t *testing.T) {
	files, err := filepath.Glob(contractV1 + "/*.mlir*")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	check.Must(bridge.Open(bridge.OpenOptions{Targets: []string{"test_target"}}))
	client := newClient(t, 0)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := os.ReadFile(file[:strings.LastIndex(file, ".mlir")] + ".golden")
			check.NoError(t, err)
			data, err := os.ReadFile(file)
			check.NoError(t, err)
			m := parse(t, newContext(t), file, data)
			got := readContract(t, m, mlir.IsBytecode(data)) + runContract(t, client, m, data)
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want +got):\n%s\n%s", diff, got)
			}
		})
	}
}

// readContract is what the contract reads out of a module, in words that do not depend on
// the names of Go fields. It also holds that the same Config is written as it was then.
// A portable artifact writes arrays in another way.
func readContract(t *testing.T, m *mlir.Module, artifact bool) string {
	var b strings.Builder
	for call := range callop.Calls(m) {
		custom, _ := stablehlo.AsCustomCall(call.Op)
		fmt.Fprintf(&b, "call @%s, api version %d, side effect %v\n", call.Target, custom.APIVersion,
			custom.HasSideEffect)
		if call.Err != nil {
			t.Errorf("%s: %v", call.Op, call.Err)
			continue
		}
		writeConfig(&b, call.Config)
		data, ids, tokens, err := call.Config.Split(len(custom.Operands))
		check.Report(t, err)
		fmt.Fprintf(&b, "  operands: %d data, %d ids, %d tokens\n", data, ids, tokens)
		list, _ := aliasing.Read(call.Op)
		for _, a := range list {
			fmt.Fprintf(&b, "  alias: result %v, operand %d %v\n", a.OutputTupleIndices, a.OperandIndex,
				a.OperandTupleIndices)
		}
		again, err := callop.ConfigAttribute(m.Context(), call.Config)
		check.Report(t, err)
		written, ok := call.Op.Attribute("backend_config")
		if !ok || !written.IsDictionary() {
			written, _ = call.Op.Attribute("mhlo.backend_config")
		}
		if !artifact && !again.Equal(written) {
			t.Errorf("the Config of @%s is written as %s, and was as %s", call.Target, again, written)
		}
	}
	return b.String()
}

// writeConfig writes what is not zero.
func writeConfig(b *strings.Builder, c contract.Config) {
	fmt.Fprintf(b, "  encoding: %s\n  form: %s\n", c.Host.Encoding, c.Form)
	for _, field := range []struct{ name, value string }{
		{"callback", c.Callback}, {"signature", c.Signature}, {"opaque", c.Host.Opaque}, {"server", c.Host.Server},
		{"registry", c.Registry},
		{"effect", c.Effect}, {"policy", string(c.Policy)}, {"transforms", c.Transforms}, {"loc", c.Loc},
	} {
		if field.value != "" {
			fmt.Fprintf(b, "  %s: %q\n", field.name, field.value)
		}
	}
	for _, field := range []struct {
		name  string
		value int64
	}{{"callback_id", c.ID}, {"n_ids", int64(c.NumIDs)}, {"n_tokens", int64(c.NumTokens)}, {"every", c.Every},
		{"aliased", int64(c.Host.Aliased)}} {
		if field.value != 0 {
			fmt.Fprintf(b, "  %s: %d\n", field.name, field.value)
		}
	}
	if c.Optional {
		b.WriteString("  optional\n")
	}
}

// placeholderID stands in the modules where the process that ran them had an id.
const placeholderID = 987654321

// runContract runs a module with a function for each of its callbacks, but for those whose
// name begins with "absent". It is what each function was given, in order, and what the
// module returned; or why it did not compile, by the kind of the error.
func runContract(t *testing.T, client *bridge.Client, m *mlir.Module, program []byte) string {
	seen := &recorder{calls: map[string][]string{}, unordered: map[string]bool{}}
	id, err := callbacks.Default.RegisterFunc(seen.function("an id"), callbacks.Options{})
	check.NoError(t, err)
	defer callbacks.Default.UnregisterID(id)
	registries := map[string]*callbacks.Registry{"": callbacks.Default}
	bound := map[string]bool{}
	for call := range callop.Calls(m) {
		c := call.Config
		if key := c.Registry + "\x00" + c.Name(); bound[key] || c.ID != 0 || strings.HasPrefix(c.Callback, "absent") ||
			c.Callback == callop.OverlapCallback {
			continue
		} else {
			bound[key] = true
		}
		if c.Host.Opaque != "" {
			o := callbacks.OpaqueID{ID: c.Host.Opaque, Server: c.Host.Server}
			check.NoError(t, callbacks.RegisterOpaque(o, seen.function("an opaque id"), callbacks.Options{}))
			defer callbacks.UnregisterOpaque(o)
			continue
		}
		if c.Callback == "" {
			continue // the operand says who is called
		}
		r := registries[c.Registry]
		if r == nil {
			if r, err = callbacks.NewRegistry(c.Registry, callbacks.RegistryOptions{}); err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			registries[c.Registry] = r
		}
		if err := r.Register(c.Callback, seen.function(strings.TrimPrefix(c.Registry+"/"+c.Callback, "/")),
			callbacks.Options{}); err != nil {
			t.Fatal(err)
		}
		defer r.Unregister(c.Callback)
	}
	if !mlir.IsBytecode(program) {
		program = []byte(strings.ReplaceAll(string(program), strconv.Itoa(placeholderID), strconv.FormatInt(id, 10)))
	}
	executable, err := client.Compile(t.Context(), bridge.Source(program), engine.CompileOptions{})
	if unknown := new(callbacks.UnknownError); errors.As(err, &unknown) {
		return "does not compile: a callback is missing\n"
	} else if err != nil {
		return "does not compile\n"
	}
	defer executable.Close()
	if len(seen.calls) > 0 {
		t.Errorf("called while it was compiled: %v", seen.calls)
	}
	outputs, err := executable.Run(t.Context(), contractInputs(t, m)...)
	check.NoError(t, err)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(seen.calls)) {
		if seen.unordered[name] {
			slices.Sort(seen.calls[name])
		}
		for _, line := range seen.calls[name] {
			fmt.Fprintf(&b, "called %q %s\n", name, line)
		}
	}
	for _, o := range outputs {
		v, err := o.ToHost(t.Context())
		check.NoError(t, err)
		fmt.Fprintf(&b, "returned %v\n", v)
		check.Report(t, o.Close())
	}
	return b.String()
}

// recorder keeps what functions are given, by the name of the function.
type recorder struct {
	mu        sync.Mutex
	calls     map[string][]string
	unordered map[string]bool // taps without a token, which come in any order
}

// function notes its calls. It adds one to what passes through it, and makes results of
// numbers that tell their place.
func (r *recorder) function(name string) callbacks.Func {
	return func(c *callbacks.Frame) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		line := string(c.Config.Form)
		for _, v := range c.Args {
			line += fmt.Sprintf(" %v", v)
		}
		for _, v := range c.IDs {
			line += fmt.Sprintf(" id %v", v)
		}
		r.calls[name] = append(r.calls[name], line)
		r.unordered[name] = r.unordered[name] || c.Config.Form == contract.Observe && c.Config.NumTokens == 0
		for k, v := range c.Results {
			for i := range v.Shape.NumElements() {
				if c.Config.Form == contract.Passthrough {
					bump(v, i)
				} else {
					setElement(v, i, 100*(k+1)+i)
				}
			}
		}
		return nil
	}
}

// contractInputs are arguments of @main that tell their places.
func contractInputs(t *testing.T, m *mlir.Module) []engine.Input {
	main, ok := m.SymbolTable().Lookup("main")
	if !ok {
		t.Fatal("there is no @main")
	}
	var inputs []engine.Input
	for _, p := range main.Region(0).First().Arguments() {
		shape, err := stablehlo.ShapeOf(p.Type())
		check.NoError(t, err)
		v := tensor.View{Shape: shape, Data: make([]byte, shape.NumBytes())}
		for i := range shape.NumElements() {
			setElement(v, i, i+1)
		}
		inputs = append(inputs, v)
	}
	return inputs
}

// setElement makes an element the number n. Of other types it is 0 or 1 by its bits, of
// other floats 0 or 2: threads of XLA may flush what is smaller than normal numbers.
func setElement(v tensor.View, i, n int) {
	switch v.Shape.DType {
	case tensor.F32:
		put(v, i, float32(n))
	case tensor.S32:
		put(v, i, int32(n))
	case tensor.S64:
		put(v, i, int64(n))
	case tensor.U8:
		put(v, i, "pid1"[i%4])
	case tensor.F8E5M2, tensor.F8E4M3FN, tensor.F16, tensor.BF16, tensor.F64:
		setTop(v, i, v.Shape.DType.Size()-1, n)
	case tensor.C64, tensor.C128:
		setTop(v, i, v.Shape.DType.Size()/2-1, n)
	default:
		clear(v.Data[i*v.Shape.DType.Size():][:v.Shape.DType.Size()])
		v.Data[i*v.Shape.DType.Size()] = byte(n % 2)
	}
}

// setTop makes an element 2 where n is odd: at is the place of the exponent's byte.
func setTop(v tensor.View, i, at, n int) {
	element := v.Data[i*v.Shape.DType.Size():][:v.Shape.DType.Size()]
	clear(element)
	element[at] = byte(n%2) << 6
}

// bump adds one to an element of a type that Go has.
func bump(v tensor.View, i int) {
	switch v.Shape.DType {
	case tensor.F32:
		put(v, i, v.At(i).(float32)+1)
	case tensor.S32:
		put(v, i, v.At(i).(int32)+1)
	}
}

func put[T tensor.Element](v tensor.View, i int, n T) {
	values, err := tensor.Slice[T](v)
	if err != nil {
		panic(err)
	}
	values[i] = n
}
