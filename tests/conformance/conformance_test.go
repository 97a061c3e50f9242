package conformance

import (
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/internal/test/check"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// samples has every operation of StableHLO.
var samples = slices.Concat(elementwiseSamples, shapeSamples, reduceSamples, productSamples, dynamicSamples,
	deviceSamples, departureSamples, nanSamples)

// TestConformance runs every sample on everything that can run it, and holds the
// results against each other and against those of a judge.
func TestConformance(t *testing.T) {
	interpreted := programs(t, func(s *sample) bool { return s.notInterpreted == "" })
	answers, err := interpret(t.Context(), interpreted)
	check.NoError(t, err)
	byInterpreter := map[*sample][]tensor.View{}
	for i, p := range interpreted {
		if answers[i].Error != "" {
			t.Errorf("%s: the interpreter says: %s", p, answers[i].Error)
			continue
		}
		results, err := p.split(answers[i].Results)
		if err != nil {
			t.Errorf("%s, by the interpreter: %v", p, err)
		}
		for s, r := range results {
			byInterpreter[s] = r
		}
	}
	byXLA := map[*sample][]tensor.View{}
	for _, p := range programs(t, func(s *sample) bool { return s.notXLA == "" }) {
		out, err := onXLA(t.Context(), client, p)
		if err != nil {
			t.Errorf("%s: XLA says: %v", p, err)
			continue
		}
		results, err := p.split(out)
		if err != nil {
			t.Errorf("%s, by XLA: %v", p, err)
		}
		for s, r := range results {
			byXLA[s] = r
		}
	}
	byJIT := map[*sample][]tensor.View{}
	for _, p := range programs(t, isCompiled) {
		out, err := onJIT(t.Context(), p)
		if err != nil {
			t.Errorf("%s: package jit says: %v", p, err)
			continue
		}
		results, err := p.split(out)
		if err != nil {
			t.Errorf("%s, by package jit: %v", p, err)
		}
		for s, r := range results {
			byJIT[s] = r
		}
	}
	for i := range samples {
		s := &samples[i]
		want, judge, err := s.wanted()
		check.NoError(t, err)
		if s.notInterpreted == "" && s.notXLA == "" && s.departs == "" {
			agree(t, s, "interpreter", byInterpreter[s], "XLA", byXLA[s])
		}
		switch {
		case want != nil:
			agree(t, s, judge, want, "jit", byJIT[s])
		case s.notXLA == "":
			agree(t, s, "XLA", byXLA[s], "jit", byJIT[s])
		default:
			agree(t, s, "interpreter", byInterpreter[s], "jit", byJIT[s])
		}
		s.hold(t, judge, want, "interpreter", s.notInterpreted, s.interpreterSays, byInterpreter[s])
		s.hold(t, judge, want, "XLA", s.notXLA, s.xlaSays, byXLA[s])
	}
}

// hold holds the results of one of the two against what is wanted, or against what is
// known of it.
func (s *sample) hold(
	t *testing.T, judge string, want []tensor.View, who, cannot string, says []string, got []tensor.View,
) {
	t.Helper()
	switch {
	case cannot != "" || got == nil:
		return
	case says != nil:
		known, err := arrays(says)
		check.NoError(t, err)
		agree(t, s, "known of "+who, known, who, got)
		if same(want, got, s) {
			t.Errorf("%s: %s now says what it should: its departure is to be taken out of the list", s.name(), who)
		}
	case want != nil:
		agree(t, s, judge, want, who, got)
	}
}

// programs puts the samples of each operation into a program; those that run on several
// devices have one each.
func programs(t *testing.T, wanted func(*sample) bool) (list []*program) {
	t.Helper()
	groups := map[string][]*sample{}
	var order []string
	for i := range samples {
		s := &samples[i]
		if !wanted(s) {
			continue
		}
		key := s.op
		if s.replicas > 0 || s.around != "" || s.quantized {
			key = s.name()
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], s)
	}
	for _, key := range order {
		c := library.NewContext(mlir.ContextOptions{})
		p, err := newProgram(c, goTypes, groups[key]...)
		c.Close()
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		list = append(list, p)
	}
	return list
}

// String names what the program is about.
func (p *program) String() string {
	if len(p.samples) == 1 {
		return p.samples[0].name()
	}
	return p.samples[0].op
}

// goTypes is the struct of package stablehlo that each operation was made of.
var goTypes = map[string]string{}

// agree wants the same results, within the tolerance of the sample.
func agree(t *testing.T, s *sample, judge string, want []tensor.View, who string, got []tensor.View) {
	t.Helper()
	if want == nil || got == nil {
		return // said before
	}
	if diff := difference(want, got, s); diff != "" {
		t.Errorf("%s (-%s +%s), arguments %s:\n%s", s.name(), judge, who, s.in, diff)
	}
}

func same(a, b []tensor.View, s *sample) bool { return difference(a, b, s) == "" }

func difference(want, got []tensor.View, s *sample) string {
	type result struct {
		Shape    string
		Elements []any
	}
	readable := func(list []tensor.View) (all []result) {
		for _, v := range list {
			all = append(all, result{v.Shape.String(), elements(v)})
		}
		return all
	}
	tolerance := 0.0
	for _, v := range want {
		tolerance = max(tolerance, epsilon(v.Shape.DType))
	}
	if s.ulps > 0 {
		tolerance *= s.ulps
	} else {
		tolerance *= 4
	}
	return cmp.Diff(readable(want), readable(got),
		cmp.Comparer(func(a, b float64) bool { return near(a, b, tolerance) }),
		cmp.Comparer(func(a, b complex128) bool {
			// Each part may be as wrong as the whole number.
			size := max(1, cmplx.Abs(a))
			if math.IsNaN(size) || math.IsInf(size, 0) {
				size = 1
			}
			return near(real(a), real(b), tolerance*size) && near(imag(a), imag(b), tolerance*size)
		}))
}
