package remark

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
	"github.com/calliope-mlir/calliope/internal/ir/raw"
	"github.com/calliope-mlir/calliope/mlir"
)

// Options choose remarks. The zero value chooses all.
type Options struct {
	// Categories is a regular expression, as regexp.CompilePOSIX takes it, for the whole category of remarks of every
	// kind. Passed, Missed, Failed and Analysis are for those of one kind, which are chosen in addition. An empty one
	// chooses nothing, but if all are empty, everything is chosen.
	Categories, Passed, Missed, Failed, Analysis string
	// Final reports remarks at the end, instead of when they are made. Then a remark that replaces others about the
	// same thing is reported in their place.
	Final bool
}

// capi returns the options for the library, which ignores wrong regular expressions.
func (o Options) capi() (capi.MlirRemarkCategories, capi.MlirRemarkPolicy, error) {
	for _, r := range []string{o.Categories, o.Passed, o.Missed, o.Failed, o.Analysis} {
		if _, err := regexp.CompilePOSIX(r); err != nil {
			return capi.MlirRemarkCategories{}, 0, fmt.Errorf("remark: the categories: %w", err)
		}
	}
	c := capi.MlirRemarkCategories{All: o.Categories, Passed: o.Passed, Missed: o.Missed, Analysis: o.Analysis,
		Failed: o.Failed}
	if c == (capi.MlirRemarkCategories{}) {
		c.All = ".*"
	}
	if o.Final {
		return c, capi.MlirRemarkPolicyFinal, nil
	}
	return c, capi.MlirRemarkPolicyAll, nil
}

// A reporter is where a context reports its remarks. It is closed with its context.
type reporter struct {
	c         *mlir.Context
	collected *capi.Remarks // nil for a file
	call      func(Remark)
}

// On calls f with every remark of the context until stop is called. f runs on the goroutine that called the library,
// after the library returned, and may use the context. With Options.Final, stop calls f. A context reports remarks to
// one place at a time. On returns an *mlir.UnsupportedError if the library has no remarks.
func On(c *mlir.Context, o Options, f func(Remark)) (stop func(), err error) {
	const method = "remark.On"
	t := raw.Use(c, method)
	if f == nil {
		return nil, fmt.Errorf("remark: On needs a function")
	}
	categories, policy, err := choose(c, o, method)
	if err != nil {
		return nil, err
	}
	collected, ok := capi.CollectRemarks(t, raw.Context(c), categories, policy)
	if !ok {
		return nil, raw.Failure(c, "asking for remarks")
	}
	return (&reporter{c, &collected, f}).start("the stop of " + method), nil
}

// WriteFile writes the remarks of the context as YAML to a file until stop is called, which completes the file. See On.
func WriteFile(c *mlir.Context, path string, o Options) (stop func(), err error) {
	const method = "remark.WriteFile"
	t := raw.Use(c, method)
	categories, policy, err := choose(c, o, method)
	if err != nil {
		return nil, err
	}
	if capi.MlirContextEnableOptimizationRemarksToFile(t, raw.Context(c), categories, policy,
		capi.MlirRemarkFileFormatYAML, path, false).Value == 0 {
		return nil, raw.Failure(c, "writing remarks to "+path)
	}
	return (&reporter{c: c}).start("the stop of " + method), nil
}

// choose returns the options for the library, if the context can report remarks.
func choose(c *mlir.Context, o Options, method string) (capi.MlirRemarkCategories, capi.MlirRemarkPolicy, error) {
	if err := raw.Need(c.Library(), "mlirContextEnableOptimizationRemarksWithCallback",
		"mlirContextEnableOptimizationRemarksToFile", "mlirRemarkGetFullCategoryName"); err != nil {
		return capi.MlirRemarkCategories{}, 0, err
	}
	raw.Idle(c, method)
	if *of(c) != nil {
		return capi.MlirRemarkCategories{}, 0,
			fmt.Errorf("remark: the context reports remarks already: stop that before %s", method)
	}
	return o.capi()
}

// of returns the place of a context's reporter.
func of(c *mlir.Context) **reporter { return raw.Beside[*reporter](c) }

// start makes r the context's reporter, and returns what ends that.
func (r *reporter) start(method string) (stop func()) {
	*of(r.c) = r
	raw.Keep(r.c, r)
	raw.After(r.c, r.deliver)
	return func() {
		if *of(r.c) != r {
			return
		}
		raw.Use(r.c, method)
		raw.Idle(r.c, method)
		r.end(true)
	}
}

// Close ends the reports with the context. What was not delivered is lost.
func (r *reporter) Close() error {
	r.end(false)
	return nil
}

// end ends the reports. The library must not have any left when the context is destroyed.
func (r *reporter) end(deliver bool) {
	*of(r.c) = nil
	if !raw.Drop(r.c, r) {
		return
	}
	raw.After(r.c, nil)
	capi.MlirContextFinalizeOptimizationRemarks(raw.Table(r.c), raw.Context(r.c))
	if r.collected != nil {
		if deliver {
			r.deliver()
		}
		r.collected.Free()
	}
}

// deliver calls the function of On with what was reported.
func (r *reporter) deliver() {
	if r.collected == nil {
		return
	}
	for _, m := range r.collected.Take() {
		made := Remark{Kind: Kind(m.Kind), ID: m.ID, Name: m.Strings[0], Category: m.Strings[1],
			Location: raw.WrapLocation(r.c, m.Location)}
		if sub, ok := strings.CutPrefix(m.Strings[2], made.Category+":"); ok {
			made.Subcategory = sub
		}
		if m.Strings[3] != "<unknown function>" {
			made.Function = m.Strings[3]
		}
		for i := 4; i < len(m.Strings); i += 2 {
			if m.Strings[i] == "RemarkId" {
				continue // made.ID
			}
			made.Args = append(made.Args, Arg{m.Strings[i], m.Strings[i+1]})
		}
		r.call(made)
	}
}

// Report reports a remark. It returns whether On or WriteFile asked for remarks of that category, and false in a
// library that has no remarks. A Remark without Location gets an unknown one.
func Report(c *mlir.Context, r Remark) bool {
	const method = "remark.Report"
	t := raw.Use(c, method)
	at := raw.LocationIn(r.Location, c, method)
	if r.Kind < Passed || r.Kind > Analysis {
		panic(fmt.Sprintf("mlir: %s called with a kind of remark that does not exist, %d", method, r.Kind))
	}
	to := *of(c)
	if to == nil {
		return false
	}
	var args []string
	for _, a := range r.Args {
		args = append(args, a.Key, a.Value)
	}
	reported := capi.EmitRemark(t, at, capi.MlirRemarkKind(r.Kind), r.Name, r.Category, r.Subcategory, r.Function, args)
	if !raw.Called(c) { // otherwise at the end of the run
		to.deliver()
	}
	return reported
}
