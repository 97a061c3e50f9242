package tests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/aliasing"
	"github.com/calliope-mlir/calliope/builder"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// aliasProgram is a program with aliased callbacks. Values are f32[4], and nothing else
// is, so that copies of them are distinguished from copies of tokens and counters.
type aliasProgram struct {
	b    *builder.Builder
	f    *builder.Func
	x    builder.Value // an argument
	pred builder.Value
}

// pass calls Go with values, in order with the other callbacks.
func (p *aliasProgram) pass(v ...builder.Value) builder.Value {
	return builder.Passthrough(v, builder.Callback{Name: "pass", Effect: "order"})[0]
}

// use is something that XLA neither fuses nor computes twice.
func (p *aliasProgram) use(v builder.Value) builder.Value {
	return builder.RuntimeCall(v, v, builder.Callback{Name: "pass"})
}

func (p *aliasProgram) loop(init builder.Value, body func(s builder.Value) builder.Value) builder.Value {
	n := p.f.Constant(tensor.Scalar[int32](3))
	return builder.Loop(n, init, func(_, s builder.Value) builder.Value { return body(s) }, builder.LoopOptions{})
}

// passing is a function that calls Go with its parameter.
func (p *aliasProgram) passing() *builder.Func {
	g := p.b.Func("passing", fourFloats)
	g.Return(builder.Passthrough(g.Param(0), builder.Callback{Name: "pass"}))
	return g
}

var fourFloats = tensor.ShapeOf(tensor.F32, 4)

// aliasPrograms each have aliases of which Explain says what XLA does.
var aliasPrograms = []struct {
	name   string
	donate bool
	build  func(p *aliasProgram) []builder.Value
	want   []aliasing.Cause // of the aliases of values, in the order of the text
}{
	{"computed", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{p.pass(builder.Cos(p.x))}
	}, []aliasing.Cause{aliasing.NoCopy}},
	{"chained", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{p.pass(p.pass(builder.Cos(p.x)))}
	}, []aliasing.Cause{aliasing.NoCopy, aliasing.NoCopy}},
	{"argument", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{p.pass(p.x)}
	}, []aliasing.Cause{aliasing.NotDonated}},
	{"donated", true, func(p *aliasProgram) []builder.Value {
		return []builder.Value{p.pass(p.x)}
	}, []aliasing.Cause{aliasing.NoCopy}},
	{"constant", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{p.pass(p.f.Constant(tensor.Vector[float32](1, 2, 3, 4)))}
	}, []aliasing.Cause{aliasing.IsConstant}},
	{"folded", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{p.pass(builder.Neg(p.f.Constant(tensor.Vector[float32](1, 2, 3, 4))))}
	}, []aliasing.Cause{aliasing.IsConstant}},
	{"used_after", false, func(p *aliasProgram) []builder.Value {
		y := p.use(p.x)
		q := p.pass(y)
		return []builder.Value{q, p.use(y)}
	}, []aliasing.Cause{aliasing.UsedAfter}},
	{"used_before", false, func(p *aliasProgram) []builder.Value {
		y := p.use(p.x)
		builder.Tap(y, builder.Callback{Name: "pass", Effect: "order"})
		return []builder.Value{p.pass(y)}
	}, []aliasing.Cause{aliasing.NoCopy}},
	{"returned", false, func(p *aliasProgram) []builder.Value {
		y := p.use(p.x)
		return []builder.Value{p.pass(y), y}
	}, []aliasing.Cause{aliasing.UsedAfter}},
	{"twice", false, func(p *aliasProgram) []builder.Value {
		y := p.use(p.x)
		return []builder.Value{p.pass(y, y)}
	}, []aliasing.Cause{aliasing.NoCopy, aliasing.AliasedTwice}},
	{"two_calls", false, func(p *aliasProgram) []builder.Value {
		y := p.use(p.x)
		return []builder.Value{p.pass(y), p.pass(y)}
	}, []aliasing.Cause{aliasing.UsedAfter, aliasing.NoCopy}},
	{"in_a_branch", false, func(p *aliasProgram) []builder.Value {
		y := p.use(p.x)
		return []builder.Value{builder.If(p.pred, func() builder.Value { return p.pass(y) },
			func() builder.Value { return builder.Neg(y) })}
	}, []aliasing.Cause{aliasing.Kept}},
	{"in_a_branch_and_used", false, func(p *aliasProgram) []builder.Value {
		y := p.use(p.x)
		z := builder.If(p.pred, func() builder.Value { return p.pass(y) }, func() builder.Value { return p.use(p.x) })
		return []builder.Value{z, p.use(y)}
	}, []aliasing.Cause{aliasing.Kept}},
	{"argument_in_a_branch", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{builder.If(p.pred, func() builder.Value { return p.pass(p.x) },
			func() builder.Value { return builder.Neg(p.x) })}
	}, []aliasing.Cause{aliasing.Kept}},
	{"loop_state", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{
			p.loop(p.use(p.x), func(s builder.Value) builder.Value { return builder.Cos(p.pass(s)) })}
	}, []aliasing.Cause{aliasing.NoCopy}},
	{"loop_state_used_again", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{
			p.loop(p.use(p.x), func(s builder.Value) builder.Value { return builder.Add(p.pass(s), p.use(s)) })}
	}, []aliasing.Cause{aliasing.UsedAfter}},
	{"loop_from_argument", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{p.loop(p.x, func(s builder.Value) builder.Value { return builder.Cos(p.pass(s)) })}
	}, []aliasing.Cause{aliasing.NotDonated}},
	{"around_a_loop", false, func(p *aliasProgram) []builder.Value {
		y := p.use(p.x)
		return []builder.Value{
			p.loop(p.use(p.x), func(s builder.Value) builder.Value { return builder.Add(p.pass(y), s) })}
	}, []aliasing.Cause{aliasing.AroundLoop}},
	{"result_of_a_loop", false, func(p *aliasProgram) []builder.Value {
		return []builder.Value{p.pass(p.loop(p.use(p.x), builder.Sin))}
	}, []aliasing.Cause{aliasing.NoCopy}},
	{"called", false, func(p *aliasProgram) []builder.Value {
		return p.passing().Call(p.use(p.x))
	}, []aliasing.Cause{aliasing.NoCopy}},
	{"called_with_argument", false, func(p *aliasProgram) []builder.Value {
		return p.passing().Call(p.x)
	}, []aliasing.Cause{aliasing.NotDonated}},
}

func buildAliasProgram(ctx *mlir.Context, i int) (*mlir.Module, error) {
	program := aliasPrograms[i]
	b := builder.New(ctx, builder.Options{Name: program.name})
	f := b.FuncWith("main", builder.Signature{Params: []builder.Param{
		{Shape: fourFloats, Donate: program.donate}, {Shape: tensor.ShapeOf(tensor.Pred)},
	}})
	f.Return(program.build(&aliasProgram{b, f, f.Param(0), f.Param(1)})...)
	m, err := b.Module()
	if err != nil {
		return nil, err
	}
	return m, passes.Prepare(m, passes.PrepareOptions{})
}

// compileAliasPrograms is what a child process does, which XLA tells to write down what
// it has compiled.
func compileAliasPrograms() error {
	if err := callbacks.Default.Register("pass", func(*callbacks.Frame) error { return nil },
		callbacks.Options{}); err != nil {
		return err
	}
	client, err := openClient(0)
	if err != nil {
		return err
	}
	ctx := library.NewContext(mlir.ContextOptions{})
	defer ctx.Close()
	for i := range aliasPrograms {
		m, err := buildAliasProgram(ctx, i)
		if err != nil {
			return err
		}
		e, err := client.Compile(context.Background(), passes.Program(m, passes.PrepareOptions{}),
			engine.CompileOptions{})
		if err != nil {
			return err
		}
		if err := e.Close(); err != nil {
			return err
		}
	}
	return client.Close()
}

// TestExplain holds what aliasing.Explain says of each program against the copies in
// what XLA makes of it.
func TestExplain(t *testing.T) {
	dump := t.TempDir()
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), roleVariable+"=compile alias programs",
		"XLA_FLAGS=--xla_dump_to="+dump+" --xla_dump_hlo_as_text")
	if out, err := child.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ctx := newContext(t)
	for i, program := range aliasPrograms {
		t.Run(program.name, func(t *testing.T) {
			m, err := buildAliasProgram(ctx, i)
			check.NoError(t, err)
			defer m.Close()
			var causes []aliasing.Cause
			var texts []string
			want, kept := 0, false
			m.Operation().Walk(func(op mlir.Operation) mlir.WalkAction {
				for _, e := range aliasing.Explain(op) {
					if shape, err := stablehlo.ShapeOf(op.Operand(int(e.Alias.OperandIndex)).Type()); err != nil ||
						!shape.Equal(fourFloats) {
						continue // a token
					}
					causes, texts = append(causes, e.Cause), append(texts, e.Text)
					switch e.Cause {
					case aliasing.NoCopy:
					case aliasing.Kept:
						kept = true // in a fusion with a select
					default:
						want++
					}
				}
				return mlir.WalkContinue
			})
			if diff := cmp.Diff(program.want, causes); diff != "" {
				t.Errorf("causes (-want +got):\n%s", diff)
			}
			files, err := filepath.Glob(
				filepath.Join(dump, fmt.Sprintf("module_*.%s.*cpu_after_optimizations.txt", program.name)))
			if err != nil || len(files) != 1 {
				t.Fatalf("XLA has written %v: %v", files, err)
			}
			hlo, err := os.ReadFile(files[0])
			check.NoError(t, err)
			if got := strings.Count(string(hlo), "f32[4]{0} copy("); got != want {
				t.Errorf("XLA copies %d times, Explain says %d: %q\n%s", got, want, texts, hlo)
			}
			if got := strings.Contains(string(hlo), "f32[4]{0} select("); got != kept {
				t.Errorf("XLA selects: %t, Explain says that KeepValues made a copy: %t: %q\n%s", got, kept, texts, hlo)
			}
		})
	}
}
