// Package stress does at the same time what programs do one after the other. It calls Go in
// every way of dispatch from many registries, cancels runs, lets calls time out, and closes
// clients, executables and registries under runs in flight. Each call is counted, and
// memory must stay constant.
package stress
