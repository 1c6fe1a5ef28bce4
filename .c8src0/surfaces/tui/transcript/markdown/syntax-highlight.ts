import { type RowPiece, plain, type Row, type Style, type SyntaxRole } from '../../screen/text/style.ts';

/** The token in which a line begins, if not in plain code. */
export type LongToken = { readonly end: string; readonly role: 'string' | 'comment' };

const longestLine = 4096;

const styles: Readonly<Record<SyntaxRole, Style>> = {
  keyword: { colour: 'keyword' },
  string: { colour: 'string' },
  comment: { colour: 'comment', italic: true },
  number: { colour: 'number' },
};

/** `inside`: the long token in which the line begins; in the result, the one in which the next line begins. */
export function highlightLine(
  line: string,
  grammar: Grammar,
  inside?: LongToken,
): { readonly row: Row; readonly inside?: LongToken } {
  if (line.length > longestLine) return { row: [plain(line)], inside: undefined };
  const row: RowPiece[] = [];
  let at = 0;
  let long = inside;
  const pattern = patternOf(grammar);
  for (;;) {
    if (long !== undefined) {
      const end = endOf(line, at, long.end);
      if (end > at) row.push({ text: line.slice(at, end), style: styles[long.role] });
      if (!line.startsWith(long.end, end - long.end.length) || end - long.end.length < at) return { row, inside: long };
      at = end;
      long = undefined;
    }
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (found === null) break;
    const [text] = found;
    if (found.index > at) row.push(plain(line.slice(at, found.index)));
    const role = roleOf(found, grammar);
    row.push(role === undefined ? plain(text) : { text, style: styles[role] });
    at = found.index + text.length;
    if (found.groups?.['long'] !== undefined) {
      const [, end, kind] = grammar.long!.find(([start]) => start === text)!;
      long = { end, role: kind };
    }
  }
  if (at < line.length) row.push(plain(line.slice(at)));
  return { row, inside: undefined };
}

/** The position after the end of a long token, or the end of a line without it. */
function endOf(line: string, from: number, end: string): number {
  let at = line.indexOf(end, from);
  if (end === '`') while (at > from && line[at - 1] === '\\') at = line.indexOf(end, at + 1);
  return at < 0 ? line.length : at + end.length;
}

function roleOf({ groups = {} }: RegExpExecArray, { words, isCaseless, long = [] }: Grammar): SyntaxRole | undefined {
  if (groups['comment'] !== undefined) return 'comment';
  if (groups['long'] !== undefined) return long.find(([start]) => start === groups['long'])?.[2];
  if (groups['text'] !== undefined) return 'string';
  if (groups['number'] !== undefined) return 'number';
  const { word = '' } = groups;
  return words.has(isCaseless === true ? word.toLowerCase() : word) ? 'keyword' : undefined;
}

const patterns = new WeakMap<Grammar, RegExp>();

/** All tokens of a grammar, by matched group. Each part takes linear time. */
function patternOf(grammar: Grammar): RegExp {
  const known = patterns.get(grammar);
  if (known !== undefined) return known;
  const { comment, long = [], quotes = '' } = grammar;
  const begun = long.map(([start]) => escaped(start));
  const quoted = [...quotes].map((quote) => `${quote}(?:[^${quote}\\\\]|\\\\.)*${quote}?`);
  const parts = [
    begun.length > 0 && `(?<long>${begun.join('|')})`,
    comment !== undefined && `(?<comment>${comment === '#' ? '(?<![\\w$&{])' : ''}${escaped(comment)}.*)`,
    quoted.length > 0 && `(?<text>${quoted.join('|')})`,
    String.raw`(?<number>\b\d[\w.]*)`,
    String.raw`(?<word>[A-Za-z_$][\w$]*)`,
  ];
  const pattern = new RegExp(parts.filter((part) => part !== false).join('|'), 'g');
  patterns.set(grammar, pattern);
  return pattern;
}

const escaped = (text: string): string => text.replaceAll(/[*+?.()[\]{}|\\^$/-]/g, String.raw`\$&`);

/** Limits highlighting in a long text. */
export class HighlightBudget {
  #lines = 0;
  #characters = 0;

  take(line: string): boolean {
    this.#lines += 1;
    this.#characters += line.length + 1;
    return this.#lines <= 10_000 && this.#characters <= 512 * 1024;
  }

  copy(): HighlightBudget {
    const copy = new HighlightBudget();
    copy.#lines = this.#lines;
    copy.#characters = this.#characters;
    return copy;
  }
}

/** Line-based syntax of a language. */
export interface Grammar {
  readonly words: ReadonlySet<string>;
  readonly comment?: string;
  /** Start and end of strings and comments that span lines. */
  readonly long?: readonly (readonly [start: string, end: string, role: 'string' | 'comment'])[];
  readonly quotes?: string;
  readonly isCaseless?: true;
}

const words = ([text = '']: TemplateStringsArray): ReadonlySet<string> => new Set(text.split(' '));
const slashes = { comment: '//', long: [['/*', '*/', 'comment']] } as const;

const script: Grammar = {
  ...slashes,
  long: [...slashes.long, ['`', '`', 'string']],
  quotes: `"'`,
  words: words`abstract any as async await boolean break case catch class const continue debugger declare default delete do else enum export extends false finally for from function get if implements import in infer instanceof interface is keyof let namespace never new null number object of private protected public readonly return satisfies set static string super switch symbol this throw true try type typeof undefined unknown using var void while with yield`,
};

const braces: Grammar = {
  ...slashes,
  quotes: `"'`,
  words: words`abstract auto bool boolean break byte case catch char class const constexpr continue default defer delete do double else enum explicit extends extern false final finally float for foreach friend func fun goto if implements import include inline instanceof int interface internal is let long mutable namespace new nil null nullptr object operator override package private protected public readonly record ref return sealed short signed sizeof static string struct super switch template this throw throws true try typedef typename union unsigned using val var virtual void volatile when where while`,
};

const go: Grammar = {
  ...script,
  words: words`any bool break byte case chan const continue default defer else error fallthrough false float32 float64 for func go goto if import int int64 interface iota map nil package range return rune select string struct switch true type uint var`,
};

const rust: Grammar = {
  ...slashes,
  quotes: '"',
  words: words`as async await bool box break char const continue crate dyn else enum extern f32 f64 false fn for i32 i64 if impl in isize let loop macro match mod move mut pub ref return self Self static str String struct super trait true type u32 u64 u8 unsafe use usize where while`,
};

const python: Grammar = {
  comment: '#',
  long: [
    ['"""', '"""', 'string'],
    ["'''", "'''", 'string'],
  ],
  quotes: `"'`,
  words: words`and as assert async await break case class continue def del elif else except False finally for from global if import in is lambda match None nonlocal not or pass raise return self True try while with yield`,
};

const ruby: Grammar = {
  comment: '#',
  quotes: `"'`,
  words: words`alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or private protected public raise redo require rescue retry return self super then true undef unless until when while yield`,
};

const shell: Grammar = {
  comment: '#',
  quotes: `"'`,
  words: words`alias case cd do done echo elif else esac eval exec exit export fi for function if in local printf read return set shift source sudo then trap unset until while`,
};

const sql: Grammar = {
  comment: '--',
  long: slashes.long,
  quotes: `'"`,
  isCaseless: true,
  words: words`add all alter and as asc begin between by case check column commit constraint create cross default delete desc distinct drop else end exists foreign from full group having if in index inner insert into is join key left like limit not null on or order outer primary references returning right rollback select set table then transaction union unique update using values view when where with`,
};

const lua: Grammar = {
  comment: '--',
  long: [['[[', ']]', 'string']],
  quotes: `"'`,
  words: words`and break do else elseif end false for function goto if in local nil not or repeat return then true until while`,
};

const data: Grammar = { ...slashes, quotes: '"', words: words`true false null` };
const settings: Grammar = { comment: '#', quotes: `"'`, words: words`true false null yes no on off` };
const style: Grammar = { long: slashes.long, quotes: `"'`, words: words`important media import supports keyframes` };
const markup: Grammar = { long: [['<!--', '-->', 'comment']], quotes: `"'`, words: words`` };

const named: readonly (readonly [Grammar, string])[] = [
  [script, 'js jsx mjs cjs ts tsx mts cts javascript typescript'],
  [braces, 'c h cc cpp cxx hpp c++ java kt kotlin cs csharp c# swift dart scala php groovy gradle proto zig m'],
  [go, 'go golang'],
  [rust, 'rs rust'],
  [python, 'py pyi python py3'],
  [ruby, 'rb ruby'],
  [shell, 'sh bash zsh fish shell console shellscript dockerfile makefile mk'],
  [sql, 'sql psql mysql sqlite'],
  [lua, 'lua'],
  [data, 'json jsonc json5 jsonl'],
  [settings, 'yaml yml toml ini conf cfg properties env'],
  [style, 'css scss less'],
  [markup, 'html htm xml svg vue svelte'],
];

let byName: ReadonlyMap<string, Grammar> | undefined;

/** Finds a grammar by fence word or file extension. Undefined: not known. */
export function grammarOf(name: string): Grammar | undefined {
  byName ??= new Map(named.flatMap(([grammar, names]) => names.split(' ').map((each) => [each, grammar] as const)));
  return byName.get(name.toLowerCase());
}

export function grammarOfPath(path: string): Grammar | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return grammarOf(name.slice(name.lastIndexOf('.') + 1));
}
