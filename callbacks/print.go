package callbacks

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/calliope-mlir/calliope/contract"
	"github.com/calliope-mlir/calliope/tensor"
)

// PrintOptions say how Print writes. The zero value writes only the arrays, as NumPy does,
// to os.Stdout.
type PrintOptions struct {
	To io.Writer // os.Stdout when nil

	// What holds values that do not come from the device. They are written before the
	// arrays, as name: value, sorted by name.
	What map[string]any
	// Names are the names of the arrays, in order. They are written before the arrays and
	// can be used in Format. There may be fewer names than arrays.
	Names []string
	// ShowDevice writes the ordinal of the device that makes the call.
	ShowDevice bool

	// Format, if not empty, replaces the default layout. It is followed by a newline. It is
	// text with the placeholders {} (the next array), {0} (by index), {name} (of Names or
	// What), {device} and {transforms}; {{ and }} are braces. A colon and a format may
	// follow the name: [<|>][+][0][width][.precision][d|x|e|f|g], as in Python. For an
	// array of rank 1 or more it is the format of each element. A value of What takes only
	// an alignment and a width.
	Format string

	// An array with more elements than Threshold is summarized: only EdgeItems elements at
	// both ends of each dimension are written. Lines are no longer than LineWidth, and no
	// number has more than Precision digits after the decimal point. 0 means NumPy's
	// default: 1000, 3, 75 and 8. A negative Precision writes no digits.
	Threshold, EdgeItems, LineWidth, Precision int
}

// printing keeps the texts of concurrent callbacks from mixing, even if several share a
// writer.
var printing sync.Mutex

// Print returns a Func that writes the arrays that it receives, with one Write for each
// call, like id_print and debug.print of JAX. Arrays look as NumPy writes them. It serves
// builder.Tap and builder.Passthrough. It returns an error if the options are not valid.
func Print(o PrintOptions) (Func, error) {
	if o.Threshold < 0 || o.EdgeItems < 0 || o.LineWidth < 0 {
		return nil,
			fmt.Errorf("callbacks: Print: the threshold %d, edge items %d and line width %d must not be negative", o.Threshold, o.EdgeItems, o.LineWidth)
	}
	p := &printer{
		to: o.To, names: slices.Clone(o.Names), device: o.ShowDevice,
		layout: layout{
			threshold: cmp.Or(o.Threshold, 1000), edge: cmp.Or(o.EdgeItems, 3),
			width: cmp.Or(o.LineWidth, 75), precision: max(cmp.Or(o.Precision, 8), 0),
		},
	}
	if p.to == nil {
		p.to = os.Stdout
	}
	for _, name := range slices.Sorted(maps.Keys(o.What)) {
		p.what = append(p.what, fmt.Sprintf("%s: %v", name, o.What[name]))
	}
	if o.Format != "" {
		if o.ShowDevice {
			return nil, fmt.Errorf(
				"callbacks: Print: ShowDevice has no effect with the format %q: write {device} in it", o.Format)
		}
		var err error
		if p.format, err = parseFormat(o.Format, o.Names, o.What); err != nil {
			return nil, fmt.Errorf("callbacks: Print: the format %q: %w", o.Format, err)
		}
	}
	return describe(p.print, &goTypes{args: leaves{open: true}, tap: true}), nil
}

// printer holds the prepared PrintOptions.
type printer struct {
	to     io.Writer
	what   []string
	names  []string
	device bool
	format []piece // empty without a Format
	layout layout
}

func (p *printer) print(f *Frame) error {
	if err := noResults(f); err != nil {
		return err
	}
	for i, v := range f.Args {
		if err := v.Check(); err != nil {
			return fmt.Errorf("cannot print argument %d: %w", i, err)
		}
	}
	text, err := p.text(f)
	if err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	printing.Lock()
	defer printing.Unlock()
	if _, err := io.WriteString(p.to, text+"\n"); err != nil {
		return fmt.Errorf("cannot print: %w", err)
	}
	return nil
}

func (p *printer) text(f *Frame) (string, error) {
	if len(p.format) > 0 {
		return p.formatted(f)
	}
	var head []string
	if p.device {
		head = append(head, fmt.Sprintf("device: %d", f.Device))
	}
	if t := f.Config.Transforms; t != "" {
		head = append(head, "transforms: "+contract.TransformText(t))
	}
	head = append(head, p.what...)
	body := p.arrays(f.Args)
	if len(head) == 0 {
		return body, nil
	}
	return strings.Join(head, " ") + "\n" + body, nil
}

// arrays writes one array alone, named arrays below each other, and other arrays in
// parentheses, on one line if they fit.
func (p *printer) arrays(args []tensor.View) string {
	if len(p.names) > 0 {
		lines := make([]string, len(args))
		for i, v := range args {
			name := ""
			if i < len(p.names) {
				name = p.names[i] + ": "
			}
			lines[i] = name + p.array(v, len(name))
		}
		return strings.Join(lines, "\n")
	}
	if len(args) == 1 {
		return p.array(args[0], 0)
	}
	texts := make([]string, len(args))
	for i, v := range args {
		texts[i] = p.array(v, 2)
	}
	line := "( " + strings.Join(texts, " ") + " )"
	if len(args) == 0 || len(line) <= p.layout.width && !strings.Contains(line, "\n") {
		return strings.ReplaceAll(line, "(  )", "()")
	}
	return "( " + strings.Join(texts, "\n  ") + " )"
}

func (p *printer) array(v tensor.View, indent int) string {
	l := p.layout
	l.indent = indent
	return l.text(v.Shape.Dims, words(v, l))
}
