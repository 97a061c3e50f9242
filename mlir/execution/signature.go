package execution

import (
	"reflect"
	"strconv"
	"strings"
)

// machineType is the layout of a type of the LLVM dialect. Arguments and results of a
// compiled function are checked against it, because compiled code does not check them.
type machineType struct {
	text   string
	kind   layoutKind
	bits   int
	length int           // of an array
	parts  []machineType // of a struct; the element of an array
}

type layoutKind int

const (
	layoutOther layoutKind = iota // cannot be passed
	layoutVoid
	layoutInt
	layoutFloat
	layoutPointer
	layoutStruct
	layoutArray
)

// signature is the type of a compiled function.
type signature struct {
	text      string
	arguments []machineType
	result    machineType
	defined   bool // not only declared
	variadic  bool
	in, out   []source // before it was lowered
	untyped   error    // why in and out are not known, or nil
}

// parseSignature reads "!llvm.func<i32 (i32, ptr)>".
func parseSignature(text string) (signature, bool) {
	p := layoutParser{strings.TrimPrefix(text, "!llvm.")}
	if !p.skip("func<") {
		return signature{}, false
	}
	s := signature{text: text, result: p.next()}
	if !p.skip(" (") {
		return s, false
	}
	for !p.skip(")") {
		p.skip(", ")
		if p.skip("...") {
			s.variadic = true
			continue
		}
		if p.rest == "" {
			return s, false
		}
		s.arguments = append(s.arguments, p.next())
	}
	return s, true
}

type layoutParser struct{ rest string }

func (p *layoutParser) skip(s string) bool {
	rest, ok := strings.CutPrefix(p.rest, s)
	p.rest = rest
	return ok
}

// next reads one type. The kind of an unknown type is layoutOther.
func (p *layoutParser) next() machineType {
	p.skip("!llvm.")
	start := p.rest
	n := machineType{}
	switch {
	case p.skip("void"):
		n.kind = layoutVoid
	case p.skip("struct<("):
		n.kind = layoutStruct
		for !p.skip(")>") {
			if p.rest == "" {
				return machineType{text: start}
			}
			p.skip(", ")
			n.parts = append(n.parts, p.next())
		}
	case p.skip("array<"):
		n.kind = layoutArray
		digits, rest, _ := strings.Cut(p.rest, " x ")
		length, err := strconv.Atoi(digits)
		if err != nil {
			return p.other(start)
		}
		p.rest, n.length = rest, length
		n.parts = []machineType{p.next()}
		if !p.skip(">") {
			return p.other(start)
		}
	default:
		word := p.rest
		if end := strings.IndexAny(word, ",)(<> "); end >= 0 {
			word = word[:end]
		}
		p.rest = p.rest[len(word):]
		switch word {
		case "ptr":
			n.kind = layoutPointer
			if strings.HasPrefix(p.rest, "<") {
				return p.other(start)
			}
		case "f16", "bf16", "f32", "f64":
			n.kind = layoutFloat
			n.bits, _ = strconv.Atoi(strings.TrimLeft(word, "bf"))
		default:
			bits, err := strconv.Atoi(strings.TrimPrefix(word, "i"))
			if err != nil || !strings.HasPrefix(word, "i") {
				return p.other(start)
			}
			n.kind, n.bits = layoutInt, bits
		}
	}
	n.text = start[:len(start)-len(p.rest)]
	return n
}

// other reads an unknown type, up to the start of the next one.
func (p *layoutParser) other(start string) machineType {
	depth := 0
	for i, c := range start {
		switch c {
		case '<', '(':
			depth++
		case '>', ')':
			depth--
		}
		if depth < 0 || depth == 0 && (c == ',' || c == ' ') {
			p.rest = start[i:]
			return machineType{text: start[:i]}
		}
	}
	p.rest = ""
	return machineType{text: start}
}

// accepts reports whether a Go type has the layout of n.
func (n machineType) accepts(t reflect.Type) bool {
	if t == nil {
		return false
	}
	switch n.kind {
	case layoutInt:
		return n.acceptsInt(t)
	case layoutFloat:
		return n.acceptsFloat(t)
	case layoutPointer:
		switch t.Kind() {
		case reflect.Pointer, reflect.UnsafePointer, reflect.Uintptr:
			return true
		}
	case layoutStruct:
		if t.Kind() == reflect.Complex64 || t.Kind() == reflect.Complex128 {
			part := func(n machineType) bool { return n.kind == layoutFloat && n.bits == t.Bits()/2 }
			return len(n.parts) == 2 && part(n.parts[0]) && part(n.parts[1])
		}
		if t.Kind() != reflect.Struct || t.NumField() != len(n.parts) {
			return false
		}
		for i, part := range n.parts {
			f := t.Field(i)
			if !part.accepts(f.Type) {
				return false
			}
			last := i == len(n.parts)-1
			if part.wide() && (f.Offset%wideAlign != 0 || !last && f.Type.Size()%wideAlign != 0) {
				return false
			}
		}
		return true
	case layoutArray:
		return t.Kind() == reflect.Array && t.Len() == n.length && n.parts[0].accepts(t.Elem()) &&
			(!n.parts[0].wide() || t.Elem().Size()%wideAlign == 0)
	}
	return false
}
