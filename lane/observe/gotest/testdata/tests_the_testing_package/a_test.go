package a

import (
	"os"
	"testing"
)

func TestMock(t *testing.T) {
	mock := new(testing.T)
	mock.Fail()
	if !mock.Failed() {
		t.Error("mock did not fail")
	}
}

func TestInner(t *testing.T) {
	stdout := os.Stdout
	os.Stdout, _ = os.Open(os.DevNull)
	defer func() { os.Stdout = stdout }()
	ok := testing.RunTests(func(string, string) (bool, error) { return true, nil }, []testing.InternalTest{
		{Name: "TestFake", F: func(t *testing.T) { t.Error("meant to fail") }},
	})
	if ok {
		t.Error("inner test passed")
	}
}
