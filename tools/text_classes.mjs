// text_classes.mjs - writes src/text/classes.h: which characters are letters and which are numbers, as
// the Unicode tables of this node have them. Run by hand when Unicode has grown:
//
//     node tools/text_classes.mjs >src/text/classes.h
//
// White space is a short list that does not change, and is written in src/text/split.c; a change of it
// is an error here.

const spaces = '9-d 20 85 a0 1680 2000-200a 2028-2029 202f 205f 3000';

function ranges(pattern) {
    const found = [];
    for (let code = 0; code < 0x110000; code++) {
        if (code >= 0xd800 && code < 0xe000) continue;
        if (!pattern.test(String.fromCodePoint(code))) continue;
        const last = found[found.length - 1];
        if (last && last[1] === code) last[1]++;
        else found.push([code, code + 1]);
    }
    return found;
}

// Lengths by turns: of what is not in the class, of what is, of what is not, ...
function table(name, what, found) {
    const lengths = [];
    let at = 0;
    for (const [from, to] of found) {
        lengths.push(from - at, to - from);
        at = to;
    }
    if (lengths.some((n) => n > 0xffff)) throw new Error(`${name}: a length of more than 16 bits`);
    const lines = [];
    let line = '   ';
    for (const n of lengths) {
        if (line.length + ` ${n},`.length > 100) {
            lines.push(line);
            line = '   ';
        }
        line += ` ${n},`;
    }
    lines.push(line);
    return `/* ${what} */\nstatic const uint16_t ${name}[] = {\n${lines.join('\n')}\n};\n`;
}

const hex = (n) => n.toString(16);
const seen = ranges(/\p{White_Space}/u).map(([from, to]) => (to - from > 1 ? `${hex(from)}-${hex(to - 1)}` : hex(from)));
if (seen.join(' ') !== spaces) throw new Error(`white space is ${seen.join(' ')}`);
const letters = ranges(/\p{L}/u), numbers = ranges(/\p{N}/u);
const end = Math.max(letters[letters.length - 1][1], numbers[numbers.length - 1][1]);
process.stdout.write(`/* classes.h - letters and numbers of Unicode ${process.versions.unicode}, as lengths by turns: of what is not in the class,
 * of what is, of what is not, ... from code point 0 on. Written by tools/text_classes.mjs. */
#ifndef WEFT_TEXT_CLASSES_H
#define WEFT_TEXT_CLASSES_H

#include <stdint.h>

enum { CLASSES_END = 0x${hex((end + 63) & ~63)} }; /* nothing from here on is in a class */

/* clang-format off */
${table('classes_letters', 'general category L', letters)}
${table('classes_numbers', 'general category N', numbers)}/* clang-format on */

#endif
`);
