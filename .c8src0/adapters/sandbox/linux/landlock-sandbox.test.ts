import { expect, test } from 'vitest';
import type { PathRule, ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { DiskView } from '../disk-view.ts';
import { type LandlockPlan, planLandlock } from './landlock-sandbox.ts';

/** A disk of these paths; those that end with a slash are folders, and `a -> b` is a link. */
function diskOf(lines: readonly string[]): DiskView {
  const links = new Map(
    lines.filter((line) => line.includes(' -> ')).map((line) => line.split(' -> ') as [string, string]),
  );
  const paths = lines.filter((line) => !line.includes(' -> '));
  const files = new Set([...paths.filter((path) => !path.endsWith('/')), ...links.keys()]);
  const folders = new Set(['/', ...paths.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1))]);
  for (const path of [...files, ...folders]) {
    const names = path.split('/').slice(1, -1);
    for (let count = 1; count <= names.length; count++) folders.add(`/${names.slice(0, count).join('/')}`);
  }
  return {
    look(path) {
      const target = links.get(path);
      if (target !== undefined) return { kind: 'link', target };
      return { kind: folders.has(path) ? 'folder' : files.has(path) ? 'file' : 'missing' };
    },
    list(folder) {
      const start = folder === '/' ? '/' : `${folder}/`;
      const below = [...files, ...folders].filter((path) => path.startsWith(start) && path !== start);
      return [...new Set(below.map((path) => path.slice(start.length).split('/')[0]!))].toSorted();
    },
    canCreateIn: () => true,
  };
}

const disk = diskOf([
  '/bin/sh',
  '/dev/null',
  '/home/me/.bashrc',
  '/home/me/.codex/auth.json',
  '/home/me/.codex/config.toml',
  '/home/me/.codex/locks/a',
  '/home/me/ws/file',
  '/home/me/ws/.env',
  '/home/link -> /home/me/.codex',
  '/proc/self/',
  '/tmp/',
]);

const rule = (path: string, access: PathRule['access'], more: Partial<PathRule> = {}): PathRule => ({
  path,
  access,
  ifMissing: 'skip',
  ...more,
});
const readable = rule('/', 'read');

function plan(rules: readonly PathRule[], deniedMatches: readonly string[] = [], on = disk) {
  const files = { kind: 'restricted', rules, denyGlobs: [], platformDefaults: false } as const;
  const policy: ResolvedPolicy = { enforcement: 'managed', files, network: 'restricted' };
  const user = { uid: 1, gid: 1 };
  return planLandlock({ policy, deniedMatches, architecture: 'x64', user }, on);
}

/** Rights in a word, by path: without what every command has. */
function opened(planned: ReturnType<typeof plan>): Readonly<Record<string, string>> | string {
  if (planned.kind === 'refused') return planned.message;
  const words = (rights: number) =>
    [
      ...((rights & 0b0100) !== 0 ? ['read'] : []),
      ...((rights & 0b1000) !== 0 ? ['list'] : []),
      ...((rights & 0b0010) !== 0 ? ['write'] : []),
      ...((rights & 0b1000_0000) !== 0 ? ['make'] : []),
    ].join(' ');
  const shown = planned.rules.filter(({ path }) => !path.startsWith('/dev/') && path !== '/proc');
  return Object.fromEntries(shown.map(({ path, rights }) => [path, words(rights)]));
}

test('of the devices a command has those of every sandbox', () => {
  const planned = plan([readable], [], diskOf(['/dev/null', '/dev/pts/0', '/dev/sda']));
  const paths = (planned as LandlockPlan).rules.map(({ path }) => path).filter((path) => path.startsWith('/dev'));
  expect(paths.toSorted()).toEqual(['/dev/full', '/dev/null', '/dev/random', '/dev/tty', '/dev/urandom', '/dev/zero']);
});

test('without anything hidden a rule opens what its path holds', () => {
  expect(opened(plan([readable, rule('/home/me/ws', 'write'), rule('/tmp', 'write')]))).toEqual({
    '/': 'list',
    '/bin': 'read list',
    '/home': 'read list',
    '/home/me/ws': 'read list write make',
    '/tmp': 'read list write make',
  });
});

test('a hidden file closes the folders on its way, and what stands beside it is opened', () => {
  const rules = [readable, rule('/home/me/.codex/auth.json', 'deny'), rule('/home/me/ws', 'write')];
  expect(opened(plan(rules))).toEqual({
    '/': 'list',
    '/bin': 'read list',
    '/home': 'list',
    '/home/me': 'list',
    '/home/me/.bashrc': 'read',
    '/home/me/.codex': 'list',
    '/home/me/.codex/config.toml': 'read',
    '/home/me/.codex/locks': 'read list',
    '/home/me/ws': 'read list write make',
    '/tmp': 'read list',
  });
});

test('names on the way to a hidden folder cannot be listed, unless it is one of the engine', () => {
  const listed = (rules: readonly PathRule[]) => {
    const found = opened(plan([readable, ...rules]));
    return typeof found !== 'string' && ['/', '/home', '/home/me'].filter((path) => path in found);
  };
  expect(listed([rule('/home/me/.codex', 'deny')])).toEqual([]);
  expect(listed([rule('/home/me/.codex', 'deny', { own: true })])).toEqual(['/', '/home', '/home/me']);
});

test('what is hidden and missing, or hidden behind a link, closes its folder all the same', () => {
  const missing = (more: Partial<PathRule>) =>
    opened(plan([readable, rule('/home/me/.codex/auth.json.tmp', 'deny', more)]));
  expect(missing({ own: true })).toMatchObject({ '/home/me/.codex': 'list', '/home/me/.codex/auth.json': 'read' });
  // It may become a folder.
  expect(missing({})).not.toHaveProperty(['/home/me/.codex']);
  expect(missing({})).toMatchObject({ '/home/me/.codex/auth.json': 'read' });
  const linked = opened(plan([readable, rule('/home/link/auth.json', 'deny')]));
  expect(linked).toMatchObject({ '/home/me/.codex': 'list', '/home/me/.codex/config.toml': 'read' });
  expect(linked).not.toHaveProperty(['/home/me/.codex/auth.json']);
  expect(linked).not.toHaveProperty(['/home/link']);
});

test('patterns hide what they match now', () => {
  const found = opened(plan([readable], ['/home/me/ws/.env']));
  expect(found).toMatchObject({ '/home/me/ws': 'list', '/home/me/ws/file': 'read' });
  expect(found).not.toHaveProperty(['/home/me/ws/.env']);
});

test('limited reading opens nothing else', () => {
  expect(opened(plan([rule('/bin', 'read'), rule('/home/me/ws', 'write')]))).toEqual({
    '/bin': 'read list',
    '/home/me/ws': 'read list write make',
  });
});

test.each([
  ['a hidden file', [rule('/home/me/ws/.env', 'deny')], [], '/home/me/ws/.env'],
  ['a match of a pattern', [], ['/home/me/ws/.env'], '/home/me/ws/.env'],
  ['a read-only file', [rule('/home/me/ws/file', 'read')], [], '/home/me/ws/file'],
] as const)('%s inside a writable folder is refused', (_what, rules, matches, path) => {
  const message = `Landlock cannot keep ${JSON.stringify(path)} inside the writable folder "/home/me/ws".`;
  expect(plan([readable, rule('/home/me/ws', 'write'), ...rules], matches)).toMatchObject({
    kind: 'refused',
    message,
  });
});

test('a link that commands could replace is refused', () => {
  const on = diskOf(['/home/me/ws/home -> /home/me/.codex', '/home/me/.codex/auth.json']);
  const rules = [readable, rule('/home/me/ws', 'write'), rule('/home/me/ws/home/auth.json', 'deny', { own: true })];
  expect(plan(rules, [], on)).toMatchObject({
    kind: 'refused',
    message: expect.stringContaining('"/home/me/ws/home" is a link'),
  });
});

test('a folder with too many names beside a hidden one is refused', () => {
  const on = diskOf(['/big/hidden', ...Array.from({ length: 20_001 }, (_, index) => `/big/${index}`)]);
  expect(plan([readable, rule('/big/hidden', 'deny')], [], on)).toMatchObject({
    message: expect.stringContaining('More than 20000 files stand beside hidden ones'),
  });
});

test('where the whole disk may be written, the kernel stays as it is', () => {
  const policy: ResolvedPolicy = { enforcement: 'managed', files: { kind: 'unrestricted' }, network: 'restricted' };
  const planned = planLandlock({ policy, deniedMatches: [], architecture: 'arm64', user: { uid: 1, gid: 1 } }, disk);
  expect(opened(planned)).toEqual({
    '/': 'list',
    '/bin': 'read list write make',
    '/home': 'read list write make',
    '/tmp': 'read list write make',
  });
  expect((planned as LandlockPlan).filters).toHaveLength(2);
});
