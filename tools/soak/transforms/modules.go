package transforms

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// A source is the text of a module that is transformed.
type source struct{ name, text string }

// largest limits the modules of the repository that are transformed.
const largest = 16 << 10

// root returns the folder of the repository.
func root(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/calliope-mlir/calliope").Output()
	if err != nil {
		return "", fmt.Errorf("finding the modules of the repository: %w: run this in its folder", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// sources returns the modules of the repository, of files with several each, and those in a file of JAX's random
// programs.
func sources(root, cases string) (modules, programs []source, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".mlir" {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(root, path)
		for part := range strings.SplitSeq(string(text), "\n// -----") {
			if len(part) <= largest {
				modules = append(modules, source{name, part})
			}
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	file, err := os.Open(cases)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		return nil, nil, err
	}
	var list []struct{ Name, Module string }
	if err := json.NewDecoder(unpacked).Decode(&list); err != nil {
		return nil, nil, err
	}
	for _, c := range list {
		programs = append(programs, source{"JAX's program " + c.Name, c.Module})
	}
	return modules, programs, nil
}

var (
	singleType = regexp.MustCompile(`([x<: (])f32\b`)
	// The texts of infinities and NaN have the bits.
	doubleBits = strings.NewReplacer("0xFF800000", "0xFFF0000000000000", "0x7F800000", "0x7FF0000000000000",
		"0x7FC00000", "0x7FF8000000000000")
)

// doubled returns a module with f64 in place of f32, which may be invalid. The functions of LAPACK have the type in
// their names, so a module with one stays.
func doubled(text string) string {
	if strings.Contains(text, "@lapack_") {
		return text
	}
	return doubleBits.Replace(singleType.ReplaceAllString(text, "${1}f64"))
}

// choose returns one of the list.
func choose[T any](r *rand.Rand, list []T) T { return list[r.IntN(len(list))] }
