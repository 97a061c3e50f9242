package vmap_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/vmap"
)

var update = flag.Bool("update", false, "write docs/reference/batches.md")

// excuses says why operations have no rule.
var excuses = map[string]string{}

func init() {
	for reason, names := range map[string]string{
		"taken apart: the values in it are batched directly": `stablehlo.tuple stablehlo.get_tuple_element`,
		"made synchronous": `stablehlo.async_start stablehlo.async_done`,
		"made an all_reduce, of which the other devices take zeros": `stablehlo.collective_reduce`,
		"inlined": `stablehlo.composite func.call`, "the function": `func.func`,
		"with its region": `stablehlo.return func.return`,
	} {
		for name := range strings.FieldsSeq(names) {
			excuses[name] = reason
		}
	}
}

// asked has operations of values and their types, or those with a signature of their own, that have no rule. The page
// says what a batch makes of them.
var asked = map[string]string{
	"stablehlo.after_all":    `(%t, %t) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token`,
	"stablehlo.constant":     `() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>`,
	"stablehlo.create_token": `() : () -> !stablehlo.token`,
	"stablehlo.dynamic_broadcast_in_dim": `(%x, %n) {broadcast_dimensions = array<i64: 0>} :
		(tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.dynamic_conv": `(%y, %y, %p) {batch_group_count = 1 : i64, feature_group_count = 1 : i64,
		dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>}
		: (tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x2xi32>) -> tensor<1x?x1xf32>`,
	"stablehlo.dynamic_gather": `(%x, %i, %n) {
		dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>} :
		(tensor<2xf32>, tensor<1x1xi32>, tensor<1xi32>) -> tensor<1x?xf32>`,
	"stablehlo.dynamic_iota": `(%n) {iota_dimension = 0 : i64} : (tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.dynamic_pad": `(%x, %z, %n, %n, %n) :
		(tensor<2xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.dynamic_reshape": `(%x, %n) : (tensor<2xf32>, tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.infeed":          `(%t) : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)`,
	"stablehlo.iota":            `() {iota_dimension = 0 : i64} : () -> tensor<2xf32>`,
	"stablehlo.outfeed":         `(%x, %t) : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token`,
	"stablehlo.partition_id":    `() : () -> tensor<ui32>`,
	"stablehlo.real_dynamic_slice": `(%x, %n, %n, %n) :
		(tensor<2xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>`,
	"stablehlo.recv": `(%t) {
		channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} :
		(!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)`,
	"stablehlo.replica_id": `() : () -> tensor<ui32>`,
	"stablehlo.send": `(%x, %t) {
		channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} :
		(tensor<2xf32>, !stablehlo.token) -> !stablehlo.token`,
	"stablehlo.set_dimension_size": `(%x, %s) {dimension = 0 : i64} :
		(tensor<2xf32>, tensor<i32>) -> tensor<?xf32, #stablehlo.bounds<2>>`,
	"chlo.scan": `(%x) ({
		^bb0(%e: tensor<f32>):
			"stablehlo.return"(%e) : (tensor<f32>) -> ()
		}) {dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 0>, resultSegmentSizes = array<i32: 1, 0>}
		: (tensor<2xf32>) -> tensor<2xf32>`,
	"chlo.constant":      `() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>`,
	"func.constant":      `() {value = @f} : () -> ((tensor<2xf32>) -> tensor<2xf32>)`,
	"func.call_indirect": `(%f, %x) : ((tensor<2xf32>) -> tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>`,
}

// ask batches an operation along all parameters and along each one, and returns what becomes of it.
func ask(t *testing.T, name string) string {
	t.Helper()
	const parameters = 6
	made := map[string]bool{}
	for batched := -1; batched < parameters; batched++ {
		m := parse(t, fmt.Sprintf(`func.func private @f(%%x: tensor<2xf32>) -> tensor<2xf32> {
			return %%x : tensor<2xf32>
		}
		func.func @main(
			%%x: tensor<2xf32>, %%n: tensor<1xi32>, %%i: tensor<1x1xi32>, %%p: tensor<1x2xi32>,
			%%s: tensor<i32>, %%z: tensor<f32>
		) {
			%%t = stablehlo.create_token : !stablehlo.token
			%%f = func.constant @f : (tensor<2xf32>) -> tensor<2xf32>
			%%y = stablehlo.broadcast_in_dim %%z, dims = [] : (tensor<f32>) -> tensor<1x1x1xf32>
			%%r:%d = "%s"%s
			return
		}`, 1+strings.Count(asked[name][strings.LastIndex(asked[name], "-> "):], ", !"), name, asked[name]))
		o := vmap.Options{Size: 3}
		for i := range parameters {
			if o.In = append(o.In, 0); batched >= 0 && i != batched {
				o.In[i] = vmap.NotBatched
			}
		}
		batch, err := vmap.Batch(function(t, m, "main"), o)
		refusal, refused := errors.AsType[*stablehlo.TransformError](err)
		switch {
		case err == nil && (batched < 0 || strings.Contains(batch.String(), `"`+name)):
			made["copied, because nothing that it uses is batched"] = true
		case err == nil:
		case !refused || refusal.Operation != name:
			t.Errorf("%s is not refused: %v", name, err)
		default:
			made["refused: "+refusal.Reason] = true
		}
	}
	reasons := slices.Sorted(maps.Keys(made))
	return strings.Join(reasons, "; ")
}

// TestPage holds docs/reference/batches.md against the rules, and each rule to have a test.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Batches of operations

How package [vmap](../vmap.md) batches each operation of StableHLO, CHLO and func. A test writes this page from the
table of the rules, and asks for a batch of each operation that has none:
` + "`go test ./vmap -run TestPage -update`" + `.

`)
	tested := coverage(t)
	for _, dialect := range []struct{ name, title string }{
		{"stablehlo", "StableHLO"}, {"chlo", "CHLO"}, {"func", "func"},
	} {
		fmt.Fprintf(&b, "| %s | batch | test |\n|---|---|---|\n", dialect.title)
		data, err := os.ReadFile(filepath.Join("..", "tools", "opgen", "facts", dialect.name+".txt"))
		check.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^operation (\S+)`).FindAllStringSubmatch(string(data), -1) {
			name, test := match[1], ""
			how, reason := vmap.Kind(name), excuses[name]
			if _, ok := asked[name]; ok {
				reason = ask(t, name)
			}
			switch {
			case (how == "") == (reason == ""):
				t.Errorf("%s has the rule %q, and the reason %q to have none", name, how, reason)
			case how != "":
				if test = tested(name); test == "" {
					t.Errorf("%s has no test", name)
				}
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimPrefix(name, dialect.name+"."), how+reason, test)
		}
		b.WriteString("\n")
	}
	text := strings.TrimSuffix(b.String(), "\n")
	path := filepath.Join("..", "docs", "reference", "batches.md")
	if *update {
		check.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	got, err := os.ReadFile(path)
	check.NoError(t, err)
	check.Diff(t, "docs/reference/batches.md, which -update writes", text, string(got))
}

// coverage returns a function for the test of an operation: a function of JAX, or a file.
func coverage(t *testing.T) func(name string) string {
	file, err := os.Open("testdata/cases.json.gz")
	check.NoError(t, err)
	check.Cleanup(t, file)
	var cases []struct{ Name, Module string }
	check.NoError(t, json.NewDecoder(check.Must(gzip.NewReader(file))).Decode(&cases))
	for _, path := range check.Must(filepath.Glob("*_test.go")) {
		if path != "page_test.go" {
			cases = append(cases, struct{ Name, Module string }{path, string(check.Must(os.ReadFile(path)))})
		}
	}
	return func(name string) string {
		called := regexp.MustCompile(regexp.QuoteMeta(name) + `["( \n]`)
		for _, c := range cases {
			switch {
			case !called.MatchString(c.Module):
			case strings.HasSuffix(c.Name, ".go"):
				return c.Name
			default:
				return "JAX, " + c.Name
			}
		}
		return ""
	}
}
