package quick_test

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/mlir"
)

// TestDamagedBytecode changes bytecode and compares the findings with those of a full parse, if
// the library accepts the result. It runs in a child process, because the library crashes or hangs
// on some of it. $CALLIOPE_QUICK_DAMAGED is the number of cases.
func TestDamagedBytecode(t *testing.T) {
	const env, mark = "CALLIOPE_QUICK_DAMAGED_FROM", "case: "
	cases := 300
	if n, err := strconv.Atoi(os.Getenv("CALLIOPE_QUICK_DAMAGED")); err == nil {
		cases = n
	}
	if from := os.Getenv(env); from != "" {
		start, _ := strconv.Atoi(from)
		damage(t, start, cases, mark)
		return
	}
	accepted, crashed := 0, 0
	for start := 0; start < cases; {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDamagedBytecode$")
		cmd.Env = append(os.Environ(), env+"="+strconv.Itoa(start))
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		last := start
		for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
			line := lines.Text()
			if number, ok := strings.CutPrefix(line, mark); ok {
				number, how, _ := strings.Cut(number, " ")
				last, _ = strconv.Atoi(number)
				if how == "accepted" {
					accepted++
				}
			} else if line != "PASS" && line != "FAIL" {
				t.Log(line)
			}
		}
		switch {
		case err == nil:
			start = cases
		case strings.Contains(string(out), "--- FAIL"):
			t.Fatalf("case %d failed", last)
		case strings.HasPrefix(stderr.String(), "panic: ") || strings.HasPrefix(stderr.String(), "fatal error: ") &&
			!strings.Contains(stderr.String(), "cgo"):
			t.Fatalf("case %d: %s", last, stderr.String())
		default: // the library crashed, or hangs
			crashed++
			start = last + 1
		}
	}
	t.Logf("%d of %d accepted, and %d crashes of the library", accepted, cases, crashed)
	if accepted == 0 {
		t.Error("the library accepted none")
	}
}

// damage runs the cases from start on.
func damage(t *testing.T, start, cases int, mark string) {
	library := mlirtest.Library(t)
	var seeds [][]byte
	for _, form := range forms {
		if strings.Contains(form.name, "fused") || strings.Contains(form.name, "region") || form.name == "call site" ||
			form.name == "results in parentheses" {
			all := binaries(t, library, []byte(form.text))
			for _, name := range slices.Sorted(maps.Keys(all)) {
				seeds = append(seeds, all[name])
			}
		}
	}
	modules(t, func(_ string, data []byte) {
		if mlir.IsBytecode(data) && len(data) < 4000 && strings.Contains(string(data), "feed") {
			seeds = append(seeds, data)
		}
	})
	for i := start; i < cases; i++ {
		data := mutate(seeds[i%len(seeds)], uint64(i))
		fmt.Printf("%s%d\n", mark, i)
		got := found(data)
		hung := time.AfterFunc(2*time.Second, func() { os.Exit(3) })
		want, ok := parsed(library, data)
		hung.Stop()
		if !ok {
			continue
		}
		fmt.Printf("%s%d accepted\n", mark, i)
		if diff := cmp.Diff(want, got); diff != "" && !refused(got) {
			t.Fatalf("case %d (-parsed +found):\n%s\n%q", i, diff, data)
		}
	}
}
