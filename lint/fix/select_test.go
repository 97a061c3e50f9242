package fix_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/lint/fix"
	"github.com/calliope-mlir/calliope/lint/rules"
)

// unlessKept deselects the findings in lines with a comment "keep".
func unlessKept(data []byte, found []finding.Finding) []finding.Finding {
	lines := strings.Split(string(data), "\n")
	return slices.DeleteFunc(found,
		func(d finding.Finding) bool { return strings.HasSuffix(lines[d.Line-1], "// keep") })
}

// A repair of the module leaves operations whose findings are not selected or not asked for, and what is
// connected with them. It says why it leaves the latter.
func TestSelectInModule(t *testing.T) {
	const (
		token    = "  %t = stablehlo.create_token : !stablehlo.token\n"
		send     = "  %u = \"stablehlo.outfeed\"(%x, %t) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token\n"
		again    = "  %v = \"stablehlo.outfeed\"(%x, %u) : (tensor<f32>, !stablehlo.token) -> !stablehlo.token\n"
		receive  = "  %i:2 = \"stablehlo.infeed\"(%u) : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)\n"
		call     = "  %y = stablehlo.custom_call @f(%x) {api_version = 2 : i32} : (tensor<f32>) -> tensor<f32>\n"
		call2    = "  %z = stablehlo.custom_call @f(%y) {api_version = 2 : i32} : (tensor<f32>) -> tensor<f32>\n"
		callback = "  %c = stablehlo.custom_call @calliope_io_callback(%x) {api_version = 4 : i32, backend_config = {v = 1 : i64, form = \"observe\", callback = \"c\"}} : (tensor<f32>) -> tensor<1xi8>\n"
		power    = "  %u = stablehlo.power %n, %n : tensor<i32>\n"
	)
	keep := func(line string) string { return strings.TrimSuffix(line, "\n") + " // keep\n" }
	other := strings.NewReplacer("%t", "%t2", "%u", "%u2")
	stays := func(place, of, why string) string {
		return "its token is also that of " + of + " at f:" + place + ", which stays: " + why
	}
	const ignored, unreported = "its finding is ignored", "no rule that runs reports it"
	for _, test := range []struct {
		name, body, after string // "" if nothing changes
		rules             []*lint.Analyzer
		left              []string
	}{
		{"nothing", token + send, "", nil, nil},
		{name: "an outfeed", body: token + keep(send), left: []string{
			"2:8 create-token: " + stays("3:8", "stablehlo.outfeed", ignored)}},
		{name: "one of two outfeeds", body: token + send + keep(again), left: []string{
			"2:8 create-token: " + stays("4:8", "stablehlo.outfeed", ignored),
			"3:8 outfeed: " + stays("4:8", "stablehlo.outfeed", ignored)}},
		{name: "both", body: keep(token) + keep(send)},
		{name: "a token", body: keep(token) + send, left: []string{
			"3:8 outfeed: " + stays("2:8", "stablehlo.create_token", ignored)}},
		{name: "another token", body: token + send + other.Replace(keep(token)+keep(send)),
			after: other.Replace(keep(token) + keep(send))},
		{name: "a rule that does not run", body: token + send + receive, rules: []*lint.Analyzer{rules.Outfeed},
			left: []string{"3:8 outfeed: " + stays("4:10", "stablehlo.infeed", unreported)}},
		{name: "the token's rule alone", body: token + send, rules: []*lint.Analyzer{rules.CreateToken},
			left: []string{"2:8 create-token: " + stays("3:8", "stablehlo.outfeed", unreported)}},
		{name: "the outfeed's rule alone", body: token + send, after: "  return",
			rules: []*lint.Analyzer{rules.Outfeed}},
		{name: "a legacy call", body: call + keep(call2), after: keep(call2),
			rules: []*lint.Analyzer{rules.LegacyAdapter}},
		{name: "what XLA gets wrong", body: power + keep(other.Replace(power)), left: []string{
			"2:8 xla-deviates: (the repair would also change f:3:9, whose finding is ignored)"}},
		{name: "a callback", body: token + send + keep(callback), after: keep(callback)},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := "func.func @main(%x: tensor<f32>, %n: tensor<i32>) {\n" + test.body + "  return\n}\n"
			if test.rules == nil {
				test.rules = rules.All()
			}
			o := fix.Options{Options: lint.Options{Analyzers: test.rules}, Select: unlessKept, Unsafe: true}
			if test.name == "nothing" {
				o.Select = func([]byte, []finding.Finding) []finding.Finding { return nil }
			}
			r := check.Must(fix.Apply(mlirtest.Library(t), "f", []byte(text), o))
			var left []string
			for _, d := range r.Left {
				why := d.Message[strings.LastIndex(d.Message, " (")+1:]
				if _, reason, ok := strings.Cut(why, "(-fix cannot replace it: "); ok {
					why = strings.TrimSuffix(reason, ")")
				}
				left = append(left, fmt.Sprintf("%d:%d %s: %s", d.Line, d.Column, d.Rule, why))
			}
			check.Diff(t, "left", test.left, left)
			check.Diff(t, "changed", test.after != "", r.Changed)
			if test.after == "" {
				check.Diff(t, "text", text, string(r.Data))
			} else if !strings.Contains(string(r.Data), test.after) ||
				!strings.Contains(string(r.Data), "calliope_") {
				t.Errorf("the text is\n%s", r.Data)
			}
		})
	}
}

// What a rule wants to be mended by hand is left, also if the repair removes its operation.
func TestByHand(t *testing.T) {
	for _, file := range []string{"hook_flag_bad", "hook_flag_end"} {
		data := check.Must(os.ReadFile("../rules/testdata/" + file + ".mlir"))
		want := 0
		for _, d := range check.Must(lint.Check(mlirtest.Library(t), "f", data, lint.Options{Analyzers: rules.All()})) {
			if d.Rule == "hook-flag" {
				want++
			}
		}
		r := mend(t, data, rules.All()...)
		check.Diff(t, file+": findings of hook-flag", want, count(r.Left, "hook-flag", ""))
	}
}
