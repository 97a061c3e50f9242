package fix

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/calliope-mlir/calliope/lint"
	"github.com/calliope-mlir/calliope/lint/finding"
	"github.com/calliope-mlir/calliope/mlir"
	"github.com/calliope-mlir/calliope/stablehlo"
)

// write sets the result's data from the module and checks them.
func (r *repair) write(library *mlir.Library) error {
	var err error
	switch {
	case !mlir.IsBytecode(r.data):
		text, marked := strings.CutPrefix(string(r.data), byteOrderMark)
		mended := r.text(text)
		if marked {
			mended = byteOrderMark + mended
		}
		r.result.Data = []byte(mended)
	case stablehlo.IsPortableArtifact(r.data):
		r.result.Data, err = r.artifact(library)
	default:
		r.result.Data, err = r.module.Operation().BytecodeVersion(bytecodeVersion(r.data))
	}
	if err != nil {
		return fmt.Errorf("writing the mended module: %w", err)
	}
	if r.options.Texts {
		r.result.After = r.textOf(r.result.Data)
	}
	found, err := lint.Check(library, r.file, r.result.Data, r.options.Options)
	if err != nil {
		return err
	}
	r.result.Found = r.options.selected(r.result.Data, found)
	for _, d := range r.result.Found {
		if isInvalid(d) && len(r.result.Left) == 0 {
			return errors.New("the mended module is not accepted: " + d.Message)
		}
		if d.Severity == finding.Error && len(r.result.Left) == 0 {
			r.result.Left = append(r.result.Left, d)
		}
	}
	return nil
}

// byteOrderMark may be at the start of a text. Parse skips it.
const byteOrderMark = "\ufeff"

// textOf returns the data if they are text, or else the module as text.
func (r *repair) textOf(data []byte) []byte {
	if !mlir.IsBytecode(data) {
		return data
	}
	return []byte(r.module.Operation().Print(mlir.PrintOptions{AssumeVerified: true}) + "\n")
}

// text returns the mended text.
func (r *repair) text(text string) string {
	source := newSource(r.module.Context(), text, r.options.Analyzers)
	try := func(edits []Edit, ok bool) bool {
		if !ok {
			return false
		}
		mended := source.edited(edits)
		if !same(r.module.Context(), mended, r.now) {
			return false
		}
		text = mended
		return true
	}
	rewritten := func(generic bool) bool { return try(source.rewritten(r.module, r.numbers, r.old, generic)) }
	if !r.whole && try(source.edits(r.changes)) || rewritten(false) || rewritten(true) {
		return text
	}
	return r.printed(source)
}

// same reports whether a text is that of the module with the generic form want.
func same(c *mlir.Context, text, want string) bool {
	module, err := c.Parse("", []byte(text))
	if err != nil {
		return false
	}
	defer module.Close()
	return equalForms(genericForm(module.Operation()), want)
}

// equalForms reports whether two generic forms are of the same operation.
func equalForms(a, b string) bool {
	return a == b || noAttributes.ReplaceAllString(a, "") == noAttributes.ReplaceAllString(b, "")
}

func genericForm(op mlir.Operation) string { return op.Print(mlir.PrintOptions{Generic: true}) }

// localForm is genericForm of an operation in a module. The library does not look at the rest of that.
func localForm(op mlir.Operation) string {
	return op.Print(mlir.PrintOptions{Generic: true, LocalScope: true, AssumeVerified: true})
}

// noAttributes is what the generic form has for the parameters or results of a function if none
// has attributes. A dialect's form does not distinguish it from nothing.
var noAttributes = regexp.MustCompile(`(arg|res)_attrs = \[(\{\}(, )?)+\], `)

// printed prints the module below the comments at the top of the text.
func (r *repair) printed(s *source) string {
	top := s.text
	if len(s.tokens) > 0 {
		top = s.text[:s.tokens[0].start]
	}
	lost := 0
	for _, c := range s.comments {
		if c.start > len(top) {
			lost++
		}
	}
	r.result.Anew = cmp.Or(s.refusal, "the text would be read as another module") + ", so the module is printed anew"
	switch {
	case lost == 1:
		r.result.Anew += "; 1 comment inside is lost"
	case lost > 1:
		r.result.Anew += fmt.Sprintf("; %d comments inside are lost", lost)
	}
	if s.located {
		r.forget()
	}
	o := mlir.PrintOptions{DebugInfo: s.located, AssumeVerified: true}
	body := r.module.Operation().Print(o)
	if !same(r.module.Context(), body, r.now) { // the dialects' forms leave something out
		o.Generic = true
		body = r.module.Operation().Print(o)
	}
	text := strings.ReplaceAll(top, "\r\n", "\n") + strings.TrimRight(body, "\n") + "\n"
	return strings.ReplaceAll(text, "\n", s.lines())
}

// forget removes locations that are positions in the text as it was.
func (r *repair) forget() {
	unknown := r.module.Context().UnknownLocation()
	old := func(l mlir.Location) bool {
		file, ok := l.FileRange()
		return ok && file.File == "-"
	}
	for op := range r.module.Operation().All() {
		if old(op.Location()) {
			_ = op.SetLocation(unknown) // an old library keeps it
		}
		for _, region := range op.Regions() {
			for block := range region.Blocks() {
				for _, v := range block.Arguments() {
					if l, err := v.Location(); err == nil && old(l) {
						_ = v.SetLocation(unknown)
					}
				}
			}
		}
	}
}

// bytecodeVersion returns the version of MLIR's format that bytecode states: a number of variable
// size after the magic number of four bytes, of which all versions so far take one byte.
func bytecodeVersion(data []byte) int {
	if len(data) < 5 || data[4]&1 == 0 {
		return -1
	}
	return int(data[4] >> 1)
}

// artifactVersion returns the version of StableHLO that a portable artifact states, or "".
func artifactVersion(data []byte) string {
	if len(data) < 5 {
		return ""
	}
	text, _, _ := strings.Cut(string(data[5:min(len(data), 64)]), "\x00")
	version, _ := strings.CutPrefix(text, "StableHLO_v")
	if version == text {
		return ""
	}
	return version
}

// artifact returns the module as a portable artifact of the version of the input or the lowest
// later one that has everything in it.
func (r *repair) artifact(library *mlir.Library) ([]byte, error) {
	current, err := stablehlo.CurrentVersion(library)
	if err != nil {
		return nil, err
	}
	own := artifactVersion(r.data)
	if own == "" {
		return stablehlo.PortableArtifact(r.module, current)
	}
	if lowest, err := stablehlo.MinimumVersion(library); err == nil {
		if smaller, err := stablehlo.SmallerVersion(library, own, lowest); err == nil && smaller == own {
			own = lowest
		}
	}
	data, first := stablehlo.PortableArtifact(r.module, own)
	if first == nil {
		return data, nil
	}
	version := stablehlo.LaterVersion(r.module, own)
	if version == "" {
		return nil, first
	}
	r.result.Notes = append(r.result.Notes,
		fmt.Sprintf("StableHLO %s cannot express the result: written as an artifact of %s", own, version))
	return stablehlo.PortableArtifact(r.module, version)
}
