package target

import (
	"os/exec"
	"testing"
)

// Only the very process that was made is ended: not one that has its number by now, nor one of before the machine was started again.
func TestSettle(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	made := madeOf("a", "b", cmd.Process.Pid)
	if made.Start == 0 || made.Boot == "" {
		t.Fatalf("%+v", made)
	}
	other, before := made, made
	other.Start--
	before.Boot = "another"
	for _, m := range []Made{other, before, {}, {PID: -1}, {PID: 1 << 22}} {
		if ended, err := Settle(m); ended || err != nil {
			t.Errorf("%+v: ended %t, %v", m, ended, err)
		}
	}
	if ended, err := Settle(made); !ended || err != nil {
		t.Errorf("the target itself: ended %t, %v", ended, err)
	}
	if ended, err := Settle(made); ended || err != nil { // it has ended, and nobody has waited for it
		t.Errorf("again: ended %t, %v", ended, err)
	}
	cmd.Wait()
	if ended, err := Settle(made); ended || err != nil {
		t.Errorf("when it is gone: ended %t, %v", ended, err)
	}
}
