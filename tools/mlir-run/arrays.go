package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/internal/host/bounded"
	"github.com/calliope-mlir/calliope/stablehlo"
	"github.com/calliope-mlir/calliope/tensor"
	"github.com/calliope-mlir/calliope/tensor/npz"
)

// arrays reads arrays from files, under the names in0, in1, … or out0, out1, ….
type arrays struct {
	prefix string
	files  []*npz.File // one .npz file, or .npy files in order
}

// openArrays opens the files that a flag names. After an error no file is open.
func openArrays(flag, prefix string, paths []string) (_ arrays, err error) {
	a := arrays{prefix: prefix}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	for _, path := range paths {
		f, err := npz.Open(path)
		if err != nil {
			return arrays{}, fmt.Errorf("%s: %w", flag, err)
		}
		a.files = append(a.files, f)
	}
	if len(a.files) > 1 {
		if i := slices.IndexFunc(a.files, func(f *npz.File) bool { return !f.IsSingle() }); i >= 0 {
			return arrays{}, fmt.Errorf("%s: %s is a .npz file, which must be the only file: use one .npz, or one .npy for each array", flag, paths[i])
		}
	}
	if !a.single() && len(a.numbers()) == 0 && len(a.files) > 0 && a.files[0].Has(positional+"0") {
		a.prefix = positional
	}
	return a, nil
}

// positional is the prefix of the names that numpy.savez gives to arrays without one.
const positional = "arr_"

func (a arrays) close() {
	for _, f := range a.files {
		_ = f.Close() // only read
	}
}

// single reports whether every file is one array.
func (a arrays) single() bool { return len(a.files) > 0 && a.files[0].IsSingle() }

func (a arrays) name(i int) string { return fmt.Sprint(a.prefix, i) }

func (a arrays) has(i int) bool {
	if a.single() {
		return i < len(a.files)
	}
	return len(a.files) > 0 && a.files[0].Has(a.name(i))
}

func (a arrays) read(i int, wanted func(npz.Header) error) (npz.Array, error) {
	if a.single() {
		return a.files[i].Array("", wanted)
	}
	return a.files[0].Array(a.name(i), wanted)
}

// otherShape is the error for an array that does not have the expected shape.
type otherShape struct{ given tensor.Shape }

func (e *otherShape) Error() string { return fmt.Sprintf("it is %s", e.given) }

// readAs reads an array of the given shape. If the array has another shape, or exceeds the
// remaining limit, it reads the header only.
func (a arrays) readAs(i int, shape tensor.Shape, limit bounded.Limit, taken *bounded.Size) (tensor.View, error) {
	array, err := a.read(i, func(h npz.Header) error {
		if !slices.Equal(h.Shape.Dims, shape.Dims) || h.Fits(shape.DType) != nil {
			return &otherShape{h.Shape}
		}
		size := bounded.Size(shape.NumBytes())
		if size > limit.Size-*taken {
			return fmt.Errorf("%s needs %s, and the arrays before it %s: %w", shape, size, *taken,
				&bounded.TooLargeError{Limit: limit})
		}
		*taken += size
		return nil
	})
	if err != nil {
		return tensor.View{}, err
	}
	return array.As(shape.DType)
}

// numbers returns the numbers of the existing arrays, in any order.
func (a arrays) numbers() []int {
	var list []int
	if a.single() {
		for i := range a.files {
			list = append(list, i)
		}
		return list
	}
	for _, f := range a.files {
		for _, name := range f.Names() {
			var i int
			if n, _ := fmt.Sscanf(name, a.prefix+"%d", &i); n == 1 && name == a.name(i) {
				list = append(list, i)
			}
		}
	}
	return list
}

// match reads the arrays for the given shapes, for every replica: either one set for all
// replicas, or one for each. The error lists everything that does not fit, one per line.
// what names the owner of the shapes, and path the place of one of them.
func (a arrays) match(
	what string, shapes []tensor.Shape, replicas int, path func(i int) string, limit bounded.Limit,
) ([]tensor.View, error) {
	numbers := a.numbers()
	want := shapes
	if len(numbers) > 0 && slices.Max(numbers) >= len(shapes) {
		want = slices.Repeat(shapes, replicas)
	}
	var views []tensor.View
	var wrong []string
	missing := false
	taken := bounded.Size(0)
	for i, shape := range want {
		if !a.has(i) {
			wrong = append(wrong, fmt.Sprintf("%s is missing: %s is expected%s", a.name(i), shape, path(i%len(shapes))))
			missing = true
			continue
		}
		v, err := a.readAs(i, shape, limit, &taken)
		switch other, ok := errors.AsType[*otherShape](err); {
		case ok:
			wrong = append(wrong,
				fmt.Sprintf("%s is %.200s: %s is expected%s", a.name(i), other.given, shape, path(i%len(shapes))))
		case err != nil:
			wrong = append(wrong, fmt.Sprintf("%s: %v", a.name(i), err))
		default:
			views = append(views, v)
		}
	}
	for _, i := range numbers {
		if i >= len(want) {
			wrong = append(wrong, fmt.Sprintf("%s is not expected: %s", a.name(i), count(what, shapes, replicas)))
		}
	}
	if missing && len(a.files) > 0 && !a.single() {
		expected := make([]string, len(shapes))
		for i := range expected {
			expected[i] = a.name(i)
		}
		wrong = append(wrong,
			fmt.Sprintf("the .npz file has the keys %s, and %s are expected", list(a.files[0].Names()), list(expected)))
	}
	if wrong != nil {
		return nil, errors.New(strings.Join(wrong, "\n  "))
	}
	if len(want) < len(shapes)*replicas {
		views = slices.Repeat(views, replicas)
	}
	return views, nil
}

// list joins the first few names.
func list(names []string) string {
	const shown = 16
	if len(names) == 0 {
		return "(none)"
	}
	if len(names) > shown {
		names = append(slices.Clone(names[:shown]), "…")
	}
	return strings.Join(names, ", ")
}

func count(what string, shapes []tensor.Shape, replicas int) string {
	s := fmt.Sprintf("@main has %d %s", len(shapes), what)
	if replicas > 1 {
		s += fmt.Sprintf(", and there are %d replicas", replicas)
	}
	return s
}

// inputs reads the arguments of @main.
func (m *module) inputs(o options) ([]tensor.View, error) {
	if len(o.in) == 0 && len(m.ir.Params) > len(m.bound) {
		return nil, m.noInputs()
	}
	a, err := openArrays("--in", "in", o.in)
	if err != nil {
		return nil, err
	}
	defer a.close()
	given := m.ir.Params[len(m.bound):]
	views, err := a.match("parameters", given, o.replicas, m.path, o.arraysLimit())
	if err != nil {
		return nil, fmt.Errorf("--in %s does not fit %s:\n  %w", strings.Join(o.in, " "), m.name, err)
	}
	for r := range o.replicas {
		views = slices.Insert(views, r*len(m.ir.Params), m.bound...)
	}
	return views, nil
}

// path returns the place of an input in the arguments in Python, for the end of a line. It is "" if it is not known.
func (m *module) path(i int) string {
	path := m.file.Export.ParameterPath(i, len(m.ir.Params)-len(m.bound))
	if path == "" {
		return ""
	}
	return ", as " + path
}

// noInputs returns the error if there are no inputs for the parameters of @main.
func (m *module) noInputs() error {
	var list []string
	index, takesPlatform := stablehlo.PlatformArgument(m.ir.Module)
	for i, s := range m.ir.Params[len(m.bound):] {
		line := fmt.Sprintf("in%d: %s%s", i, s, m.path(i))
		if takesPlatform && i == index {
			line += ", the index of the platform in the list for which the module was exported"
		}
		list = append(list, line)
	}
	return fmt.Errorf("%s needs inputs: use --in:\n  %s", m.name, strings.Join(list, "\n  "))
}

// expected reads the expected results. It returns nothing without --expect.
func (m *module) expected(o options) ([]tensor.View, error) {
	if o.expect == "" {
		return nil, nil
	}
	a, err := openArrays("--expect", "out", []string{o.expect})
	if err != nil {
		return nil, err
	}
	defer a.close()
	views, err := a.match("results", m.ir.Results, o.replicas, func(int) string { return "" }, o.arraysLimit())
	if err != nil {
		return nil, fmt.Errorf("--expect %s does not fit %s:\n  %w", o.expect, m.name, err)
	}
	return views, nil
}
