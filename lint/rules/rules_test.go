package rules_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// TestRules checks the findings in testdata against the comments there: a line that ends in
// `// want "regexp" "regexp"` has as many findings, each of the form
// "severity: message [rule]" and matched by one of them. Other lines have none. A regexp that
// is followed by `fix "regexp"` also matches the repair, as repair returns it. The lines
// `// strict`, `// known: a b` and `// target: 1.13.3` at the start of a file set the options.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("testdata/*.mlir")
	check.NoError(t, err)
	covered := map[string]bool{}
	for _, file := range files {
		file = filepath.ToSlash(file) // so are the names in the comments
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			check.NoError(t, err)
			want := wants(t, string(data))
			for _, d := range check.Must(
				lint.Check(mlirtest.LibraryFor(t, data), file, data, options(string(data)))) {
				covered[d.Rule] = true
				if name := goName.FindString(d.Text()); name != "" {
					t.Errorf("%s: a finding names %s, which is Go: %s", file, name, d.Text())
				}
				text := fmt.Sprintf("%s: %s [%s]", d.Severity, d.Message, d.Rule)
				i := slices.IndexFunc(want[d.Line], func(e expectation) bool {
					return e.finding.MatchString(text) && (e.fix == nil || e.fix.MatchString(repair(d.Fix)))
				})
				if i < 0 {
					t.Errorf("unexpected finding: %v; fix: %s", d, repair(d.Fix))
					continue
				}
				want[d.Line] = slices.Delete(want[d.Line], i, i+1)
			}
			for _, line := range slices.Sorted(maps.Keys(want)) {
				for _, r := range want[line] {
					t.Errorf("%s:%d: no finding matches %q, with the fix %q", file, line, r.finding, r.fix)
				}
			}
		})
	}
	for _, a := range rules.All() {
		if !covered[a.Name] {
			t.Errorf("no file in testdata has a finding of the rule %s", a.Name)
		}
	}
}

// goName matches the name of something in a Go package of this module: users of the linter need not know Go.
var goName = regexp.MustCompile(`\b(aliasing|autodiff|bridge|builder|callbacks|calliope|callop|contract|jit|lint|mlir|` +
	`passes|preflight|quick|sharding|stablehlo|stages|tensor|vmap)\.[A-Z]\w*`)

// TestAliasesAgree checks that alias-missing says before its repair what alias-copies says after it.
func TestAliasesAgree(t *testing.T) {
	const module = `func.func @main(%%a: tensor<4xf32>) -> tensor<4xf32> {
%s
  %%0 = stablehlo.custom_call @calliope_io_callback(%%x) {%sapi_version = 4 : i32, has_side_effect = true,
    backend_config = {callback = "log", form = "passthrough", v = 1 : i64}} : (tensor<4xf32>) -> tensor<4xf32>
  return %%0 : tensor<4xf32>
}`
	const aliases = "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], "
	const (
		argument = "  %x = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<4xf32>"
		value    = "  %x = stablehlo.sine %a : tensor<4xf32>"
	)
	const donate = `argument 0 of "main" is not donated: mark it with jax.buffer_donor or tf.aliasing_output, and donate it in the run`
	text := func(operation, attributes string) (messages []string) {
		found := check.Must(lint.Check(mlirtest.Library(t), "f", fmt.Appendf(nil, module, operation, attributes),
			lint.Options{Analyzers: []*lint.Analyzer{rules.AliasMissing, rules.AliasCopies}}))
		for _, d := range found {
			messages = append(messages, d.Message)
		}
		return messages
	}
	const missing = `callback "log" passes its operands through, but result 0 is not aliased to its operand: `
	check.Diff(t, "an argument, before", []string{missing + "write output_operand_aliases (XLA copies the operand even so: " + donate + ")"},
		text(argument, ""))
	check.Diff(t, "an argument, after", []string{"operand 0 of the call of @calliope_io_callback shares memory with a result, but it is copied: " + donate},
		text(argument, aliases))
	check.Diff(t, "a value, before", []string{missing + "each call copies: write output_operand_aliases"}, text(value, ""))
	check.Diff(t, "a value, after", []string(nil), text(value, aliases))
}

// A program that is too large with its functions inlined gets a note, and does not take long.
func TestUnorderedEffectsTooLarge(t *testing.T) {
	var text strings.Builder
	text.WriteString("func.func @main(%t: tensor<1xi8>) {\n  func.call @f40(%t) : (tensor<1xi8>) -> ()\n  return\n}\n")
	for i := range 41 {
		call := fmt.Sprintf("  func.call @f%d(%%t) : (tensor<1xi8>) -> ()\n", i-1)
		if i == 0 {
			call = `  %0 = stablehlo.custom_call @calliope_io_callback(%t) {has_side_effect = true, api_version = 4 : i32, backend_config = {v = 1 : i64, form = "observe", callback = "c", n_tokens = 1 : i64}} : (tensor<1xi8>) -> tensor<1xi8>` + "\n"
		}
		fmt.Fprintf(&text, "func.func private @f%d(%%t: tensor<1xi8>) {\n%s%s  return\n}\n", i, call,
			strings.ReplaceAll(call, "%0", "%1"))
	}
	got := check.Must(lint.Check(mlirtest.Library(t), "f", []byte(text.String()), lint.Options{Analyzers: rules.All()}))
	if len(got) != 1 || !strings.Contains(got[0].String(), "note: the order of the calls is not checked: the program is too large with its functions inlined [unordered-effects]") {
		t.Errorf("got %v", got)
	}
}

// options returns the options that a file asks for.
func options(text string) lint.Options {
	o := lint.Options{Analyzers: rules.All()}
	for line := range strings.Lines(text) {
		directive, ok := strings.CutPrefix(strings.TrimSpace(line), "// ")
		if !ok {
			break
		}
		if directive == "strict" {
			o.Strict = true
		}
		if list, ok := strings.CutPrefix(directive, "known: "); ok {
			o.KnownTargets = strings.Fields(list)
		}
		if version, ok := strings.CutPrefix(directive, "target: "); ok {
			o.TargetStableHLO = version
		}
	}
	return o
}

// repair returns a repair as text: what it sets, what it removes, "erase", "migrate", "replace" and "prepare", or
// "none".
func repair(f *finding.Fix) string {
	if f == nil {
		return "none"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(f.Set)) {
		parts = append(parts, fmt.Sprintf("set %s = %s", name, f.Set[name]))
	}
	for _, name := range f.Remove {
		parts = append(parts, "remove "+name)
	}
	if f.Erase {
		parts = append(parts, "erase")
	}
	if f.Migrate {
		parts = append(parts, "migrate")
	}
	if f.ReplaceLegacy {
		parts = append(parts, "replace")
	}
	if f.Prepare {
		parts = append(parts, "prepare")
	}
	if f.Message == "" || len(parts) == 0 {
		return "a repair without a message or a change"
	}
	return strings.Join(parts, "; ")
}

// An expectation is a finding that a file has.
type expectation struct {
	finding, fix *regexp.Regexp // fix is nil if any will do
}

// wants returns the expectations in the comments, by line.
func wants(t *testing.T, text string) map[int][]expectation {
	t.Helper()
	all := map[int][]expectation{}
	for i, line := range strings.Split(text, "\n") {
		_, rest, ok := strings.Cut(line, "// want ")
		for rest = strings.TrimSpace(rest); ok && rest != ""; rest = strings.TrimSpace(rest) {
			after, isFix := strings.CutPrefix(rest, "fix ")
			quoted, err := strconv.QuotedPrefix(after)
			if err != nil {
				t.Fatalf("line %d: %q is not a quoted string: %v", i+1, after, err)
			}
			rest = after[len(quoted):]
			text, err := strconv.Unquote(quoted)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			r, err := regexp.Compile(text)
			if err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			if n := len(all[i+1]); isFix {
				all[i+1][n-1].fix = r
			} else {
				all[i+1] = append(all[i+1], expectation{finding: r})
			}
		}
	}
	return all
}
