package parallel

import "testing"

func TestSum(t *testing.T) {
	for _, name := range []string{"first", "second", "third"} {
		name := name
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "second" {
				t.Errorf("Sum is %d", Sum(1, 2))
			}
			if name == "third" {
				t.Skip("not today")
			}
		})
	}
}

func TestSumAlone(t *testing.T) {
	t.Parallel()
	t.Log("said and forgotten")
}
