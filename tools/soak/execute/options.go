package execute

import "errors"

// Options say which random programs run.
type Options struct {
	Programs int
	Seed     uint64
	First    uint64 // the number of the first program
	Keep     string // the folder that gets the modules and inputs of findings; it is made if there are any
	Plugin   string // the path of a PJRT plugin that takes the place of package jit, if it is not empty
}

// Check returns an error if the options are invalid.
func (o Options) Check() error {
	if o.Programs < 1 || o.Keep == "" {
		return errors.New("the number of programs must be 1 or more, and -keep needs a folder")
	}
	return nil
}
