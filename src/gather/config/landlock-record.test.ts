import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { agreeToParts, changedPart, partDigests, recordLandlockRoots } from './landlock-record.ts';
import { findTrust } from './trust.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-landlock-record-')));
  write('work/.codex/config.toml', 'model = "a"\n');
  write('work/.agents/skills/one/SKILL.md', 'text');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = (name: string): string => join(folder, name);
const home = (): string => path('home');

function write(name: string, text: string): void {
  mkdirSync(dirname(path(name)), { recursive: true });
  writeFileSync(path(name), text);
}

function record(roots: readonly string[] = [path('work')], trusted: readonly string[] = [path('work')]): void {
  recordLandlockRoots(home(), roots, () => trusted);
}

test('a project that no command could write under Landlock is trusted as it is', () => {
  expect(changedPart(home(), path('work'))).toBeUndefined();
  record([path('other')]);
  write('work/.codex/config.toml', 'model = "b"\n');
  expect(changedPart(home(), path('work'))).toBeUndefined();
});

test.each([
  ['its configuration', '.codex/config.toml'],
  ['a new configuration', '.capstan/config.toml'],
  ['hooks', '.codex/hooks.json'],
  ['a rule', '.codex/rules/x.rules'],
  ['a role', '.capstan/agents/x.toml'],
  ['a file of a skill', '.agents/skills/one/run.sh'],
])('%s is not trusted once it changed, until the user agrees', (_what, name) => {
  record();
  expect(changedPart(home(), path('work'))).toBeUndefined();
  write(`work/${name}`, 'changed');
  const changed = changedPart(home(), path('work'));
  expect(path(`work/${name}`).startsWith(changed!)).toBe(true);
  // Another record would call the change the state that was trusted.
  record();
  expect(changedPart(home(), path('work'))).toBe(changed);
  agreeToParts(home(), partDigests(home(), [path('work')]));
  expect(changedPart(home(), path('work'))).toBeUndefined();
  write(`work/${name}`, 'changed again');
  expect(changedPart(home(), path('work'))).toBe(changed);
});

test('a yes is for what was shown, and not for what came after it', () => {
  record();
  write('work/.codex/config.toml', 'shown');
  const seen = partDigests(home(), [path('work')]);
  write('work/.codex/config.toml', 'later');
  agreeToParts(home(), seen);
  expect(changedPart(home(), path('work'))).toBe(path('work/.codex/config.toml'));
});

test('a project that was not trusted when commands ran has nothing that was agreed to', () => {
  record([path('work')], []);
  expect(changedPart(home(), path('work'))).toBe(path('work/.codex/config.toml'));
});

test('a link leads to a folder that commands could write', () => {
  write('elsewhere/config.toml', 'a');
  mkdirSync(path('linked'));
  symlinkSync(path('elsewhere'), path('linked/.codex'));
  record([path('elsewhere')], [path('linked')]);
  expect(changedPart(home(), path('linked'))).toBeUndefined();
  write('elsewhere/config.toml', 'b');
  expect(changedPart(home(), path('linked'))).toBe(path('linked/.codex/config.toml'));
});

test('a record that cannot be read counts for every folder', () => {
  record([path('other')]);
  write('home/capstan/landlock/broken.json', '{"root":');
  expect(changedPart(home(), path('work'))).toBe(path('work/.codex/config.toml'));
});

test('a home that cannot be written is an error', () => {
  write('home/capstan', 'a file');
  expect(() => record()).toThrow('cannot be made');
});

test('trust in a folder does not cover what changed there', () => {
  const projects = { [path('work')]: { trustLevel: 'trusted' } } as const;
  const decide = () => findTrust(path('work'), { projects, projectRootMarkers: ['.git'] }, home());
  record();
  expect(decide()).toEqual({ trust: 'trusted', folder: path('work') });
  write('work/.codex/config.toml', 'changed');
  const changed = path('work/.codex/config.toml');
  expect(decide()).toEqual({ trust: 'unknown', folder: path('work'), changed });
});
