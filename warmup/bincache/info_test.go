package bincache

import (
	"strings"
	"testing"

	"github.com/vallane/lane/warmup/nar"
)

const storeDir = "/nix/store"

// helloInfo has all fields that a narinfo mostly has.
const helloInfo = `StorePath: /nix/store/10l19qifk7hjjq47px8m2prqk1gv4isy-hello-2.10
URL: nar/1nhgq6wcggx0plpy4991h3ginj6hipsdslv4fd4zml1n707j26yq.nar.xz
Compression: xz
FileHash: sha256:1nhgq6wcggx0plpy4991h3ginj6hipsdslv4fd4zml1n707j26yq
FileSize: 41144
NarHash: sha256:0yzhigwjl6bws649vcs2asa4lbs8hg93hyix187gc7s7a74w5h80
NarSize: 226488
References: 10l19qifk7hjjq47px8m2prqk1gv4isy-hello-2.10
Deriver: 3c4khz9ja0i4hwsxlspsz0khlqgk1zl2-hello-2.10.drv
Sig: someone-1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==
`

func TestInfoIsReadAndWritten(t *testing.T) {
	i, err := ParseInfo([]byte(helloInfo), storeDir)
	if err != nil {
		t.Fatal(err)
	}
	if i.Compression != "xz" || i.FileSize != 41144 || i.NarSize != 226488 || len(i.References) != 1 || len(i.Signatures) != 1 {
		t.Errorf("read %+v", i)
	}
	if got := string(i.Marshal()); got != helloInfo {
		t.Errorf("it was written as\n%s", got)
	}
	want := "1;/nix/store/10l19qifk7hjjq47px8m2prqk1gv4isy-hello-2.10;sha256:0yzhigwjl6bws649vcs2asa4lbs8hg93hyix187gc7s7a74w5h80;226488;/nix/store/10l19qifk7hjjq47px8m2prqk1gv4isy-hello-2.10"
	if got := i.fingerprint(); got != want {
		t.Errorf("what is signed is %s", got)
	}
}

func TestInfoRefusesWhatLeadsAstray(t *testing.T) {
	replace := func(old, repl string) string { return strings.Replace(helloInfo, old, repl, 1) }
	for name, c := range map[string]struct{ text, words string }{
		"an archive elsewhere":       {replace("URL: nar/", "URL: https://example.org/"), "leads out of the cache"},
		"an archive above":           {replace("URL: nar/", "URL: ../"), "leads out of the cache"},
		"an archive by a detour":     {replace("URL: nar/", "URL: nar/../../"), "leads out of the cache"},
		"an absolute archive":        {replace("URL: nar/", "URL: /etc/"), "leads out of the cache"},
		"another store":              {replace("/nix/store/", "/gnu/store/"), "is no path in /nix/store"},
		"a reference that climbs":    {replace("References: 10l19", "References: ../10l19"), "is no path"},
		"no hash":                    {replace("NarHash: sha256", "Narhash: sha256"), "it has no NarHash"},
		"a weak hash":                {replace("NarHash: sha256:", "NarHash: md5:"), "line 6"},
		"two hashes":                 {helloInfo + "NarHash: sha256:0yzhigwjl6bws649vcs2asa4lbs8hg93hyix187gc7s7a74w5h80\n", "a second NarHash"},
		"a size below nothing":       {replace("NarSize: 226488", "NarSize: -1"), "no number of bytes"},
		"an archive of no bytes":     {replace("NarSize: 226488", "NarSize: 0"), "no bytes"},
		"a page that says not found": {"<html>404</html>", "is no field"},
		"nothing":                    {"", "is no field"},
	} {
		if _, err := ParseInfo([]byte(c.text), storeDir); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s gave %v", name, err)
		}
	}
	if _, err := ParseInfo([]byte(helloInfo+"Novelty: 1\nNovelty: 2\n"), storeDir); err != nil {
		t.Errorf("a field of a later Nix: %v", err)
	}
}

func testKey(t testing.TB) SecretKey {
	t.Helper()
	k, err := NewKey("lane-test-1")
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// Whatever of it changes, the signature no longer speaks for it.
func TestVerifyBindsEveryFact(t *testing.T) {
	key := testKey(t)
	sign := func() *Info {
		i, err := ParseInfo([]byte(helloInfo), storeDir)
		if err != nil {
			t.Fatal(err)
		}
		i.Sign(key)
		return i
	}
	keys := []PublicKey{testKey(t).Public(), key.Public()}
	if err := sign().Verify(keys); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Info){
		"path":       func(i *Info) { i.StorePath = strings.Replace(i.StorePath, "hello", "hallo", 1) },
		"hash":       func(i *Info) { i.NarHash[0]++ },
		"size":       func(i *Info) { i.NarSize++ },
		"references": func(i *Info) { i.References = nil },
		"signature":  func(i *Info) { i.Signatures[1] = strings.Replace(i.Signatures[1], "lane-test-1:", "lane-test-1:A", 1) },
		"key's name": func(i *Info) { i.Signatures[1] = strings.Replace(i.Signatures[1], "lane-test-1:", "lane-test-2:", 1) },
		"unsigned":   func(i *Info) { i.Signatures = nil },
		// A name that follows from a content is not this one's.
		"claim to be named by content": func(i *Info) {
			i.Signatures, i.References, i.CA = nil, nil, "fixed:r:"+nar.Sum{SHA256: i.NarHash}.Base32()
		},
	} {
		i := sign()
		change(i)
		if err := i.Verify(keys); err == nil {
			t.Errorf("another %s was accepted", name)
		}
	}
	if err := sign().Verify([]PublicKey{testKey(t).Public()}); err == nil || !strings.Contains(err.Error(), "no trusted key has signed it") {
		t.Errorf("a key that nobody trusts gave %v", err)
	}
}

// A path that is named by its content needs nobody's word.
func TestVerifyKnowsPathsNamedByContent(t *testing.T) {
	sum, err := nar.ParseHash("sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M=")
	if err != nil {
		t.Fatal(err)
	}
	i := &Info{StorePath: "/nix/store/ly6iy7viz9v57khgmh2mfxjphf5paz6l-go-1.26.8", NarHash: sum, CA: "fixed:r:" + nar.Sum{SHA256: sum}.Base32()}
	if err := i.Verify(nil); err != nil {
		t.Error(err)
	}
	i.References = []string{i.StorePath}
	if err := i.Verify(nil); err == nil {
		t.Error("its references were taken on trust")
	}
}

func TestKeysAreInNixNotation(t *testing.T) {
	key := testKey(t)
	back, err := ParseSecretKey(key.Secret() + "\n")
	if err != nil || back.Public().String() != key.Public().String() {
		t.Errorf("got %v, %v", back.Public(), err)
	}
	for name, s := range map[string]string{
		"no name":    strings.TrimPrefix(key.Secret(), "lane-test-1"),
		"no base64":  "lane-test-1:!",
		"too short":  "lane-test-1:AAAA",
		"two halves": "lane-test-1:" + strings.Repeat("A", 86) + "==",
		"nothing":    "",
	} {
		_, err := ParseSecretKey(s)
		if err == nil {
			t.Errorf("%s was read", name)
		} else if s != "" && strings.Contains(err.Error(), s) {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
	}
	if _, err := ParsePublicKeys([]string{key.Public().String(), "x"}); err == nil {
		t.Error("x is a key")
	}
}

func FuzzParseInfo(f *testing.F) {
	f.Add([]byte(helloInfo))
	f.Add([]byte("StorePath: /nix/store/ly6iy7viz9v57khgmh2mfxjphf5paz6l-x\nURL: x\nNarHash: sha256-2K2SbG1izp0sk1F0iFm06B9yjumIe1+Ds7UNH1wX00M=\nNarSize: 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		i, err := ParseInfo(data, storeDir)
		if err != nil {
			return
		}
		again, err := ParseInfo(i.Marshal(), storeDir)
		if err != nil {
			t.Fatalf("%q: %v", i.Marshal(), err)
		}
		if again.fingerprint() != i.fingerprint() || again.URL != i.URL {
			t.Errorf("%q became %q", data, i.Marshal())
		}
	})
}
