/* A plugin for Lane that leaks memory in C: a call of free that is a statement goes.
 *
 *     clang --target=wasm32-wasi -O2 -o leaks.wasm examples/plugins/c/main.c
 *     sha256sum leaks.wasm
 *
 * It needs clang, lld, wasi-libc and libclang-rt for wasm32 (by their Debian names). docs/plugins.md says how a spec names it.
 *
 * It reads of the question what it needs, which is the source, and no more: the JSON that Lane writes holds the key once, and a quotation
 * mark within a text is never bare. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_all(void) {
	size_t used = 0, size = 1 << 16;
	char *all = malloc(size);
	for (size_t n; (n = fread(all + used, 1, size - used - 1, stdin)) > 0;) {
		used += n;
		if (size - used < 2) all = realloc(all, size *= 2);
	}
	all[used] = 0;
	return all;
}

static int hex(const char *s) {
	char digits[5] = {s[0], s[1], s[2], s[3], 0};
	return (int)strtol(digits, 0, 16);
}

/* Writes a character as UTF-8 and returns how many bytes it has. */
static int utf8(char *out, int c) {
	if (c < 0x80) return out[0] = (char)c, 1;
	if (c < 0x800) return out[0] = (char)(0xc0 | c >> 6), out[1] = (char)(0x80 | (c & 0x3f)), 2;
	if (c < 0x10000) return out[0] = (char)(0xe0 | c >> 12), out[1] = (char)(0x80 | (c >> 6 & 0x3f)), out[2] = (char)(0x80 | (c & 0x3f)), 3;
	out[0] = (char)(0xf0 | c >> 18), out[1] = (char)(0x80 | (c >> 12 & 0x3f)), out[2] = (char)(0x80 | (c >> 6 & 0x3f)), out[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

/* Decodes the text of a key in place: its bytes are those that edits count. */
static char *text_of(char *json, const char *key) {
	char *at = strstr(json, key);
	if (!at) return 0;
	char *out = at += strlen(key), *start = out;
	while (*at && *at != '"') {
		if (*at != '\\') {
			*out++ = *at++;
			continue;
		}
		switch (at[1]) {
		case 'n': *out++ = '\n'; at += 2; break;
		case 't': *out++ = '\t'; at += 2; break;
		case 'r': *out++ = '\r'; at += 2; break;
		case 'b': *out++ = '\b'; at += 2; break;
		case 'f': *out++ = '\f'; at += 2; break;
		case 'u': {
			int c = hex(at + 2);
			at += 6;
			if (c >= 0xd800 && c < 0xdc00 && at[0] == '\\' && at[1] == 'u') {
				c = 0x10000 + ((c - 0xd800) << 10) + (hex(at + 2) - 0xdc00);
				at += 6;
			}
			out += utf8(out, c);
			break;
		}
		default: *out++ = at[1]; at += 2;
		}
	}
	*out = 0;
	return start;
}

int main(void) {
	char *json = read_all();
	if (strstr(json, "\"ask\":\"hello\"")) {
		puts("{\"lane_plugin\":1,\"name\":\"leaks\",\"languages\":[\"c\"]}");
		return 0;
	}
	char *source = text_of(json, "\"source\":\"");
	if (!source) return fputs("the question has no source\n", stderr), 1;
	const char *comma = "";
	printf("{\"lane_plugin\":1,\"edits\":[");
	for (char *at = source; (at = strstr(at, "free(")); at += 5) {
		char *end = strstr(at, ");");
		if (!end || (at > source && !strchr(" \t\n;{}", at[-1]))) continue;
		printf("%s{\"start\":%ld,\"end\":%ld,\"text\":\";\",\"name\":\"free\",\"reason\":\"what is not freed leaks\"}", comma, (long)(at - source), (long)(end + 2 - source));
		comma = ",";
	}
	puts("]}");
	return 0;
}
