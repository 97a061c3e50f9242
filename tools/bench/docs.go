package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/calliope-mlir/calliope/internal/host/replace"
)

// The lines around what a suite writes in a page of the documentation.
const (
	docsBegin = "<!-- bench -suite %s -docs writes this -->\n"
	docsEnd   = "<!-- the end -->\n"
)

// writeDocs puts a table of figures in the place of the one that a suite wrote in a file before. A row has the figures
// whose names begin alike.
func writeDocs(file, suite string, list []result) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	begin := fmt.Sprintf(docsBegin, suite)
	before, after, ok := bytes.Cut(page, []byte(begin))
	_, after, ended := bytes.Cut(after, []byte(docsEnd))
	if !ok || !ended {
		return fmt.Errorf("%s has no place for the suite %s: put the lines\n%s%sthere", file, suite, begin, docsEnd)
	}
	return replace.File(file, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%s%s%s%s", before, begin, docsTable(suite, list), docsEnd, after)
		return err
	})
}

// docsTable returns the table, and where it was measured.
func docsTable(suite string, list []result) string {
	var rows, columns []string
	cells := map[[2]string]string{}
	for _, r := range list {
		parts := strings.Split(r.name, "/")
		if len(parts) < 2 || parts[0] != suite {
			continue
		}
		row, column := "all, geometric mean", parts[len(parts)-1]
		if len(parts) > 2 {
			row = strings.Join(parts[1:len(parts)-1], "/")
		}
		if !slices.Contains(rows, row) {
			rows = append(rows, row)
		}
		if !slices.Contains(columns, column) {
			columns = append(columns, column)
		}
		text := r.value
		if unit := micros(r.unit); unit != "x" {
			text += " " + unit
		}
		cells[[2]string{row, column}] = text
	}
	var b strings.Builder
	var facts []string
	for _, f := range machine() {
		if f.what != "kernel" {
			facts = append(facts, f.what+": "+f.value)
		}
	}
	fmt.Fprintf(&b, "Measured on %s. %s.\n\n", time.Now().UTC().Format(time.DateOnly), strings.Join(facts, "; "))
	fmt.Fprintf(&b, "| | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---|", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |", row)
		for _, column := range columns {
			fmt.Fprintf(&b, " %s |", cells[[2]string{row, column}])
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	return b.String()
}
