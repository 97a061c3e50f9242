package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFigures(t *testing.T) {
	tests := []struct {
		name   string
		value  float64
		budget *limit
		want   string
		over   bool
	}{
		{"without a budget", 1234.5678, nil, "f\t1235\tus\t-\tok\n", false},
		{"at most, under", 0.29, atMost(0.3), "f\t0.29\tus\t<=0.3\tok\n", false},
		{"at most, just there", 0.3, atMost(0.3), "f\t0.3\tus\t<=0.3\tok\n", false},
		{"at most, over", 0.31, atMost(0.3), "f\t0.31\tus\t<=0.3\tover\n", true},
		{"at least, enough", 200, atLeast(200), "f\t200\tus\t>=200\tok\n", false},
		{"at least, too little", 199, atLeast(200), "f\t199\tus\t>=200\tover\n", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out strings.Builder
			r := &report{out: &out}
			r.figure("f", test.value, "us", test.budget)
			if diff := cmp.Diff(test.want, out.String()); diff != "" || r.over != test.over {
				t.Errorf("over = %v, line (-want +got):\n%s", r.over, diff)
			}
		})
	}
}

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{4, 1, 100, 2}, 3}} {
		if got := median(test.values); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-suite", "nosuch"}, {"-repeat", "0"}, {"stray"}, {"-nosuchflag"},
		{"-suite", "run", "-plot", "x"}, {"-report", "x", "-plot", "y"}, {"-report", "x", "-suite", "open"}} {
		if got := run(args); got != 2 {
			t.Errorf("run(%q) = %d, want 2", args, got)
		}
	}
}
