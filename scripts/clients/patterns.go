// Compiles every line of a file as RE2 does.
package main

import (
	"os"
	"regexp"
	"strings"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	for _, pattern := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		regexp.MustCompile(pattern)
	}
}
