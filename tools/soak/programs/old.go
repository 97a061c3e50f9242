package programs

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/calliope-mlir/calliope/callbacks"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
	proof "github.com/calliope-mlir/calliope/passes/order"
)

// A writer writes a program as text whose calls are those of older programs: outfeeds, infeeds, and custom calls,
// ordered by XLA's tokens or by nothing.
type writer struct {
	*rand.Rand
	p      *program
	text   strings.Builder
	names  map[*variable]string
	last   int
	token  string
	called map[string]*call // by the name that Migrate gives the callback

	plain         bool // there are no flags, so Migrate numbers outfeeds and infeeds
	sends, infeed int  // how many there are
}

const tokenType = "!stablehlo.token"

// oldText returns the text of a program.
func (p *program) oldText(r *rand.Rand) (string, map[string]*call) {
	w := &writer{Rand: r, p: p, names: map[*variable]string{}, called: map[string]*call{}, plain: r.IntN(3) == 0}
	for _, f := range p.functions {
		w.function(f)
	}
	return w.text.String(), w.called
}

func (w *writer) function(f *function) {
	isMain := f == w.p.main()
	var params []string
	for i, v := range f.params {
		w.names[v] = fmt.Sprintf("%%p%d", v.number)
		param := fmt.Sprintf("%s: %s", w.names[v], v.kind.mlir())
		if isMain && w.p.aliased[i] >= 0 {
			param += fmt.Sprintf(" {tf.aliasing_output = %d : i32}", w.p.aliased[i])
		} else if isMain && w.p.donated[i] {
			param += " {jax.buffer_donor = true}"
		}
		params = append(params, param)
	}
	if isMain {
		w.say("func.func @main(%s) -> (%s) {", strings.Join(params, ", "), types(f.body.results))
		w.token = w.line("stablehlo.create_token : %s", tokenType)
	} else {
		w.token = "%token"
		params = append(params, w.token+": "+tokenType)
		w.say("func.func private @%s(%s) -> (%s) {", f.name, strings.Join(params, ", "),
			types(f.body.results, tokenType))
	}
	w.block(f.body)
	if isMain && !w.plain {
		w.outfeed("tensor<ui16>", w.line("stablehlo.constant dense<0> : tensor<ui16>"))
	}
	if isMain {
		w.back("return", f.body.results)
	} else {
		w.back("return", f.body.results, w.token, tokenType)
	}
	w.say("}")
}

func (w *writer) say(format string, args ...any) { fmt.Fprintf(&w.text, format+"\n", args...) }

func (w *writer) name() string {
	w.last++
	return fmt.Sprintf("%%v%d", w.last)
}

// line writes an operation with one result and returns its name.
func (w *writer) line(format string, args ...any) string {
	name := w.name()
	w.say("%s = %s", name, fmt.Sprintf(format, args...))
	return name
}

// back writes a terminator. A further value and its type may follow.
func (w *writer) back(op string, results []*variable, more ...string) {
	names, of := w.of(results), types(results)
	if len(more) > 0 {
		names, of = append(names, more[0]), types(results, more[1])
	}
	if len(names) == 0 {
		w.say("%s", op)
		return
	}
	w.say("%s %s : %s", op, strings.Join(names, ", "), of)
}

func (w *writer) of(list []*variable) (names []string) {
	for _, v := range list {
		names = append(names, w.names[v])
	}
	return names
}

// results names what an operation with several results returns. A token may be the last.
func (w *writer) results(out []*variable, token bool) (left string) {
	n := len(out) + int(truth(token))
	if n == 0 {
		return ""
	}
	name := w.name()
	for i, v := range out {
		w.names[v] = fmt.Sprintf("%s#%d", name, i)
	}
	if token {
		w.token = fmt.Sprintf("%s#%d", name, n-1)
	}
	return fmt.Sprintf("%s:%d = ", name, n)
}

var elements = []string{s32: "i32", s64: "i64", u8: "ui8", f32: "f32", f64: "f64", pred: "i1"}

func (k kind) mlir() string {
	text := ""
	for _, d := range k.shape.dims() {
		text += fmt.Sprint(d, "x")
	}
	return "tensor<" + text + elements[k.elem] + ">"
}

func types(list []*variable, more ...string) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, v.kind.mlir())
	}
	return strings.Join(append(parts, more...), ", ")
}

func (w *writer) block(b *block) {
	for _, s := range b.steps {
		switch s := s.(type) {
		case *compute:
			w.names[s.out] = w.compute(s)
		case *call:
			w.conditional(s)
		case *branch:
			w.branch(s)
		case *loop:
			w.loop(s)
		case *invoke:
			args, in := append(w.of(s.args), w.token), types(s.args, tokenType)
			left := w.results(s.out, true)
			w.say("%sfunc.call @%s(%s) : (%s) -> (%s)", left, s.function.name, strings.Join(args, ", "), in,
				types(s.out, tokenType))
		}
	}
}

func (w *writer) branch(s *branch) {
	op, before := "if", w.token
	if s.isCase {
		op = "case"
	}
	w.name() // of the results, which are known after the branches
	name := fmt.Sprintf("%%v%d", w.last)
	w.say("%s:%d = \"stablehlo.%s\"(%s) (", name, len(s.out)+1, op, w.names[s.on])
	for i, b := range s.blocks {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.say("{")
		w.token = before
		w.block(b)
		if w.IntN(3) == 0 { // as EXLA's cond does
			w.token = before
		}
		w.back("stablehlo.return", b.results, w.token, tokenType)
		w.say("}")
	}
	w.say(") : (%s) -> (%s)", s.on.kind.mlir(), types(s.out, tokenType))
	for i, v := range s.out {
		w.names[v] = fmt.Sprintf("%s#%d", name, i)
	}
	w.token = fmt.Sprintf("%s#%d", name, len(s.out))
}

func (w *writer) loop(s *loop) {
	zero := w.line("stablehlo.constant dense<0> : tensor<i32>")
	inits := append(append([]string{zero}, w.of(s.init)...), w.token)
	variables := append([]*variable{s.counter}, s.state...)
	w.token = w.name()
	var assigned []string
	for _, v := range variables {
		w.names[v] = w.name()
		assigned = append(assigned, w.names[v]+" = "+inits[len(assigned)])
	}
	assigned = append(assigned, w.token+" = "+inits[len(assigned)])
	inside, of := w.token, types(variables, tokenType)
	name := w.name()
	w.say("%s:%d = stablehlo.while(%s) : %s\ncond {", name, len(assigned), strings.Join(assigned, ", "), of)
	if s.cond != nil {
		w.block(s.cond)
		w.back("stablehlo.return", s.cond.results)
	} else {
		more := w.line("stablehlo.compare LT, %s, %s : (tensor<i32>, tensor<i32>) -> tensor<i1>", w.names[s.counter],
			w.names[s.limit])
		w.say("stablehlo.return %s : tensor<i1>", more)
	}
	w.say("} do {")
	w.token = inside
	w.block(s.body)
	one := w.line("stablehlo.constant dense<1> : tensor<i32>")
	next := w.line("stablehlo.add %s, %s : tensor<i32>", w.names[s.counter], one)
	w.say("stablehlo.return %s : %s\n}",
		strings.Join(append(append([]string{next}, w.of(s.body.results)...), w.token), ", "), of)
	for i, v := range s.out {
		w.names[v] = fmt.Sprintf("%s#%d", name, i+1)
	}
	w.token = fmt.Sprintf("%s#%d", name, len(assigned)-1)
}

// constant returns a constant with one number.
func (w *writer) constant(k kind, n int) string {
	text := fmt.Sprint(n)
	if k.elem.isFloat() {
		text += ".0"
	}
	if k.shape == empty {
		text = ""
	}
	return w.line("stablehlo.constant dense<%s> : %s", text, k.mlir())
}

func (w *writer) binary(op string, k kind, x, y string) string {
	return w.line("stablehlo.%s %s, %s : %s", op, x, y, k.mlir())
}

func (w *writer) rem(k kind, x string, n int) string {
	return w.binary("remainder", k, x, w.constant(k, n))
}

var spelled = map[operation]string{
	"add": "add", "sub": "subtract", "mul": "multiply", "max": "maximum", "min": "minimum", "and": "and", "or": "or",
	"xor": "xor",
}

func (w *writer) compute(s *compute) string {
	args, k := w.of(s.args), s.out.kind
	bounded := func(x string) string {
		if k.elem.isFloat() {
			return w.rem(k, x, bound)
		}
		return x
	}
	switch s.op {
	case "constant":
		return w.line("stablehlo.constant dense<%s> : %s", literal(k, s.literal), k.mlir())
	case "neg":
		return w.line("stablehlo.negate %s : %s", args[0], k.mlir())
	case "not":
		return w.line("stablehlo.not %s : %s", args[0], k.mlir())
	case "select":
		return w.line("stablehlo.select %s, %s, %s : %s, %s", args[0], args[1], args[2], s.args[0].kind.mlir(),
			k.mlir())
	case "power":
		return w.binary("power", k, args[0], w.constant(k, int(s.literal[0])))
	case "convert":
		return w.convert(args[0], s.args[0].kind, k)
	case "sum":
		of := s.args[0].kind
		dims := []string{"0", "0, 1"}[of.shape.rank-1]
		return bounded(w.line("stablehlo.reduce(%s init: %s) applies stablehlo.add across dimensions = [%s] : (%s, %s) -> %s",
			args[0], w.constant(k, 0), dims, of.mlir(), k.mlir(), k.mlir()))
	case "fill":
		return w.line("stablehlo.broadcast_in_dim %s, dims = [] : (%s) -> %s", args[0], s.args[0].kind.mlir(), k.mlir())
	case "reshape":
		return w.line("stablehlo.reshape %s : (%s) -> %s", args[0], s.args[0].kind.mlir(), k.mlir())
	case "reverse":
		return w.line("stablehlo.reverse %s, dims = [0] : %s", args[0], k.mlir())
	case "update":
		one := "tensor<1x" + elements[k.elem] + ">"
		part := w.line("stablehlo.reshape %s : (%s) -> %s", args[2], s.args[2].kind.mlir(), one)
		return w.line("stablehlo.dynamic_update_slice %s, %s, %s : (%s, %s, tensor<i32>) -> %s", args[0], part, args[1],
			k.mlir(), one, k.mlir())
	case "lt", "eq":
		of := s.args[0].kind.mlir()
		return w.line("stablehlo.compare %s, %s, %s : (%s, %s) -> %s", strings.ToUpper(string(s.op)), args[0], args[1],
			of, of, k.mlir())
	}
	return bounded(w.binary(spelled[s.op], k, args[0], args[1]))
}

// literal returns the elements of a constant.
func literal(k kind, data []int64) string {
	var parts []string
	for _, x := range data {
		text := fmt.Sprint(x)
		if k.elem.isFloat() {
			text += ".0"
		} else if k.elem == pred {
			text = fmt.Sprint(x != 0)
		}
		parts = append(parts, text)
	}
	list := func(parts []string) string { return "[" + strings.Join(parts, ", ") + "]" }
	switch {
	case len(parts) == 0:
		return ""
	case k.shape.rank == 0:
		return parts[0]
	case k.shape.rank == 2:
		return list([]string{list(parts[:k.shape.columns]), list(parts[k.shape.columns:])})
	}
	return list(parts)
}

// convert is converted.
func (w *writer) convert(x string, from, to kind) string {
	switch {
	case to.elem == pred:
		return w.line("stablehlo.compare NE, %s, %s : (%s, %s) -> %s", x, w.constant(from, 0), from.mlir(), from.mlir(),
			to.mlir())
	case from.elem == u8 || from.elem == pred:
	case to.elem == u8:
		x = w.line("stablehlo.abs %s : %s", w.rem(from, x, 97), from.mlir())
	case to.elem == s32:
		x = w.rem(from, x, 97)
	case to.elem.isFloat():
		x = w.rem(from, x, bound)
	}
	return w.line("stablehlo.convert %s : (%s) -> %s", x, from.mlir(), to.mlir())
}

func (w *writer) outfeed(of string, values ...string) {
	w.token = w.line("\"stablehlo.outfeed\"(%s, %s) : (%s, %s) -> %s", strings.Join(values, ", "), w.token, of,
		tokenType, tokenType)
}

// conditional writes a call in a branch if it has a condition.
func (w *writer) conditional(s *call) {
	if s.cond == nil {
		w.call(s)
		return
	}
	before, name := w.token, w.name()
	w.say("%s = \"stablehlo.if\"(%s) ({", name, w.names[s.cond])
	w.call(s)
	w.say("stablehlo.return %s : %s\n}, {\nstablehlo.return %s : %s\n}) : (tensor<i1>) -> %s", w.token, tokenType,
		before, tokenType, tokenType)
	w.token = name
}

// call writes a call in one of the forms that it may have.
func (w *writer) call(s *call) {
	args, of := w.of(s.args), types(s.args)
	how := w.IntN(4)
	switch {
	case s.form == answers && len(args) == 0 && len(s.out) > 0 && how < 3:
		if w.plain {
			w.called[fmt.Sprint("infeed_", w.infeed)] = s
			w.infeed++
		} else {
			w.called[fmt.Sprint("infeed_", s.site)] = s
			w.outfeed("tensor<ui16>", w.line("stablehlo.constant dense<%d> : tensor<ui16>", s.site))
		}
		token := w.token
		left := w.results(s.out, true)
		w.say("%s\"stablehlo.infeed\"(%s) : (%s) -> (%s)", left, token, tokenType, types(s.out, tokenType))
	case s.form == tap && len(args) > 0 && how < 2 && w.plain:
		w.called[fmt.Sprint("outfeed_", w.sends)] = s
		w.sends++
		w.outfeed(of, args...)
	case s.form == tap && len(args) > 0 && how == 0: // a flag of EXLA
		w.called[fmt.Sprint("hook_", s.site)] = s
		w.outfeed("tensor<ui16>", w.line("stablehlo.constant dense<%d> : tensor<ui16>", s.site))
		for i, x := range args {
			w.outfeed(s.args[i].kind.mlir(), x)
		}
	case s.form == tap && len(args) > 0 && how == 1: // a header of JAX's host_callback
		w.called[fmt.Sprint("hook_", s.site)] = s
		w.outfeed("tensor<2xui32>", w.line("stablehlo.constant dense<[271828, %d]> : tensor<2xui32>", s.site))
		w.outfeed(of, args...)
	default:
		name := fmt.Sprint("site_", s.site)
		w.called[name] = s
		left := w.results(s.out, false)
		results := "(" + types(s.out) + ")"
		w.say("%sstablehlo.custom_call @%s(%s) {has_side_effect = true} : (%s) -> %s", left, name,
			strings.Join(args, ", "), of, results)
	}
}

// migrated makes a module of a program that is written in the form of older ones.
func migrated(c *mlir.Context, p *program, r *rand.Rand) (*mlir.Module, func() error, error) {
	text, called := p.oldText(r)
	name := fmt.Sprint("old program ", p.seed)
	m, err := c.Parse(name, []byte(text))
	if err != nil {
		return nil, nil, fmt.Errorf("%w\n%s", err, text)
	}
	result, err := passes.Migrate(m, passes.MigrateOptions{Registry: name})
	if err == nil && len(result.Skipped) > 0 {
		err = fmt.Errorf("left by Migrate: %v", result.Skipped)
	}
	if err == nil {
		var unordered proof.Result
		unordered, err = proof.Unordered(m, proof.Options{})
		err = errors.Join(err, unordered.Err())
	}
	if err == nil {
		err = passes.Prepare(m, passes.PrepareOptions{})
	}
	functions, taken := callbacks.NewRegistry(name, callbacks.RegistryOptions{})
	if err := errors.Join(err, taken); err != nil {
		return m, nil, fmt.Errorf("%w\n%s", err, text)
	}
	for _, c := range result.Callbacks {
		if called[c.Name] == nil {
			err = errors.Join(err, fmt.Errorf("made by Migrate of no call: %s", c.Name))
		}
	}
	for name, c := range called {
		err = errors.Join(err, functions.Register(name, recorded(c.form, c.name, c.site), optionsOf(c.form, c.name)))
	}
	return m, functions.Close, err
}
