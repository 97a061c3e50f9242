package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
)

func TestMain(m *testing.M) { mlirtest.Main(m) }

func Example() {
	if err := run("testdata/program.toy", ""); err != nil {
		panic(err)
	}
	// Output:
	// 1 16
	// 4 25
	// 9 36
	// 2 8 18
	// 32 50 72
}

// TestMistakes holds that the error of a wrong program has the place in it.
func TestMistakes(t *testing.T) {
	for program, want := range map[string]string{
		"def main() { var a = [1, 2] }":                           "p.toy:1:29: found \"}\", expected \";\"",
		"def main() { var 1 = [1]; }":                             "p.toy:1:18: found \"1\", expected a name",
		"def main() { var a = [x]; }":                             "p.toy:1:23: found \"x\", expected a number",
		"def main() { var a = [[1], [2, 3]]; }":                   "p.toy:1:28: the parts of a literal have different shapes",
		"def main() { print(a); }":                                "p.toy:1:20: there is no variable \"a\"",
		"def main() { f([1]); }":                                  "p.toy:1:14: there is no function \"f\" of 1 arguments",
		"def main() { var a<3> = [1, 2]; print(a); }":             "2 elements do not make tensor<3xf64>",
		"def main() { print([1, 2] + [[1, 2]]); }":                "toy.add of tensor<2xf64> and tensor<1x2xf64>: the shapes differ",
		"def f(a) { return f(a); } def main() { print(f([1])); }": "p.toy:1:19: f calls itself",
		"def f(a) { print(a); } def main() { f([1]); }":           "f takes 1 arguments and returns 0 results, not 1 and 1",
		"def f(a) { return a; }":                                  "there is no function main",
	} {
		file := filepath.Join(t.TempDir(), "p.toy")
		check.NoError(t, os.WriteFile(file, []byte(program), 0o644))
		check.Error(t, run(file, ""), want)
	}
}
