package bincache

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/warmup/nar"
	"github.com/vallane/lane/warmup/store"
)

// Info is what a cache says of one store path: a narinfo.
type Info struct {
	StorePath   string
	URL         string // of the archive, relative to the cache
	Compression string // "none", "xz", "zstd", "bzip2", "gzip"; what is missing means bzip2, as in Nix
	FileHash    string // of the compressed archive, or ""
	FileSize    int64  // 0 is unknown
	NarHash     [32]byte
	NarSize     int64
	References  []string // whole store paths, sorted
	Deriver     string   // a name, or ""
	CA          string   // how the path's name follows from its content, or ""
	Signatures  []string
}

// maxInfo bounds the bytes of a narinfo: a thousand references need some 60 KiB.
const maxInfo = 1 << 20

// ParseInfo reads a narinfo about a path in storeDir. Fields that it does not know are passed over, as in Nix; one that it knows may
// stand there once.
func ParseInfo(data []byte, storeDir string) (*Info, error) {
	p := infoParser{storeDir: storeDir, seen: map[string]bool{}, info: &Info{Compression: "bzip2"}}
	for n, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("read a narinfo: line %d: %w", n+1, err)
		}
	}
	for _, name := range []string{"StorePath", "URL", "NarHash", "NarSize"} {
		if !p.seen[name] {
			return nil, fmt.Errorf("read a narinfo: it has no %s", name)
		}
	}
	return p.info, nil
}

type infoParser struct {
	storeDir string
	seen     map[string]bool
	info     *Info
}

func (p *infoParser) line(line string) (err error) {
	name, value, ok := strings.Cut(strings.TrimSuffix(line, "\r"), ":")
	if !ok {
		return fmt.Errorf("%q is no field", line)
	}
	value = strings.TrimPrefix(value, " ")
	if p.seen[name] && name != "Sig" && p.knows(name) {
		return fmt.Errorf("a second %s", name)
	}
	p.seen[name] = true
	i := p.info
	switch name {
	case "StorePath":
		i.StorePath, err = value, store.CheckPath(p.storeDir, value)
	case "URL":
		i.URL, err = value, checkURL(value)
	case "Compression":
		i.Compression = value
	case "FileHash":
		i.FileHash = value
	case "FileSize":
		i.FileSize, err = size(value)
	case "NarHash":
		i.NarHash, err = nar.ParseHash(value)
	case "NarSize":
		if i.NarSize, err = size(value); err == nil && i.NarSize == 0 {
			err = errors.New("an archive of no bytes")
		}
	case "References":
		i.References, err = p.references(value)
	case "Deriver":
		i.Deriver = value
	case "CA":
		i.CA = value
	case "Sig":
		i.Signatures = append(i.Signatures, value)
	}
	return err
}

func (p *infoParser) knows(name string) bool {
	return slices.Contains([]string{"StorePath", "URL", "Compression", "FileHash", "FileSize", "NarHash", "NarSize", "References", "Deriver", "CA"}, name)
}

func (p *infoParser) references(value string) ([]string, error) {
	var refs []string
	for _, name := range strings.Fields(value) {
		full := p.storeDir + "/" + name
		if err := store.CheckPath(p.storeDir, full); err != nil {
			return nil, err
		}
		refs = append(refs, full)
	}
	slices.Sort(refs)
	return slices.Compact(refs), nil
}

func size(value string) (int64, error) {
	n, err := strconv.ParseUint(value, 10, 62)
	if err != nil {
		return 0, fmt.Errorf("%q is no number of bytes", value)
	}
	return int64(n), nil
}

// checkURL keeps a cache from sending its readers elsewhere: to another host, or out of its folder.
func checkURL(url string) error {
	if url == "" || path.IsAbs(url) || strings.Contains(url, "://") || path.Clean(url) != url || strings.HasPrefix(url, "../") || strings.ContainsAny(url, "\\\x00#") {
		return fmt.Errorf("the archive's URL %q leads out of the cache", url)
	}
	return nil
}

// fingerprint is the text that is signed.
func (i *Info) fingerprint() string {
	return fmt.Sprintf("1;%s;%s;%d;%s", i.StorePath, nar.Sum{SHA256: i.NarHash}.Base32(), i.NarSize, strings.Join(i.References, ","))
}

// Sign adds a signature.
func (i *Info) Sign(key SecretKey) { i.Signatures = append(i.Signatures, key.sign(i.fingerprint())) }

// Verify proves that what the narinfo says of the path's content and references was said by one of the keys, or follows from the
// path's name: one that is named by the hash of its archive, and refers to nothing, needs no signature.
func (i *Info) Verify(keys []PublicKey) error {
	if i.named() {
		return nil
	}
	text := i.fingerprint()
	for _, s := range i.Signatures {
		if slices.ContainsFunc(keys, func(k PublicKey) bool { return k.made(s, text) }) {
			return nil
		}
	}
	if len(i.Signatures) == 0 {
		return errors.New("nobody has signed it")
	}
	var names []string
	for _, s := range i.Signatures {
		name, _, _ := strings.Cut(s, ":")
		names = append(names, name)
	}
	return fmt.Errorf("no trusted key has signed it, only %s", strings.Join(names, ", "))
}

// named reports whether the path's name follows from its archive's hash.
func (i *Info) named() bool {
	dir, base := path.Split(i.StorePath)
	_, name, ok := strings.Cut(base, "-")
	return ok && i.CA == "fixed:r:"+nar.Sum{SHA256: i.NarHash}.Base32() && len(i.References) == 0 &&
		store.FixedPath(path.Clean(dir), name, i.NarHash) == i.StorePath
}

// Marshal writes the narinfo.
func (i *Info) Marshal() []byte {
	var b bytes.Buffer
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, value)
		}
	}
	field("StorePath", i.StorePath)
	field("URL", i.URL)
	field("Compression", i.Compression)
	field("FileHash", i.FileHash)
	field("FileSize", strconv.FormatInt(i.FileSize, 10))
	field("NarHash", nar.Sum{SHA256: i.NarHash}.Base32())
	field("NarSize", strconv.FormatInt(i.NarSize, 10))
	refs := make([]string, len(i.References))
	for n, r := range i.References {
		refs[n] = path.Base(r)
	}
	fmt.Fprintf(&b, "References: %s\n", strings.Join(refs, " "))
	field("Deriver", i.Deriver)
	for _, s := range i.Signatures {
		field("Sig", s)
	}
	field("CA", i.CA)
	return b.Bytes()
}
