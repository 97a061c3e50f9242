package mutants

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// textLine is a finding in the format text: the file, the line, the column, the severity, the
// message and the rule.
var textLine = regexp.MustCompile(`^(.*?):(\d+):(\d+): (error|warning|note): (.*) \[([a-z-]+)\]$`)

// An operation is one that -quick finds.
type operation struct {
	line, column int
	name         string
	stated       bool // the module states another position
}

func operationOf(line, column int, message string) operation {
	name, _, _ := strings.Cut(message, " ")
	return operation{line, column, name, strings.Contains(message, " (at ")}
}

// quick compares the findings of -quick with the operations in the modules that the library
// accepts. -quick may refuse a module.
func (b *batch) quick(ctx context.Context) error {
	byFile, err := b.lint(ctx, b.exact, "-rules", "found")
	if err != nil {
		return err
	}
	r, err := run(ctx, b.linter, "-quick", b.folder)
	if err != nil {
		return err
	}
	got, refused, err := b.readQuick(string(r.stdout))
	if err != nil {
		return err
	}
	for path := range b.inputs {
		found := byFile[path]
		b.tally.add(found)
		if !accepted(found) {
			continue
		}
		if why := refused[path]; why != "" {
			if !strings.Contains(why, "needs the full engine") &&
				!strings.Contains(why, "the string does not end on its line") {
				b.problem(path, "-quick refuses it: %s", why)
			}
			continue
		}
		var want []operation
		for _, f := range found {
			want = append(want, operationOf(f.Line, f.Column, f.Message))
		}
		if !reflect.DeepEqual(want, got[path]) {
			b.problem(path, "-quick finds %v, and the library %v", got[path], want)
		}
		b.tally.count(&b.tally.compared, 1)
		b.tally.count(&b.tally.agreed, len(want))
	}
	return nil
}

// readQuick returns the operations that -quick printed for each file, and why it refused files.
func (b *batch) readQuick(out string) (map[string][]operation, map[string]string, error) {
	got, refused := map[string][]operation{}, map[string]string{}
	for line := range strings.Lines(out) {
		m := textLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			return nil, nil, fmt.Errorf("-quick printed %q", line)
		}
		path, message := m[1], m[5]
		if _, known := b.inputs[path]; !known {
			return nil, nil, fmt.Errorf("-quick found something in %q, which is not in the batch", path)
		}
		if m[6] == "invalid" {
			refused[path] = message
			continue
		}
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		got[path] = append(got[path], operationOf(line, column, message))
	}
	return got, refused, nil
}
