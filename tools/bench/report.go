package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
)

// report prints the figures.
type report struct {
	out  io.Writer
	over bool
}

// limit is a budget: the greatest or the least value allowed for a figure.
type limit struct {
	value   float64
	atLeast bool
}

func atMost(v float64) *limit  { return &limit{value: v} }
func atLeast(v float64) *limit { return &limit{value: v, atLeast: true} }

func (l *limit) met(value float64) bool {
	if l.atLeast {
		return value >= l.value
	}
	return value <= l.value
}

// figure prints one line. A figure without a budget has a nil budget.
func (r *report) figure(name string, value float64, unit string, budget *limit) {
	text, verdict := "-", "ok"
	if budget != nil {
		sign := "<="
		if budget.atLeast {
			sign = ">="
		}
		text = sign + strconv.FormatFloat(budget.value, 'g', -1, 64)
		if !budget.met(value) {
			verdict, r.over = "over", true
		}
	}
	fmt.Fprintf(r.out, "%s\t%.4g\t%s\t%s\t%s\n", name, value, unit, text, verdict)
}

// median returns the middle of the values, which other programs disturb least.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
