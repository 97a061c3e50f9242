package gitdiff

import (
	"fmt"
	"strings"
)

// tame are options with which git runs none of the programs that a repository names in its configuration: that of a
// clone is its user's, but that of an unpacked archive, or of a bare repository among the files of a clone, is a
// stranger's. Filters of files have names of their own: see withoutFilters. An empty core.fsmonitor is none for each
// release of git.
var tame = []string{
	"--no-optional-locks", // do not write the index, after which a hook runs
	"-c", "core.fsmonitor=",
	"-c", "core.hooksPath=/dev/null",
	"-c", "safe.bareRepository=explicit",
}

// withoutFilters returns options that turn off the filters that git would run on files which may have changed, whoever
// configured them: those of git-lfs run what the repository's configuration names. The content of such a file then
// differs from what git has, so it counts as changed.
func withoutFilters(folder string) (options []string, err error) {
	const found = `^filter\..*\.(clean|smudge|process|required)$`
	out, err := git(folder, "config", "--null", "--name-only", "--get-regexp", found)
	if err != nil && len(out) > 0 {
		return nil, err
	}
	// git config fails if it finds none, and does so for a broken configuration: git diff then says so.
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name == "" {
			continue
		}
		if strings.Contains(name, "=") {
			return nil, fmt.Errorf("the configuration of git has %q: choose a name for this filter without =", name)
		}
		options = append(options, "-c", name+"=")
	}
	return options, nil
}
