// @module-tag attack
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import type { Place } from '../harness/run-capstan.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';

const done = answer({ items: [say('Done.')] });
const closed = '[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n';

function approvals(place: Place): string {
  const file = join(place.root, 'answers.jsonl');
  const lines = ['command', 'permissions', 'patch'].map((kind) => JSON.stringify({ kind, decision: 'approved' }));
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

const widened = (cmd: string, ...write: readonly string[]) =>
  callTool('exec_command', {
    cmd,
    sandbox_permissions: 'with_additional_permissions',
    additional_permissions: { file_system: { write: [...write] } },
  });

const run = (place: Place, mode: string) =>
  place.run('exec', '--json', '-s', mode, '--approvals', approvals(place), 'go');

describe('a write that the user grants', () => {
  it('is asked for by where a link leads, which is what a yes opens', async () => {
    const { place } = await scene(
      ({ index }) => (index === 0 ? answer({ items: [widened('touch build/file', 'build')] }) : done),
      closed,
    );
    const target = join(place.root, 'target');
    mkdirSync(target);
    symlinkSync(target, join(place.workspace, 'build'));
    const { events } = await run(place, 'read-only');
    const asked = events.find(({ type }) => type === 'question.asked');
    expect(asked).toMatchObject({
      question: { permissions: { write: [target], spelled: { [target]: join(place.workspace, 'build') } } },
    });
    expect(existsSync(join(target, 'file'))).toBe(true);
  });

  it('opens nothing when the path leads elsewhere by the time that it is used', async () => {
    const { place } = await scene(({ index }) => {
      const [folder, elsewhere] = [join(place.root, 'folder'), join(place.root, 'elsewhere')];
      if (index === 0) {
        const permissions = { file_system: { write: [folder] } };
        return answer({ items: [callTool('request_permissions', { permissions })] });
      }
      if (index === 2) {
        renameSync(folder, `${folder}.old`);
        symlinkSync(elsewhere, folder);
      }
      return index < 3 ? answer({ items: [callTool('exec_command', { cmd: `touch ${folder}/${index}` })] }) : done;
    }, closed);
    mkdirSync(join(place.root, 'folder'));
    mkdirSync(join(place.root, 'elsewhere'));
    await run(place, 'workspace-write');
    expect(['folder.old/1', 'elsewhere/2'].map((name) => existsSync(join(place.root, name)))).toEqual([true, false]);
  });

  it('keeps repositories around and below it, protected names and the home of the engine', async () => {
    const attacks = (place: Place) =>
      [
        '.git/hooks/x',
        'sub/.git/hooks/x',
        '.codex/x',
        `${place.home}/config.toml`,
        `${place.home}/rules/z.rules`,
        `${place.home}/sessions/x`,
      ].map((path) => `mkdir -p $(dirname ${path}); echo evil >> ${path}`);
    const { place } = await scene(({ index }) => {
      const script = [...attacks(place), 'echo fine > fine'].join('; ');
      return index === 0 ? answer({ items: [widened(script, place.root)] }) : done;
    }, closed);
    mkdirSync(join(place.workspace, '.git/hooks'), { recursive: true });
    mkdirSync(join(place.workspace, 'sub/.git/hooks'), { recursive: true });
    const config = readFileSync(join(place.home, 'config.toml'), 'utf8');
    await run(place, 'read-only');
    expect(readFileSync(join(place.workspace, 'fine'), 'utf8')).toBe('fine\n');
    const planted = ['.git/hooks/x', 'sub/.git/hooks/x', '.codex/x'].map((path) => join(place.workspace, path));
    const inHome = ['rules/z.rules', 'sessions/x'].map((path) => join(place.home, path));
    expect([...planted, ...inHome].filter((path) => existsSync(path))).toEqual([]);
    expect(readFileSync(join(place.home, 'config.toml'), 'utf8')).toBe(config);
  });

  it('does not reach through a link out of the folder, for a command or a patch', async () => {
    const patch = '*** Begin Patch\n*** Add File: folder/out/patched\n+x\n*** End Patch\n';
    const { place } = await scene(({ index }) => {
      const folder = join(place.workspace, 'folder');
      const permissions = { file_system: { write: [folder] } };
      if (index === 0) return answer({ items: [callTool('request_permissions', { permissions })] });
      const command = `cd ${folder}; touch inside out/written; ln -s ${join(place.root, 'target')} new; touch new/written`;
      if (index === 1) return answer({ items: [callTool('exec_command', { cmd: command })] });
      return index === 2 ? answer({ items: [{ type: 'custom_tool_call', name: 'apply_patch', input: patch }] }) : done;
    }, closed);
    const target = join(place.root, 'target');
    mkdirSync(target);
    mkdirSync(join(place.workspace, 'folder'));
    symlinkSync(target, join(place.workspace, 'folder/out'));
    const file = join(place.root, 'answers.jsonl');
    const lines = [
      { kind: 'permissions', decision: 'approved' },
      { kind: 'patch', decision: 'denied' },
    ];
    writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    await place.run('exec', '--json', '-s', 'read-only', '--approvals', file, 'go');
    expect(existsSync(join(place.workspace, 'folder/inside'))).toBe(true);
    expect(readdirSync(target)).toEqual([]);
  });

  it('is refused without a question for the home of the engine, also through a link', async () => {
    const { model, place } = await scene(
      ({ index }) => (index === 0 ? answer({ items: [widened('touch cfg/x', 'cfg')] }) : done),
      closed,
    );
    symlinkSync(place.home, join(place.workspace, 'cfg'));
    const { events } = await run(place, 'read-only');
    expect(events.filter(({ type }) => type === 'question.asked')).toEqual([]);
    expect(textsOf(inputOf(model, 1)).at(-1)).toContain('is denied, and no request can change that');
    expect(existsSync(join(place.home, 'x'))).toBe(false);
  });

  it('holds for patches, which are offered where permissions alone may be requested', async () => {
    const granular = 'sandbox_approval = false, rules = false, mcp_elicitations = false, request_permissions = true';
    const text = '*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch\n';
    const { model, place } = await scene(({ index }) => {
      const patch = { type: 'custom_tool_call', name: 'apply_patch', input: text } as const;
      const permissions = { file_system: { write: [place.workspace] } };
      if (index === 1) return answer({ items: [callTool('request_permissions', { permissions })] });
      return index < 3 ? answer({ items: [patch] }) : done;
    }, `approval_policy = { granular = { ${granular} } }\n`);
    await run(place, 'read-only');
    const tools = model.requests[0]!.body['tools'] as unknown as readonly { readonly name: string }[];
    expect(tools.map(({ name }) => name)).toContain('apply_patch');
    expect(textsOf(inputOf(model, 1)).at(-1)).toContain('patch rejected');
    expect(readFileSync(join(place.workspace, 'new.txt'), 'utf8')).toBe('x\n');
  });

  it('a patch through a link is asked for by where it leads', { tags: 'representative' }, async () => {
    const text = '*** Begin Patch\n*** Add File: build/new.txt\n+x\n*** End Patch\n';
    const { place } = await scene(
      ({ index }) =>
        index === 0 ? answer({ items: [{ type: 'custom_tool_call', name: 'apply_patch', input: text }] }) : done,
      closed,
    );
    const target = join(place.root, 'target');
    mkdirSync(target);
    symlinkSync(target, join(place.workspace, 'build'));
    const { events } = await run(place, 'read-only');
    const asked = events.find(({ type }) => type === 'question.asked');
    expect(asked).toMatchObject({ question: { permissions: { write: [target] } } });
    expect(existsSync(join(target, 'new.txt'))).toBe(true);
  });
});
