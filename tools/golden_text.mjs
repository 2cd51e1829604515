// golden_text.mjs - writes tests/golden/text.txt: texts, how the published patterns split them, and their
// tokens by an encoder that is not ours. Run by hand:
//
//     npm install --prefix /tmp/oracle gpt-tokenizer@4.0.0
//     node tools/golden_text.mjs /tmp/oracle >tests/golden/text.txt
//
// A text is a line of hexadecimal bytes; the lines below it are the bytes of each word by the patterns of
// GPT-2, Llama 3 and Qwen 2, and the ids of GPT-2. JavaScript's \s differs from Unicode's white space in two
// characters, so the patterns say \p{White_Space}; no text has those two.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const require = createRequire(`${process.argv[2]}/node_modules/`);
const { encode } = await import(pathToFileURL(require.resolve('gpt-tokenizer/encoding/r50k_base')).href);

const contraction = "(?:'[sS\u017f]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])";
const rest = ' ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+';
const patterns = {
    gpt2: "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    llama: `${contraction}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|${rest}`,
    qwen: `${contraction}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|${rest}`,
};
const regex = (p) => new RegExp(p.replace(/\[\^\\s/g, '[^\\p{White_Space}').replace(/\\s/g, '\\p{White_Space}').replace(/\\S/g, '\\P{White_Space}'), 'gu');

// Letters, numbers, symbols and spaces of many blocks, drawn in a fixed order.
function mixture(seed, length) {
    let state = seed;
    const next = (n) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * n);
    };
    const spaces = ['\u00a0', '\u1680', '\u2003', '\u2028', '\u3000', '\t', '\r', '\n', '\v', ' ', ' ', ' '];
    const latin = "abcdeHsStTdDmMlLrReEvV''''0123456789.,;:!?-_()[]{}<>/\\@#$%&*+=~^\"`|";
    const draw = [
        () => latin[next(latin.length)],
        () => latin[next(latin.length)],
        () => spaces[next(spaces.length)],
        () => String.fromCodePoint(0xa1 + next(0x2f5f)),
        () => String.fromCodePoint(0x3040 + next(0xa000)),
        () => String.fromCodePoint(0x10000 + next(0x1f000)),
        () => ['\u017f', '\u0660', '\u2163', '\u0301', '\u200d', '\u{1f600}', '\u{1d7d8}', '\u{20000}'][next(8)],
    ];
    let text = '';
    while (text.length < length) text += draw[next(draw.length)]();
    return text;
}

const texts = [
    'A loom has two sets of threads; the weft is the one that moves.',
    "It's what we'll see, and I'd say they've gone: you're sure I'm right, aren't they?",
    "IT'S WE'LL I'D THEY'VE YOU'RE I'M DON'T 'tis rock'n'roll '' ' 's's 'S",
    "it'\u017f a'\u017fb '\u017f IT'Ll we'Ve 'Re'Re",
    'Ein Webstuhl mit größeren Schiffchen läuft übermäßig heiß.',
    "Où est le métier à tisser ? Là-bas, près de l'entrée, c'est sûr.",
    'Быстрый челнок бежит по основе, и ткань растёт.',
    'Ο αργαλειός υφαίνει μέρα και νύχτα.',
    '織機は一日中動いている。 緯糸と経糸。 カタカナ ひらがな 123',
    '织布机整天都在工作，梭子来回穿梭。一二三',
    '베틀은 하루 종일 움직인다.',
    'करघा सारा दिन चलता है। १२३ कपड़ा',
    'النول يعمل طوال اليوم ١٢٣، والخيط يتحرك.',
    'הנול עובד כל היום.',
    'เครื่องทอผ้าทำงานทั้งวัน ๑๒๓',
    'Khung cửi chạy suốt ngày, sợi ngang đi qua sợi dọc.',
    '\u{1f9f5}\u{1f9f6} \u{1f469}\u200d\u{1f469}\u200d\u{1f467} \u{1f3f3}\ufe0f\u200d\u{1f308} ok\u{1f44d}\u{1f3fd} \u2764\ufe0f!!',
    'for (size_t i = 0; i < n; i++) {\n\t\tsum += x[i] * 3.14159e-2f;  /* twice */\n}\n',
    'def f(a, b=None):\n    """text"""\n    return {k: v ** 2 for k, v in a.items()}\n\n\n',
    '<p class="x">1 &lt; 2</p><|endoftext|> <|endoftext|',
    '   \t\n\n  leading and trailing \r\n\r\n   ',
    '\n\n\n', ' ', '  ', ' a', '  a', '\ta', 'a ', 'a  ', '\u00a0a \u00a0', '\u3000\u3000\u5e74',
    '1234567890 12 345 0.001 1,000,000 \u00bd \u2460\u2461 x2 2x \u0663\u0664',
    'A\u0301e\u0300 caf\u00e9 cafe\u0301 \u2026\u2014\u201c\u201d \u20ac5 \u00a37',
    'x'.repeat(300), '='.repeat(70) + '\n' + '-'.repeat(33), ' '.repeat(50) + 'x', 'ab'.repeat(100), '!?'.repeat(40) + '\r\n',
    mixture(1, 700), mixture(2, 700), mixture(3, 700),
];

const bytes = (s) => Buffer.from(s, 'utf8');
const lines = [];
for (const text of texts) {
    lines.push(`text ${bytes(text).toString('hex')}`);
    for (const [name, pattern] of Object.entries(patterns)) {
        const words = text.match(regex(pattern)) ?? [];
        if (words.join('') !== text) throw new Error(`${name} does not cover ${JSON.stringify(text)}`);
        lines.push(`${name} ${words.map((w) => bytes(w).length).join(' ')}`);
    }
    lines.push(`r50k ${encode(text, { disallowedSpecial: new Set() }).join(' ')}`);
}
console.log(lines.join('\n'));
