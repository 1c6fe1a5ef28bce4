import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { fileSystem } from '../../src/adapters/disk/file-system.ts';
import { loadImage } from '../../src/adapters/gather/files/load-image.ts';
import { readGitFacts } from '../../src/adapters/gather/git/repository.ts';
import { readGuard } from '../../src/adapters/gather/files/read-guard.ts';
import type { FileAccess, ResolvedPolicy } from '../../src/protocol/permissions.ts';
import { answer, callTool, say, type Script } from '../../src/testing/index.ts';
import { anyTurn, InstructionFolders } from '../harness/instruction-folders.ts';
import { LiveThread } from '../harness/live-thread.ts';

const folders = new InstructionFolders();
const at = (path: string): string => join(folders.root, path);
afterEach(() => vi.restoreAllMocks());

const load = (cwd: string, policy: ResolvedPolicy = anyTurn.policy, more = {}) =>
  folders.files().load(folders.rules(cwd, more), { ...anyTurn, policy });

/** Everything may be read but what the rules and globs say. */
function policyOf(rules: Readonly<Record<string, FileAccess>>, denyGlobs: readonly string[] = []): ResolvedPolicy {
  const entries = Object.entries({ '/': 'read' as const, ...rules });
  return {
    enforcement: 'managed',
    files: {
      kind: 'restricted',
      rules: entries.map(([path, access]) => ({ path, access, ifMissing: 'skip' })),
      denyGlobs,
      platformDefaults: false,
    },
    network: 'restricted',
  };
}

const leaves = (path: string, target: string) => ({
  code: 'instructions-outside-project',
  message: `Capstan ignores the instructions in ${at(path)}: it is a link to ${at(target)}, outside the project.`,
  next: 'Replace the link with a copy of the file.',
});

const resize = () => Promise.reject(new Error('No picture here is large.'));

describe('a link out of the project', () => {
  test('AGENTS.md that leads to a file of the user is not read, and that is reported', async () => {
    folders.write('secrets/token', 'sekrit');
    symlinkSync(at('secrets/token'), at('repo/AGENTS.md'));
    expect(await load('repo')).toEqual({ document: {}, problems: [leaves('repo/AGENTS.md', 'secrets/token')] });
  });

  test('nor is AGENTS.override.md, and AGENTS.md serves instead', async () => {
    folders.write('secrets/token', 'sekrit');
    symlinkSync('../secrets/token', at('repo/AGENTS.override.md'));
    folders.write('repo/AGENTS.md', 'plain');
    const { document, problems } = await load('repo');
    expect(document.text).toBe('plain');
    expect(problems).toEqual([leaves('repo/AGENTS.override.md', 'secrets/token')]);
  });

  test('nor a file below a folder that is a link, nor one that a fallback name reaches by climbing', async () => {
    folders.write('secrets/token', 'sekrit');
    symlinkSync(at('secrets'), at('repo/docs'));
    const fallbackFilenames = ['docs/token', '../secrets/token'];
    const { document, problems } = await load('repo', anyTurn.policy, { fallbackFilenames });
    expect(document).toEqual({});
    expect(problems.map(({ code }) => code)).toEqual(Array(2).fill('instructions-outside-project'));
  });

  test('nor one in a folder between the root and the working folder, through a chain of links', async () => {
    folders.write('secrets/token', 'sekrit');
    mkdirSync(at('repo/a/b'), { recursive: true });
    symlinkSync(at('secrets/token'), at('repo/inner'));
    symlinkSync('../inner', at('repo/a/AGENTS.md'));
    const { document, problems } = await load('repo/a/b');
    expect(document).toEqual({});
    expect(problems).toEqual([leaves('repo/a/AGENTS.md', 'secrets/token')]);
  });

  test('a link that is turned between the look and the opening is found out by what was opened', async () => {
    folders.write('secrets/token', 'sekrit');
    folders.write('repo/good.md', 'good');
    const link = at('repo/AGENTS.md');
    symlinkSync(at('repo/good.md'), link);
    const open = fileSystem.openSync;
    vi.spyOn(fileSystem, 'openSync').mockImplementation((path, ...more) => {
      rmSync(link);
      symlinkSync(at('secrets/token'), link);
      const opened = open(path, ...more);
      rmSync(link);
      symlinkSync(at('repo/good.md'), link);
      return opened;
    });
    const { document, problems } = await load('repo');
    expect(document).toEqual({});
    expect(problems).toEqual([leaves('repo/AGENTS.md', 'secrets/token')]);
  });

  test('links inside the project are followed, and so is the personal file wherever it leads', async () => {
    folders.write('repo/docs/guide.md', 'guide');
    symlinkSync('docs/guide.md', at('repo/AGENTS.md'));
    folders.write('dotfiles/agents.md', 'mine');
    symlinkSync(at('dotfiles/agents.md'), at('home/AGENTS.md'));
    expect(await load('repo')).toEqual({
      document: { directory: folders.repo, text: 'mine\n\n--- project-doc ---\n\nguide' },
      problems: [],
    });
  });

  test('a project that is itself reached through a link is read', async () => {
    folders.write('repo/AGENTS.md', 'root');
    symlinkSync(at('repo'), at('way'));
    expect((await load('way')).document.text).toBe('root');
  });

  test('a whole thread continues without it and warns once', async () => {
    const live = await LiveThread.in([answer({ items: [say('one')] }), answer({ items: [say('two')] })]);
    const { root, workspace } = live.place;
    writeFileSync(join(root, 'token'), 'sekrit');
    symlinkSync(join(root, 'token'), join(workspace, 'AGENTS.md'));
    await live.turn('go');
    await live.turn('on');
    expect(live.told('warning').map(({ outcome }) => outcome.code)).toEqual(['instructions-outside-project']);
    expect(JSON.stringify(live.model.requests.map(({ body }) => body))).not.toContain('sekrit');
  });
});

describe('what the policy denies', () => {
  test('is not read as AGENTS.md: by a rule, by a glob, and where a rule is spelled through a link', async () => {
    folders.write('repo/AGENTS.md', 'sekrit');
    symlinkSync(at('repo'), at('way'));
    const denied = [
      policyOf({ [at('repo/AGENTS.md')]: 'deny' }),
      policyOf({ [folders.repo]: 'deny' }),
      policyOf({}, [`${folders.root}/**/*.md`]),
      policyOf({ [at('way')]: 'deny' }),
      policyOf({}, [at('way/*.md')]),
    ];
    for (const policy of denied) {
      const { document, problems } = await load('repo', policy);
      expect(document).toEqual({});
      expect(problems).toMatchObject([{ code: 'instructions-denied' }]);
    }
  });

  test('nor what lies behind a link in the project, nor what the policy does not grant at all', async () => {
    folders.write('repo/private/notes', 'sekrit');
    symlinkSync('private/notes', at('repo/AGENTS.md'));
    const { document, problems } = await load('repo', policyOf({ [at('repo/private')]: 'deny' }));
    expect(document).toEqual({});
    expect(problems[0]?.message).toBe(
      `Capstan ignores the instructions in ${at('repo/AGENTS.md')} (a link to ${at('repo/private/notes')}): the policy denies reading the file.`,
    );
    const nothing = policyOf({ '/': 'deny', [at('home')]: 'read' });
    expect((await load('repo', nothing)).problems).toMatchObject([{ code: 'instructions-denied' }]);
  });

  test('a file that appears later is denied by the glob that was there before', async () => {
    const files = folders.files(60_000);
    const policy = policyOf({}, [`${folders.repo}/**/AGENTS.md`]);
    expect((await files.load(folders.rules('repo'), { ...anyTurn, policy })).problems).toEqual([]);
    folders.write('repo/AGENTS.md', 'sekrit');
    expect(await files.load(folders.rules('repo'), { ...anyTurn, policy })).toMatchObject({
      document: {},
      problems: [{ code: 'instructions-denied' }],
    });
  });

  test('the personal file is the user’s: only a rule that names it keeps it out', async () => {
    folders.write('home/AGENTS.md', 'mine');
    const bare: ResolvedPolicy = {
      ...policyOf({}),
      files: {
        kind: 'restricted',
        rules: [{ path: folders.repo, access: 'read', ifMissing: 'skip' }],
        denyGlobs: [],
        platformDefaults: false,
      },
    };
    expect((await load('repo', bare)).document.text).toBe('mine');
    expect((await load('repo', policyOf({}, [at('home/AGENTS.md')]))).document).toEqual({});
  });

  test('a picture is not shown: by its name, behind a link, and behind a rule that is spelled through a link', async () => {
    folders.write('repo/secret/a.png', '\x89PNG\r\n\x1a\n');
    symlinkSync('secret/a.png', at('repo/shown.png'));
    symlinkSync(at('repo/secret'), at('way'));
    const show = (path: string, policy: ResolvedPolicy) => {
      const { deniesModel: denies } = readGuard(policy);
      return loadImage(at(path), '/', { denies, resize });
    };
    for (const path of ['repo/secret/a.png', 'repo/shown.png']) {
      for (const policy of [policyOf({ [at('repo/secret')]: 'deny' }), policyOf({ [at('way')]: 'deny' })]) {
        await expect(show(path, policy)).resolves.toMatchObject({ code: 'image-denied' });
      }
      await expect(show(path, policyOf({}, [`${folders.root}/**/secret/*`]))).resolves.toMatchObject({
        code: 'image-denied',
      });
      await expect(show(path, policyOf({}))).resolves.not.toHaveProperty('code', 'image-denied');
    }
  });

  test('a grant through a link that commands could turn opens nothing', async () => {
    folders.write('outside/a.png', '\x89PNG\r\n\x1a\n');
    symlinkSync(at('outside'), at('repo/way'));
    const policy = policyOf({ '/': 'deny', [folders.repo]: 'write', [at('repo/way')]: 'read' });
    const { deniesModel: denies } = readGuard(policy);
    const shown = loadImage(at('repo/way/a.png'), '/', { denies, resize });
    await expect(shown).resolves.toMatchObject({ code: 'image-denied' });
  });

  test('facts of a repository that may not be read are left out of the thread', () => {
    folders.write('repo/.git/config', '[remote "origin"]\n\turl = https://host/secret\n');
    const { deniesUser: denies } = readGuard(policyOf({ [at('repo/.git')]: 'deny' }));
    expect(readGitFacts(folders.repo, { denies })).toEqual({});
    expect(readGitFacts(folders.repo)).toMatchObject({ repository_url: 'https://host/secret' });
  });
});

describe('deny_read of the machine', () => {
  const denying = (folder: string): string => `[permissions.filesystem]\ndeny_read = ["${folder}/**/secret*"]\n`;

  async function managed(script: Script): Promise<LiveThread> {
    const live = await LiveThread.in(script);
    mkdirSync(join(live.place.root, 'etc'));
    writeFileSync(join(live.place.root, 'etc/requirements.toml'), denying(live.place.root));
    return live;
  }

  test('holds for AGENTS.md, for view_image and for files that are made later, without a sandbox too', async () => {
    const live = await managed([
      answer({ items: [callTool('view_image', { path: 'shown.png' })] }),
      answer({ items: [say('ok')] }),
      answer({ items: [say('ok')] }),
    ]);
    const { root, workspace } = live.place;
    writeFileSync(join(workspace, 'secret.png'), '\x89PNG\r\n\x1a\nsekrit');
    symlinkSync('secret.png', join(workspace, 'shown.png'));
    await live.open({ systemFolders: [join(root, 'etc')], config: ['sandbox_mode="danger-full-access"'] });
    await live.turn('look');
    writeFileSync(join(workspace, 'secret.md'), 'sekrit');
    symlinkSync('secret.md', join(workspace, 'AGENTS.md'));
    await live.turn('again');
    expect(live.rows(1).at(-1)).toEqual(['output', expect.stringContaining('The policy does not allow reading')]);
    expect(live.told('warning').map(({ outcome }) => outcome.code)).toContain('instructions-denied');
    const sent = JSON.stringify(live.model.requests.map(({ body }) => body));
    expect(sent).not.toContain('sekrit');
    expect(sent).not.toContain(Buffer.from('sekrit').toString('base64').slice(0, 6));
  });

  test('holds for the files that the configuration names, and for the configuration of a project', async () => {
    const live = await managed([answer({ items: [say('ok')] })]);
    const { root, workspace } = live.place;
    writeFileSync(join(root, 'secret.md'), 'sekrit');
    symlinkSync(join(root, 'secret.md'), join(root, 'base.md'));
    const systemFolders = [join(root, 'etc')];
    const file = `model_instructions_file="${join(root, 'base.md')}"`;
    await expect(live.open({ systemFolders, config: [file] })).rejects.toThrow('the policy denies reading it');
    mkdirSync(join(workspace, '.codex'));
    writeFileSync(join(workspace, 'secret.toml'), 'developer_instructions = "sekrit"\n');
    symlinkSync('../secret.toml', join(workspace, '.codex/config.toml'));
    const trust = `projects."${workspace}".trust_level="trusted"`;
    await expect(live.open({ systemFolders, config: [trust] })).rejects.toThrow('the policy denies reading it');
    const engine = await live.engine({ systemFolders });
    await expect(engine.loadImage('a/secret.png', root)).resolves.toMatchObject({ code: 'image-denied' });
    await expect(engine.loadImage('a.png', root)).resolves.toMatchObject({ code: 'image-unreadable' });
  });
});
