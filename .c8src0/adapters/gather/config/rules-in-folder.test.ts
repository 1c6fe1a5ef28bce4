import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RuleSet } from '../../../core/policy/rules/rule-set.ts';
import { type ConfigChoices, loadBaseLayers } from './config-layers.ts';
import { rulesInFolder } from './rules-in-folder.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-rules-')));
  write('repo/.git/HEAD', 'ref: refs/heads/main\n');
  mkdirSync(path('repo/sub'));
  mkdirSync(path('home'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = (name: string): string => join(root, name);

function write(name: string, text: string): void {
  mkdirSync(join(path(name), '..'), { recursive: true });
  writeFileSync(path(name), text);
}

async function load(folder = 'repo', more: Partial<ConfigChoices> = {}) {
  const systemFolders = [path('etc/capstan'), path('etc/codex')];
  const choices = { osHome: root, cwd: path('repo'), systemFolders, ...more };
  return rulesInFolder(await loadBaseLayers(path('home'), choices), path(folder), choices);
}

/** The first words of the rules, in order. */
function programs({ rules }: { readonly rules?: RuleSet }): readonly unknown[] {
  return (rules?.prefixes ?? []).map(({ pattern }) => pattern[0]);
}

const trusted = (folder: string): string => `[projects."${path(folder)}"]\ntrust_level = "trusted"\n`;

test('without a folder there are no rules, and none is made', async () => {
  expect(await load()).toEqual({ problems: [] });
  expect(existsSync(path('home/rules'))).toBe(false);
});

test('files of each layer count by layer and by name, and the model reads what they allow', async () => {
  write('home/config.toml', trusted('repo'));
  write('etc/codex/rules/a.rules', 'prefix_rule(["system"])');
  write('home/rules/b.rules', 'prefix_rule(["user2"])\nnetwork_rule("x.com", "https", "deny")');
  write('home/rules/a.rules', 'prefix_rule(["user1"])');
  write('home/rules/notes.txt', 'not rules');
  write('home/rules/.rules', 'not rules');
  mkdirSync(path('home/rules/c.rules'));
  write('repo/.codex/rules/x.rules', 'prefix_rule(["project1"], "prompt")');
  write('repo/.capstan/rules/x.rules', 'prefix_rule(["project2"])');
  const loaded = await load('repo/sub');
  expect(programs(loaded)).toEqual(['system', 'user1', 'user2', 'project1', 'project2']);
  expect(loaded.rules?.prefixes.at(-1)?.source).toBe(`${path('repo/.capstan/rules/x.rules')}:1`);
  expect(loaded.approvedPrefixes).toEqual([['system'], ['user1'], ['user2'], ['project2']]);
  expect(loaded.networkRules).toEqual([{ host: 'x.com', action: 'deny' }]);
  expect(loaded.problems).toEqual([]);
});

test("of the machine's folders the first with rules counts", async () => {
  write('etc/codex/rules/a.rules', 'prefix_rule(["codex"])');
  write('etc/capstan/rules/a.rules', 'prefix_rule(["capstan"])');
  expect(programs(await load())).toEqual(['capstan']);
});

test('flags leave out rules', async () => {
  write('home/config.toml', trusted('repo'));
  write('etc/capstan/rules/a.rules', 'prefix_rule(["system"])');
  write('home/rules/a.rules', 'prefix_rule(["user"])');
  write('repo/.codex/rules/a.rules', 'prefix_rule(["project"])');
  expect(programs(await load('repo', { ignoreRules: true }))).toEqual(['system']);
  expect(programs(await load('repo', { ignoreUserConfig: true }))).toEqual(['system']);
  expect(programs(await load())).toEqual(['system', 'user', 'project']);
});

describe('a project', () => {
  test('that is not trusted gives no rules, and nothing is said about them', async () => {
    write('repo/.codex/rules/a.rules', 'broken(');
    expect(await load()).toEqual({ problems: [] });
    write('home/config.toml', `[projects."${path('repo')}"]\ntrust_level = "untrusted"\n`);
    expect(await load()).toEqual({ problems: [] });
  });

  test('can only hold commands back below its root', async () => {
    write('home/config.toml', trusted('repo'));
    write(
      'repo/sub/.codex/rules/a.rules',
      'prefix_rule(["a"])\nprefix_rule(["b"], "forbidden")\nhost_executable("b", [])',
    );
    const loaded = await load('repo/sub');
    expect(loaded.rules).toMatchObject({ prefixes: [{ pattern: ['b'] }], executables: {} });
    expect(loaded.problems).toMatchObject([{ code: 'rules-narrowed', severity: 'warning' }]);
    write('home/config.toml', trusted('repo') + trusted('repo/sub'));
    expect(programs(await load('repo/sub'))).toEqual(['a', 'b']);
  });

  test('above which the folder of the user lies does not count that as its own', async () => {
    mkdirSync(path('u/w'), { recursive: true });
    write('home/config.toml', trusted('u'));
    symlinkSync(path('home'), path('u/.codex'));
    write('u/.git/HEAD', 'ref: refs/heads/main\n');
    write('home/rules/a.rules', 'prefix_rule(["user"])');
    expect(programs(await load('u/w'))).toEqual(['user']);
  });
});

describe('faults', () => {
  test('a broken file is named and leaves out itself alone', async () => {
    write('home/rules/a.rules', 'prefix_rule(["a"])');
    write('home/rules/b.rules', 'prefix_rule(["b"])\nprefix_rule(["c"], "deny")');
    write('home/rules/c.rules', 'prefix_rule(["d"])');
    const loaded = await load();
    expect(programs(loaded)).toEqual(['a', 'd']);
    const file = path('home/rules/b.rules');
    expect(loaded.problems).toEqual([
      {
        code: 'rules-broken',
        message: `${file}:2: \`decision\` is "deny". Capstan ignores the whole file.`,
        next: 'Use one of: allow, prompt, forbidden.',
        severity: 'warning',
        source: file,
        line: 2,
      },
    ]);
  });

  test('a file that is no text or is too large is one as well', async () => {
    mkdirSync(path('home/rules'));
    writeFileSync(path('home/rules/a.rules'), Buffer.from([0xff, 0xfe]));
    writeFileSync(path('home/rules/b.rules'), '#'.repeat(1024 * 1024 + 1));
    const { problems } = await load();
    expect(problems.map(({ message }) => message)).toEqual([
      `${path('home/rules/a.rules')} cannot be read: it is not UTF-8 text.`,
      `${path('home/rules/b.rules')} cannot be read: it is larger than 1 MB.`,
    ]);
  });

  test('a file in the place of the folder is an error', async () => {
    write('home/rules', '');
    const folder = path('home/rules');
    expect((await load()).problems).toEqual([
      {
        code: 'rules-unreadable',
        message: `The rules in ${folder} cannot be read: it is a file.`,
        next: `Make ${folder} a readable folder, or delete it.`,
        severity: 'error',
        source: folder,
      },
    ]);
  });

  test('so is a folder with too many files', async () => {
    for (let n = 0; n <= 100; n++) write(`home/rules/${n}.rules`, '');
    expect((await load()).problems).toMatchObject([{ code: 'rules-unreadable', severity: 'error' }]);
  });

  test.skipIf(process.getuid?.() === 0)('so is a folder that may not be read', async () => {
    mkdirSync(path('home/rules'));
    chmodSync(path('home/rules'), 0);
    const { problems } = await load();
    // Or it could not be removed.
    chmodSync(path('home/rules'), 0o700);
    expect(problems).toMatchObject([{ code: 'rules-unreadable', severity: 'error' }]);
  });
});

describe('what the administrator demands', () => {
  const demand = '[rules]\nprefix_rules = [{ pattern = [{ token = "rm" }], decision = "forbidden" }]\n';

  test('holds beside broken files and without any, and comes last', async () => {
    write('etc/capstan/requirements.toml', demand);
    expect(programs(await load())).toEqual(['rm']);
    write('home/rules/a.rules', 'prefix_rule(["rm"])\nprefix_rule(["ls"])');
    write('home/rules/b.rules', 'broken(');
    const loaded = await load('repo');
    expect(programs(loaded)).toEqual(['rm', 'ls', 'rm']);
    expect(loaded.approvedPrefixes).toEqual([['ls']]);
    expect(loaded.problems).toMatchObject([{ code: 'rules-broken' }]);
    expect(programs(await load('repo', { ignoreRules: true }))).toEqual(['rm']);
  });
});

test('places of programs in one file count for the examples of the next', async () => {
  write('home/rules/a.rules', 'host_executable("a", [])');
  write('home/rules/b.rules', 'prefix_rule(["a"], match=["/x/a"])');
  expect((await load()).problems).toMatchObject([{ code: 'rules-broken', line: 1 }]);
});

test('where commands may run under Landlock, rules of a project allow nothing', async () => {
  write('repo/.codex/rules/x.rules', 'prefix_rule(["make"])\nprefix_rule(["rm"], "forbidden")');
  write('home/config.toml', trusted('repo'));
  expect(programs(await load())).toEqual(['make', 'rm']);
  write('home/config.toml', `sandbox_fallback = "landlock"\n${trusted('repo')}`);
  expect(programs(await load())).toEqual(['rm']);
});
