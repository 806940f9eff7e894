package sources

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/vallane/lane/warmup/nar"
)

// Part is one archive, or some of it, in a folder that is laid together.
type Part struct {
	Archive
	// NarHash is that of the whole archive, unpacked. Archives of modules and
	// packages never change, so there it must be given; Debian's have none, and
	// are covered by the hash of the source.
	NarHash string `json:"narHash,omitempty"`
	// From is the folder or file of the archive that is taken; "" is all of it.
	From string `json:"from,omitempty"`
	// To is where it goes: a folder, or for a file its new name; "" is the top.
	To string `json:"to,omitempty"`
	// Gunzip unpacks each file named *.gz, or the one file that From names.
	Gunzip bool `json:"gunzip,omitempty"`
	// Executable are patterns of the files that get the run bit, as they are named in the result.
	Executable []string `json:"executable,omitempty"`

	sum [32]byte
}

func (s *Source) checkParts(where string) error {
	if s.Archive != (Archive{}) || len(s.Executable) > 0 {
		return bad("%s: what it is made of stands in its parts", where)
	}
	for i := range s.Parts {
		if err := s.Parts[i].check(fmt.Sprintf("%s, part %d", where, i+1), s.Pins != ""); err != nil {
			return err
		}
	}
	for link, target := range s.Links {
		if !fs.ValidPath(link) || link == "." || !staysBelow(link, target) {
			return bad("%s: the link %q to %q is none between files of the folder", where, link, target)
		}
	}
	for name := range s.Files {
		if !fs.ValidPath(name) || name == "." {
			return bad("%s: files: %q is no path in the folder", where, name)
		}
	}
	return nil
}

func (p *Part) check(where string, open bool) error {
	if err := checkArchive(where, p.Archive, p.Executable, open); err != nil {
		return err
	}
	for _, name := range []string{p.From, p.To} {
		if name != "" && !fs.ValidPath(name) {
			return bad("%s: %q is no slash path", where, name)
		}
	}
	if p.Deb != "" {
		if p.NarHash != "" {
			return bad("%s: the hash of the source covers what is Debian's", where)
		}
		return nil
	}
	var err error
	if p.sum, err = nar.ParseHash(p.NarHash); err != nil {
		return bad("%s: %s: %v", where, p.Archive, err)
	}
	return nil
}

// staysBelow says that a relative link of a folder ends in the folder.
func staysBelow(link, target string) bool {
	end := path.Join(path.Dir(link), target)
	return target != "" && !path.IsAbs(target) && end != ".." && !strings.HasPrefix(end, "../")
}

// assemble fetches the parts, each archive once, and lays them together in the
// new folder out.
func (f Fetcher) assemble(ctx context.Context, work, out string, s Source) error {
	if err := os.Mkdir(out, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(out)
	if err != nil {
		return err
	}
	defer root.Close()
	debs := filepath.Join(work, "debs")
	if err := f.downloadParts(ctx, debs, s.Parts); err != nil {
		return err
	}
	have := map[Archive]string{}
	for _, p := range s.Parts {
		if have[p.Archive] == "" {
			have[p.Archive] = filepath.Join(work, strconv.Itoa(len(have)))
			if err := f.part(ctx, have[p.Archive], debs, s.Name, p); err != nil {
				return err
			}
		}
		if err := lay(ctx, root, have[p.Archive]+"/tree", p); err != nil {
			return fmt.Errorf("lay %s: %w", p.Archive, err)
		}
	}
	for _, link := range slices.Sorted(maps.Keys(s.Links)) {
		if err := addLink(root, link, s.Links[link]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		text := s.Files[name]
		if err := addFile(root, name, strings.NewReader(text), strings.HasPrefix(text, "#!")); err != nil {
			return err
		}
	}
	return nil
}

// downloadParts fetches the archives of all parts that are Debian's: one call of apt-get takes as long as
// ten.
func (f Fetcher) downloadParts(ctx context.Context, dir string, parts []Part) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	var debs []string
	for _, p := range parts {
		if p.Deb != "" && !slices.Contains(debs, p.Deb) {
			debs = append(debs, p.Deb)
		}
	}
	if len(debs) == 0 {
		return nil
	}
	f.say(fmt.Sprintf("fetching %d Debian packages", len(debs)))
	return f.download(ctx, dir, debs)
}

// part fetches one archive to dir/tree and compares its own hash.
func (f Fetcher) part(ctx context.Context, dir, debs, name string, p Part) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if p.Deb != "" {
		return f.deb(ctx, debs, filepath.Join(dir, "tree"), p.Archive)
	}
	f.say("fetching " + p.Archive.String())
	if err := f.archive(ctx, dir, filepath.Join(dir, "tree"), p.Archive); err != nil {
		return err
	}
	return compare(ctx, filepath.Join(dir, "tree"), p.Archive.String(), strconv.Quote(name), p.sum)
}

// lay copies what the part takes of an unpacked archive.
func lay(ctx context.Context, root *os.Root, tree string, p Part) error {
	from := filepath.Join(tree, filepath.FromSlash(p.From))
	top, err := os.Lstat(from)
	if err != nil {
		return fmt.Errorf("the archive has no %s", p.From)
	}
	if !top.IsDir() && p.To == "" {
		return fmt.Errorf("%s is a file: `to` must name it", p.From)
	}
	return filepath.WalkDir(from, func(at string, e fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, at)
		if err != nil {
			return err
		}
		return p.layOne(root, at, path.Join(p.To, filepath.ToSlash(rel)), e, top.IsDir())
	})
}

func (p *Part) layOne(root *os.Root, at, to string, e fs.DirEntry, inFolder bool) error {
	if e.Type() == fs.ModeSymlink {
		target, err := os.Readlink(at)
		if err != nil {
			return err
		}
		if !staysBelow(to, target) {
			return fmt.Errorf("%s links to %s, outside of the folder: take other parts of the archive, and put it under links", to, target)
		}
		return addLink(root, to, target)
	}
	info, err := e.Info()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is neither a file nor a folder", to)
	}
	in, err := os.Open(at)
	if err != nil {
		return err
	}
	defer in.Close()
	name, zipped := strings.CutSuffix(to, ".gz")
	if !p.Gunzip || inFolder && !zipped {
		return addFile(root, to, in, info.Mode()&0o100 != 0 || p.runs(to))
	}
	if !inFolder {
		name = to
	}
	z, err := gzip.NewReader(in)
	if err != nil {
		return fmt.Errorf("unpack %s: %w", to, err)
	}
	return addFile(root, name, io.LimitReader(z, maxUnpacked), info.Mode()&0o100 != 0 || p.runs(name))
}

// runs says that a pattern of the part gives the file the run bit.
func (p *Part) runs(name string) bool {
	return slices.ContainsFunc(p.Executable, func(pattern string) bool {
		ok, _ := path.Match(pattern, name) // the patterns were tried when the list was read
		return ok
	})
}

func addLink(root *os.Root, name, target string) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	return root.Symlink(target, name)
}

// addFile makes the file; one that is there already is an error.
func addFile(root *os.Root, name string, in io.Reader, executable bool) error {
	if err := root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	perm := fs.FileMode(0o644)
	if executable {
		perm = 0o755
	}
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	return err
}
