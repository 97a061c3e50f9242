package fix

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/passes"
)

// Options are the options of Apply.
type Options struct {
	lint.Options
	// Migrate has the options of passes.Migrate. If its Callback is nil, custom calls that are
	// not callbacks of the contract stay as they are.
	Migrate passes.MigrateOptions
	// Select returns the findings that count, for example without those that the data ignore. It may
	// change their severities. data are what the positions of the findings are in: the input, or
	// what Apply made of it. Nil selects all.
	Select func(data []byte, found []finding.Finding) []finding.Finding
	Texts  bool // set Result.Before and Result.After
	Unsafe bool // also make the repairs after which the program does something else
}

// maxRounds is how often findings are repaired and the rules run again.
const maxRounds = 10

// A Result is the result of Apply.
type Result struct {
	// Data is the mended input, in the input's form. It is the input itself if nothing was
	// repaired.
	Data    []byte
	Changed bool
	Fixed   []finding.Finding // the findings that were repaired, at their places in the input
	// Left has what must not be left, at its place in the input: errors, findings whose repair
	// did not help, and what passes.Migrate did not recognise. If it is empty, Data is valid, and
	// the rules find no error in it.
	Left []finding.Finding
	// Found has the findings in Data.
	Found []finding.Finding
	// Anew says that a text was printed anew, and why. Otherwise only the text of the operations that
	// changed is another one.
	Anew string
	// Unsafe is the number of findings whose repairs need Options.Unsafe.
	Unsafe int
	// Notes say how Data differs from the input beyond the repairs: in its version, for example.
	Notes []string
	// Before and After are texts of the input and of Data. Those of text are themselves.
	Before, After []byte
}

// ErrInvalid is the error for an input that is not valid. lint.Check returns the findings about
// it.
var ErrInvalid = errors.New("the module is not valid")

// Apply runs the rules on one module, from text, bytecode or a portable artifact, and applies the
// repairs of their findings until there are none. It may be called by several goroutines at once.
//
// Text stays text, bytecode keeps its version, and a portable artifact its version of StableHLO,
// or gets the lowest later one that can express the result.
//
// Input that crashes the library ends the process, as in lint.Check.
func Apply(library *mlir.Library, file string, data []byte, o Options) (Result, error) {
	if o.Migrate.Callback == nil {
		o.Migrate.Callback = func(mlir.Operation) string { return "" }
	}
	r := &repair{file: file, data: data, options: o, changes: map[int]change{}}
	r.result.Data = data
	err := mlir.OnLargeStack(func() error {
		context := library.NewContext(mlir.ContextOptions{AllowUnregistered: len(o.AllowUnregistered) > 0})
		defer context.Close()
		module, restore, err := lint.Parse(context, data, o.Analyzers)
		if module == nil {
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		r.restore = restore
		if !mlir.IsBytecode(data) {
			r.places = lint.PlacesOf(module, data, o.Analyzers)
		}
		return r.run(library, module)
	})
	if err != nil {
		return Result{}, err
	}
	return r.result, nil
}

// selected returns the findings that count.
func (o Options) selected(data []byte, found []finding.Finding) []finding.Finding {
	if o.Select == nil {
		return found
	}
	return o.Select(data, found)
}

// A repair is the state of mending one input.
type repair struct {
	file     string
	data     []byte
	options  Options
	module   *mlir.Module
	restore  func(*mlir.Module)     // see lint.Parse; nil once it was called
	places   *lint.Places           // in the input; nil for bytecode
	numbers  map[mlir.Operation]int // in the input, of the operations that stay
	old      []mlir.Location        // of the operations of the input
	changes  map[int]change         // of attributes, by these numbers
	ignored  []finding.Finding      // the findings that do not count
	migrated bool                   // passes.Migrate ran
	replaced bool                   // passes.ReplaceLegacy ran
	whole    bool                   // one of them changed the module
	now      string                 // the module, if a finding has a repair
	result   Result
}

func (r *repair) run(library *mlir.Library, module *mlir.Module) error {
	r.module = module
	r.numbers = map[mlir.Operation]int{}
	for op := range module.Operation().All() {
		r.numbers[op] = len(r.numbers) + 1
		r.old = append(r.old, op.Location())
	}
	if r.options.Texts {
		r.result.Before = r.textOf(r.data)
	}
	var found []finding.Finding
	for round := 0; ; round++ {
		found = r.check()
		if slices.ContainsFunc(found, isInvalid) || round == maxRounds {
			break
		}
		changed, err := r.round(found)
		if err != nil {
			return err
		}
		if !changed {
			break
		}
		r.result.Changed = true
	}
	r.left(found)
	if !r.result.Changed {
		r.result.Found, r.result.After = found, r.result.Before
		return nil
	}
	return r.write(library)
}

// check returns the findings that count, and notes the others.
func (r *repair) check() []finding.Finding {
	type key struct {
		rule, message string
		operation     int
	}
	of := func(d finding.Finding) key { return key{d.Rule, d.Message, d.Operation} }
	all := lint.CheckModule(r.module, r.file, r.places, r.options.Options)
	found := r.options.selected(r.data, slices.Clone(all))
	counts := map[key]bool{}
	for _, d := range found {
		counts[of(d)] = true
	}
	r.result.Unsafe = 0
	for i := range found {
		if f := found[i].Fix; f != nil && f.Unsafe && !r.options.Unsafe {
			found[i].Fix = nil
			r.result.Unsafe++
		}
	}
	r.ignored = slices.DeleteFunc(all, func(d finding.Finding) bool { return counts[of(d)] })
	return found
}

// round applies the repairs of the findings: those of operations, or, if there are none, the
// migration. It returns whether the module changed.
func (r *repair) round(found []finding.Finding) (bool, error) {
	var local, legacy, migrate, prepare []finding.Finding
	for _, d := range found {
		switch {
		case isLocal(d):
			local = append(local, d)
		case d.Fix != nil && d.Fix.ReplaceLegacy:
			legacy = append(legacy, d)
		case d.Fix != nil && d.Fix.Migrate:
			migrate = append(migrate, d)
		case d.Fix != nil && d.Fix.Prepare:
			prepare = append(prepare, d)
		}
	}
	if len(local)+len(legacy)+len(migrate)+len(prepare) == 0 {
		return false, nil
	}
	if r.now == "" {
		r.now = genericForm(r.module.Operation())
	}
	if len(local) > 0 {
		if err := r.change(local); err != nil {
			return false, err
		}
		if r.changed() {
			r.result.Fixed = append(r.result.Fixed, local...)
			return true, nil
		}
	}
	if len(legacy) > 0 && !r.replaced {
		if err := r.replaceLegacy(legacy); err != nil {
			return false, err
		}
		if r.changed() {
			r.whole = true
			return true, nil
		}
	}
	switch {
	case len(migrate) > 0 && !r.migrated:
		if err := r.migrate(found, migrate); err != nil {
			return false, err
		}
	case len(prepare) > 0:
		if err := r.prepare(prepare); err != nil {
			return false, err
		}
	}
	changed := r.changed()
	r.whole = r.whole || changed
	return changed, nil
}

// replaceLegacy rewrites the legacy calls that findings are about. Others may be ignored.
func (r *repair) replaceLegacy(findings []finding.Finding) error {
	r.replaced = true
	found := r.about(findings)
	o := passes.LegacyOptions{KeepSpelling: true, Callback: func(c passes.LegacyCall) string {
		if !found[c.Op] {
			return ""
		}
		return c.Target
	}}
	err := r.numbered(func() error {
		_, err := passes.ReplaceLegacy(r.module, o)
		return err
	})
	if err == nil {
		r.result.Fixed = append(r.result.Fixed, findings...)
	}
	return err
}

// prepare prepares the module for XLA, because of findings, unless it would also change what is ignored.
func (r *repair) prepare(findings []finding.Finding) error {
	for _, other := range r.ignored {
		if other.Fix != nil && other.Fix.Prepare {
			for _, d := range findings {
				d.Message += fmt.Sprintf(" (the repair would also change %s:%d:%d, whose finding is ignored)", r.file,
					other.Line, other.Column)
				r.result.Left = append(r.result.Left, d)
			}
			return nil
		}
	}
	r.result.Fixed = append(r.result.Fixed, findings...)
	return r.numbered(func() error { return passes.Prepare(r.module, passes.PrepareOptions{}) })
}

// about returns the operations of the module that findings are about.
func (r *repair) about(findings []finding.Finding) map[mlir.Operation]bool {
	numbers, ops := map[int]bool{}, map[mlir.Operation]bool{}
	for _, d := range findings {
		numbers[d.Operation] = true
	}
	n := 0
	for op := range r.module.Operation().All() {
		if n++; numbers[n] {
			ops[op] = true
		}
	}
	return ops
}

// numbered rewrites the module, and numbers the operations that stay: they keep their attributes.
func (r *repair) numbered(rewrite func() error) error {
	c := r.module.Context()
	for op := range r.module.Operation().All() {
		if n := r.numbers[op]; n > 0 {
			op.SetAttribute(numberName, c.IntegerAttribute(c.IntegerType(64, mlir.Signless), int64(n)))
		}
	}
	if err := rewrite(); err != nil {
		return err
	}
	clear(r.numbers)
	for op := range r.module.Operation().All() {
		if a, ok := op.Attribute(numberName); ok {
			n, _ := a.Int()
			r.numbers[op] = int(n)
			op.RemoveAttribute(numberName)
		}
	}
	return nil
}

// numberName is an attribute that an operation has only while the module is rewritten.
const numberName = "calliope.number"

// changed reports whether the module is not as it was at the last call.
func (r *repair) changed() bool {
	before := r.now
	r.now = genericForm(r.module.Operation())
	return r.now != before
}

// change applies the repairs of operations to the module.
func (r *repair) change(findings []finding.Finding) error {
	ops := slices.Collect(r.module.Operation().All())
	changes := map[int]change{} // by the numbers now
	for _, d := range findings {
		if d.Operation > len(ops) {
			return fmt.Errorf("the rule %s repairs operation %d, and there are %d", d.Rule, d.Operation, len(ops))
		}
		changes[d.Operation] = changes[d.Operation].with(d.Fix)
	}
	for number, c := range changes {
		original := r.numbers[ops[number-1]]
		r.changes[original] = r.changes[original].then(c)
	}
	if err := applyAll(ops, changes); err != nil {
		return err
	}
	if r.restore != nil {
		r.restore(r.module)
		r.restore = nil
		if err := r.module.Verify(); err != nil { // a mistake has no repair
			return fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		return nil
	}
	if err := r.module.Verify(); err != nil {
		return fmt.Errorf("the repaired module is not valid, which is a mistake in a rule: %w", err)
	}
	return nil
}

// migrate migrates the module, because of some of the findings in it.
func (r *repair) migrate(all, findings []finding.Finding) error {
	r.migrated = true
	o, wanted := r.options.Migrate, r.about(findings)
	reasons := r.keeps()
	o.Keep = func(op mlir.Operation) string {
		if wanted[op] {
			return ""
		}
		return reasons[op]
	}
	r.leaves(passes.PlanMigrate(r.module, o), findings)
	var result passes.MigrateResult
	err := r.numbered(func() (err error) {
		result, err = passes.Migrate(r.module, o)
		return err
	})
	if err != nil {
		return err
	}
	r.nameFile()
	for _, l := range result.Skipped {
		d := finding.Finding{File: r.file, Severity: finding.Error, Rule: findings[0].Rule,
			Message: fmt.Sprintf("%s cannot be migrated: %s", l.Operation, r.named(l.Reason))}
		r.places.Set(&d, l.Location)
		says := func(f finding.Finding) bool { return f.Line == d.Line && f.Column == d.Column }
		switch {
		case l.Operation == "stablehlo.custom_call": // hooks that are connected with it are in the list
		case l.Reason == ignored, l.Reason == unreported:
		case !slices.ContainsFunc(all, says):
			r.result.Left = append(r.result.Left, d)
		}
	}
	for _, d := range all {
		if d.Severity == finding.Error && r.isByHand(d.Rule) {
			d.Message += " (the repair does not keep this)"
			r.result.Left = append(r.result.Left, d)
		}
	}
	r.result.Fixed = append(r.result.Fixed, findings...)
	return nil
}

// leaves adds the findings about operations that passes.Migrate leaves, with the reasons.
func (r *repair) leaves(plan *passes.MigratePlan, findings []finding.Finding) {
	ops := slices.Collect(r.module.Operation().All())
	for _, d := range findings {
		if reason := plan.Leaves(ops[d.Operation-1]); reason != "" {
			d.Message += fmt.Sprintf(" (-fix cannot replace it: %s)", r.named(reason))
			r.result.Left = append(r.result.Left, d)
		}
	}
}

// named puts the name of the file into the places of a text.
func (r *repair) named(text string) string {
	return strings.ReplaceAll(text, " at -:", " at "+r.file+":")
}

// isByHand reports whether the findings of a rule must be mended by hand.
func (r *repair) isByHand(rule string) bool {
	return slices.ContainsFunc(r.options.Analyzers, func(a *lint.Analyzer) bool { return a.Name == rule && a.ByHand })
}

// Why passes.Migrate keeps an operation.
const (
	ignored    = "its finding is ignored"
	unreported = "no rule that runs reports it"
)

// keeps returns why passes.Migrate must keep operations unless a finding about them is to be repaired.
func (r *repair) keeps() map[mlir.Operation]string {
	reasons, found := map[mlir.Operation]string{}, r.about(r.ignored)
	for op := range r.module.Operation().All() {
		switch {
		case found[op]:
			reasons[op] = ignored
		case op.Name() == "stablehlo.outfeed" || op.Name() == "stablehlo.infeed":
			reasons[op] = unreported
		}
	}
	return reasons
}

// nameFile puts the name of the file into the places that the configurations of callbacks have: a
// module that was parsed has none.
func (r *repair) nameFile() {
	c := r.module.Context()
	for op := range r.module.Operation().All() {
		config, ok := op.Attribute("backend_config")
		if !ok || !config.IsDictionary() {
			continue
		}
		var entries []mlir.NamedAttribute
		renamed := false
		for name, value := range config.Entries() {
			text, _ := value.Text()
			if line, ok := strings.CutPrefix(text, "-:"); ok && name == "loc" {
				value, renamed = c.StringAttribute(filepath.Base(r.file)+":"+line), true
			}
			entries = append(entries, mlir.NamedAttribute{Name: name, Value: value})
		}
		if renamed {
			op.SetAttribute("backend_config", c.DictionaryAttribute(entries...))
		}
	}
}

// left adds the findings that must not be left, and removes them from those that were repaired.
func (r *repair) left(found []finding.Finding) {
	for _, d := range found {
		if d.Fix != nil || d.Severity == finding.Error {
			same := func(f finding.Finding) bool {
				return f.Rule == d.Rule && f.Line == d.Line && f.Column == d.Column
			}
			if !slices.ContainsFunc(r.result.Left, same) { // else that says why
				r.result.Left = append(r.result.Left, d)
			}
			r.result.Fixed = slices.DeleteFunc(r.result.Fixed,
				func(f finding.Finding) bool { return same(f) && f.Message == d.Message })
		}
	}
	slices.SortStableFunc(r.result.Left, func(a, b finding.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// isLocal reports whether a finding has a repair of its operation.
func isLocal(d finding.Finding) bool { return d.Fix != nil && !d.Fix.Whole() && d.Operation > 0 }

func isInvalid(d finding.Finding) bool { return d.Rule == finding.Invalid }
