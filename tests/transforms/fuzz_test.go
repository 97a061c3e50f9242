package transforms

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/calliope-mlir/calliope/autodiff"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/internal/mlirtest"
	"github.com/calliope-mlir/calliope/internal/transform/transformtest"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/vmap"
)

// largestModule limits the modules of the repository that are transformed.
const largestModule = 16 << 10

// deepest are the most steps of one input, of two bytes each.
const deepest = 3

// fuzzed has the transformations that a byte chooses.
var fuzzed = []string{
	"jvp", "vjp", "grad", "value_and_grad", "vmap", "jacfwd", "jacrev", "hessian", "checkpoint", "linearize", "transpose",
}

// ofItself is a function that contains itself.
const ofItself = `func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
	%0 = stablehlo.composite "my.own" %x {decomposition = @main} : (tensor<2xf32>) -> tensor<2xf32>
	return %0 : tensor<2xf32>
}`

// tokenOfBranch has a branch without an effect that returns a token.
const tokenOfBranch = `func.func @main(%p: tensor<i1>) -> !stablehlo.token {
	%0 = "stablehlo.if"(%p) ({
		%1 = stablehlo.after_all : !stablehlo.token
		stablehlo.return %1 : !stablehlo.token
	}, {
		%1 = stablehlo.after_all : !stablehlo.token
		stablehlo.return %1 : !stablehlo.token
	}) : (tensor<i1>) -> !stablehlo.token
	return %0 : !stablehlo.token
}`

// FuzzTransforms holds that up to three transformations of the functions of a module are an error that names an
// operation, or leave a module that verifies. The modules are those of the repository and the random programs, because
// the library's parser ends the process for some texts.
func FuzzTransforms(f *testing.F) {
	modules := []string{ofItself, tokenOfBranch}
	f.Add(uint16(1), []byte{4, 0})
	check.NoError(f, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".mlir" {
			return err
		}
		text, err := os.ReadFile(path)
		if len(text) <= largestModule {
			modules = append(modules, string(text))
		}
		return err
	}))
	for _, c := range transformtest.ReadCases[randomCase](f, *casesFile) {
		modules = append(modules, c.Module)
	}
	for i := range modules {
		for k := range 2 {
			n := 2*i + k
			steps := []byte{byte(n), byte(n / 2), byte(n / 3), byte(n / 4), byte(5 * n), byte(n / 5)}
			f.Add(uint16(i), steps[:2*(n%deepest+1)])
		}
	}
	library := mlirtest.Jaxlib(f)
	f.Fuzz(func(t *testing.T, module uint16, steps []byte) {
		m, err := mlirtest.ContextOf(t, library).Parse("fuzz.mlir", []byte(modules[int(module)%len(modules)]))
		if err != nil {
			return // some are there because they are wrong
		}
		defer m.Close()
		for _, function := range mlirtest.Find(m, "func.func") {
			for b := steps; len(b) > 1 && err == nil && len(steps)-len(b) < 2*deepest; b = b[2:] {
				function, err = fuzzStep(m, function, b[0], int(b[1]))
			}
			var underived *autodiff.Error
			var unbatched *vmap.Error
			if err != nil && !errors.Is(err, errUnsuited) && !errors.As(err, &underived) &&
				!errors.As(err, &unbatched) {
				t.Errorf("%v is no error about an operation", err)
			}
			err = nil
			check.NoError(t, m.Operation().Verify())
		}
	})
}

// fuzzStep makes the transformation that a byte chooses, with respect to all parameters or some.
func fuzzStep(m *mlir.Module, f mlir.Operation, kind byte, choice int) (made mlir.Operation, err error) {
	s := step{Kind: fuzzed[int(kind)%len(fuzzed)], Size: 2}
	if f.Region(0).NumBlocks() != 1 || f.Parent() != m.Operation() { // a wrapper cannot call it
		return made, errUnsuited
	}
	n := f.Region(0).First().NumArguments()
	if choice%2 == 1 && n > 0 {
		s.Parameters = []int{choice / 2 % n}
	}
	switch o := (autodiff.Options{Parameters: s.Parameters, MaxSteps: int64(choice % 3)}); s.Kind {
	case "linearize":
		_, made, err = autodiff.Linearize(f, o)
		return made, err
	case "transpose":
		return autodiff.LinearTranspose(f, o)
	case "vmap":
		o := vmap.Options{Size: s.Size, Method: vmap.Sequential}
		if s.Parameters != nil {
			o.In = slices.Repeat([]int{vmap.NotBatched}, n)
			o.In[s.Parameters[0]] = choice/2%3 - 1
		}
		return vmap.Batch(f, o)
	}
	return s.transform(m, f)
}
