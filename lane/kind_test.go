package lane

import (
	"strings"
	"testing"

	"github.com/vallane/lane/assurance"
)

func TestKindOf(t *testing.T) {
	for kind, names := range map[string]string{
		assurance.FileTest: `cart_test.go testdata/in.txt tests/test_cart.py conftest.py cart.test.js test/cart.js test/fixtures/in.json lib/__tests__/a.mjs
			cart.spec.ts test/run.sh order_test.sh t/order.t t/cart.bats spec/cart_spec.rb src/test/java/CartTest.java src/test/java/Help.java`,
		assurance.FileCode:   "cart.go test/cart.go cart.py cart.js contest.js latest.mjs order.sh src/main/java/Cart.java attest.rb test.css",
		assurance.FileConfig: "package.json go.mod .env.toml Makefile",
		assurance.FileDocs:   "README.md test/README.md LICENSE",
		assurance.FileOther:  "logo.png",
	} {
		for _, name := range strings.Fields(names) {
			if got := kindOf(name); got != kind {
				t.Errorf("%s is %s, want %s", name, got, kind)
			}
		}
	}
}
