package wasi_test

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vallane/lane/lane/fence"
	"github.com/vallane/lane/lane/fence/wasi"
)

func TestACommandRunsAndItsExitStatusIsKept(t *testing.T) {
	b := wasi.Open(config(common(t)))
	prints(t, attack(t, b, "hello", "you"), "hello hello you\n")
	r := attack(t, b, "fail")
	ends(t, r, fence.Exited, 3)
	if r.Stderr.String() != "no\n" || r.Stdout.Total != 0 {
		t.Errorf("stdout %q, stderr %q", r.Stdout, r.Stderr)
	}
	if r.Census.Peak != 1 || len(r.Census.Left) != 0 || r.Facts.UID == 0 || !r.Facts.NoNewPrivs || r.PeakMemory == 0 || r.CPU == 0 {
		t.Errorf("census %+v, facts %+v, memory %d, CPU %v", r.Census, r.Facts, r.PeakMemory, r.CPU)
	}
}

func TestNothingOfTheHostCanBeNamed(t *testing.T) {
	r := attack(t, wasi.Open(config(common(t))), "host")
	refuses(t, r, 12)
	var holds []string
	for line := range strings.Lines(r.Stdout.String()) {
		if name, ok := strings.CutPrefix(line, "root holds "); ok {
			holds = append(holds, strings.TrimSpace(name))
		}
		if strings.Contains(line, "descriptor") {
			t.Error(line)
		}
	}
	if want := []string{"home", "lane", "tmp", "tree"}; !slices.Equal(holds, want) {
		t.Errorf("the root holds %q, want %q", holds, want)
	}
}

func TestNoSymlinkLeadsOut(t *testing.T) {
	r := attack(t, wasi.Open(config(common(t))), "links")
	refuses(t, r, 17)
	if !strings.Contains(r.Stdout.String(), `inside, through a link: "inside" <nil>`) {
		t.Errorf("a link that stays inside does not lead there:\n%s", r.Stdout)
	}
}

func TestTheTreeIsOnlyRead(t *testing.T) {
	tree := makeTree(t)
	c := config(tree)
	c.Files = map[string]fence.File{"/lane/given": {Data: []byte("given")}}
	r := attack(t, wasi.Open(c), "write-tree")
	refuses(t, r, 19)
	if !strings.HasSuffix(r.Stdout.String(), "file: \"of the tree\"\n") {
		t.Errorf("%s", r.Stdout)
	}
	if data, err := os.ReadFile(filepath.Join(tree, "file")); string(data) != "of the tree" {
		t.Errorf("the host's file holds %q, %v", data, err)
	}
}

func TestThereIsNoNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	b := wasi.Open(config(common(t)))
	refuses(t, attack(t, b, "network", port), 2)

	// The very same prober gets a connection where there is a listener, and none in a box.
	reached, err := wasi.NetworkControl(t.Context(), config(""))
	if err != nil || !reached {
		t.Errorf("control: %v %v", reached, err)
	}
	p, err := b.Probe(t.Context())
	if err != nil || p.Reached {
		t.Errorf("probe: %+v %v", p, err)
	}
}

// A module may ask for the calls of other runtimes that open sockets. It is not even started.
func TestAModuleThatAsksForSocketsIsNotStarted(t *testing.T) {
	tree := t.TempDir()
	for _, name := range []string{"sock_open", "sock_connect"} {
		if err := os.WriteFile(filepath.Join(tree, name+".wasm"), importing(name), 0o644); err != nil {
			t.Fatal(err)
		}
		r := command(t, wasi.Open(config(tree)), fence.Command{Argv: []string{name + ".wasm"}})
		ends(t, r, fence.NotStarted, 0)
		if !strings.Contains(r.Note, name) {
			t.Errorf("note %q", r.Note)
		}
	}
}

// importing is a module that imports one function of preview 1 and calls it.
func importing(name string) []byte {
	section := func(id byte, body ...byte) []byte { return append([]byte{id, byte(len(body))}, body...) }
	text := func(s string) []byte { return append([]byte{byte(len(s))}, s...) }
	return slices.Concat([]byte("\x00asm\x01\x00\x00\x00"),
		section(1, 1, 0x60, 0, 0),
		section(2, slices.Concat([]byte{1}, text("wasi_snapshot_preview1"), text(name), []byte{0, 0})...),
		section(3, 1, 0),
		section(7, slices.Concat([]byte{1}, text("_start"), []byte{0, 1})...),
		section(10, 1, 4, 0, 0x10, 0, 0x0b))
}

func TestAGuestStartsNoProcessAndEndsNone(t *testing.T) {
	refuses(t, attack(t, wasi.Open(config(common(t))), "processes"), 3)
}

func TestAnEndlessLoopIsEnded(t *testing.T) {
	b := wasi.Open(config(common(t)))
	loop := []string{"/lane/guest", "loop"}
	ends(t, command(t, b, fence.Command{Argv: loop, Timeout: 500 * time.Millisecond}), fence.TimedOut, 0)
	r := command(t, b, fence.Command{Argv: loop, Timeout: time.Minute, CPU: 1500 * time.Millisecond})
	ends(t, r, fence.OutOfCPU, 0)
	if r.CPU < time.Second {
		t.Errorf("used %v", r.CPU)
	}
}

func TestLimitsHoldAndAreNamed(t *testing.T) {
	b := wasi.Open(config(common(t)))
	t.Run("memory", func(t *testing.T) {
		r := attack(t, b, "memory")
		ends(t, r, fence.OutOfMem, 0)
		if r.PeakMemory > 256<<20 || r.PeakMemory < 128<<20 {
			t.Errorf("peak %d MiB", r.PeakMemory>>20)
		}
	})
	t.Run("output", func(t *testing.T) {
		r := attack(t, b, "flood")
		ends(t, r, fence.TooMuchOut, 0)
		if len(r.Stdout.Head)+len(r.Stdout.End) > 1<<20 {
			t.Errorf("kept %d bytes", len(r.Stdout.Head)+len(r.Stdout.End))
		}
	})
	for attackName, want := range map[string]string{"disk": "full after 31 MiB\n", "unlink": "full after 31\n", "files": "full after 30000\n"} {
		t.Run(attackName, func(t *testing.T) {
			r := attack(t, b, attackName)
			ends(t, r, fence.DiskFull, 0)
			if r.Stdout.String() != want {
				t.Errorf("printed %q, want %q", r.Stdout, want)
			}
		})
	}
	t.Run("handles", func(t *testing.T) { prints(t, attack(t, b, "handles"), "handles: 1023\n") })
}

func TestAModuleThatWantsTooMuchMemoryAtOnceIsNotStarted(t *testing.T) {
	tree := t.TempDir()
	// One memory of 8192 pages, which is 512 MiB.
	module := []byte("\x00asm\x01\x00\x00\x00\x05\x04\x01\x00\x80\x40")
	if err := os.WriteFile(filepath.Join(tree, "big.wasm"), module, 0o644); err != nil {
		t.Fatal(err)
	}
	r := command(t, wasi.Open(config(tree)), fence.Command{Argv: []string{"big.wasm"}})
	if r.End == fence.Exited && r.Exit == 0 {
		t.Errorf("ended as %s %d %s", r.End, r.Exit, r.Note)
	}
}

func TestWhatIsNoModuleIsNotStarted(t *testing.T) {
	b := wasi.Open(config(common(t)))
	ends(t, command(t, b, fence.Command{Argv: []string{"file"}}), fence.NotStarted, 0)
	for _, name := range []string{"absent.wasm", "links", "links/absolute", "/etc/passwd", "../../etc/passwd"} {
		ends(t, command(t, b, fence.Command{Argv: []string{name}}), fence.NotFound, 0)
	}
}

func TestAGuestHasAPlaceOfItsOwnThatIsNewEachTime(t *testing.T) {
	b := wasi.Open(config(common(t)))
	const want = "\"text and more\"\n\"text and more\"\n/home/lane 0\n"
	prints(t, attack(t, b, "scratch"), want)
	prints(t, attack(t, b, "scratch"), want)
}

func TestLongFoldersAndOddNames(t *testing.T) {
	tree := makeTree(t)
	odd := filepath.Join(tree, "names", "\xff\xfe")
	if err := os.WriteFile(odd, []byte("bytes"), 0o644); err != nil {
		t.Logf("this file system keeps no such name: %v", err)
		odd = ""
	}
	b := wasi.Open(config(tree))
	prints(t, attack(t, b, "huge-list"), "20000 <nil>\n3000 <nil>\n")
	want := "<nil>\n\"a b\\nc\" \"odd\" <nil>\n"
	if odd != "" {
		// The runtime opens no name that is not UTF-8. It is listed, so that nobody takes it for gone.
		want += "\"\\xff\\xfe\" \"\" open /tree/names/\xff\xfe: Operation not permitted\n"
	}
	prints(t, attack(t, b, "names"), want)
}

func TestSleepTakesNoTime(t *testing.T) {
	r := attack(t, wasi.Open(config(common(t))), "sleep")
	prints(t, r, "true\n")
}

// Two runs, two boxes, two copies of the tree at other places and of other times: the guest sees the same, byte for byte.
func TestRunsAreTheSameByteForByte(t *testing.T) {
	first := common(t)
	second := makeTree(t)
	late := time.Now().Add(time.Hour)
	for _, name := range []string{"file", "many/7", "links"} {
		if err := os.Chtimes(filepath.Join(second, name), late, late); err != nil {
			t.Fatal(err)
		}
	}
	r := attack(t, wasi.Open(config(first)), "look", "around")
	ends(t, r, fence.Exited, 0)
	again := attack(t, wasi.Open(config(second)), "look", "around")
	if r.Stdout.Total != again.Stdout.Total || !bytes.Equal(r.Stdout.Head, again.Stdout.Head) || !bytes.Equal(r.Stdout.End, again.Stdout.End) {
		t.Errorf("two runs differ:\n%s\n%s", r.Stdout, again.Stdout)
	}
	if host, _ := os.Hostname(); host != "" && strings.Contains(r.Stdout.String(), host) {
		t.Errorf("the guest knows the host's name")
	}
	if !strings.Contains(r.Stdout.String(), "2024-02-29 12:00:00") {
		t.Errorf("the clock does not start where it was set:\n%s", r.Stdout)
	}
	other := command(t, wasi.Open(config(first)), fence.Command{Argv: []string{"/lane/guest", "look", "around"}, Env: []string{"TZ=Asia/Tokyo"}})
	if random := drawn.FindString(r.Stdout.String()); random == "" || random == drawn.FindString(other.Stdout.String()) {
		t.Errorf("a run with another variable has the same random numbers: %s", random)
	}
}

// drawn is the line of random bytes that the guest prints.
var drawn = regexp.MustCompile(`(?m)^\[\d+ .*\]$`)

func TestRecordsArriveOneByOne(t *testing.T) {
	b := wasi.Open(config(common(t)))
	var got []string
	r := command(t, b, fence.Command{Argv: []string{"/lane/guest", "records"}, Events: func(rec []byte) { got = append(got, string(rec)) }})
	refuses(t, r, 1)
	if want := []string{"one", "two\nlines"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !r.EventsLost || r.Events != 2 {
		t.Errorf("events %d, lost %v", r.Events, r.EventsLost)
	}
	if r := attack(t, b, "records"); !strings.Contains(r.Stdout.String(), "no such file") && !strings.Contains(r.Stdout.String(), "No such file") {
		t.Errorf("without a listener there is a channel: %s", r.Stdout)
	}
}

func TestAChangeOfTheTreeIsLaidOverIt(t *testing.T) {
	tree := common(t)
	b := wasi.Open(config(tree))
	r := command(t, b, fence.Command{Argv: []string{"/lane/guest", "names"}, Overlay: map[string]fence.Change{
		"names/a b\nc": {Data: []byte("changed")}, "names/new/deep": {Data: []byte("x")}, "names/other": {Delete: true},
	}})
	ends(t, r, fence.Exited, 0)
	if out := r.Stdout.String(); !strings.Contains(out, `"changed" <nil>`) || !strings.Contains(out, `"new"`) {
		t.Errorf("printed %s", out)
	}
	r = command(t, b, fence.Command{Argv: []string{"/lane/guest", "names"}, Overlay: map[string]fence.Change{"names/a b\nc": {Delete: true}}})
	prints(t, r, "<nil>\n")
}

func TestWhatIsLeftIsCollected(t *testing.T) {
	b := wasi.Open(config(common(t)))
	r := command(t, b, fence.Command{Argv: []string{"/lane/guest", "left"}, Collect: []string{"/tmp/report", "/tmp/link", "/tmp/absent", "/tree/file"}})
	ends(t, r, fence.Exited, 0)
	if string(r.Collected["/tmp/report"]) != "what is left" || len(r.Collected) != 1 || len(r.NotCollected) != 3 {
		t.Errorf("collected %q, not %q", r.Collected, r.NotCollected)
	}
}

func TestAStoppedRunIsEnded(t *testing.T) {
	b := wasi.Open(config(common(t)))
	ctx, cancel := contextThatEnds(t)
	defer cancel()
	r, err := b.Run(ctx, fence.Command{Argv: []string{"/lane/guest", "loop"}, Timeout: time.Minute})
	if err == nil || r.End != fence.Interrupted {
		t.Errorf("%s %v", r.End, err)
	}
}
