package lane

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"github.com/vallane/lane/warmup"
	"github.com/vallane/lane/warmup/image"
)

// sharedInImage is where Lane looks for locks in an image: the default of LANE_SHARED.
const sharedInImage = "/var/lib/lane"

// writeImage writes an image of this Lane and the closures to a file that is not there yet, and returns its digest.
func (o Options) writeImage(ctx context.Context, file string, closures []*warmup.Closure) (digest string, err error) {
	img, err := o.image(closures)
	if err != nil {
		return "", fmt.Errorf("write an image: %w", err)
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", fmt.Errorf("write an image: %w; an image replaces no file", err)
	}
	digest, err = image.Write(ctx, f, img, filepath.Dir(file))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		os.Remove(file)
	}
	return digest, err
}

func (o Options) image(closures []*warmup.Closure) (image.Image, error) {
	img := image.Image{
		Name: "lane:" + cmp.Or(o.Version, "dev"), Architecture: runtime.GOARCH, Entrypoint: []string{"/bin/lane"}, WorkingDir: "/repo",
		Env: []string{"PATH=/bin", "HOME=/home", "LANE_SHARED=" + sharedInImage},
	}
	self, err := os.Executable()
	if err != nil {
		return img, err
	}
	if runtime.GOOS != "linux" {
		return img, fmt.Errorf("an image holds this program, and it is one for %s", runtime.GOOS)
	}
	data, err := os.ReadFile(self)
	if err != nil {
		return img, err
	}
	file := func(name string, data []byte, mode fs.FileMode) {
		img.Files = append(img.Files, image.File{Name: name, Data: data, Mode: mode})
	}
	file("/bin/lane", data, 0o755)
	file("/etc/passwd", []byte("root:x:0:0:root:/home:/bin/sh\nlane:x:1000:1000:lane:/home:/bin/sh\n"), 0o644)
	file("/etc/group", []byte("root:x:0:\nlane:x:1000:\n"), 0o644)
	file("/home/.keep", nil, 0o644)
	file("/tmp/.keep", nil, 0o644)
	file("/repo/.keep", nil, 0o644)
	seen := map[string]bool{}
	for _, c := range closures {
		if seen[c.Key] {
			continue
		}
		seen[c.Key] = true
		files, err := c.Published()
		if err != nil {
			return img, err
		}
		for name, data := range files {
			file(path.Join(sharedInImage, name), data, 0o644)
		}
		for _, p := range c.Paths {
			if !seen[p.StorePath] {
				seen[p.StorePath] = true
				img.Paths = append(img.Paths, image.Path{StorePath: p.StorePath, Host: p.Host, References: p.References})
			}
		}
	}
	return img, nil
}
