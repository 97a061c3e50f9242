package check_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/calliope-mlir/calliope/internal/test/check"
)

// recorder keeps what a test would report.
type recorder struct {
	testing.TB
	reports []string
	stopped bool
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.reports = append(r.reports, fmt.Sprintf(format, args...))
}
func (r *recorder) Error(args ...any) { r.reports = append(r.reports, fmt.Sprint(args...)) }
func (r *recorder) Fatal(args ...any) {
	r.reports, r.stopped = append(r.reports, fmt.Sprint(args...)), true
}

func TestReports(t *testing.T) {
	err := errors.New("the disk is full")
	for _, test := range []struct {
		name string
		do   func(t testing.TB)
		want []string // parts of the reports
	}{
		{"equal", func(t testing.TB) { check.Diff(t, "numbers", []int{1}, []int{1}) }, nil},
		{"equal with an option",
			func(t testing.TB) { check.Diff(t, "numbers", []int{}, []int(nil), cmpopts.EquateEmpty()) }, nil},
		{"different", func(t testing.TB) { check.Diff(t, "numbers", 1, 2) }, []string{"numbers (-want +got):"}},
		{"no error", func(t testing.TB) { check.NoError(t, nil) }, nil},
		{"an error", func(t testing.TB) { check.NoError(t, err) }, []string{"the disk is full"}},
		{"a report", func(t testing.TB) { check.Report(t, nil); check.Report(t, err) }, []string{"the disk is full"}},
		{"the error", func(t testing.TB) { check.Error(t, err, "disk", "full") }, nil},
		{"another error", func(t testing.TB) { check.Error(t, err, "disk", "slow", "empty") },
			[]string{`does not say "slow"`, `does not say "empty"`}},
		{"the panic", func(t testing.TB) { check.Panics(t, "full", func() { panic("the disk is full") }) }, nil},
		{"another panic", func(t testing.TB) { check.Panics(t, "full", func() { panic("the disk is slow") }) },
			[]string{"the panic is the disk is slow (string)"}},
		{"a panic with an error", func(t testing.TB) { check.Panics(t, "full", func() { panic(err) }) },
			[]string{"(*errors.errorString)"}},
		{"no panic", func(t testing.TB) { check.Panics(t, "full", func() {}) }, []string{"there is no panic"}},
		{"a value", func(t testing.TB) { check.Diff(t, "value", 1, check.Must(1, nil)) }, nil},
		{"no value", func(t testing.TB) { check.Panics(t, "disk", func() { check.Must(1, err) }) },
			[]string{"(*errors.errorString)"}},
		{"an error that is missing", func(t testing.TB) { check.Error(t, nil, "disk") }, []string{"there is no error"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &recorder{}
			test.do(r)
			if len(r.reports) != len(test.want) {
				t.Fatalf("the reports are %q, want %q", r.reports, test.want)
			}
			for i, want := range test.want {
				if !strings.Contains(r.reports[i], want) {
					t.Errorf("a report is %q, want it to say %q", r.reports[i], want)
				}
			}
			if want := test.name == "an error"; r.stopped != want {
				t.Errorf("the test is stopped: %t, want %t", r.stopped, want)
			}
		})
	}
}
