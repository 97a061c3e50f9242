package transforms

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/calliope-mlir/calliope/internal/ir/transform"
	"github.com/calliope-mlir/calliope/internal/text/lazyregexp"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tools/soak/movement"
	"github.com/calliope-mlir/calliope/tools/soak/operations"
	"github.com/calliope-mlir/calliope/tools/soak/programs"
)

// An outcome is how a trial ended that found nothing.
type outcome string

const (
	unsuited  outcome = "unsuited"  // the original does not run, or cannot be called
	refused   outcome = "refused"   // by a transformation
	ran       outcome = "ran"       // without a comparison
	undefined outcome = "undefined" // the numbers are no finite ones
	compared  outcome = "compared"
)

// onOriginal is what a trial does before it transforms anything.
const onOriginal = "running the original"

// maxSteps limits loops without a constant number of steps.
const maxSteps = 8

// A trial is the work on one seed.
type trial struct {
	*session
	r *rand.Rand
	m *mlir.Module // its context is the trial's
	// differences says that derivatives are held to finite differences, too.
	differences bool
	// coarse says that the function rounds tangents and cotangents, each in another place.
	coarse bool
	story  string             // what was done
	say    func(doing string) // says what is done next, which may end the process
}

// do transforms a function at random, and holds what it gets to what it should compute.
func (t *trial) do() (result outcome, err error) {
	f, err := t.original()
	if err != nil {
		t.story += ": " + err.Error()
		return unsuited, nil
	}
	for range t.r.IntN(3) {
		s := t.step(f)
		t.story += ", " + s.Kind
		t.say("transforming it")
		if f, err = s.Transform(t.m, f); err != nil {
			return t.refusal(err)
		}
	}
	t.say("verifying it")
	if err := t.m.Operation().Verify(); err != nil {
		return "", err
	}
	switch n := t.r.IntN(5); {
	case n < 2 && differentiable(f) != nil:
		t.story += ", derivatives"
		return t.derivatives(f)
	case n < 4:
		t.story += ", batch"
		return t.batch(f)
	}
	t.say("running it")
	return ran, t.runs(f)
}

// refusal returns an error of a transformation that is none about an operation or a function.
func (t *trial) refusal(err error) (outcome, error) {
	if errors.Is(err, errUnsuited) {
		return unsuited, nil
	}
	if _, ok := errors.AsType[*stablehlo.TransformError](err); !ok {
		return "", fmt.Errorf("the error is not about an operation: %w", err)
	}
	t.story += ": " + err.Error()
	return refused, nil
}

var (
	// rounded matches what has no smooth results, or others each time.
	rounded = lazyregexp.New(`xb?f(4|6|8|16|32)|reduce_precision|bitcast_convert|stablehlo\.rng|!quant`)
	rounds  = lazyregexp.New(`stablehlo\.(convert|reduce_precision)`)
)

// original chooses a module and a function in it that compiles and runs, in f64 if it can be.
func (t *trial) original() (f mlir.Operation, err error) {
	var texts []string
	switch t.r.IntN(6) {
	case 0:
		seed := t.r.Uint64()
		c := t.library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		m, err := programs.Module(c, seed)
		if err != nil {
			return f, err
		}
		t.story, texts = fmt.Sprint("random program ", seed), []string{m.String()}
	case 1:
		s := choose(t.r, t.modules)
		t.story, texts = s.name, []string{doubled(s.text), s.text}
	case 2:
		name, text := operations.Module(t.r)
		t.story, texts = "operations "+name, []string{text}
		t.differences, t.coarse = !rounded().MatchString(text), rounds().MatchString(text)
	case 3:
		t.story, texts, t.differences = "movement", []string{movement.Module(t.r)}, true
	default:
		s := choose(t.r, t.programs)
		t.story, texts = s.name, []string{doubled(s.text), s.text}
	}
	for _, text := range texts {
		c := t.library.NewContext(mlir.ContextOptions{})
		if t.m, err = c.Parse("original", []byte(text)); err == nil {
			if f, err = t.function(); err == nil {
				return f, nil
			}
		}
		err = errors.Join(err, c.Close())
		t.m = nil
	}
	return f, err
}

// function chooses a function of the module, and runs it.
func (t *trial) function() (f mlir.Operation, err error) {
	var list []mlir.Operation
	for op := range t.m.Body().Operations() {
		if op.Name() == "func.func" && op.Region(0).NumBlocks() == 1 {
			list = append(list, op)
		}
	}
	if len(list) == 0 {
		return f, errors.New("it has no function of one block")
	}
	f = choose(t.r, list)
	if main, ok := t.m.SymbolTable().Lookup("main"); ok && t.r.IntN(2) == 0 && main.Region(0).NumBlocks() == 1 {
		f = main
	}
	name, _ := f.Symbol()
	t.story = fmt.Sprintf("%s, @%s", strings.TrimSuffix(t.story, ", @"+name), name)
	t.say(onOriginal)
	return f, t.runs(f)
}

// runs runs a function.
func (t *trial) runs(f mlir.Operation) error {
	arguments, err := inputs(t.r, f)
	if err != nil {
		return err
	}
	return t.compiled(f, func(run runner) error {
		_, err := run(arguments...)
		return err
	})
}

// step chooses a transformation, with respect to all parameters or to one.
func (t *trial) step(f mlir.Operation) Step {
	s := Step{Kind: choose(t.r, kinds), MaxSteps: maxSteps, Size: 2}
	some := differentiable(f)
	if len(some) == 0 {
		s.Kind = choose(t.r, []string{"vmap", "checkpoint"})
	}
	n := f.Region(0).First().NumArguments()
	if n == 0 || t.r.IntN(2) == 0 {
		return s
	}
	i := t.r.IntN(n)
	if s.Kind != "vmap" && s.Kind != "checkpoint" {
		i = choose(t.r, some)
	}
	s.Parameters, s.Axes = []int{i}, make([]*int, n)
	s.Axes[i] = new(int)
	return s
}

// differentiable returns the indices of the parameters that have derivatives.
func differentiable(f mlir.Operation) (list []int) {
	for i, v := range f.Region(0).First().Arguments() {
		if t := v.Type(); t.IsRankedTensor() && (transform.IsFloat(t) || transform.IsComplex(t)) {
			list = append(list, i)
		}
	}
	return list
}
