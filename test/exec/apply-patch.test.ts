import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, type ItemDraft, say } from '../../src/testing/index.ts';
import { inputOf, scene, type Scene } from '../harness/scene.ts';

const wrapped = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const call = (input: string): ItemDraft => ({ type: 'custom_tool_call', name: 'apply_patch', input });
const change = wrapped('*** Update File: f', '-a', '+A');
const heredoc = (patch: string) => `apply_patch <<'EOF'\n${patch}\nEOF\n`;
const success = (frame: string, ...files: readonly string[]) =>
  new RegExp(
    `^${frame}Exit code: 0\nWall time: [\\d.]+ seconds\nOutput:\nSuccess. Updated the following files:\n${files.join('\n')}\n$`,
  );

/** Lets the model make the calls in one step, in a workspace with `f` and `g`, and tells what it got back. */
async function play(calls: readonly ItemDraft[], words: readonly string[] = []) {
  const { model, place } = await scene([answer({ items: calls }), answer({ items: [say('done')] })]);
  writeFileSync(join(place.workspace, 'f'), 'a\nb\n');
  writeFileSync(join(place.workspace, 'g'), 'g\n');
  mkdirSync(join(place.workspace, 'sub'));
  symlinkSync(place.root, join(place.workspace, 'up'));
  const run = await place.run('exec', '--json', ...words, 'go');
  const answers = inputOf(model, 1).filter(({ type }) => String(type).endsWith('_call_output'));
  const items = run.events.flatMap(({ type, item }) =>
    item === undefined ? [] : [[type, item as JsonObject] as const],
  );
  return { run, model, place, answers, items, output: String(answers.at(-1)?.['output']) };
}

const text = ({ place }: Pick<Scene, 'place'>, name: string) => readFileSync(join(place.workspace, name), 'utf8');

describe('apply_patch', () => {
  it('is offered as a freeform tool with a grammar', async () => {
    const { model } = await play([call(change)]);
    const tools = model.requests[0]!.body['tools'] as unknown as readonly JsonObject[];
    expect(tools.map(({ name }) => name)).toEqual([
      'exec_command',
      'write_stdin',
      'update_plan',
      'apply_patch',
      'view_image',
    ]);
    expect(tools[3]).toMatchObject({ type: 'custom', format: { type: 'grammar', syntax: 'lark' } });
  });

  it('changes files, tells the surfaces and answers the call in its own kind', async () => {
    const patch = wrapped(
      '*** Update File: f',
      '*** Move to: h',
      '-a',
      '+A',
      '*** Add File: n/x',
      '+x',
      '*** Delete File: g',
    );
    const played = await play([call(patch)]);
    const { place, items, answers } = played;
    expect([text(played, 'h'), text(played, 'n/x')]).toEqual(['A\nb\n', 'x\n']);
    expect(['f', 'g'].map((name) => existsSync(join(place.workspace, name)))).toEqual([false, false]);
    expect(answers).toEqual([
      expect.objectContaining({
        type: 'custom_tool_call_output',
        output: expect.stringMatching(success('', 'A n/x', 'M h', 'D g')),
      }),
    ]);
    const at = (name: string) => join(place.workspace, name);
    const item = (status: string) => ({
      id: 'item_0',
      type: 'file_change',
      changes: [
        { path: at('f'), kind: 'update' },
        { path: at('g'), kind: 'delete' },
        { path: at('n/x'), kind: 'add' },
      ],
      status,
    });
    expect(items.slice(0, 2)).toEqual([
      ['item.started', item('in_progress')],
      ['item.completed', item('completed')],
    ]);
    const stored = place
      .lines()
      .find(({ type, payload }) => type === 'event_msg' && (payload['item'] as JsonObject)?.['type'] === 'FileChange');
    expect(stored?.payload['item']).toEqual({
      type: 'FileChange',
      id: expect.any(String),
      changes: {
        [at('f')]: { type: 'update', unified_diff: '', move_path: at('h') },
        [at('n/x')]: { type: 'add', content: '' },
        [at('g')]: { type: 'delete', content: '' },
      },
      status: 'completed',
      // The lines stand in the call, and this says where they were found.
      capstan: { places: [[0], null, null] },
    });
  });

  it('says on standard error what it did when people read', async () => {
    const { place } = await scene([
      answer({ items: [call(wrapped('*** Add File: x', '+x'))] }),
      answer({ items: [say('ok')] }),
    ]);
    const run = await place.run('exec', 'go');
    expect(run.stderr).toContain(`add x\n  +x\n  [completed]\n`);
  });

  it('is taken as a function call, too', async () => {
    const played = await play([callTool('apply_patch', { input: change }), callTool('apply_patch', { patch: change })]);
    expect(text(played, 'f')).toBe('A\nb\n');
    expect(played.answers.map(({ type }) => type)).toEqual(['function_call_output', 'function_call_output']);
    expect(played.answers.map(({ output }) => output).toSorted()).toEqual([
      expect.stringMatching(success('', 'M f')),
      'The arguments were not accepted and nothing was done: `input` must be the patch, a string.',
    ]);
  });

  it('leaves everything as it was when a later hunk does not fit, and helps to find out why', async () => {
    const played = await play([call(wrapped('*** Add File: new', '+x', '*** Update File: f', ' a', '-bb', '+c'))]);
    const where = join(played.place.workspace, 'f');
    expect(played.output).toBe(
      `apply_patch verification failed: Failed to find expected lines in ${where}:\na\nbb\n` +
        'The closest lines of the file are these, from line 1 on:\na\nb',
    );
    expect(existsSync(join(played.place.workspace, 'new'))).toBe(false);
    expect(played.items[1]).toEqual([
      'item.completed',
      expect.objectContaining({ type: 'file_change', status: 'failed' }),
    ]);
  });

  it.each([
    [
      'cannot be read',
      'x',
      "apply_patch verification failed: invalid patch: The first line of the patch must be '*** Begin Patch'",
    ],
    [
      'has an empty update',
      wrapped('*** Update File: f'),
      "apply_patch verification failed: invalid hunk at line 2, Update file hunk for path 'f' is empty",
    ],
    ['is empty', wrapped(), 'patch rejected: empty patch'],
    [
      'asks for another place',
      wrapped('*** Environment ID: x', '*** Delete File: f'),
      'apply_patch environment selection is unavailable for this turn',
    ],
  ])('refuses a patch that %s', async (_, patch, output) => {
    expect(await play([call(patch)])).toMatchObject({ output, items: [['item.completed', { type: 'agent_message' }]] });
  });

  it('composes what one patch does to one file', async () => {
    const played = await play([call(wrapped('*** Update File: f', '-a', '+A', '*** Update File: ./f', '-b', '+B'))]);
    expect(text(played, 'f')).toBe('A\nB\n');
  });
});

describe('the policy', () => {
  it.each([
    ['an absolute path', (root: string) => `${root}/outside`],
    ['a path that climbs', () => '../outside'],
    ['a link', () => 'up/outside'],
  ])('keeps a patch from writing outside the workspace by %s', async (_, path) => {
    const { model, place } = await scene(
      [
        (): ReturnType<typeof answer> => answer({ items: [call(wrapped(`*** Add File: ${path(place.root)}`, '+x'))] }),
        answer({ items: [say('ok')] }),
      ],
      'sandbox_workspace_write = { exclude_slash_tmp = true, exclude_tmpdir_env_var = true }',
    );
    symlinkSync(place.root, join(place.workspace, 'up'));
    await place.run('exec', '--json', 'go');
    expect(inputOf(model, 1).at(-1)?.['output']).toMatch(
      new RegExp(
        `^patch rejected: ${place.root}/.*outside.* may not be written\\. Writable: "${place.workspace}"\\. Read-only inside these: `,
      ),
    );
    expect(existsSync(join(place.root, 'outside'))).toBe(false);
  });

  it('keeps it from writing at all when the sandbox is read-only', async () => {
    const played = await play([call(change)], ['-s', 'read-only']);
    expect(played.output).toBe(
      'There is no tool named "apply_patch". Tools: exec_command, write_stdin, update_plan, view_image.',
    );
    expect(text(played, 'f')).toBe('a\nb\n');
  });

  it('keeps it from writing what decides about later commands', async () => {
    const played = await play([call(wrapped('*** Add File: .git/hooks/pre-commit', '+evil'))]);
    expect(played.output).toMatch(/^patch rejected: .*\/\.git\/hooks\/pre-commit may not be written/);
    expect(existsSync(join(played.place.workspace, '.git/hooks'))).toBe(false);
  });
});

describe('a shell command that is a patch', () => {
  it('is applied as one', async () => {
    const played = await play([callTool('exec_command', { cmd: heredoc(change) })]);
    expect(text(played, 'f')).toBe('A\nb\n');
    expect(played.output).toMatch(success('Wall time: 0.0000 seconds\nOutput:\n', 'M f'));
    expect(played.items[0]).toEqual(['item.started', expect.objectContaining({ type: 'file_change' })]);
  });

  it('starts from the folder that it goes to, which must exist', async () => {
    const add = heredoc(wrapped('*** Add File: x', '+x'));
    const played = await play([
      callTool('exec_command', { cmd: `cd deep && ${add}`, workdir: 'sub' }, 'call_missing'),
      callTool('exec_command', { cmd: `cd .. && ${add}`, workdir: 'sub' }, 'call_up'),
    ]);
    expect(text(played, 'x')).toBe('x\n');
    const missing = played.answers.find((item) => item['call_id'] === 'call_missing');
    expect(missing?.['output']).toBe(
      `apply_patch verification failed: There is no folder ${played.place.workspace}/sub/deep`,
    );
  });

  it('does not run when the patch does not fit', async () => {
    const played = await play([callTool('exec_command', { cmd: heredoc('hello') })]);
    expect(played.output).toBe(
      "apply_patch verification failed: invalid patch: The first line of the patch must be '*** Begin Patch'",
    );
  });

  it('is refused outside the workspace as well', async () => {
    const played = await play([callTool('exec_command', { cmd: heredoc(wrapped('*** Add File: /x', '+x')) })]);
    expect(played.output).toMatch(/^patch rejected: \/x may not be written/);
  });

  it('is reported as one when it has no command', async () => {
    expect((await play([callTool('exec_command', { cmd: change })])).output).toMatch(
      /Call the tool apply_patch with it\.$/,
    );
  });

  // Built with the program; `npm test` sees to that.
  it.runIf(existsSync(resolve(import.meta.dirname, '../../dist/commands')))(
    'stays a command when it does more, and finds the program',
    async () => {
      const more = wrapped('*** Update File: f', '-b', '+B');
      const cmd = `${heredoc(change)}echo ran\necho '${more}' | applypatch && apply_patch '${wrapped('*** Delete File: g')}'`;
      const played = await play([callTool('exec_command', { cmd })], ['-s', 'danger-full-access']);
      expect(played.items[0]).toEqual(['item.started', expect.objectContaining({ type: 'command_execution' })]);
      const done = (file: string) => `Success. Updated the following files:\n${file}\n`;
      expect(played.output.split('Output:\n')[1]).toBe(`${done('M f')}ran\n${done('M f')}${done('D g')}`);
      expect([text(played, 'f'), existsSync(join(played.place.workspace, 'g'))]).toEqual(['A\nB\n', false]);
    },
  );
});

describe('the command apply_patch', () => {
  const bin = resolve(import.meta.dirname, '../../src/bin.ts');

  it('is the program under another name', async () => {
    const { place } = await scene([]);
    writeFileSync(join(place.workspace, 'f'), 'a\nb\n');
    for (const name of ['apply_patch', 'applypatch']) symlinkSync(bin, join(place.root, name));
    const options = { cwd: place.workspace, encoding: 'utf8' } as const;
    expect(spawnSync(process.execPath, [bin, '--codex-run-as-apply-patch', change], options).stdout).toBe(
      'Success. Updated the following files:\nM f\n',
    );
    const byArgument = spawnSync(process.execPath, [bin], { ...options, argv0: 'apply_patch', input: '' });
    expect([byArgument.status, byArgument.stderr.split('\n')[0]]).toEqual([2, "Usage: apply_patch 'PATCH'"]);
    const back = wrapped('*** Update File: f', '-A', '+a');
    expect(execFileSync(process.execPath, [join(place.root, 'applypatch')], { ...options, input: back })).toContain(
      'M f',
    );
    expect(readFileSync(join(place.workspace, 'f'), 'utf8')).toBe('a\nb\n');
  });
});
