import { stringAt } from '../../../protocol/json.ts';
import type { CommandItem, ToolCallItem, TurnItem } from '../../../protocol/turn-item.ts';
import { commandText } from './command-text.ts';

/** What a call looked at, without changing anything. */
export type Explored =
  | { readonly kind: 'read'; readonly name: string }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'search'; readonly query: string; readonly path: string };

/** What a call of the model explores. Undefined: it does more than that, or it is not known. */
export function exploredBy(item: TurnItem): readonly Explored[] | undefined {
  if (item.kind === 'command') return exploredByCommand(item);
  return item.kind === 'tool-call' && item.server === undefined ? exploredByTool(item) : undefined;
}

function exploredByTool({ tool, arguments: given }: ToolCallItem): readonly Explored[] | undefined {
  const path = stringAt(given, 'path') ?? '';
  if (tool === 'read_file') return [{ kind: 'read', name: baseName(path) }];
  return tool === 'search' ? [{ kind: 'search', query: stringAt(given, 'query') ?? '', path }] : undefined;
}

const longestScript = 2000;

function exploredByCommand({ argv }: CommandItem): readonly Explored[] | undefined {
  return exploredByScript(commandText(argv));
}

/** The same of a script for the shell. */
export function exploredByScript(script: string): readonly Explored[] | undefined {
  const commands = script.length > longestScript ? undefined : simpleCommands(script);
  if (commands === undefined) return undefined;
  const parts: Explored[] = [];
  for (const { words, isPiped } of commands) {
    const [program = '', ...rest] = words;
    if (isPiped && filters.has(program)) continue;
    if (program === 'cd' || program === 'pwd' || program === 'true') continue;
    const part = Object.hasOwn(programs, program) ? programs[program]!(rest) : undefined;
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return parts.length === 0 ? undefined : parts;
}

/** Behind a pipe they only shape what another command found. */
const filters = new Set('head tail sort uniq wc cut tr nl cat grep sed awk column'.split(' '));

const programs: Readonly<Record<string, (words: readonly string[]) => Explored | undefined>> = {
  cat: readLast,
  bat: readLast,
  nl: readLast,
  head: readLast,
  tail: (words) => (words.includes('-f') || words.includes('-F') ? undefined : readLast(words)),
  less: readLast,
  sed: (words) => (words[0] === '-n' && /^[\d,$]+p$/.test(words[1] ?? '') ? readLast(words.slice(2)) : undefined),
  ls: (words) => ({ kind: 'list', path: plainWords(words).at(-1) ?? '' }),
  tree: (words) => ({ kind: 'list', path: plainWords(words)[0] ?? '' }),
  fd: searchNames,
  find: (words) => {
    if (words.some((word) => /^-(?:exec|ok|delete|fls|fprint)/.test(word))) return undefined;
    const name = words.findIndex((word) => /^-i?name$/.test(word));
    const path = words[0]?.startsWith('-') === true ? '' : (words[0] ?? '');
    return name < 0 ? { kind: 'list', path } : { kind: 'search', query: words[name + 1] ?? '', path };
  },
  rg: (words) => {
    if (words.some((word) => /^--(?:pre|hostname-bin)/.test(word))) return undefined;
    if (words.includes('--files')) return { kind: 'list', path: plainWords(words)[0] ?? '' };
    return searchLines(words);
  },
  grep: searchLines,
  ag: searchLines,
  git: ([verb, ...words]) => {
    if (verb === 'grep') return searchLines(words);
    return verb === 'ls-files' ? { kind: 'list', path: plainWords(words)[0] ?? '' } : undefined;
  },
};

function readLast(words: readonly string[]): Explored | undefined {
  const name = plainWords(words, partValues).at(-1);
  return name === undefined || /^\d+$/.test(name) ? undefined : { kind: 'read', name: baseName(name) };
}

function searchLines(words: readonly string[]): Explored | undefined {
  const pattern = words.findIndex((word) => word === '-e' || word === '--regexp');
  const others = plainWords(words);
  const [query, path = ''] =
    pattern < 0 ? others : [words[pattern + 1], others.find((word) => word !== words[pattern + 1])];
  return query === undefined ? undefined : { kind: 'search', query, path };
}

function searchNames(words: readonly string[]): Explored | undefined {
  if (words.some((word) => /^(?:-x|-X|--exec)/.test(word))) return undefined;
  const [query, path = ''] = plainWords(words);
  return query === undefined ? { kind: 'list', path } : { kind: 'search', query, path };
}

/** Options of searches that take a word, and of programs that show a part of a file. */
const searchValues = new Set(
  '-A -B -C -m -g -t -T -d --glob --type --include --exclude --max-depth -maxdepth -L'.split(' '),
);
const partValues = new Set('-n -c'.split(' '));

/** Words that are no options, nor the values of options. */
function plainWords(words: readonly string[], valued: ReadonlySet<string> = searchValues): readonly string[] {
  return words.filter((word, at) => !word.startsWith('-') && !valued.has(words[at - 1] ?? ''));
}

function baseName(path: string): string {
  return path.replace(/\/+$/, '').split('/').at(-1) ?? path;
}

interface SimpleCommand {
  readonly words: readonly string[];
  /** It reads what the command before it writes. */
  readonly isPiped: boolean;
}

/** The commands of a script that is simple enough to be read at a glance. Undefined: it is not. */
function simpleCommands(script: string): readonly SimpleCommand[] | undefined {
  const commands: SimpleCommand[] = [];
  let words: string[] = [];
  let isPiped = false;
  const token =
    /\s*(?:(2>\s*\/dev\/null|2>&1)|(&&|\|\||;|\n|\|)|((?:[^\s'"\\$`&|;<>()#*?[\]{}~!]|'[^']*'|"[^"\\$`]*"|[*?~](?=[\w./*]|\s|$))+))/y;
  let at = 0;
  while (at < script.trimEnd().length) {
    token.lastIndex = at;
    const found = token.exec(script);
    if (found === null) return undefined;
    at = token.lastIndex;
    const [, silenced, operator, word] = found;
    if (silenced !== undefined) continue;
    if (word !== undefined) {
      words.push(
        word.replaceAll(
          /'([^']*)'|"([^"]*)"/g,
          (_, single: string | undefined, double: string | undefined) => single ?? double ?? '',
        ),
      );
      continue;
    }
    if (words.length === 0) return undefined;
    commands.push({ words, isPiped });
    [words, isPiped] = [[], operator === '|'];
  }
  if (words.length > 0) commands.push({ words, isPiped });
  return commands;
}
