package bincache

import (
	"errors"
	"io"
	"time"
)

// stream reads a file of a cache and takes it up again where it broke off.
type stream struct {
	body  io.ReadCloser
	open  func(from int64) (io.ReadCloser, error) // nil: it cannot be taken up again
	tag   string                                  // what the file was when it was first asked for
	size  int64                                   // of the file; 0 is unknown
	at    int64
	left  int // attempts
	stall time.Duration
	watch *time.Timer // ends the request when nothing comes
}

func (s *stream) Read(p []byte) (int, error) {
	for {
		n, err := s.body.Read(p)
		s.at += int64(n)
		if s.watch != nil {
			s.watch.Reset(s.stall)
		}
		if err == nil || n > 0 {
			return n, nil // the error, should there be one, comes again
		}
		if errors.Is(err, io.EOF) {
			if s.size == 0 || s.at >= s.size {
				return 0, io.EOF
			}
			err = io.ErrUnexpectedEOF
		}
		if again := s.again(); again != nil {
			return 0, errors.Join(err, again)
		}
	}
}

var errNoMore = errors.New("and not for the first time")

// again opens the file at the place where it broke off.
func (s *stream) again() error {
	if s.open == nil || s.left <= 0 {
		return errNoMore
	}
	s.left--
	s.body.Close()
	s.watch.Stop()
	body, err := s.open(s.at)
	if err != nil {
		s.body = io.NopCloser(eof{})
		return err
	}
	s.body = body
	return nil
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

func (s *stream) Close() error {
	if s.watch != nil {
		s.watch.Stop()
	}
	return s.body.Close()
}
