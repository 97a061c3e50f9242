package structs

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Steps of a case.
const (
	creating  = "create"
	verifying = "verify"
	changing  = "parse a changed text"
	renaming  = "parse it with an unknown operation"
	printing  = "print"
	ended     = "end"
)

// endings match the names of operations that end regions.
var endings = regexp.MustCompile(`[._](return|yield|terminator|end|done|br|condition|reduce|switch)$`)

// serve makes the operations of a batch.
func serve(b batch, answers *json.Encoder) error {
	l, err := mlir.Open(mlir.OpenOptions{Path: b.Path})
	if err != nil {
		return err
	}
	only := regexp.MustCompile(b.Options.Only)
	byDialect := map[string][]Operation{}
	for _, op := range All {
		dialect, _, _ := strings.Cut(op.Name, ".")
		byDialect[dialect] = append(byDialect[dialect], op)
	}
	var k *kit
	loaded := ""
	for i, op := range All {
		if !only.MatchString(op.Name) || (i+1)*b.Options.Rounds <= b.Start {
			continue
		}
		dialect, _, _ := strings.Cut(op.Name, ".")
		// What operations leave in a context slows the next ones.
		if k == nil || loaded != dialect || k.made > 400 {
			if k != nil {
				k.close()
			}
			k, loaded = newKit(l, dialect, byDialect[dialect], answers), dialect
		}
		if k == nil || !k.c.Registered(op.Name) {
			continue
		}
		l := &lessons{known: map[string]bool{}}
		for round := range b.Options.Rounds {
			n := i*b.Options.Rounds + round
			if n < b.Start {
				continue
			}
			h := fnv.New64a()
			fmt.Fprintf(h, "%s %d", op.Name, round)
			if err := k.try(n, op, l, rand.New(rand.NewPCG(b.Options.Seed, h.Sum64()))); err != nil {
				return err
			}
		}
	}
	return nil
}

// A kit has what the cases of a dialect share.
type kit struct {
	c          *mlir.Context
	foreign    *mlir.Context // takes unknown operations
	types      []mlir.Type
	own        []mlir.Type // those of the dialect
	attributes []mlir.Attribute
	siblings   []Operation
	ends       []Operation
	answers    *json.Encoder
	made       int
}

func newKit(l *mlir.Library, dialect string, ops []Operation, answers *json.Encoder) *kit {
	k := &kit{c: l.NewContext(mlir.ContextOptions{}), answers: answers}
	if k.c.LoadDialect(dialect) != nil {
		k.c.Close()
		return nil
	}
	k.foreign = l.NewContext(mlir.ContextOptions{AllowUnregistered: true})
	for _, op := range ops {
		if !k.c.Registered(op.Name) {
			continue
		}
		k.siblings = append(k.siblings, op)
		if endings.MatchString(op.Name) {
			k.ends = append(k.ends, op)
		}
	}
	for _, text := range types {
		if t, err := k.c.ParseType(text); err == nil {
			k.types = append(k.types, t)
			if strings.Contains(text, "!"+dialect+".") {
				k.own = append(k.own, t)
			}
		}
	}
	for _, text := range attributes {
		if a, err := k.c.ParseAttribute(text); err == nil {
			k.attributes = append(k.attributes, a)
		}
	}
	return k
}

func (k *kit) close() {
	k.c.Close()
	k.foreign.Close()
}

// try makes an operation, and sometimes another one beside it, in a function.
func (k *kit) try(n int, op Operation, l *lessons, fresh *rand.Rand) error {
	k.made++
	what := op.Name
	say := func(s string) error { return k.answers.Encode(step{Case: n, What: what, Step: s}) }
	if err := say(creating); err != nil {
		return err
	}
	drawn := l.next(fresh)
	r := rand.New(drawn)
	m := k.c.NewModule(mlir.Location{})
	defer m.Close()
	m.Operation().SetAttribute("gpu.container_module", k.c.UnitAttribute()) // without it, no launch is valid
	var some []mlir.Type
	for range pick(r, []int{1, 2, 2, 3, 4}) {
		if of := pick(r, [][]mlir.Type{k.types, k.own}); len(of) > 0 {
			some = append(some, pick(r, of))
		}
	}
	if len(some) == 0 {
		some = append(some, pick(r, k.types))
	}
	block := k.c.NewBlock(mlir.Location{}, append(some, some...)...)
	body := k.c.NewRegion()
	body.Append(block)
	kind := k.c.FunctionType(mlir.TypesOf(block.ArgumentValues()), nil)
	f, err := mlir.Create(m.Body(), mlir.OperationState{Name: "func.func", Regions: []mlir.Region{body},
		Attributes: []mlir.NamedAttribute{{Name: "sym_name", Value: k.c.StringAttribute("f")},
			{Name: "function_type", Value: k.c.TypeAttribute(kind)}}})
	if err != nil {
		return err
	}
	var refusals []error
	made := 0
	for range pick(r, []int{1, 1, 1, 2}) {
		parts := &odd{Rand: r, c: k.c, types: some, attributes: k.attributes, home: block, ends: k.ends,
			n: pick(r, []int{0, 1, 1, 1, 2, 3})}
		b := mlir.NewBuilder(block, mlir.Location{})
		op.Make(parts, r.IntN(2) == 0).Create(b)
		if refusals = append(refusals, b.Err()); b.Err() == nil {
			made++
		}
		op = pick(r, k.siblings)
		what += ", " + op.Name
	}
	what, _, _ = strings.Cut(what+",", ", "+op.Name+",")
	if made == 0 {
		l.learn(drawn, errors.Join(refusals...))
		return nil
	}
	if _, err := mlir.Create(block, mlir.OperationState{Name: "func.return"}); err != nil {
		return err
	}
	if err := say(verifying); err != nil {
		return err
	}
	for o := range block.Operations() {
		refusals = append(refusals, o.Verify())
	}
	valid := m.Verify()
	l.learn(drawn, errors.Join(append(refusals, valid)...))
	generic := f.Print(mlir.PrintOptions{Generic: true})
	for i := range 3 {
		if err := say(changing); err != nil {
			return err
		}
		text := generic
		if i > 0 {
			text = changed(text, fresh)
		}
		if other, err := k.c.Parse("", []byte(text)); err == nil {
			other.Close()
		}
	}
	for _, text := range withUnknown(m.Operation().Print(mlir.PrintOptions{Generic: true})) {
		if err := say(renaming); err != nil {
			return err
		}
		if other, err := k.foreign.Parse("", []byte(text)); err == nil {
			_ = other.Verify()
			_ = other.String()
			other.Close()
		}
	}
	if valid != nil {
		return nil
	}
	if err := say(printing); err != nil {
		return err
	}
	if problem := k.again(m); problem != nil {
		return k.answers.Encode(step{Case: n, What: what, Step: "read", Odd: head(problem.Error())})
	}
	return say(ended)
}

// refused matches errors about types that operations infer though the library does not read them.
var refused = regexp.MustCompile(`amx\.tile|for !torch\.tensor type|invalid primary type`)

// again prints and writes a module, and reads both. Some forms of text of the library do not say all, and then the
// generic one must.
func (k *kit) again(m *mlir.Module) error {
	data, err := m.Bytecode()
	if err != nil {
		return err
	}
	read := func(source []byte) error {
		other, err := k.c.Parse("", source)
		if err != nil {
			return err
		}
		_ = other.Clone().Close()
		return other.Close()
	}
	text := m.Operation().Print(mlir.PrintOptions{Generic: true})
	if err = read([]byte(m.String())); err != nil {
		err = read([]byte(text))
	}
	if err = errors.Join(err, read(data)); err != nil && !refused.MatchString(err.Error()) {
		return fmt.Errorf("%w\n%s", err, text)
	}
	return nil
}

var changes = []struct {
	what *regexp.Regexp
	with string
}{
	{regexp.MustCompile(`array<(i\d+): [^>]*>`), "array<$1>"},
	{regexp.MustCompile(`array<(i\d+): [^>]*>`), "array<$1: -1>"},
	{regexp.MustCompile(`dense<[^>]*> : tensor<\d+x(i\d+)>`), "dense<> : tensor<0x$1>"},
	{regexp.MustCompile(`, [a-z_]+ = [^,={}]+}>`), "}>"},
	{regexp.MustCompile(` <\{[^{}]*\}>`), ""},
	{regexp.MustCompile(`<\{[a-zA-Z_]+ = [^,={}]+, `), "<{"},
	{regexp.MustCompile(`\(\{\n[^{}]*\}\)`), "({\n})"},
	{regexp.MustCompile(`(tensor|memref|vector)<([0-9?]+x)+`), "$1<"},
	{regexp.MustCompile(`(tensor|memref)<[0-9?x]*`), "$1<*x"},
	{regexp.MustCompile(`([( ])(tensor|memref|vector)<[^>]*>`), "${1}i32"},
	{regexp.MustCompile(`"\((%arg\d+)\)(.*) : \(([^(),]*)\)`), `"()$2 : ()`},
}

// genericName matches the name of an operation in a generic text.
var genericName = regexp.MustCompile(`"([a-z_0-9]+\.[\w.]+)"\(`)

// withUnknown returns texts each with the operations of one name in another dialect, which no library has: what is
// around an operation, ends its regions, or defines its operands and symbols.
func withUnknown(text string) (texts []string) {
	seen := map[string]bool{}
	for _, at := range genericName.FindAllStringSubmatch(text, -1) {
		if name := at[1]; !seen[name] {
			seen[name] = true
			texts = append(texts, strings.ReplaceAll(text, at[0], `"un.known"(`))
		}
	}
	return texts
}

// changed changes a generic text so that an operation lacks something.
func changed(text string, r *rand.Rand) string {
	head, rest, _ := strings.Cut(text, "):\n")
	c := pick(r, changes)
	return head + "):\n" + c.what.ReplaceAllString(rest, c.with)
}
