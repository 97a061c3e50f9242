package gitdiff

import "strings"

// Ignored returns the files below a folder that git ignores, relative to it and with slashes. A folder, whose files are
// all ignored, ends in a slash. There are none outside of a work tree, and in a folder that is ignored itself.
func Ignored(folder string) map[string]bool {
	out, err := git(folder, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	if err != nil {
		return nil
	}
	ignored := map[string]bool{}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		if name != "" {
			ignored[name] = true
		}
	}
	if ignored["./"] {
		return nil
	}
	return ignored
}
