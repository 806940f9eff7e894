package python

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
)

// A Job is one run of the closure's interpreter on a script of this package.
type Job struct {
	// Files must lie at their absolute paths, all of them below /lane.
	Files map[string][]byte
	// Args follow the interpreter's name (python3).
	Args []string
	// Out is the absolute path of the file, below /tmp, that the script writes and whose content is the result.
	Out string
}

// Options says where code is found and how it is read. Tree and Run are needed.
type Options struct {
	// Tree is the head tree.
	Tree fs.FS
	// Run runs a job and returns what it wrote to Job.Out. The job needs no tree and no network; its files are sources of
	// strangers, so it belongs into a box. An error is one of Lane's own: the script itself copes with any source.
	Run func(context.Context, Job) ([]byte, error)
	// Operators to use, by name; nil = all of Operators().
	Operators []string
}

const (
	boxDir  = "/lane/mutants/"
	outFile = "/tmp/.lane-mutants.json"
)

//go:embed box/*.py
var box embed.FS

// ask runs the script on a request with files beside it, and decodes its answer.
func (o Options) ask(ctx context.Context, request any, files map[string][]byte, answer any) error {
	if o.Run == nil {
		return fmt.Errorf("read Python sources: no interpreter was given")
	}
	data, err := json.Marshal(request)
	if err != nil {
		return err
	}
	job := Job{
		Files: map[string][]byte{boxDir + "request.json": data}, Out: outFile,
		// Isolated, and without site: nothing but the standard library is needed.
		Args: []string{"-I", "-S", "-B", boxDir + "lane_mutants.py", boxDir + "request.json", outFile},
	}
	names, err := fs.Glob(box, "box/*.py")
	if err != nil {
		return err
	}
	for _, name := range names {
		if job.Files[boxDir+path.Base(name)], err = box.ReadFile(name); err != nil {
			return err
		}
	}
	for name, data := range files {
		job.Files[name] = data
	}
	out, err := o.Run(ctx, job)
	if err != nil {
		return fmt.Errorf("read Python sources: %w", err)
	}
	if err := json.Unmarshal(out, answer); err != nil {
		return fmt.Errorf("read Python sources: the script in the box answered nothing that can be read: %w", err)
	}
	return nil
}
