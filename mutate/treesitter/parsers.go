package treesitter

import (
	"context"
	"errors"
)

// Parsers are the parsers of one task, one per language, made when they are asked for. The zero value cannot be used; Parsers{} can.
type Parsers map[Language]*Parser

// Of returns the parser of a language.
func (p Parsers) Of(l Language) *Parser {
	if p[l] == nil {
		p[l] = New(l)
	}
	return p[l]
}

// Close closes all of them, also where ctx is over.
func (p Parsers) Close(ctx context.Context) (err error) {
	for _, one := range p {
		err = errors.Join(err, one.Close(context.WithoutCancel(ctx)))
	}
	return err
}

// WhyUnread is why a source has no tree, by the error of a parser; "" where the error is none of the source's making.
func WhyUnread(err error) string {
	var syntax *SyntaxError
	var other Unreadable
	if errors.As(err, &syntax) || errors.As(err, &other) {
		return err.Error()
	}
	return ""
}
