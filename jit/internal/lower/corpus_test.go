//go:build corpus

package lower_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/cmplx"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/internal/test/mlirtest"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

var corpus = flag.String("corpus", "", "a pattern of modules of StableHLO's own tests, which TestCorpus runs")

// TestCorpus runs the modules that -corpus names, each of which compares results with what it expects, in a child
// process.
func TestCorpus(t *testing.T) {
	check.NoRaces(t)
	if os.Getenv("CALLIOPE_TEST_CORPUS") != "" {
		checkModules()
	}
	files, err := filepath.Glob(*corpus)
	if err != nil || len(files) == 0 {
		t.Fatalf("-corpus must name modules: %q names none: %v", *corpus, err)
	}
	passed := 0
	for todo := files; len(todo) > 0; {
		executable, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(executable, "-test.run=^TestCorpus$")
		cmd.Env = append(os.Environ(), "CALLIOPE_TEST_CORPUS=1")
		cmd.Stdin = strings.NewReader(strings.Join(todo, "\n"))
		out, err := cmd.Output()
		lines := bytes.Count(out, []byte("\n"))
		for line := range bytes.Lines(out) {
			name, says, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t")
			if says == "" {
				passed++
				continue
			}
			t.Errorf("%s: %s", filepath.Base(name), says)
		}
		todo = todo[lines:]
		if err != nil {
			if len(todo) == 0 {
				t.Fatal(err)
			}
			t.Errorf("%s: crashes: %v", filepath.Base(todo[0]), err)
			todo = todo[1:]
		}
	}
	t.Logf("%d of %d modules passed", passed, len(files))
}

// checkModules is the child. It runs the modules that its input names, and prints what each one says.
func checkModules() {
	library, err := mlirtest.Default()
	if err != nil {
		panic(err)
	}
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		says := ""
		if err := checkModule(library, in.Text()); err != nil {
			says = strings.ReplaceAll(err.Error(), "\n", "; ")
		}
		fmt.Printf("%s\t%s\n", in.Text(), says)
	}
	os.Exit(0)
}

// checkModule runs a module of StableHLO's tests.
func checkModule(library *mlir.Library, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	m, err := c.Parse(filepath.Base(file), data)
	if err != nil {
		return err
	}
	var kinds []string
	for op := range m.Body().Operations() {
		name, _ := op.Attribute("sym_name")
		if name.String() != `"main"` {
			continue
		}
		block := op.Region(0).First()
		var operands []mlir.Value
		for inner := range block.Operations() {
			switch inner.Name() {
			case "stablehlo.custom_call":
				operands = append(operands, inner.OperandValues()...)
				target, _ := inner.Attribute("call_target_name")
				kinds = append(kinds, strings.Trim(target.String(), `"`))
				if err := inner.Erase(); err != nil {
					return err
				}
			case "func.return":
				inner.SetOperands(operands...)
			}
		}
		op.RemoveAttribute("res_attrs")
		var types []mlir.Type
		for _, v := range operands {
			types = append(types, v.Type())
		}
		op.SetAttribute("function_type", c.TypeAttribute(c.FunctionType(nil, types)))
	}
	e, err := jit.Compile(context.Background(), m, jit.Options{})
	if err != nil {
		return err
	}
	defer e.Close()
	results, err := e.Call(context.Background())
	if err != nil {
		return err
	}
	for i, kind := range kinds {
		if strings.Contains(file, "/fft_") || strings.Contains(file, "/triangular_solve_") {
			kind = "all together" // an element may be as wrong as the largest one
		}
		if err := same(kind, results[2*i+1], results[2*i]); err != nil {
			return fmt.Errorf("result %d: %w", i, err)
		}
	}
	return nil
}

func same(kind string, want, got tensor.View) error {
	largest := 0.0
	for i := range want.Shape.NumElements() {
		largest = max(largest, cmplx.Abs(number(want.At(i))))
	}
	for i := range want.Shape.NumElements() {
		a, b := want.At(i), got.At(i)
		if !sameElement(kind, a, b, want.Shape.DType, largest) {
			return fmt.Errorf("%s: element %d of %s is %v, want %v", kind, i, want.Shape, b, a)
		}
	}
	return nil
}

func sameElement(kind string, a, b any, d tensor.DType, largest float64) bool {
	x, y := number(a), number(b)
	off := cmplx.Abs(x - y)
	switch {
	case x == y || cmplx.IsNaN(x) && cmplx.IsNaN(y):
		return true
	case kind == "check.expect_eq":
		return false
	case kind == "check.expect_almost_eq" && off <= 1e-4:
		return true
	case kind == "all together":
		return off <= 4*epsilon(d)*largest
	}
	return off <= 4*epsilon(d)*max(cmplx.Abs(x), smallest(d))
}

func epsilon(d tensor.DType) float64 {
	switch d {
	case tensor.F64, tensor.C128:
		return 0x1p-52
	case tensor.F16:
		return 0x1p-10
	case tensor.BF16:
		return 0x1p-7
	}
	return 0x1p-23
}

func smallest(d tensor.DType) float64 {
	switch d {
	case tensor.F64, tensor.C128:
		return 0x1p-1022
	case tensor.F16:
		return 0x1p-14
	}
	return 0x1p-126
}

func number(v any) complex128 {
	switch v := v.(type) {
	case complex128:
		return v
	case complex64:
		return complex128(v)
	case bool:
		if v {
			return 1
		}
		return 0
	case float64:
		return complex(v, 0)
	case float32:
		return complex(float64(v), 0)
	case int64:
		return complex(float64(v), float64(v&1023))
	case uint64:
		return complex(float64(v), float64(v&1023))
	}
	var f float64
	if _, err := fmt.Sscan(fmt.Sprint(v), &f); err != nil {
		panic(fmt.Sprintf("%T %v", v, v))
	}
	return complex(f, 0)
}
