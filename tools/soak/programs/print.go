package programs

import (
	"fmt"
	"strings"
)

// String returns the program as text for people.
func (p *program) String() string {
	var t printer
	for _, f := range p.functions {
		t.line("func %s(%s)", f.name, typed(f.params))
		t.block(f.body)
	}
	t.line("donated %v, aliased %v, overlap %t, tokens %t, devices %d, once %t, mesh %t",
		p.donated, p.aliased, p.overlap, p.tokens, p.profile.devices, p.profile.once, p.profile.mesh)
	return t.text.String()
}

type printer struct {
	text  strings.Builder
	depth int
}

func (t *printer) line(format string, args ...any) {
	t.text.WriteString(strings.Repeat("  ", t.depth))
	fmt.Fprintf(&t.text, format, args...)
	t.text.WriteByte('\n')
}

func (v *variable) String() string { return fmt.Sprint("v", v.number) }

func (k kind) String() string { return k.tensor().String() }

func typed(list []*variable) string {
	var parts []string
	for _, v := range list {
		parts = append(parts, fmt.Sprintf("%v %v", v, v.kind))
	}
	return strings.Join(parts, ", ")
}

// to returns the left side of a step.
func to(list []*variable) string {
	if len(list) == 0 {
		return ""
	}
	return typed(list) + " = "
}

func (t *printer) block(b *block) {
	t.depth++
	for _, s := range b.steps {
		t.step(s)
	}
	t.line("yield %v", b.results)
	t.depth--
}

func (t *printer) step(s step) {
	switch s := s.(type) {
	case *compute:
		text := fmt.Sprint(s.args)
		if s.literal != nil {
			text += fmt.Sprint(s.literal)
		}
		t.line("%s%s %s", to([]*variable{s.out}), s.op, text)
	case *call:
		text := ""
		if s.policy != "" {
			text = fmt.Sprintf(" %s(%d)", s.policy, s.device)
		}
		if s.cond != nil {
			text += fmt.Sprintf(" if %v", s.cond)
		}
		t.line("%scall %s %v, site %d, effect %q%s", to(s.out), s.name, s.args, s.site, s.effect, text)
	case *branch:
		for i, b := range s.blocks {
			switch {
			case !s.isCase && i == 0:
				t.line("%sif %v", to(s.out), s.on)
			case !s.isCase:
				t.line("else")
			case i == 0:
				t.line("%scase %v: 0", to(s.out), s.on)
			default:
				t.line("%d", i)
			}
			t.block(b)
		}
	case *loop:
		t.line("%sloop with %v, %s = %v, limit %v", to(s.out), s.counter, typed(s.state), s.init, s.limit)
		if s.cond != nil {
			t.block(s.cond)
			t.line("do")
		}
		t.block(s.body)
	case *invoke:
		t.line("%s%s %v", to(s.out), s.function.name, s.args)
	case *manual:
		t.line("%smanual %s = %v, split %v, joined %v", to(s.out), typed(s.params), s.args, s.split, s.joined)
		t.block(s.body)
	}
}
