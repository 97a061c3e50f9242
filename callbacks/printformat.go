package callbacks

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// piece is a part of a format: literal text or a placeholder.
type piece struct {
	text string
	kind pieceKind
	arg  int // index of the array
	spec spec
}

type pieceKind uint8

const (
	pieceText pieceKind = iota
	pieceArray
	pieceDevice
	pieceTransforms
)

// spec is the part of a placeholder after the colon.
type spec struct {
	align     string // "<", ">", or "" aligns numbers right and texts left
	flags     string
	width     int
	precision string // including the point
	verb      string // "" for the default format
}

var specSyntax = regexp.MustCompile(`^([<>]?)(\+?)(0?)([0-9]{0,3})(\.[0-9]{1,3})?([dxefg]?)$`)

func parseSpec(text string) (spec, error) {
	m := specSyntax.FindStringSubmatch(text)
	if m == nil {
		return spec{}, fmt.Errorf("%q is not a format: write [<|>][+][0][width][.precision][d|x|e|f|g]", text)
	}
	s := spec{align: m[1], flags: m[2] + m[3], precision: m[5], verb: m[6]}
	s.width, _ = strconv.Atoi(m[4])
	switch {
	case s.verb == "" && (s.flags != "" || s.precision != ""):
		return spec{},
			fmt.Errorf("%q needs a letter at its end, which says how the number is written: d, x, e, f or g", text)
	case s.precision != "" && (s.verb == "d" || s.verb == "x"):
		return spec{}, fmt.Errorf("%q has a precision, which an integer does not take: leave it out", text)
	}
	return s, nil
}

// parseFormat divides a format into its pieces. It replaces names, and the values of what,
// right away.
func parseFormat(format string, names []string, what map[string]any) ([]piece, error) {
	var out []piece
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			out = append(out, piece{text: text.String()})
			text.Reset()
		}
	}
	next, explicit := 0, false
	for rest := format; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			text.WriteString(rest)
			break
		}
		text.WriteString(rest[:i])
		brace := rest[i]
		rest = rest[i+1:]
		if rest != "" && rest[0] == brace {
			text.WriteByte(brace)
			rest = rest[1:]
			continue
		}
		inside, after, closed := strings.Cut(rest, "}")
		if brace == '}' || !closed || strings.Contains(inside, "{") {
			return nil, errors.New("a brace has no partner: write {{ or }} for a literal brace")
		}
		rest = after
		name, how, _ := strings.Cut(inside, ":")
		s, err := parseSpec(how)
		if err != nil {
			return nil, err
		}
		p := piece{spec: s}
		number, notNumber := strconv.Atoi(name)
		value, static := what[name]
		switch {
		case name == "":
			p.kind, p.arg = pieceArray, next
			next++
		case notNumber == nil && number >= 0 && strconv.Itoa(number) == name:
			p.kind, p.arg, explicit = pieceArray, number, true
		case slices.Contains(names, name):
			p.kind, p.arg = pieceArray, slices.Index(names, name)
		case static && s.verb != "":
			return nil, fmt.Errorf("{%s} is a value of What, which takes an alignment and a width only", inside)
		case static:
			text.WriteString(s.fill(fmt.Sprint(value), false))
			continue
		case name == "device":
			p.kind = pieceDevice
		case name == "transforms" && s.verb != "":
			return nil, fmt.Errorf("{%s} is text, which takes an alignment and a width only", inside)
		case name == "transforms":
			p.kind = pieceTransforms
		default:
			return nil,
				fmt.Errorf("{%s} is unknown: use a number, a name of Names or What, device or transforms", inside)
		}
		flush()
		out = append(out, p)
	}
	flush()
	if next > 0 && explicit {
		return nil, errors.New("{} and {0} cannot be mixed: number all of them or none")
	}
	return out, nil
}

// formatted writes the pieces for a call.
func (p *printer) formatted(f *Frame) (string, error) {
	var b strings.Builder
	for _, part := range p.format {
		text := part.text
		switch part.kind {
		case pieceArray:
			if part.arg >= len(f.Args) {
				return "", fmt.Errorf("the format asks for array %d, but the call has only %d", part.arg, len(f.Args))
			}
			v := f.Args[part.arg]
			var err error
			if text, err = p.formatArray(v, part.spec); err != nil {
				return "", fmt.Errorf("array %d (%s): %w", part.arg, v.Shape, err)
			}
		case pieceDevice:
			var err error
			if text, err = part.spec.number(tensor.Scalar(int64(f.Device)), 0); err != nil {
				return "", fmt.Errorf("the device: %w", err)
			}
		case pieceTransforms:
			text = part.spec.fill(contract.TransformText(f.Config.Transforms), false)
		}
		b.WriteString(text)
	}
	return b.String(), nil
}

func (p *printer) formatArray(v tensor.View, s spec) (string, error) {
	if v.Shape.Rank() == 0 {
		return s.number(v, 0)
	}
	if s.verb == "" && s.width == 0 {
		return p.array(v, 0), nil
	}
	// Format each element alone, and pad all to the widest.
	var err error
	width := 0
	p.layout.each(v.Shape.Dims, func(i int) {
		text, e := s.number(v, i)
		width = max(width, len(text))
		if e != nil {
			err = e
		}
	})
	if err != nil {
		return "", err
	}
	return p.layout.text(v.Shape.Dims, func(i int) string {
		text, _ := s.number(v, i)
		return pad(text, width)
	}), nil
}

// number writes one element.
func (s spec) number(v tensor.View, i int) (string, error) {
	if s.verb == "" {
		return s.fill(scalarText(v, i), v.Shape.DType != tensor.Pred), nil
	}
	var value any = v.At(i)
	_, isFloat8 := tensor.Float8(v.Shape.DType, 0)
	switch x := value.(type) {
	case complex64, complex128:
		return "", fmt.Errorf("the format %q does not support complex numbers", s.verb)
	case bool:
		value = 0
		if x {
			value = 1
		}
	case float32, float64:
		isFloat8 = true
	}
	integer := s.verb == "d" || s.verb == "x"
	switch {
	case integer && isFloat8:
		return "", fmt.Errorf("the format %q is for integers: use e, f or g", s.verb)
	case integer:
		return s.fill(fmt.Sprintf("%"+s.goFlags()+s.verb, value), true), nil
	case isFloat8:
		value = real64(v, i)
	default:
		value = toFloat(value)
	}
	x := value.(float64)
	if text, ok := notFinite(x); ok {
		if strings.Contains(s.flags, "+") && text[0] != '-' {
			text = "+" + text
		}
		return s.fill(text, true), nil
	}
	precision := cmp.Or(s.precision, ".6") // as in Python; Go's is the shortest
	return s.fill(fmt.Sprintf("%"+s.goFlags()+precision+s.verb, x), true), nil
}

// goFlags returns the flags for package fmt. They include the width only if zeros fill it.
func (s spec) goFlags() string {
	if strings.Contains(s.flags, "0") && s.align == "" {
		return s.flags + strconv.Itoa(s.width)
	}
	return strings.ReplaceAll(s.flags, "0", "")
}

// fill pads a text to the width.
func (s spec) fill(text string, number bool) string {
	if s.align == "<" || s.align == "" && !number {
		return text + strings.Repeat(" ", max(s.width-len(text), 0))
	}
	return pad(text, s.width)
}

func toFloat(v any) float64 {
	switch x := v.(type) {
	case int:
		return float64(x)
	case int8:
		return float64(x)
	case int16:
		return float64(x)
	case int32:
		return float64(x)
	case int64:
		return float64(x)
	case uint8:
		return float64(x)
	case uint16:
		return float64(x)
	case uint32:
		return float64(x)
	case uint64:
		return float64(x)
	}
	return 0
}
