package ods

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// Attribute returns the attribute of v as the context's library spells it. If v is no case, the error lists the cases.
func (e *Enum) Attribute(c *mlir.Context, v uint64) (mlir.Attribute, error) {
	keyword, ok := e.keyword(v)
	if !ok && (v != 0 || !e.Bits) {
		return mlir.Attribute{}, fmt.Errorf("%d is no %s: use one of %s", v, e.What, strings.Join(e.Cases, ", "))
	}
	if e.Width > 0 {
		return e.number(c, e.Width, v), nil
	}
	return e.spelled(c, e.spelling(c.Library(), keyword), v, keyword)
}

// spelling returns how a library spells the enumeration. A context of its own tries all spellings, so that nobody who
// handles diagnostics sees those of the wrong ones.
func (e *Enum) spelling(l *mlir.Library, keyword string) spelling {
	if s, ok := e.known.Load(l); ok {
		return s.(spelling)
	}
	c := l.NewContext(mlir.ContextOptions{})
	defer c.Close()
	if len(e.Words) > 0 {
		keyword = e.Words[1] // others do not tell whether the library has these words
	}
	for s := range e.spellings() {
		if _, err := e.spelled(c, s, 1, keyword); err == nil {
			e.known.Store(l, s)
			return s
		}
	}
	return spelling{e.Text, false} // its error is the one to read
}

// A spelling is how a library spells an enumeration.
type spelling struct {
	text  string // see Enum.Text and Enum.Also
	words bool   // whether it has the keywords of Enum.Words
}

// spellings returns all spellings of an enumeration. Each text is tried in both forms of a dialect's attribute,
// #gpu<dim x> and #gpu.dim<x>, because libraries change from the first to the second.
func (e *Enum) spellings() iter.Seq[spelling] {
	return func(yield func(spelling) bool) {
		for _, text := range append([]string{e.Text}, e.Also...) {
			for _, text := range []string{text, dotted.ReplaceAllString(text, "#$1.$2<%>")} {
				if !yield(spelling{text, false}) || !yield(spelling{text, true}) {
					return
				}
			}
		}
	}
}

var dotted = regexp.MustCompile(`^#(\w+)<(\w+) %>$`)

// spelled returns the attribute of v, whose keyword is given, in one spelling.
func (e *Enum) spelled(c *mlir.Context, s spelling, v uint64, keyword string) (mlir.Attribute, error) {
	before, after, ok := strings.Cut(s.text, "%")
	if width, err := strconv.Atoi(strings.TrimPrefix(s.text, "i")); !ok && err == nil {
		return e.number(c, width, v), nil
	}
	words := []string{keyword}
	if e.Bits && e.Join != "" {
		words = strings.Split(keyword, e.Join)
	}
	for i, word := range words {
		if j := slices.Index(e.Words, word); s.words && j > 0 {
			word = e.Words[j-1]
		}
		if !bare.MatchString(word) {
			word = strconv.Quote(word)
		}
		words[i] = word
	}
	return c.ParseAttribute(before + strings.Join(words, e.Join) + after)
}

// bare matches the keywords that need no quotes.
var bare = regexp.MustCompile(`^[A-Za-z_][\w.$]*$`)

// number returns the integer that stands for v.
func (e *Enum) number(c *mlir.Context, width int, v uint64) mlir.Attribute {
	if !e.Bits {
		v = e.value(int(v) - 1)
	}
	return c.IntegerAttribute(c.IntegerType(width, mlir.Signless), int64(v))
}

// Read returns the value of an attribute, in any spelling.
func (e *Enum) Read(a mlir.Attribute) (v uint64, ok bool) {
	if a.IsNil() {
		return 0, false
	}
	if e.Width > 0 {
		return e.readInteger(a)
	}
	text := spaceless(a.String())
	for s := range e.spellings() {
		before, after, isText := strings.Cut(s.text, "%")
		if !isText {
			if v, ok := e.readInteger(a); ok {
				return v, true
			}
			continue
		}
		if rest, ok := strings.CutPrefix(text, spaceless(before)); ok {
			if rest, ok = strings.CutSuffix(rest, spaceless(after)); ok {
				return e.readWords(rest)
			}
		}
	}
	return 0, false
}

// readWords returns the value of keywords.
func (e *Enum) readWords(text string) (v uint64, ok bool) {
	words := []string{text}
	if e.Bits {
		words = strings.Split(text, strings.TrimSpace(e.Join))
	}
	for _, word := range words {
		word = strings.Trim(word, `"`)
		if j := slices.Index(e.Words, word); j >= 0 && j%2 == 0 {
			word = e.Words[j+1]
		}
		i := slices.IndexFunc(e.Cases, func(c string) bool { return spaceless(c) == word })
		if i < 0 {
			return 0, false
		}
		if !e.Bits {
			return uint64(i + 1), true
		}
		v |= e.value(i)
	}
	return v, true
}

// readInteger returns the value of an attribute that is an integer.
func (e *Enum) readInteger(a mlir.Attribute) (v uint64, ok bool) {
	n, ok := a.Int()
	if e.Bits {
		return uint64(n), ok
	}
	for i := range e.Cases {
		if e.value(i) == uint64(n) {
			return uint64(i + 1), ok
		}
	}
	return 0, false
}

// spaceless returns a text without spaces, which the printed form may have elsewhere than
// the definition, and in the form #dialect<name… for #dialect.name<….
func spaceless(text string) string {
	return strings.ReplaceAll(text, " ", "")
}

// Enumerated returns the kind of an enumeration.
func Enumerated[T interface {
	Attribute(*mlir.Context) (mlir.Attribute, error)
}](read func(mlir.Attribute) (T, bool)) Kind[T] {
	return Kind[T]{func(c *mlir.Context, v T) (mlir.Attribute, error) { return v.Attribute(c) }, read}
}
