//go:build !linux && !darwin && !windows

package command

import "os"

func terminalWidth(*os.File) (int, bool) { return 0, false }
