package stack

import "testing"

func TestOnLarge(t *testing.T) {
	ran := false
	if err := OnLarge(func() { ran = IsLarge() }); err != nil || !ran {
		t.Errorf("ran on a large stack: %v, error %v", ran, err)
	}
	if IsLarge() {
		t.Error("the test's own stack is reported to be large")
	}
}

func TestOnLargePanic(t *testing.T) {
	defer func() {
		if p := recover(); p != "oh" {
			t.Errorf("recovered %v", p)
		}
	}()
	_ = OnLarge(func() { panic("oh") })
	t.Error("the panic was lost")
}
