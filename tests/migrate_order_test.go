package tests

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/internal/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
)

// A feedStep is a step of a program with old host calls. The program has one number, which every step changes
// and every send shows.
type feedStep struct {
	kind  string // send, hook, tell, receive, if, case, while, call
	id    int32
	cond  []feedStep   // of a while
	parts [][]feedStep // branches, or a body
	trips int32
	drop  bool // a branch returns the token from before it, as EXLA's cond does
}

// A feedProgram generates a program as text, and runs it as a reference.
type feedProgram struct {
	r         *rand.Rand
	functions [][]feedStep
	main      []feedStep
	ids       int32

	text  strings.Builder
	names int

	log      []string
	received int32
}

const xlaToken = "!stablehlo.token"

func newFeedProgram(seed uint64) *feedProgram {
	p := &feedProgram{r: rand.New(rand.NewPCG(seed, 14))}
	for range p.r.IntN(3) {
		p.functions = append(p.functions, p.steps(2))
	}
	p.main = p.steps(3)
	return p
}

func (p *feedProgram) steps(depth int) (list []feedStep) {
	for range 1 + p.r.IntN(3) {
		p.ids++
		s := feedStep{id: p.ids, trips: int32(p.r.IntN(3)), drop: p.r.IntN(2) == 0}
		switch n := p.r.IntN(8); {
		case n < 2 || depth == 0:
			s.kind = []string{"send", "hook", "tell", "receive"}[p.r.IntN(4)]
		case n < 4:
			s.kind, s.parts = "if", [][]feedStep{p.steps(depth - 1), p.steps(depth - 1)}
		case n == 4:
			s.kind, s.parts = "case", [][]feedStep{p.steps(depth - 1), {}, p.steps(depth - 1)}
		case n < 7 || len(p.functions) == 0:
			s.kind, s.parts = "while", [][]feedStep{p.steps(depth - 1)}
			if p.r.IntN(2) == 0 {
				s.cond = p.steps(depth - 1)
			}
		default:
			s.kind, s.id = "call", int32(p.r.IntN(len(p.functions)))
		}
		list = append(list, s)
	}
	return list
}

// run runs steps as a reference and returns the number after them.
func (p *feedProgram) run(list []feedStep, v int32) int32 {
	for _, s := range list {
		switch s.kind {
		case "send", "hook", "tell":
			p.log = append(p.log, fmt.Sprintf("%d: %d", s.id, v))
			v = 3*v + s.id
		case "receive":
			p.received++
			p.log = append(p.log, fmt.Sprint("received ", p.received))
			v += p.received
		case "if":
			v = p.run(s.parts[1-v&1], v)
		case "case":
			v = p.run(s.parts[v&1], v)
		case "while":
			for i := int32(0); ; i++ {
				p.run(s.cond, v)
				if i >= s.trips {
					break
				}
				v = p.run(s.parts[0], v)
			}
		case "call":
			v = p.run(p.functions[s.id], v)
		}
	}
	return v
}

// name returns a new name of a value.
func (p *feedProgram) name() string {
	p.names++
	return fmt.Sprintf("%%v%d", p.names)
}

// line writes an operation with one result and returns its name.
func (p *feedProgram) line(format string, args ...any) string {
	name := p.name()
	fmt.Fprintf(&p.text, "%s = %s\n", name, fmt.Sprintf(format, args...))
	return name
}

func (p *feedProgram) number(n int32) string {
	return p.line("stablehlo.constant dense<%d> : tensor<i32>", n)
}

func (p *feedProgram) outfeed(v, of, t string) string {
	return p.line(`"stablehlo.outfeed"(%s, %s) : (%s, %s) -> %s`, v, t, of, xlaToken, xlaToken)
}

// write writes steps and returns the number and the token after them.
func (p *feedProgram) write(list []feedStep, v, t string) (string, string) {
	for _, s := range list {
		switch s.kind {
		case "send", "hook", "tell":
			id := p.number(s.id)
			switch s.kind {
			case "tell": // nothing orders it
				fmt.Fprintf(&p.text, "stablehlo.custom_call @tell(%s, %s) {has_side_effect = true} : (tensor<i32>, tensor<i32>) -> ()\n", id, v)
			case "send":
				t = p.line(`"stablehlo.outfeed"(%s, %s, %s) : (tensor<i32>, tensor<i32>, %s) -> %s`, id, v, t, xlaToken, xlaToken)
			case "hook":
				t = p.outfeed(p.line("stablehlo.constant dense<%d> : tensor<ui16>", s.id), "tensor<ui16>", t)
				t = p.outfeed(v, "tensor<i32>", p.outfeed(id, "tensor<i32>", t))
			}
			three := p.line("stablehlo.multiply %s, %s : tensor<i32>", v, p.number(3))
			v = p.line("stablehlo.add %s, %s : tensor<i32>", three, id)
		case "receive":
			in := p.name()
			fmt.Fprintf(&p.text, "%s:2 = \"stablehlo.infeed\"(%s) : (%s) -> (tensor<i32>, %s)\n", in, t, xlaToken, xlaToken)
			t = in + "#1"
			v = p.line("stablehlo.add %s, %s#0 : tensor<i32>", v, in)
		case "if", "case":
			index, of := p.line("stablehlo.and %s, %s : tensor<i32>", v, p.number(1)), "tensor<i32>"
			if s.kind == "if" {
				index, of = p.line("stablehlo.compare EQ, %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>", index, p.number(1)), "tensor<i1>"
			}
			out := p.name()
			fmt.Fprintf(&p.text, "%s:2 = \"stablehlo.%s\"(%s) (", out, s.kind, index)
			for i, part := range s.parts {
				p.text.WriteString([]string{"{\n", ", {\n"}[min(i, 1)])
				inV, inT := p.write(part, v, t)
				if s.drop {
					inT = t
				}
				fmt.Fprintf(&p.text, "stablehlo.return %s, %s : tensor<i32>, %s\n}", inV, inT, xlaToken)
			}
			fmt.Fprintf(&p.text, ") : (%s) -> (tensor<i32>, %s)\n", of, xlaToken)
			v, t = out+"#0", out+"#1"
		case "while":
			zero, out, i, inV, inT := p.number(0), p.name(), p.name(), p.name(), p.name()
			types := "tensor<i32>, tensor<i32>, " + xlaToken
			fmt.Fprintf(&p.text, "%s:3 = stablehlo.while(%s = %s, %s = %s, %s = %s) : %s\ncond {\n", out, i, zero, inV, v, inT, t, types)
			p.write(s.cond, inV, inT)
			more := p.line("stablehlo.compare LT, %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>", i, p.number(s.trips))
			fmt.Fprintf(&p.text, "stablehlo.return %s : tensor<i1>\n} do {\n", more)
			next := p.line("stablehlo.add %s, %s : tensor<i32>", i, p.number(1))
			endV, endT := p.write(s.parts[0], inV, inT)
			fmt.Fprintf(&p.text, "stablehlo.return %s, %s, %s : %s\n}\n", next, endV, endT, types)
			v, t = out+"#1", out+"#2"
		case "call":
			out := p.name()
			fmt.Fprintf(&p.text, "%s:2 = func.call @f%d(%s, %s) : (tensor<i32>, %s) -> (tensor<i32>, %s)\n", out, s.id, v, t, xlaToken, xlaToken)
			v, t = out+"#0", out+"#1"
		}
	}
	return v, t
}

func (p *feedProgram) module() string {
	p.text.WriteString("func.func @main(%x: tensor<i32>) -> tensor<i32> {\n")
	v, t := p.write(p.main, "%x", p.line("stablehlo.create_token : %s", xlaToken))
	p.outfeed(p.line("stablehlo.constant dense<0> : tensor<ui16>"), "tensor<ui16>", t)
	fmt.Fprintf(&p.text, "return %s : tensor<i32>\n}\n", v)
	for i, f := range p.functions {
		fmt.Fprintf(&p.text, "func.func private @f%d(%%x: tensor<i32>, %%t: %s) -> (tensor<i32>, %s) {\n", i, xlaToken, xlaToken)
		v, t := p.write(f, "%x", "%t")
		fmt.Fprintf(&p.text, "return %s, %s : tensor<i32>, %s\n}\n", v, t, xlaToken)
	}
	return p.text.String()
}

// and functions, and runs them: their calls have the order of a reference.
func TestMigrateOrder(t *testing.T) {
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	calls := 0
	client := check.Must(check.Must(bridge.Open(bridge.OpenOptions{})).NewClient(bridge.ClientOptions{Devices: 1}))
	defer client.Close()
	for seed := range uint64(16) {
		p := newFeedProgram(seed)
		registry := fmt.Sprint("migrate_order_", seed)
		text := p.module()
		m, err := c.Parse("random.mlir", []byte(text))
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		result, err := passes.Migrate(m, passes.MigrateOptions{Registry: registry})
		if err != nil || len(result.Left) > 0 {
			t.Fatalf("seed %d: %v, left: %v\n%s", seed, err, result.Left, text)
		}
		if strings.Contains(m.String(), "stablehlo.token") {
			t.Fatalf("seed %d: a token is left:\n%s", seed, m)
		}
		isOrdered(t, m)
		r := check.Must(callbacks.NewRegistry(registry, callbacks.RegistryOptions{}))
		var log []string
		var received int32
		bound := map[string]bool{}
		for _, cb := range result.Callbacks {
			if bound[cb.Name] {
				continue
			}
			bound[cb.Name] = true
			err := r.Register(cb.Name, func(f *callbacks.Frame) error {
				if cb.From == "stablehlo.infeed" {
					received++
					log = append(log, fmt.Sprint("received ", received))
					copy(f.Results[0].Data, tensor.Scalar(received).Data)
					return nil
				}
				// What follows a hook without a flag of its own belongs to it.
				for pair := range slices.Chunk(f.Args, 2) {
					log = append(log, fmt.Sprintf("%d: %d", scalar(pair[0]), scalar(pair[1])))
				}
				return nil
			}, callbacks.Options{FailRun: true})
			if err != nil {
				t.Fatal(err)
			}
		}
		executable, err := client.Compile(t.Context(), stablehlo.Program(m), bridge.CompileOptions{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, m)
		}
		out := check.Must(executable.Run(t.Context(), tensor.Scalar(int32(seed))))
		want := p.run(p.main, int32(seed))
		if got := scalar(check.Must(out[0].ToHost(t.Context()))); got != want {
			t.Errorf("seed %d: the result is %d, want %d", seed, got, want)
		}
		calls += len(log)
		if strings.Join(log, "\n") != strings.Join(p.log, "\n") {
			check.Diff(t, fmt.Sprintf("seed %d: calls", seed), p.log, log)
			t.Logf("%s\n%s", text, m)
		}
		if err := errors.Join(out[0].Close(), executable.Close(), r.Close(), m.Close()); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	if calls < 200 {
		t.Errorf("only %d calls were compared", calls)
	}
}

// isOrdered holds that the calls of a module are ordered.
func isOrdered(t testing.TB, m *mlir.Module) {
	t.Helper()
	result, err := passes.Unordered(m, passes.UnorderedOptions{})
	if err := errors.Join(err, result.Err()); err != nil {
		t.Errorf("%v\n%s", err, m)
	}
}

func scalar(v tensor.View) int32 { return check.Must(tensor.Slice[int32](v))[0] }
