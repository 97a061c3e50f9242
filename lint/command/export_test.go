package command

import "errors"

var (
	Run      = run
	RunQuick = runQuick
)

// Crashed returns what the command says about a file on which a worker ended in some way.
func Crashed(how string) string { return (&loss{what: "file", crash: errors.New(how)}).Error() }
