package conformance

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/tensor"
)

// samples has every operation of StableHLO.
var samples = slices.Concat(elementwiseSamples)

// TestConformance runs every sample on everything that can run it, and holds the
// results against each other and against those of a judge.
func TestConformance(t *testing.T) {
	interpreted := programs(t, func(s *sample) bool { return s.notInterpreted == "" })
	answers, err := interpret(t.Context(), interpreted)
	if err != nil {
		t.Fatal(err)
	}
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
	for i := range samples {
		s := &samples[i]
		want, judge, err := s.wanted()
		if err != nil {
			t.Fatal(err)
		}
		if want != nil {
			if s.notInterpreted == "" {
				agree(t, s, judge, want, "interpreter", byInterpreter[s])
			}
			if s.notXLA == "" {
				agree(t, s, judge, want, "XLA", byXLA[s])
			}
		}
		if s.notInterpreted == "" && s.notXLA == "" {
			agree(t, s, "interpreter", byInterpreter[s], "XLA", byXLA[s])
		}
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
		if s.replicas > 0 || s.around != "" {
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

// agree compares results, with the tolerance of the sample.
func agree(t *testing.T, s *sample, judge string, want []tensor.View, who string, got []tensor.View) {
	t.Helper()
	if want == nil || got == nil {
		return // said before
	}
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
	for _, v := range slices.Concat(want, got) {
		tolerance = max(tolerance, epsilon(v.Shape.DType))
	}
	ulps := s.ulps
	if ulps == 0 {
		ulps = 4
	}
	equal := cmp.Options{
		cmp.Comparer(func(a, b float64) bool { return near(a, b, ulps*tolerance) }),
		cmp.Comparer(func(a, b complex128) bool {
			return near(real(a), real(b), ulps*tolerance*max(1, math.Abs(imag(a)))) && near(imag(a), imag(b), ulps*tolerance*max(1, math.Abs(real(a))))
		}),
	}
	if diff := cmp.Diff(readable(want), readable(got), equal); diff != "" {
		t.Errorf("%s (-%s +%s), arguments %s:\n%s", s.name(), judge, who, fmt.Sprint(s.in), diff)
	}
}
