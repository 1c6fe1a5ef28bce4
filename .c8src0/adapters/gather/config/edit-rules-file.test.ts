import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Locks } from '../../../ports/files.ts';
import { runRulesFile } from '../../../core/policy/rules/rules-file.ts';
import { systemClock } from '../clock-and-ids.ts';
import { type CommandRule, writeRule } from './edit-rules-file.ts';

let home: string;
let file: string;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-rule-')));
  file = join(home, 'rules/default.rules');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** One holder at a time, in this process. */
function createLocks(): Pick<Locks, 'take'> {
  const held = new Set<string>();
  return {
    async take(path) {
      if (held.has(path)) return { kind: 'held' };
      held.add(path);
      return { kind: 'lock', epoch: 0, isLost: async () => false, release: async () => void held.delete(path) };
    },
  };
}

const locks = createLocks();
const save = (rule: CommandRule) => writeRule(rule, { home, locks, clock: systemClock });
const prefix = (...words: readonly string[]): CommandRule => ({ kind: 'prefix', prefix: words });
const written = () => readFileSync(file, 'utf8');

test('a prefix becomes a line of a new file that only the user can read', async () => {
  expect(await save(prefix('npm', 'run', 'a "b"\n'))).toBeUndefined();
  expect(written()).toBe('prefix_rule(pattern=["npm", "run", "a \\"b\\"\\n"], decision="allow")\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(runRulesFile(written(), { file })).toMatchObject({
    rules: { prefixes: [{ pattern: ['npm', 'run', 'a "b"\n'], decision: 'allow' }] },
  });
});

test('a host becomes a line with what it is for', async () => {
  await save({ kind: 'host', host: { name: 'x.com', port: 443, protocol: 'https' } });
  await save({ kind: 'host', host: { name: 'x.com', port: 22, protocol: 'socks5_tcp' } });
  expect(written()).toBe(
    'network_rule(host="x.com", protocol="https", decision="allow", justification="Allow HTTPS connections to x.com")\n' +
      'network_rule(host="x.com", protocol="socks5_tcp", decision="allow", justification="Allow TCP connections to x.com")\n',
  );
});

test('the same rule is written once, and a last line without an end gets one', async () => {
  mkdirSync(join(home, 'rules'));
  writeFileSync(file, '# mine');
  await save(prefix('a', 'b'));
  await save(prefix('a', 'b'));
  await save(prefix('a', 'c'));
  expect(written()).toBe(
    '# mine\nprefix_rule(pattern=["a", "b"], decision="allow")\nprefix_rule(pattern=["a", "c"], decision="allow")\n',
  );
});

test('rules that are saved at the same time are all there', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `x${n}`);
  await Promise.all(names.map((name) => save(prefix('make', name))));
  const read = runRulesFile(written(), { file });
  expect(read.kind === 'read' ? read.rules.prefixes.map(({ pattern }) => pattern[1]).toSorted() : read).toEqual(
    names.toSorted(),
  );
});

describe('nothing is written', () => {
  test.each([[['git']], [['python3', '-c', 'print(1)']], [['/bin/bash', '-lc', 'ls']], [[]]])(
    'for %j',
    async (words) => {
      expect(await save(prefix(...words))).toMatchObject({ code: 'rule-too-wide' });
      expect(existsSync(file)).toBe(false);
    },
  );

  test('for words that the file could not hold, and for no single host', async () => {
    expect(await save(prefix('a', '\ud800'))).toMatchObject({ code: 'rule-unsaved' });
    expect(await save({ kind: 'host', host: { name: '*.com', port: 80, protocol: 'http' } })).toMatchObject({
      code: 'rule-unsaved',
    });
    expect(existsSync(file)).toBe(false);
  });

  test('where it cannot be, and the line is named', async () => {
    writeFileSync(join(home, 'rules'), '');
    expect(await save(prefix('a', 'b'))).toMatchObject({
      code: 'rule-unsaved',
      next: 'Add this line to it yourself: prefix_rule(pattern=["a", "b"], decision="allow")',
    });
  });

  test('over a folder', async () => {
    mkdirSync(file, { recursive: true });
    expect((await save(prefix('a', 'b')))?.message).toContain('default.rules cannot be written');
  });
});

describe('a rule too many for the file', () => {
  const forbids = 'prefix_rule(pattern=["git","push"], decision="forbidden")\n';
  const begin = (text: string): void => {
    mkdirSync(join(home, 'rules'));
    writeFileSync(file, text);
  };

  test('is not written when the file would become too large to be read', async () => {
    begin(forbids);
    const outcomes = [];
    for (let n = 0; n < 12; n++) outcomes.push(await save(prefix('grep', String(n), 'x'.repeat(110_000))));
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(9);
    expect(outcomes.at(-1)).toMatchObject({ code: 'rule-unsaved', message: expect.stringContaining('too large') });
    expect(written().length).toBeLessThan(1024 ** 2);
    expect(
      written()
        .split('\n')
        .filter((line) => line.startsWith('#')),
    ).toEqual([]);
    expect(runRulesFile(written(), { file })).toMatchObject({ kind: 'read' });
  });

  test('is not written when the file would take too much work to be read', async () => {
    const busy = (steps: number): string => `${forbids}[n for n in range(${steps})]\n`;
    const isRead = (text: string): boolean => runRulesFile(text, { file }).kind === 'read';
    let [fits, fails] = [0, 2_000_000];
    while (fails - fits > 1) {
      const middle = Math.floor((fits + fails) / 2);
      if (isRead(busy(middle))) fits = middle;
      else fails = middle;
    }
    begin(busy(fits));
    expect(await save(prefix('make', 'test'))).toMatchObject({ code: 'rule-unsaved' });
    expect(written()).toBe(busy(fits));
  });
});
