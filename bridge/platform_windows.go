package bridge

import "errors"

// platformError is the error of Open, so nothing else is ever called here.
func platformError() error {
	return errors.New("bridge: XLA's plugins run on Linux only: run modules there (in WSL or a container, too); on Windows, modules can be built, checked and linted")
}

func mapMemory(int) ([]byte, error) { return nil, platformError() }

func unmapMemory([]byte) {}

func readOnly([]byte) error { return platformError() }

func noAccess([]byte) error { return platformError() }
