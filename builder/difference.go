package builder

import (
	"errors"
	"fmt"
	"strings"
)

// leaf is a value and its place in a tree, for example ".Weights[2]".
type leaf struct {
	at string
	v  Value
}

func located(tree any) []leaf {
	var out []leaf
	_ = eachLeaf(tree, "", func(at string, v Value) { out = append(out, leaf{at, v}) })
	return out
}

// difference returns an error if two trees differ in structure or in a leaf's type. The
// error lists each leaf that differs, with its type in both trees. aIs and bIs name the
// trees.
func difference(a, b any, aIs, bIs string) error {
	as, bs := located(a), located(b)
	var all []string
	inB := map[string]Value{}
	for _, l := range bs {
		inB[l.at] = l.v
	}
	inA := map[string]bool{}
	for _, l := range as {
		inA[l.at] = true
		v, ok := inB[l.at]
		switch {
		case !ok:
			all = append(all, fmt.Sprintf("%s, %s, is only in %s", l.name(), l.v.describe(), aIs))
		case l.v.v.IsNil() || v.v.IsNil(): // reported elsewhere
		case !l.v.v.Type().Equal(v.v.Type()):
			all = append(all,
				fmt.Sprintf("%s is %s in %s and %s in %s", l.name(), l.v.describe(), aIs, v.describe(), bIs))
		}
	}
	for _, l := range bs {
		if !inA[l.at] {
			all = append(all, fmt.Sprintf("%s, %s, is only in %s", l.name(), l.v.describe(), bIs))
		}
	}
	if len(all) == 0 {
		return nil
	}
	return errors.New(strings.Join(all, "; "))
}

func (l leaf) name() string {
	if l.at == "" {
		return "the value"
	}
	return l.at
}
