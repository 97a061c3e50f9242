package command_test

import (
	"bytes"
	"encoding/json"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/lint"
)

// hangs does not end on a function @hang.
var hangs = &lint.Analyzer{Name: "hangs", Doc: "takes long", Run: func(p *lint.Pass) error {
	for op := range p.Operations("func.func") {
		if name, _ := op.Symbol(); name == "hang" {
			time.Sleep(time.Hour)
		}
	}
	return nil
}}

// eats takes more and more memory on a function @eat.
var eats = &lint.Analyzer{Name: "eats", Doc: "takes memory", Run: func(p *lint.Pass) error {
	for op := range p.Operations("func.func") {
		if name, _ := op.Symbol(); name == "eat" {
			for {
				eaten = append(eaten, bytes.Repeat([]byte{1}, 16<<20))
				time.Sleep(time.Millisecond) // the limit is found before the memory of the machine ends
			}
		}
	}
	return nil
}}

var eaten [][]byte

// hanging is a module on which hangs does not end.
const hanging = "func.func @hang() { return }"

// marker divides the parts of a text.
const marker = "// -----\n"

// tooDeep crashes the library.
var tooDeep = "\nmodule attributes {a.b = " + strings.Repeat("[", 2_000_000) + strings.Repeat("]", 2_000_000) + "} {}\n"

// TestPartCrashes checks that a part that crashes the library has a finding at its first line, and that
// the other parts have the findings that they have without it.
func TestPartCrashes(t *testing.T) {
	t.Parallel()
	crash := "SIGSEGV"
	if runtime.GOOS == "windows" {
		crash = "" // see TestCrash
	}
	ignored := strings.Replace(outfeeds, "  %u", "// mlir-lint:ignore outfeed why\n  %u", 1)
	first, last := unused+marker+ignored+marker, marker+outfeeds+marker+ignored+marker+"nonsense\n"
	path := writeFile(t, t.TempDir(), "a.mlir", first+tooDeep+last)
	withFew("", "-split-input-file", path).holds(t, 2,
		path+":1:30: error: stablehlo.create_token ",
		path+":9:1: error: the MLIR library crashed on this part ("+crash,
		"it may be nested too deeply, or damaged [invalid]\n",
		path+":13:8: error: stablehlo.outfeed ",
		path+":23:1: error: ", "[invalid]\n")
	// findings returns the findings of a run, without those of parts that crash.
	findings := func(r result) (all []map[string]any) {
		for line := range strings.Lines(r.Stdout) {
			var f map[string]any
			check.NoError(t, json.Unmarshal([]byte(line), &f))
			if !strings.Contains(f["message"].(string), "crashed") {
				all = append(all, f)
			}
		}
		return all
	}
	calm := strings.Repeat("\n", strings.Count(tooDeep, "\n"))
	want := findings(withFew(first+calm+last, "-split-input-file", "-format", "json"))
	check.Diff(t, "findings", 5, len(want))
	check.Diff(t, "findings", want, findings(withFew(first+tooDeep+last, "-split-input-file", "-format", "json")))
}

// TestPartIsLate checks parts that take too long, or end the worker, between others.
func TestPartIsLate(t *testing.T) {
	t.Parallel()
	text := unmarked + marker + hanging + "\n" + marker + unmarked + marker + "func.func @crash() { return }\n" +
		marker + unmarked
	executeWith(everything, text, "-rules", "marks,hangs,meddles", "-split-input-file", "-timeout", "3s").holds(t, 2,
		"<stdin>:2:1: warning: no mark [marks]\n",
		"<stdin>:6:1: error: reading and checking took longer than 3s and was stopped: raise -timeout [invalid]\n",
		"<stdin>:9:1: warning: no mark [marks]\n",
		"<stdin>:13:1: error: the MLIR library crashed on this part (exit status 7): ",
		"<stdin>:16:1: warning: no mark [marks]\n")
	// A text without parts is late as a whole.
	executeWith(everything, hanging, "-rules", "hangs", "-split-input-file", "-timeout", "1s").holds(t, 2,
		"<stdin>:1:1: error: reading and checking took longer than 1s and was stopped: raise -timeout [invalid]\n")
}
