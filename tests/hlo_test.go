package tests

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/calliope-mlir/calliope/bridge"
	"github.com/calliope-mlir/calliope/engine"
	"github.com/calliope-mlir/calliope/internal/test/check"
)

// optimizedHLO compiles a program and returns what XLA executes, from its dump.
func optimizedHLO(t *testing.T, client *bridge.Client, p engine.Program) *hloModule {
	t.Helper()
	dir := t.TempDir()
	e, err := client.Compile(t.Context(), p,
		engine.CompileOptions{DumpTo: dir, Flags: map[string]string{"xla_dump_hlo_as_text": "true"}})
	check.NoError(t, err)
	check.NoError(t, e.Close())
	files, err := filepath.Glob(filepath.Join(dir, "*after_optimizations.txt"))
	check.NoError(t, err)
	check.Diff(t, "dumps of the optimized module", 1, len(files))
	data, err := os.ReadFile(files[0])
	check.NoError(t, err)
	m, err := parseHLO(string(data))
	check.NoError(t, err)
	return m
}

// An hloModule is the text form of an optimized module of XLA, as far as these tests read it.
type hloModule struct {
	text         string
	entry        string
	computations map[string][]hloOp
}

type hloOp struct {
	name, shape, op string
	operands        []string // names, or the number of a parameter
	attributes      string
	root            bool
}

var (
	hloHead   = regexp.MustCompile(`^(ENTRY )?%([^ ]+) \(.*\{$`)
	hloName   = regexp.MustCompile(`%[\w.\-]+(#\d+)?`)
	hloCalled = regexp.MustCompile(`(\w+)=(%[\w.\-]+|\{%[^}]*\})`)
	hloConfig = regexp.MustCompile(`callback = "([^"]*)"`)
)

// parseHLO reads the text of a module. Each operation is one line.
func parseHLO(text string) (*hloModule, error) {
	m := &hloModule{text: text, computations: map[string][]hloOp{}}
	in := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if head := hloHead.FindStringSubmatch(line); in == "" && head != nil {
			in = head[2]
			if head[1] != "" {
				m.entry = in
			}
			continue
		}
		if line == "}" {
			in = ""
		}
		if in == "" || line == "" {
			continue
		}
		var o hloOp
		rest, root := strings.CutPrefix(line, "ROOT ")
		name, rest, ok := strings.Cut(rest, " = ")
		if !ok {
			return nil, fmt.Errorf("no operation: %s", line)
		}
		o.name, o.root = strings.TrimPrefix(name, "%"), root
		end := strings.IndexByte(rest, ' ')
		if rest[0] == '(' {
			end = closing(rest)
		}
		o.shape, rest = rest[:end], strings.TrimSpace(rest[end:])
		open := strings.IndexByte(rest, '(')
		if open < 0 {
			return nil, fmt.Errorf("no operands: %s", line)
		}
		o.op, rest = rest[:open], rest[open:]
		end = closing(rest)
		for _, operand := range hloName.FindAllString(rest[:end], -1) {
			o.operands = append(o.operands, operand[1:])
		}
		if o.op == "parameter" {
			o.operands = []string{rest[1 : end-1]}
		}
		o.attributes = rest[end:]
		m.computations[in] = append(m.computations[in], o)
	}
	if m.entry == "" {
		return nil, fmt.Errorf("no entry computation in:\n%s", text)
	}
	return m, nil
}

// closing returns the index after the parenthesis that closes the first one.
func closing(s string) int {
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// called returns the computations that an operation names as a kind, such as body.
func (o hloOp) called(kinds ...string) (names []string) {
	for _, kind := range kinds {
		for _, match := range hloCalled.FindAllStringSubmatch(o.attributes, -1) {
			if match[1] == kind {
				for _, name := range hloName.FindAllString(match[2], -1) {
					names = append(names, name[1:])
				}
			}
		}
	}
	return names
}

// isToken reports whether a shape is that of the token of an effect.
func isToken(shape string) bool { return strings.HasPrefix(shape, "s8[1]") || shape == "s8[]" }

// An hloValue says from which callbacks the tokens in a value come. "start" is a constant.
type hloValue struct {
	from  []string // sorted
	tuple []hloValue
}

// element returns an element of a tuple. It is empty if there is no token in it.
func (v hloValue) element(n int) hloValue {
	if n >= len(v.tuple) {
		return hloValue{}
	}
	return v.tuple[n]
}

func joined(a, b hloValue) hloValue {
	v := hloValue{from: slices.Compact(slices.Sorted(slices.Values(slices.Concat(a.from, b.from))))}
	for i := range max(len(a.tuple), len(b.tuple)) {
		var x, y hloValue
		if i < len(a.tuple) {
			x = a.tuple[i]
		}
		if i < len(b.tuple) {
			y = b.tuple[i]
		}
		v.tuple = append(v.tuple, joined(x, y))
	}
	return v
}

// A chain finds the callbacks that come directly before each callback on its token.
type chain struct {
	module *hloModule
	before map[string]hloValue // by callback
}

// chainOf returns, for each callback, those directly before it. An unordered one has "-".
func chainOf(t *testing.T, m *hloModule) map[string]string {
	t.Helper()
	c := &chain{m, map[string]hloValue{}}
	if _, err := c.eval(m.entry, nil); err != nil {
		t.Fatalf("%v in\n%s", err, m.text)
	}
	out := map[string]string{}
	for name, v := range c.before {
		out[name] = strings.Join(v.from, ", ")
	}
	return out
}

func (c *chain) eval(computation string, args []hloValue) (root hloValue, err error) {
	values := map[string]hloValue{}
	for _, o := range c.module.computations[computation] {
		v, err := c.step(o, values, args)
		if err != nil {
			return v, fmt.Errorf("%s: %w", o.name, err)
		}
		values[o.name] = v
		if o.root {
			root = v
		}
	}
	return root, nil
}

func (c *chain) step(o hloOp, values map[string]hloValue, args []hloValue) (v hloValue, err error) {
	operands := make([]hloValue, len(o.operands))
	for i, name := range o.operands {
		name, element, isElement := strings.Cut(name, "#") // plugins of PJRT 0.115 write elements of tuples so
		operands[i] = values[name]
		if n, err := strconv.Atoi(element); isElement && err == nil {
			operands[i] = operands[i].element(n)
		}
	}
	switch o.op {
	case "parameter":
		if n, err := strconv.Atoi(o.operands[0]); err != nil || n < len(args) {
			return args[n], err
		}
		return v, nil
	case "constant":
		if isToken(o.shape) {
			v.from = []string{"start"}
		}
		return v, nil
	case "tuple":
		return hloValue{tuple: operands}, nil
	case "get-tuple-element":
		_, index, _ := strings.Cut(o.attributes, "index=")
		n, err := strconv.Atoi(strings.Split(index, ",")[0])
		return operands[0].element(n), err
	case "copy", "bitcast":
		return operands[0], nil
	case "call":
		return c.eval(o.called("to_apply")[0], operands)
	case "while":
		for v = operands[0]; ; {
			if _, err := c.eval(o.called("condition")[0], []hloValue{v}); err != nil {
				return v, err
			}
			next, err := c.eval(o.called("body")[0], []hloValue{v})
			if err != nil {
				return v, err
			}
			next = joined(v, next)
			if fmt.Sprint(next) == fmt.Sprint(v) {
				return v, nil
			}
			v = next
		}
	case "conditional":
		for i, branch := range o.called("true_computation", "false_computation", "branch_computations") {
			end, err := c.eval(branch, operands[i+1:i+2])
			if err != nil {
				return v, err
			}
			v = joined(v, end)
		}
		return v, nil
	case "custom-call":
		match := hloConfig.FindStringSubmatch(o.attributes)
		if match == nil {
			return v, nil
		}
		name, own := match[1], hloValue{from: []string{match[1]}}
		if !strings.Contains(o.attributes, "n_tokens = 1") {
			c.before[name] = hloValue{from: []string{"-"}}
			return v, nil
		}
		token := operands[len(operands)-1]
		if len(token.from) == 0 {
			return v, fmt.Errorf("the token of %s comes from nowhere", name)
		}
		if want := fmt.Sprintf("(%d, {})", len(operands)-1); !strings.Contains(o.attributes, want) {
			return v, fmt.Errorf("the token of %s is not aliased", name)
		}
		c.before[name] = joined(c.before[name], token)
		if o.shape[0] != '(' {
			return own, nil
		}
		v.tuple = append(make([]hloValue, tupleLen(o.shape)-1), own)
		return v, nil
	}
	if isToken(o.shape) { // an or of several tokens
		for _, operand := range operands {
			v = joined(v, operand)
		}
	}
	return v, nil
}

// tupleLen returns the number of elements of a tuple of arrays.
func tupleLen(shape string) int {
	n, depth := 1, 0
	for _, c := range shape {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				n++
			}
		}
	}
	return n
}

// where returns the computations of a kind, such as body, of the operations in the module.
func (m *hloModule) where(kinds ...string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(m.computations)) {
		for _, o := range m.computations[name] {
			names = append(names, o.called(kinds...)...)
		}
	}
	return names
}

// copies returns the number of copies of arrays of a shape in a computation.
func (m *hloModule) copies(computation, shape string) (n int) {
	for _, o := range m.computations[computation] {
		is := o.op == "copy"
		if o.op == "fusion" {
			for _, inner := range m.computations[o.called("calls")[0]] {
				is = is || inner.root && inner.op == "copy"
			}
		}
		if is && strings.HasPrefix(o.shape, shape) {
			n++
		}
	}
	return n
}
