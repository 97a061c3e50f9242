package command

var (
	Run      = run
	RunQuick = runQuick
)
