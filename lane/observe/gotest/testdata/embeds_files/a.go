package a

import _ "embed"

//go:embed text.txt
var text string
