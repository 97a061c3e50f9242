// Package floor does in C what Calliope does in Go, and no more than that: its figures are
// the floors that the bench measures calls and runs against.
//
// Register registers handlers written in C with the plugin that the bridge has opened, and
// a Bare executes modules on the plugin's PJRT table. A Roof is what the machine can do at
// most.
package floor
