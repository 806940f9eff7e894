package wasi_test

import (
	"testing"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
)

// BenchmarkCachedGuest starts a process, finds its module compiled, runs it and sees it end: what each run of a built program costs.
func BenchmarkCachedGuest(b *testing.B) {
	box := wasi.Open(wasi.Config{Programs: map[string]string{"/lane/guest": guestModule}, Cache: cacheDir})
	run := func() fence.Result {
		r, err := box.Run(b.Context(), fence.Command{Argv: []string{"/lane/guest", "hello"}})
		if err != nil || r.End != fence.Exited || r.Exit != 0 {
			b.Fatalf("%s %d %s %v", r.End, r.Exit, r.Note, err)
		}
		return r
	}
	run() // compiles
	var cpu, wall float64
	for b.Loop() {
		r := run()
		cpu, wall = cpu+float64(r.CPU.Microseconds()), wall+float64(r.Wall.Microseconds())
	}
	b.ReportMetric(cpu/float64(b.N)/1000, "cpu-ms/op")
	b.ReportMetric(wall/float64(b.N)/1000, "guest-ms/op")
}
