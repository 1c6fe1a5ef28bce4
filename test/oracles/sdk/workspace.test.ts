import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { SandboxMode, ThreadOptions } from '@openai/codex-sdk';
import { expect, it, onTestFinished } from 'vitest';
import { answer, callTool, say } from '../../../src/testing/index.ts';
import { type Program, programs, stage } from './stage.ts';

const ok = answer({ items: [say('ok')] });
const command = (cmd: string) => answer({ items: [callTool('exec_command', { cmd })] });

/** The exit code and output of one command in a thread with these options. */
async function outcomeOf(program: Program, cmd: string, options: ThreadOptions = {}) {
  const { start } = await stage(program, [command(cmd), ok]);
  const { items } = await start(options).run('Go.');
  const [item] = items;
  if (item?.type !== 'command_execution') throw new Error(`no command was run: ${JSON.stringify(items)}`);
  return { code: item.exit_code, output: item.aggregated_output };
}

it.each(programs)('%s: commands run in the working directory', async (program) => {
  const { place, start } = await stage(program, [command('pwd; touch here'), ok]);
  const { items } = await start().run('Go.');
  expect(items[0]).toMatchObject({ aggregated_output: `${place.workspace}\n`, exit_code: 0 });
  expect(existsSync(join(place.workspace, 'here'))).toBe(true);
});

it.each(programs)('%s: a working directory outside a repository must be asked for', async (program) => {
  const { model, place, start } = await stage(program, [ok]);
  rmSync(join(place.workspace, '.git'), { recursive: true });
  await expect(start().run('Go.')).rejects.toThrow(/exited with code 1: .*Not inside a trusted directory/s);
  expect(model.requests).toEqual([]);
  expect((await start({ skipGitRepoCheck: true }).run('Go.')).finalResponse).toBe('ok');
});

it.each(programs)('%s: a working directory that is not there is refused', async (program) => {
  const { model, place, start } = await stage(program, []);
  const options = { workingDirectory: join(place.workspace, 'gone'), skipGitRepoCheck: true };
  await expect(start(options).run('Go.')).rejects.toThrow(
    /exited with code 1: .*(no such file or directory|does not exist)/is,
  );
  expect(model.requests).toEqual([]);
});

it.each(programs)('%s: the sandbox mode decides what can be written', async (program) => {
  const write = 'touch inside; touch ../outside; ls inside ../outside 2>/dev/null';
  const written: Readonly<Record<SandboxMode, string>> = {
    'read-only': '',
    'workspace-write': 'inside\n',
    'danger-full-access': '../outside\ninside\n',
  };
  for (const [sandboxMode, output] of Object.entries(written) as [SandboxMode, string][]) {
    const shown = await outcomeOf(program, `(${write}) 2>/dev/null`, { sandboxMode });
    expect({ sandboxMode, output: shown.output }).toEqual({ sandboxMode, output });
  }
});

it.each(programs)('%s: additional directories can be written too', async (program) => {
  const { place, start } = await stage(program, [command('touch ../one/a ../two/b ../three/c'), ok]);
  const folders = ['one', 'two', 'three'].map((name) => join(place.root, name));
  for (const folder of folders) mkdirSync(folder);
  await start({ sandboxMode: 'workspace-write', additionalDirectories: folders.slice(0, 2) }).run('Go.');
  expect(['one/a', 'two/b', 'three/c'].map((path) => existsSync(join(place.root, path)))).toEqual([true, true, false]);
});

it.each(programs)('%s: additional directories can be written in a later turn', async (program) => {
  const { place, codex, start } = await stage(program, [ok, command('touch ../one/a'), ok]);
  const folder = join(place.root, 'one');
  mkdirSync(folder);
  const thread = start({ sandboxMode: 'workspace-write' });
  await thread.run('One.');
  const options = { workingDirectory: place.workspace, additionalDirectories: [folder] };
  await codex().resumeThread(String(thread.id), options).run('Two.');
  expect(existsSync(join(folder, 'a'))).toBe(true);
});

it.each(programs)('%s: the network is there for commands when it was allowed', async (program) => {
  const server = createServer((socket) => socket.end('reached\n'));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { readonly port: number };
  const reach = `(exec 3<>/dev/tcp/127.0.0.1/${port}; cat <&3) 2>/dev/null; true`;
  const sandboxMode = 'workspace-write';
  const outputs = [true, false, undefined].map(async (networkAccessEnabled) => {
    const options = networkAccessEnabled === undefined ? { sandboxMode } : { sandboxMode, networkAccessEnabled };
    return (await outcomeOf(program, reach, options as ThreadOptions)).output;
  });
  expect(await Promise.all(outputs)).toEqual(['reached\n', '', '']);
});
