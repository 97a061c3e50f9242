package vmap_test

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/vmap"
)

var update = flag.Bool("update", false, "write docs/reference/batches.md")

// excuses says why operations have no rule.
var excuses = map[string]string{}

func init() {
	for reason, names := range map[string]string{
		"it has no operands": `stablehlo.constant stablehlo.create_token stablehlo.iota stablehlo.partition_id stablehlo.replica_id
			chlo.constant`,
		"its operands are tokens": `stablehlo.after_all`,
		"refused: a batch of what passes by the host's queues is not what it expects": `stablehlo.infeed stablehlo.outfeed
			stablehlo.send stablehlo.recv`,
		"refused: its shape is a value, see stablehlo.Refine": `stablehlo.dynamic_broadcast_in_dim stablehlo.dynamic_conv
			stablehlo.dynamic_gather stablehlo.dynamic_iota stablehlo.dynamic_pad stablehlo.dynamic_reshape
			stablehlo.real_dynamic_slice stablehlo.set_dimension_size`,
		"taken apart: the values in it are batched directly": `stablehlo.tuple stablehlo.get_tuple_element`,
		"inlined":         `stablehlo.composite`,
		"with its region": `stablehlo.return`,
	} {
		for name := range strings.FieldsSeq(names) {
			excuses[name] = reason
		}
	}
}

// TestPage holds docs/reference/batches.md against the rules, and each rule to have a test.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Batches of operations

How package [vmap](../vmap.md) batches each operation of StableHLO and CHLO. A test writes this page from the table of the
rules: ` + "`go test ./vmap -run TestPage -update`" + `.

`)
	tested := coverage(t)
	for _, dialect := range []struct{ name, title string }{{"stablehlo", "StableHLO"}, {"chlo", "CHLO"}} {
		fmt.Fprintf(&b, "| %s | batch | test |\n|---|---|---|\n", dialect.title)
		data, err := os.ReadFile(filepath.Join("..", "tools", "opgen", "facts", dialect.name+".txt"))
		check.NoError(t, err)
		for _, match := range regexp.MustCompile(`(?m)^operation (\S+)`).FindAllStringSubmatch(string(data), -1) {
			name, test := match[1], ""
			how, reason := vmap.Kind(name), excuses[name]
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
