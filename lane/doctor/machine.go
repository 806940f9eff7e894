package doctor

import (
	"fmt"
	"os"
	"runtime"
	"strings"
)

// The kernels from which on a box can be made, and from which on nothing of it is missing.
var (
	leastKernel = [2]int{5, 12} // mount_setattr
	fullKernel  = [2]int{6, 6}  // a tmpfs that keeps extended attributes of users
)

// kernel judges by the version, and only what the box cannot show: the box itself is the better witness.
func kernel() Finding {
	f := Finding{Name: "kernel", State: OK, Saw: runtime.GOOS + " on " + runtime.GOARCH}
	release := setting("kernel/osrelease")
	if release == "" {
		f.State, f.Costs, f.Fix = Missing, noBox, "run lane on Linux"
		return f
	}
	f.Saw = "Linux " + release + " on " + runtime.GOARCH
	var have [2]int
	fmt.Sscanf(release, "%d.%d", &have[0], &have[1])
	switch {
	case older(have, leastKernel):
		f.State, f.Costs, f.Fix = Missing, noBox, "use Linux 5.12 or later, best 6.6 or later"
	case older(have, fullKernel):
		f.State, f.Fix = Degraded, "use Linux 6.6 or later, or tree = \"copy\" in [env] of the specs concerned"
		f.Costs = "a test that removes a folder of its tree and makes it again sees an error"
	}
	return f
}

func older(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }

// setting reads one of the kernel's settings; "" where there is none.
func setting(name string) string {
	data, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// confinement says what Lane itself is under: it explains what the box lacks, and costs nothing by itself.
func confinement() Finding {
	f := Finding{Name: "confinement", State: OK, Saw: fmt.Sprintf("uid %d", os.Geteuid())}
	status, _ := os.ReadFile("/proc/self/status")
	under := "no seccomp filter"
	for line := range strings.Lines(string(status)) {
		switch key, value, _ := strings.Cut(line, ":"); {
		case key == "Seccomp" && strings.TrimSpace(value) == "2":
			under = "a seccomp filter, as in a container"
		case key == "NoNewPrivs" && strings.TrimSpace(value) == "1":
			f.Saw += ", no_new_privs is set"
		}
	}
	f.Saw += ", " + under
	if s := setting("kernel/apparmor_restrict_unprivileged_userns"); s != "" {
		f.Saw += ", kernel.apparmor_restrict_unprivileged_userns = " + s
	}
	return f
}
