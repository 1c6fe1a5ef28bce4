import { stringAt } from '../../../../protocol/json.ts';
import type { ToolCallItem, TurnItem } from '../../../../protocol/turn-item.ts';
import { cleanLine } from '../../screen/text/clean-text.ts';
import { accentStyle, boldStyle, dimStyle, plain, type Row, styled } from '../../screen/text/style.ts';
import { type Cell, cellWithHead } from './cell.ts';
import { commandText } from './command-cell.ts';
import { itemCell } from './item-and-event-cells.ts';

/** True for calls that only look around, which are grouped, unless they failed or are the user's. */
export function isExploring(item: TurnItem): boolean {
  if (item.kind !== 'command' && item.kind !== 'tool-call') return false;
  if (item.status === 'failed' || item.status === 'declined') return false;
  if (item.kind === 'command' && (item.byUser === true || (item.exitCode ?? 0) !== 0)) return false;
  return exploredByCall(item) !== undefined;
}

export function exploringCell(items: readonly TurnItem[]): Cell {
  const folded = cellWithHead(() => {
    const isRunning = items.some((item) => 'status' in item && item.status === 'in-progress');
    const lines = exploredLines(items.flatMap((item) => exploredByCall(item) ?? []));
    const head = [styled(isRunning ? 'Exploring' : 'Explored', boldStyle)];
    return { mark: isRunning ? 'running' : 'plain', head, lines };
  });
  return {
    rows(look) {
      if (look.details === 'folded') return folded.rows(look);
      return items.flatMap((item, at) => [...(at === 0 ? [] : ['']), ...itemCell(item).rows(look)]);
    },
  };
}

function exploredLines(parts: readonly ExploredPart[]): readonly Row[] {
  const lines: Row[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at]!;
    if (part.kind !== 'read') {
      const [verb, word] = part.kind === 'list' ? ['List ', part.path || '.'] : ['Search ', part.query];
      const where =
        part.kind === 'list' || part.path === '' ? [] : [styled(' in ', dimStyle), plain(cleanLine(part.path))];
      lines.push([styled(verb, accentStyle), plain(cleanLine(word)), ...where]);
      continue;
    }
    const names = new Set([part.name]);
    for (let next = parts[at + 1]; next?.kind === 'read'; next = parts[at + 1]) {
      names.add(next.name);
      at += 1;
    }
    lines.push([styled('Read ', accentStyle), plain([...names].map(cleanLine).join(', '))]);
  }
  return lines;
}

type ExploredPart =
  | { readonly kind: 'read'; readonly name: string }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'search'; readonly query: string; readonly path: string };

/** Undefined if the call does more than exploring, or Capstan cannot tell. */
export function exploredByCall(item: TurnItem): readonly ExploredPart[] | undefined {
  if (item.kind === 'command') return exploredByScript(commandText(item.argv));
  return item.kind === 'tool-call' && item.server === undefined ? exploredByTool(item) : undefined;
}

function exploredByTool({ tool, arguments: given }: ToolCallItem): readonly ExploredPart[] | undefined {
  const path = stringAt(given, 'path') ?? '';
  if (tool === 'read_file') return [{ kind: 'read', name: baseName(path) }];
  return tool === 'search' ? [{ kind: 'search', query: stringAt(given, 'query') ?? '', path }] : undefined;
}

const longestScript = 2000;

export function exploredByScript(script: string): readonly ExploredPart[] | undefined {
  const commands = script.length > longestScript ? undefined : simpleCommands(script);
  if (commands === undefined) return undefined;
  const parts: ExploredPart[] = [];
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

/** After a pipe these only shape the output of another command. */
const filters = new Set('head tail sort uniq wc cut tr nl cat grep sed awk column'.split(' '));

const programs: Readonly<Record<string, (words: readonly string[]) => ExploredPart | undefined>> = {
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

function readLast(words: readonly string[]): ExploredPart | undefined {
  const name = plainWords(words, partValues).at(-1);
  return name === undefined || /^\d+$/.test(name) ? undefined : { kind: 'read', name: baseName(name) };
}

function searchLines(words: readonly string[]): ExploredPart | undefined {
  const pattern = words.findIndex((word) => word === '-e' || word === '--regexp');
  const others = plainWords(words);
  const [query, path = ''] =
    pattern < 0 ? others : [words[pattern + 1], others.find((word) => word !== words[pattern + 1])];
  return query === undefined ? undefined : { kind: 'search', query, path };
}

function searchNames(words: readonly string[]): ExploredPart | undefined {
  if (words.some((word) => /^(?:-x|-X|--exec)/.test(word))) return undefined;
  const [query, path = ''] = plainWords(words);
  return query === undefined ? { kind: 'list', path } : { kind: 'search', query, path };
}

/** Options that take a word: first those of searches, then those of programs that show a part of a file. */
const searchValues = new Set(
  '-A -B -C -m -g -t -T -d --glob --type --include --exclude --max-depth -maxdepth -L'.split(' '),
);
const partValues = new Set('-n -c'.split(' '));

const plainWords = (words: readonly string[], valued: ReadonlySet<string> = searchValues): readonly string[] =>
  words.filter((word, at) => !word.startsWith('-') && !valued.has(words[at - 1] ?? ''));

const baseName = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? path;

/** Commands of a script that is simple enough to classify. Undefined for any other script. */
function simpleCommands(script: string) {
  const commands: { readonly words: readonly string[]; readonly isPiped: boolean }[] = [];
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
      words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
      continue;
    }
    if (words.length === 0) return undefined;
    commands.push({ words, isPiped });
    [words, isPiped] = [[], operator === '|'];
  }
  if (words.length > 0) commands.push({ words, isPiped });
  return commands;
}
