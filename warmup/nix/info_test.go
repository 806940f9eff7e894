package nix

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/vallane/lane/warmup/nar"
)

// The same two paths as each release of Nix prints them.
func TestPathInfoIsReadInEveryForm(t *testing.T) {
	hash := func(s string) [32]byte {
		t.Helper()
		sum, err := nar.ParseHash(s)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	const (
		busybox = "/nix/store/205mdm4hchpimqvp71dwfdjkd46ka99l-busybox"
		env     = "/nix/store/5wnr1r0jx5ahcx649crz5a87zccd34na-lane-env"
	)
	want := []Info{
		{Path: busybox, SHA256: hash("sha256-QvnceIGTBeDvDd9oCn+GvdsnkquliuwbVgpiRH68qaQ="), NarSize: 2034368, CA: "given"},
		{
			Path: env, SHA256: hash("sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M="), NarSize: 68328,
			References: []string{busybox, env}, Signatures: []string{"another-1:AAAA==", "lane-lab-1:WJKw=="},
			Deriver: "/nix/store/r3zy9bwlay48j822ws1dfw0cnpj8g3iz-lane-env.drv", Ultimate: true,
		},
	}
	for _, file := range []string{"path-info-2.8.json", "path-info-2.19.json", "path-info-wrapped.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		got, err := parsePathInfo(data, "/nix/store")
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		for i := range got {
			// How it is written differs; that it is there is what counts.
			if got[i].CA != "" {
				got[i].CA = "given"
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

func TestPathInfoRefusesWhatIsNotValid(t *testing.T) {
	for data, words := range map[string]string{
		`{"/nix/store/x":null}`:                        "not in the store",
		`[{"path":"/nix/store/x","valid":false}]`:      "not in the store",
		`[{"path":"/nix/store/x","narHash":"md5:00"}]`: "md5:00",
		`[{"path":"/nix/store/x"}]`:                    "hash",
		`not json`:                                     "path-info",
		``:                                             "path-info",
		`{"/nix/store/x":{"narHash":"sha256-AAAA","narSize":1}}`: "sha256-AAAA",
	} {
		if _, err := parsePathInfo([]byte(data), "/nix/store"); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s gave %v", data, err)
		}
	}
}

func TestOutputsAreReadRootFirst(t *testing.T) {
	for data, want := range map[string][]string{
		`[{"drvPath":"/d","outputs":{"dev":"/dev","out":"/out","bin":"/bin"}}]`: {"/out", "/bin", "/dev"},
		`[{"path":"/p"}]`: {"/p"},
		`[]`:              nil,
		`{}`:              nil,
	} {
		got, err := outputs([]byte(data))
		if !slices.Equal(got, want) || (err == nil) != (want != nil) {
			t.Errorf("%s gave %q, %v", data, got, err)
		}
	}
}

func FuzzPathInfo(f *testing.F) {
	for _, file := range []string{"path-info-2.8.json", "path-info-2.19.json", "path-info-wrapped.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		infos, err := parsePathInfo(data, "/nix/store")
		if err == nil && !json.Valid(data) {
			t.Errorf("%q was read as %v", data, infos)
		}
	})
}
