// @module-tag attack
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type EngineOptions, words } from '../../src/index.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';

/** Outside of the temporary folders, so that a program is skipped for the reason of the test alone. */
let base = '';
let tools = '';
let ran = '';
beforeEach(() => {
  base = realpathSync(mkdtempSync('/var/tmp/capstan-planted-'));
  tools = join(base, 'tools');
  ran = join(base, 'ran');
  mkdirSync(tools);
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

/** Writes a program as a command of an earlier run may have left it in a folder that it could write. */
function plant(name: string): void {
  writeFileSync(join(tools, name), `#!/bin/sh\necho ${name} >> ${ran}\nexit 0\n`);
  chmodSync(join(tools, name), 0o755);
}

/** One turn with one command. */
async function runCommand(more: string, options: (live: LiveThread) => Partial<EngineOptions>): Promise<LiveThread> {
  const script = [callTool('exec_command', { cmd: 'true' }), say('Done.')].map((item) => answer({ items: [item] }));
  const live = await LiveThread.in(script, more);
  await live.open(options(live));
  await live.turn('Go.');
  return live;
}

const variables = (live: LiveThread, more: Readonly<Record<string, string>>) => ({
  env: { CAPSTAN_HOME: live.place.home, PATH: `${tools}:${process.env['PATH']}`, ...more },
});

describe.runIf(process.platform === 'linux')('a bubblewrap that a command put into a writable root of the PATH', () => {
  const roots = () => `[sandbox_workspace_write]\nwritable_roots = [${JSON.stringify(tools)}]\n`;

  test.each(['workspace-write', 'read-only'])('is not run when the root is configured (%s)', async (mode) => {
    plant('bwrap');
    await runCommand(roots(), (live) => ({ ...variables(live, {}), config: { sandbox_mode: mode } }));
    expect(existsSync(ran)).toBe(false);
  });

  test.each(['workspace-write', 'read-only'])('is not run when a flag adds the root (%s)', async (mode) => {
    plant('bwrap');
    const added = { addDirectories: [tools], config: { sandbox_mode: mode } };
    await runCommand('', (live) => ({ ...variables(live, {}), ...added }));
    expect(existsSync(ran)).toBe(false);
  });

  test('is not run when another thread of the engine works there', { tags: 'representative' }, async () => {
    plant('bwrap');
    const script = [callTool('exec_command', { cmd: 'true' }), say('Done.')].map((item) => answer({ items: [item] }));
    const live = await LiveThread.in(script);
    const engine = await live.engine({ ...variables(live, {}), config: ['sandbox_mode="workspace-write"'] });
    for (const cwd of [tools, live.place.workspace]) {
      const opened = await engine.start({ cwd });
      if (opened.kind === 'refused') throw new Error(opened.outcome.message);
      if (cwd === tools) continue;
      await opened.thread.run({ input: words('Go.'), signal: new AbortController().signal });
    }
    await engine.close();
    expect(live.model.requests).toHaveLength(2);
    expect(existsSync(ran)).toBe(false);
  });
});

test.each(['workspace-write', 'read-only'])('a shell in a writable root is not taken (%s)', async (mode) => {
  plant('bash');
  const roots = `[sandbox_workspace_write]\nwritable_roots = [${JSON.stringify(tools)}]\n`;
  const live = await runCommand(roots, (at) => ({
    ...variables(at, { PATH: process.env['PATH'] ?? '', SHELL: join(tools, 'bash') }),
    config: { sandbox_mode: mode },
  }));
  expect(existsSync(ran)).toBe(false);
  expect(JSON.stringify(live.events)).not.toContain(join(tools, 'bash'));
});
