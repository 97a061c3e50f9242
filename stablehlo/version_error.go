package stablehlo

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/calliope-mlir/calliope/mlir"
)

// A VersionError reports an operation that a StableHLO version lacks, or that it lacks in
// this form.
type VersionError struct {
	Operation string        // such as "stablehlo.custom_call"
	Position  mlir.Position // of the operation
	Version   string        // that was asked for, such as "1.0.0"
	Needs     string        // the first minor version that has it, or "" if it is not known
	Err       error         // what the library reported
}

func (e *VersionError) Error() string {
	needs := "a later version"
	if e.Needs != "" {
		needs = e.Needs
	}
	at := ""
	if !e.Position.IsZero() {
		at = e.Position.String() + ": "
	}
	return fmt.Sprintf("stablehlo: %s%s needs StableHLO %s in this form, and the module is wanted for %s: use a plugin with a later version, or change the operation", at, e.Operation, needs, e.Version)
}

func (e *VersionError) Unwrap() error { return e.Err }

var notLegal = regexp.MustCompile(`^failed to legalize operation 'vhlo\.(\w+?)(_v\d+)?'`)

// versionError returns a VersionError if err reports an operation that the version lacks, and
// err otherwise.
func versionError(m *mlir.Module, target string, err error) error {
	d, ok := errors.AsType[*mlir.DiagnosticError](err)
	if !ok {
		return err
	}
	for _, diagnostic := range d.Diagnostics {
		if match := notLegal.FindStringSubmatch(diagnostic.Message); match != nil {
			return &VersionError{
				Operation: named(match[1]), Position: diagnostic.Position,
				Version: target, Needs: LaterVersion(m, target), Err: err,
			}
		}
	}
	return err
}

// named returns the name that an operation of VHLO has in a module.
func named(operation string) string {
	switch operation {
	case "func", "return", "call":
		return "func." + operation
	}
	return "stablehlo." + operation
}

// LaterVersion returns the first minor version after another one that can express the module, or "" if none can.
func LaterVersion(m *mlir.Module, after string) string {
	current, err := CurrentVersion(m.Context().Library())
	if err != nil || checkVersion(after) != nil {
		return ""
	}
	from, to := parsedVersion(after), parsedVersion(current)
	for major := from[0]; major <= to[0]; major++ {
		first, last := 0, 30 // no major version had as many
		if major == from[0] {
			first = from[1] + 1
		}
		if major == to[0] {
			last = to[1]
		}
		for minor := first; minor <= last; minor++ {
			version := fmt.Sprintf("%d.%d.0", major, minor)
			if _, err := PortableArtifact(m, version); err == nil {
				return version
			}
		}
	}
	return ""
}

// parsedVersion returns the numbers of a version that checkVersion accepts.
func parsedVersion(version string) (n [3]int) {
	for i, part := range strings.Split(version, ".") {
		n[i], _ = strconv.Atoi(part)
	}
	return n
}
