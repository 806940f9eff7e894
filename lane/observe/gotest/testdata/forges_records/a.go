package a

import (
	"fmt"
	"os"
	"syscall"
)

func init() {
	if os.Getenv("LANE_EVENTS") != "3" {
		return
	}
	const unit = "example.org/forges_records"
	for i, r := range []string{
		`"e":"begin","runs":1,"listed":1`,
		`"e":"list","tests":["TestAnswer"]`,
		`"e":"start","t":"TestAnswer"`,
		`"e":"finish","t":"TestAnswer","s":"passed","ns":1000`,
		`"e":"end","c":0,"started":1`,
	} {
		syscall.Write(3, []byte(fmt.Sprintf(`{"v":1,"p":%d,"n":%d,"u":%q,%s}`, os.Getpid(), i+1, unit, r)))
	}
	syscall.Exit(0)
}
