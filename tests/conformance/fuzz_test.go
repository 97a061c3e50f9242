package conformance

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/jit"
	"github.com/calliope-mlir/calliope/mlir"
	soak "github.com/calliope-mlir/calliope/tools/soak/programs"
)

// FuzzCompile compiles modules by package jit in a child process, which no pass may end. A module is one of the corpus,
// of the samples or of the random programs, by its number, after some edits.
func FuzzCompile(f *testing.F) {
	registry, err := soak.Register()
	check.NoError(f, err)
	check.Cleanup(f, registry)
	texts := compiledTexts(f)
	for n := range uint32(8) {
		f.Add(n*97, uint64(n))
	}
	f.Fuzz(func(t *testing.T, n uint32, edits uint64) {
		c := library.NewContext(mlir.ContextOptions{})
		defer c.Close()
		var m *mlir.Module
		if n %= uint32(8 * len(texts) / 7); int(n) < len(texts) {
			m = check.Must(c.Parse("fuzz", texts[n]))
		} else {
			m = check.Must(soak.Module(c, edits))
		}
		m = edited(m, rand.New(rand.NewPCG(uint64(n), edits)))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		e, err := jit.Compile(ctx, m, jit.Options{Isolate: true})
		switch {
		case err == nil:
			check.NoError(t, e.Close())
		case crashes.MatchString(err.Error()) || ctx.Err() != nil:
			t.Errorf("%v\n%s", err, m)
		}
	})
}

var crashes = regexp.MustCompile(` crashes( on |: )`)

// compiledTexts returns the modules of the corpus that are small, and those of the samples, each alone.
func compiledTexts(f *testing.F) (texts [][]byte) {
	files, err := filepath.Glob("../testdata/modules/*.mlir*")
	check.NoError(f, err)
	c := library.NewContext(mlir.ContextOptions{})
	defer c.Close()
	add := func(data []byte) {
		m, err := c.Parse("module", data)
		if err != nil {
			return // one of the corpus that is invalid
		}
		defer m.Close()
		if text := m.String(); len(text) < 8<<10 {
			texts = append(texts, []byte(text))
		}
	}
	for _, name := range files {
		add(check.Must(os.ReadFile(name)))
	}
	for i := range samples {
		if s := &samples[i]; isCompiled(s) {
			add(check.Must(newProgram(c, map[string]string{}, s)).Module)
		}
	}
	if len(texts) < len(samples)/2 {
		f.Fatalf("there are only %d modules", len(texts))
	}
	return texts
}

// edited returns a module after some edits of its text, each of which leaves it valid.
func edited(m *mlir.Module, r *rand.Rand) *mlir.Module {
	for range r.IntN(8) {
		text := m.String()
		for range 20 {
			changed, err := m.Context().Parse("fuzz", []byte(pickOne(r, edits)(r, text)))
			if err == nil {
				m = changed
				break
			}
		}
	}
	return m
}

func pickOne[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }

// An edit returns a changed text.
type edit func(r *rand.Rand, text string) string

// edits put something of the same kind everywhere in the place of something that the text has.
var edits = []edit{
	inPlaceOf(regexp.MustCompile(`\b(complex<f32>|complex<f64>|bf16|f\d+\w*|u?i\d+)(>|$)`), strings.Fields(
		"f32 f64 f16 bf16 i1 i4 i8 i16 i32 i64 ui4 ui8 ui16 ui32 ui64 complex<f32> complex<f64> f8E4M3FN f8E5M2 i2 f4E2M1FN")),
	inPlaceOf(regexp.MustCompile(`[<x](\d+)x`), strings.Fields("0 1 2 3 4 5 7 8 16 33 64 1000")),
	inPlaceOf(regexp.MustCompile(`\bstablehlo\.(add|and|atan2|divide|maximum|minimum|multiply|or|power|remainder|shift_left|`+
		`shift_right_arithmetic|shift_right_logical|subtract|xor)\b`), strings.Fields(
		"add and atan2 divide maximum minimum multiply or power remainder shift_left shift_right_arithmetic subtract xor")),
	inPlaceOf(regexp.MustCompile(`\bstablehlo\.(abs|cbrt|ceil|cosine|count_leading_zeros|exponential|`+
		`exponential_minus_one|floor|is_finite|log|log_plus_one|logistic|negate|not|popcnt|round_nearest_afz|`+
		`round_nearest_even|rsqrt|sign|sine|sqrt|tan|tanh)\b`), strings.Fields(
		"abs cbrt ceil cosine count_leading_zeros exponential exponential_minus_one floor log log_plus_one logistic "+
			"negate not popcnt round_nearest_afz round_nearest_even rsqrt sign sine sqrt tan tanh optimization_barrier")),
	inPlaceOf(regexp.MustCompile(`[\[ =:]-?(\d+)[\], :]`), strings.Fields("0 1 2 3 4 5 7 8 100")),
	inPlaceOf(regexp.MustCompile(`[ (,](%\w+)`), nil),
}

// inPlaceOf returns an edit. what matches what is replaced as its first group; by has what takes its place, besides
// other matches.
func inPlaceOf(what *regexp.Regexp, by []string) edit {
	return func(r *rand.Rand, text string) string {
		found := what.FindAllStringSubmatchIndex(text, -1)
		if len(found) == 0 {
			return text
		}
		at := pickOne(r, found)
		old, other := text[at[2]:at[3]], pickOne(r, found)
		put := text[other[2]:other[3]]
		if n := r.IntN(len(by) + 1); n < len(by) {
			put = by[n]
		}
		all := r.IntN(2) == 0
		var b bytes.Buffer
		end := 0
		for _, m := range found {
			if same := text[m[2]:m[3]] == old; same && (all || m[2] == at[2]) {
				fmt.Fprint(&b, text[end:m[2]], put)
				end = m[3]
			}
		}
		return b.String() + text[end:]
	}
}
