// Package stress does at once what programs do one after the other: it calls Go in every
// way of dispatch from many registries, cancels runs, lets calls time out, and closes
// clients, executables and registries under runs that are under way. Each call is
// counted, and memory must stay flat.
package stress
