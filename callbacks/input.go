package callbacks

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/calliope-mlir/calliope/internal/run/leaf"
	"github.com/calliope-mlir/calliope/internal/run/tree"
	"github.com/calliope-mlir/calliope/tensor"
)

// mold is a tree with known lengths and keys.
type mold struct {
	node     *node
	children []mold
	keys     []reflect.Value // keys of a map
	index    int             // index of a leaf among all leaves
}

// newMold takes the lengths and keys from a value.
func newMold(n *node, v reflect.Value, at string, paths *[]string, depth int) (mold, error) {
	m := mold{node: n}
	if n.leaf != nil {
		m.index = len(*paths)
		*paths = append(*paths, at)
		return m, nil
	}
	if depth == 0 {
		return m, tree.ErrDepth
	}
	err := tree.Each(v, at, leaf.Types, func(i int, b tree.Branch) error {
		branch, err := newMold(n.of(i), b.Value, b.At, paths, depth-1)
		m.children = append(m.children, branch)
		if b.Key.IsValid() {
			m.keys = append(m.keys, b.Key)
		}
		return err
	})
	return m, err
}

// fill makes v a tree with the given leaves and reports whether they fit.
func (m *mold) fill(v reflect.Value, leaves []tensor.View) bool {
	if m.node.leaf != nil {
		return m.node.leaf.Set(v, leaves[m.index])
	}
	switch kind := m.node.typ.Kind(); kind {
	case reflect.Struct:
		for i := range m.children {
			if !m.children[i].fill(v.Field(i), leaves) {
				return false
			}
		}
	case reflect.Array, reflect.Slice:
		if n := len(m.children); kind == reflect.Slice && n > 0 {
			v.Set(reflect.MakeSlice(m.node.typ, n, n))
		}
		for i := range m.children {
			if !m.children[i].fill(v.Index(i), leaves) {
				return false
			}
		}
	case reflect.Map:
		v.Set(reflect.MakeMapWithSize(m.node.typ, len(m.children)))
		for i := range m.children {
			value := reflect.New(m.node.elem.typ).Elem()
			if !m.children[i].fill(value, leaves) {
				return false
			}
			v.SetMapIndex(m.keys[i], value)
		}
	}
	return true
}

// input makes the arguments of a function from those of a call.
type input struct {
	mold  mold     // of the arguments; with rest, of one element
	paths []string // of the mold's leaves
	rest  bool     // the arguments are a slice of any length
}

// newInput reads the type, and the template if there is one.
func newInput[A any](template *A) (*input, error) {
	given := template != nil
	if !given {
		template = new(A)
	}
	n, v, err := nodeAt(template)
	if err != nil {
		return nil, err
	}
	in := &input{}
	if n.open && !given {
		if n.typ.Kind() != reflect.Slice || n.elem.open {
			return nil, fmt.Errorf("%s has slices or maps, whose lengths and keys the type does not determine: give a template with an example", n.typ)
		}
		in.rest = true
		n, v = n.elem, reflect.New(n.elem.typ).Elem()
	}
	if in.mold, err = newMold(n, v, "", &in.paths, tree.MaxDepth); err != nil {
		return nil, err
	}
	if in.rest && len(in.paths) == 0 {
		return nil, errors.New("the arguments are a slice whose elements hold no array, so its length is not known: give a template with an example")
	}
	return in, nil
}

// read fills args, a pointer to the arguments' type.
func (in *input) read(f *Frame, args any) error {
	if in.rest {
		return in.readRest(f, args)
	}
	if len(f.Args) == len(in.paths) && in.mold.fill(reflect.ValueOf(args).Elem(), f.Args) {
		return nil
	}
	return in.mismatch(f, 1)
}

func (in *input) readRest(f *Frame, args any) error {
	if views, ok := args.(*[]tensor.View); ok {
		*views = f.Args
		return nil
	}
	each := len(in.paths)
	n := len(f.Args) / each
	v := reflect.ValueOf(args).Elem()
	v.Set(reflect.MakeSlice(v.Type(), n, n))
	fits := n*each == len(f.Args)
	for i := 0; fits && i < n; i++ {
		fits = in.mold.fill(v.Index(i), f.Args[i*each:])
	}
	if fits {
		return nil
	}
	return in.mismatch(f, (len(f.Args)+each-1)/each)
}

// mismatch returns the error that shows what the function takes: the mold n times.
func (in *input) mismatch(f *Frame, n int) error {
	accepts := in.mold.accepts(nil)
	var want []Leaf
	var paths []string
	for i := range n {
		for j, l := range accepts {
			path := in.paths[j]
			if in.rest {
				path = fmt.Sprintf("[%d]%s", i, path)
			}
			l.Path = pathOf(path, "argument", i)
			want = append(want, l)
			paths = append(paths, path)
		}
	}
	return &TemplateError{Arguments: true, Want: want, Got: leavesOf(f.Args, paths, "argument")}
}

func (m *mold) accepts(out []Leaf) []Leaf {
	if m.node.leaf != nil {
		return append(out, acceptedBy(m.node.leaf))
	}
	for i := range m.children {
		out = m.children[i].accepts(out)
	}
	return out
}
