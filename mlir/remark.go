package mlir

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/experimental/capi"
)

// A RemarkKind says what became of an optimization.
type RemarkKind int

const (
	RemarkPassed   RemarkKind = iota + 1 // it was done
	RemarkMissed                         // it was possible and was not done
	RemarkFailed                         // it was tried and failed
	RemarkAnalysis                       // a fact about the program
)

func (k RemarkKind) String() string {
	switch k {
	case RemarkPassed:
		return "passed"
	case RemarkMissed:
		return "missed"
	case RemarkFailed:
		return "failed"
	case RemarkAnalysis:
		return "analysis"
	}
	return "unknown"
}

// A Remark is what a pass reports of an optimization. It is not a diagnostic, which is text for
// people: see Context.EmitRemark for those.
type Remark struct {
	Kind RemarkKind
	// Name is that of the optimization, such as "unroll". Category, which RemarkOptions
	// choose by, is often the name of the pass. The subcategory and the function may be empty.
	Name, Category, Subcategory, Function string
	Location                              Location
	Args                                  []RemarkArg
	// ID is the number that the library gave the remark among those of its context.
	ID uint64
}

// A RemarkArg is one fact of a Remark.
type RemarkArg struct{ Key, Value string }

// String returns the remark in one line, such as
// "loop.mlir:3:5: passed: unroll [loops]: factor=4".
func (r Remark) String() string {
	var b strings.Builder
	if !r.Location.IsNil() {
		b.WriteString(r.Location.Position().String() + ": ")
	}
	fmt.Fprintf(&b, "%s: %s [%s]", r.Kind, r.Name, r.category())
	for i, a := range r.Args {
		fmt.Fprintf(&b, "%s%s=%s", []string{", ", ": "}[max(0, 1-i)], a.Key, a.Value)
	}
	return b.String()
}

func (r Remark) category() string {
	if r.Subcategory == "" {
		return r.Category
	}
	return r.Category + ":" + r.Subcategory
}

// RemarkOptions choose remarks. The zero value chooses all.
type RemarkOptions struct {
	// Categories is a regular expression, as regexp.CompilePOSIX takes it, for the whole
	// category of remarks of every kind. Passed,
	// Missed, Failed and Analysis are for those of one kind, which are chosen in addition. An
	// empty one chooses nothing, but if all are empty, everything is chosen.
	Categories, Passed, Missed, Failed, Analysis string
	// Final reports remarks at the end, instead of when they are made. Then a remark that
	// replaces others about the same thing is reported in their place.
	Final bool
}

// capi returns the options for the library, which ignores wrong regular expressions.
func (o RemarkOptions) capi() (capi.MlirRemarkCategories, capi.MlirRemarkPolicy, error) {
	for _, r := range []string{o.Categories, o.Passed, o.Missed, o.Failed, o.Analysis} {
		if _, err := regexp.CompilePOSIX(r); err != nil {
			return capi.MlirRemarkCategories{}, 0, fmt.Errorf("mlir: the categories of remarks: %w", err)
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

// OnRemark calls f with every remark of this context until stop is called. f runs on the
// goroutine that called the library, after the library returned, and may use the context. With
// RemarkOptions.Final, stop calls f. A context reports remarks to one place at a time. OnRemark
// returns an UnsupportedError if the library has no remarks; IREE's has them.
func (c *Context) OnRemark(o RemarkOptions, f func(Remark)) (stop func(), err error) {
	t := c.life.check("Context.OnRemark")
	if f == nil {
		return nil, fmt.Errorf("mlir: OnRemark needs a function")
	}
	if err := c.mayRemark("OnRemark"); err != nil {
		return nil, err
	}
	categories, policy, err := o.capi()
	if err != nil {
		return nil, err
	}
	collected, ok := capi.CollectRemarks(t, c.raw, categories, policy)
	if !ok {
		return nil, &DiagnosticError{Op: "asking for remarks", Diagnostics: c.takeDiagnostics("")}
	}
	r := &remarks{collected, f}
	c.remarks = r
	return func() {
		if c.remarks != r {
			return
		}
		t := c.life.check("the stop of Context.OnRemark")
		c.calls.idle("the stop of Context.OnRemark")
		capi.MlirContextFinalizeOptimizationRemarks(t, c.raw)
		c.deliverRemarks()
		c.remarks = nil
		collected.Free()
	}, nil
}

// WriteRemarks writes the remarks of this context as YAML to a file until stop is called, which
// completes the file. See OnRemark.
func (c *Context) WriteRemarks(path string, o RemarkOptions) (stop func(), err error) {
	t := c.life.check("Context.WriteRemarks")
	if err := c.mayRemark("WriteRemarks"); err != nil {
		return nil, err
	}
	categories, policy, err := o.capi()
	if err != nil {
		return nil, err
	}
	if capi.MlirContextEnableOptimizationRemarksToFile(t, c.raw, categories, policy, capi.MlirRemarkFileFormatYAML,
		path, false).Value == 0 {
		return nil, &DiagnosticError{Op: "writing remarks to " + path, Diagnostics: c.takeDiagnostics("")}
	}
	r := &remarks{}
	c.remarks = r
	return func() {
		if c.remarks != r {
			return
		}
		c.remarks = nil
		t := c.life.check("the stop of Context.WriteRemarks")
		c.calls.idle("the stop of Context.WriteRemarks")
		capi.MlirContextFinalizeOptimizationRemarks(t, c.raw)
	}, nil
}

func (c *Context) mayRemark(method string) error {
	if err := c.lib.need("mlirContextEnableOptimizationRemarksWithCallback",
		"mlirContextEnableOptimizationRemarksToFile", "mlirRemarkGetFullCategoryName"); err != nil {
		return err
	}
	c.calls.idle("Context." + method)
	if c.remarks != nil {
		return fmt.Errorf("mlir: the context reports remarks already: stop that before %s", method)
	}
	return nil
}

// remarks are where a context reports its remarks.
type remarks struct {
	capi.Remarks
	call func(Remark) // nil for a file
}

// deliverRemarks calls the function of OnRemark with what was reported.
func (c *Context) deliverRemarks() {
	if c.remarks == nil || c.remarks.call == nil {
		return
	}
	call := c.remarks.call
	for _, r := range c.remarks.Take() {
		made := Remark{Kind: RemarkKind(r.Kind), ID: r.ID, Name: r.Strings[0], Category: r.Strings[1],
			Location: c.location(r.Location)}
		if sub, ok := strings.CutPrefix(r.Strings[2], made.Category+":"); ok {
			made.Subcategory = sub
		}
		if r.Strings[3] != "<unknown function>" {
			made.Function = r.Strings[3]
		}
		for i := 4; i < len(r.Strings); i += 2 {
			if r.Strings[i] == "RemarkId" {
				continue // made.ID
			}
			made.Args = append(made.Args, RemarkArg{r.Strings[i], r.Strings[i+1]})
		}
		call(made)
	}
}

// Report reports a remark, for example from a Pass in Go. It returns whether OnRemark or
// WriteRemarks asked for remarks of that category, and false in a library that has no remarks.
// A Remark without Location gets an unknown one.
func (c *Context) Report(r Remark) bool {
	t := c.life.check("Context.Report")
	at := r.Location
	if at.IsNil() {
		at = c.UnknownLocation()
	}
	raw := at.in(c, "Context.Report")
	if r.Kind < RemarkPassed || r.Kind > RemarkAnalysis {
		panic(fmt.Sprintf("mlir: Context.Report called with a kind of remark that does not exist, %d", r.Kind))
	}
	if c.remarks == nil {
		return false
	}
	var args []string
	for _, a := range r.Args {
		args = append(args, a.Key, a.Value)
	}
	reported := capi.EmitRemark(t, raw, capi.MlirRemarkKind(r.Kind), r.Name, r.Category, r.Subcategory, r.Function,
		args)
	if c.calls.current == nil { // otherwise at the end of the run
		c.deliverRemarks()
	}
	return reported
}
