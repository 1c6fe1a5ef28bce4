import { posix } from 'node:path';
import type { Arrows } from './arrows.ts';
import { importsOf, type Import } from './imports.ts';
import { tokenize } from './tokens.ts';

/** Paths from the repository's root, `/` between folders, with the text of each file. */
export type Sources = ReadonlyMap<string, string>;

const pureLevel = 1;

/** One sentence per broken rule, each with its file and line. */
export function violations(sources: Sources, arrows: Arrows): readonly string[] {
  const perFile = [...sources].flatMap(([path, source]) => {
    const room = roomOf(path);
    const level = arrows.rooms.get(room)?.level;
    if (level === undefined) return [`${path}: ARCHITECTURE.md gives ${room} no level`];
    const pure = level === pureLevel && !isTest(path);
    const ported = arrows.ported.has(room) && !isTest(path);
    const broken = importsOf(source).flatMap((found) => {
      const rule =
        brokenRule(path, found, sources, arrows) ??
        (pure ? impureImport(found) : ported ? openingImport(found) : undefined);
      return rule === undefined
        ? []
        : [`${path}:${found.line} imports ${found.specifier ?? 'a computed name'}: ${rule}`];
    });
    if (pure) return [...broken, ...impureWords(path, source)];
    return ported ? [...broken, ...openingWords(path, source)] : broken;
  });
  return [...perFile, ...cycles(sources), ...folderCycles(sources)];
}

function brokenRule(path: string, found: Import, sources: Sources, arrows: Arrows): string | undefined {
  const { specifier } = found;
  if (specifier === undefined) return 'an import must name its file';
  if (/^capstan($|\/)/.test(specifier)) return 'sources import files, not the published package';
  const target = resolve(path, specifier);
  if (target === undefined || target.endsWith('.json')) return undefined;
  if (!target.startsWith('src/')) return 'sources import nothing outside src/';
  if (!sources.has(target)) return `there is no ${target}`;
  if (isTest(target)) return 'nothing imports a test';

  const from = roomOf(path);
  const to = roomOf(target);
  const fromRoom = arrows.rooms.get(from);
  const toRoom = arrows.rooms.get(to);
  if (from === to || fromRoom === undefined || toRoom === undefined) return undefined;
  const ceiling = arrows.ceilings.get(from);
  if (ceiling !== undefined && toRoom.level > ceiling && !isTest(path)) {
    return `${from} imports L${ceiling} and below alone, and ${to} is L${toRoom.level}`;
  }
  const gate = arrows.gates.find(
    ({ room, folder, to: behind }) => room === from && behind.includes(to) && !path.startsWith(`src/${folder}/`),
  );
  if (gate !== undefined && !isTest(path)) return `of ${from}, only ${gate.folder}/ imports ${to}`;
  if (arrows.ported.get(from) === to && !isTest(path)) return `${from} reaches ${to} through ports alone`;
  if (toRoom.level < fromRoom.level) return undefined;
  if (isTest(path) && (toRoom.level === fromRoom.level || to === 'testing')) return undefined;
  if (toRoom.level > fromRoom.level)
    return `${from} (L${fromRoom.level}) may not import upwards from ${to} (L${toRoom.level})`;
  if (arrows.allowed.has(`${from} -> ${to}`)) return undefined;
  if (fromRoom.rank === undefined || toRoom.rank === undefined) {
    return `${from} and ${to} are both L${toRoom.level}, and ARCHITECTURE.md does not allow ${from} -> ${to}`;
  }
  return toRoom.rank < fromRoom.rank
    ? undefined
    : `${to} does not stand before ${from} in the order of L${toRoom.level}`;
}

/** Every import cycle between files, type-only imports included, each told once. */
function cycles(sources: Sources): readonly string[] {
  const told: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start !== -1) {
      told.push(`import cycle: ${[...trail.slice(start), path].join(' -> ')}`);
      return;
    }
    if (done.has(path)) return;
    for (const { specifier } of importsOf(sources.get(path) ?? '')) {
      const target = specifier === undefined ? undefined : resolve(path, specifier);
      if (target !== undefined && sources.has(target)) walk(target, [...trail, path]);
    }
    done.add(path);
  };
  for (const path of sources.keys()) walk(path, []);
  return told;
}

/** Every circle between the folders of one room, each told once. Files that stand in the room itself count as a folder. */
function folderCycles(sources: Sources): readonly string[] {
  const arrows = new Map<string, Set<string>>();
  for (const [path, source] of sources) {
    if (isTest(path)) continue;
    for (const { specifier } of importsOf(source)) {
      const target = specifier === undefined ? undefined : resolve(path, specifier);
      if (target === undefined || !sources.has(target) || roomOf(path) !== roomOf(target)) continue;
      const [from, to] = [posix.dirname(path), posix.dirname(target)];
      if (from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to));
    }
  }
  const told: string[] = [];
  const done = new Set<string>();
  const walk = (folder: string, trail: readonly string[]): void => {
    const start = trail.indexOf(folder);
    if (start !== -1) told.push(`circle of folders: ${[...trail.slice(start), folder].join(' -> ')}`);
    if (start !== -1 || done.has(folder)) return;
    for (const next of arrows.get(folder) ?? []) walk(next, [...trail, folder]);
    done.add(folder);
  };
  for (const folder of arrows.keys()) walk(folder, []);
  return told;
}

/** What only computes: hashes, and ranges of addresses. */
const pureImports: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['createHash'],
  'node:net': ['BlockList', 'isIP'],
};

function impureImport({ specifier = '', names }: Import): string | undefined {
  if (!specifier.startsWith('node:') || names.every((name) => pureImports[specifier]?.includes(name))) return undefined;
  return 'the pure core does no input or output; of Node it may use createHash, BlockList and isIP';
}

const forbiddenWords = new Set([
  'process',
  'fetch',
  'performance',
  'crypto',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'globalThis',
]);
const forbiddenMembers = new Set(['Date.now', 'Math.random']);

/** Lint forbids most of these too; it has no rule for the current time in `new Date()`. */
function impureWords(path: string, source: string): readonly string[] {
  const tokens = tokenize(source);
  const text = (index: number): string | undefined => tokens[index]?.text;
  return tokens.flatMap((token, index) => {
    if (token.kind !== 'word' || text(index - 1) === '.' || text(index - 1) === '?.') return [];
    // A key of an object or a type, as in `{ process: … }` and `{ process?: … }`, is no use of the global.
    const isKey = text(index + 1) === ':' || (text(index + 1) === '?' && text(index + 2) === ':');
    const member = `${token.text}.${text(index + 2)}`;
    let used: string | undefined;
    if (forbiddenWords.has(token.text) && !isKey) used = token.text;
    else if (text(index + 1) === '.' && forbiddenMembers.has(member)) used = member;
    else if (token.text === 'Date' && readsClock(text(index - 1), text(index + 1), text(index + 2)))
      used = 'the current Date';
    return used === undefined ? [] : [`${path}:${token.line} uses ${used}: the pure core gets it as a value`];
  });
}

/** `new Date()` and every `Date()` without `new` give the current time; so does `new Date` without a list. */
function readsClock(before: string | undefined, next: string | undefined, afterNext: string | undefined): boolean {
  if (before === 'new') return next !== '(' || afterNext === ')';
  return next === '(';
}

/** What of Node opens nothing. */
const harmlessModules = new Set(['node:async_hooks', 'node:buffer', 'node:crypto', 'node:path']);

function openingImport({ specifier = '' }: Import): string | undefined {
  if (specifier.startsWith('.') || harmlessModules.has(specifier)) return undefined;
  return 'the room gets files, processes and the network as ports';
}

const openingGlobals = new Set(['fetch', 'WebSocket', 'EventSource', 'globalThis', 'require', 'eval', 'process']);

/** Uses of globals that open something. Of `process` it may take a harmless module, by its name. */
function openingWords(path: string, source: string): readonly string[] {
  const tokens = tokenize(source);
  const text = (index: number): string | undefined => tokens[index]?.text;
  return tokens.flatMap(({ kind, text: word, line }, index) => {
    if (kind !== 'word' || !openingGlobals.has(word) || text(index - 1) === '.' || text(index - 1) === '?.') return [];
    // A key or a parameter of that name is another thing.
    if (text(index + 1) === ':' || (text(index + 1) === '?' && text(index + 2) === ':')) return [];
    const takesModule = text(index + 1) === '.' && text(index + 2) === 'getBuiltinModule' && text(index + 3) === '(';
    if (word === 'process' && takesModule && harmlessModules.has(text(index + 4) ?? '')) return [];
    return [`${path}:${line} uses ${word}: the room gets files, processes and the network as ports`];
  });
}

function roomOf(path: string): string {
  return path.split('/')[1]?.replace(/(\.test)?\.ts$/, '') ?? '';
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts');
}

function resolve(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}
