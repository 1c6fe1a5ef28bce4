import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const all = ['exec_command', 'write_stdin', 'update_plan', 'apply_patch', 'view_image'];
const patch = '*** Begin Patch\n*** Add File: f\n+x\n*** End Patch';

function offered(live: LiveThread, request: number): readonly unknown[] {
  const tools = live.model.requests[request]!.body['tools'] as unknown as readonly JsonObject[];
  return tools.map(({ name }) => name);
}

/** The rest of a request, outside of the list of tools, about tools and approval. */
function said(live: LiveThread, request: number): string {
  const { tools: _tools, ...rest } = live.model.requests[request]!.body;
  return JSON.stringify(rest);
}

describe('a tool that could do nothing but refuse is not offered', () => {
  it('apply_patch goes with a read-only sandbox, comes back with a wider one, and the guard names both', async () => {
    const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
    await live.turn('one');
    await live.thread.overrideTurnContext({ sandbox: 'read-only' });
    await live.turn('two');
    await live.thread.overrideTurnContext({ sandbox: 'workspace-write' });
    await live.turn('three');
    const without = all.filter((name) => name !== 'apply_patch');
    expect([0, 1, 2].map((request) => offered(live, request))).toEqual([all, without, all]);
    expect(said(live, 1)).not.toContain('apply_patch');
    expect(live.told('prefix-broken').map(({ breaks }) => breaks.map(({ kind }) => kind))).toEqual([
      ['tools'],
      ['tools'],
    ]);
  });

  it.skipIf(noNamespaces)('a patch that comes all the same changes nothing, and no answer names the tool', async () => {
    const commands = [patch, `apply_patch <<'END'\n${patch}\nEND`, `true; apply_patch <<'END'\n${patch}\nEND`];
    const live = await LiveThread.in([
      answer({ items: commands.map((cmd) => callTool('exec_command', { cmd })) }),
      answer({ items: [say('Yes.')] }),
    ]);
    await live.open();
    await live.thread.overrideTurnContext({ sandbox: 'read-only' });
    await live.turn('one');
    expect(existsSync(join(live.place.workspace, 'f'))).toBe(false);
    expect(live.added(1).filter(([role]) => role === 'output')).toEqual([
      [
        'output',
        'patch rejected: this command is a patch, and no file may be changed under the permissions that hold now.',
      ],
      ['output', expect.stringMatching(/^patch rejected: .* the sandbox is read-only and nothing may be\.$/)],
      ['output', expect.stringContaining('apply_patch: command not found')],
    ]);
  });

  it('where every command needs a consent that cannot be asked for, there are none', async () => {
    const live = await LiveThread.in([
      answer({ items: [callTool('exec_command', { cmd: 'touch f' })] }),
      answer({ items: [say('Yes.')] }),
    ]);
    await live.open();
    await live.thread.overrideTurnContext({ approvals: 'untrusted' });
    await live.turn('one');
    expect(offered(live, 0)).toEqual(['update_plan', 'view_image']);
    expect(existsSync(join(live.place.workspace, 'f'))).toBe(false);
  });
});

it.each(['never', 'on-request', 'untrusted'] as const)('under %s nothing promises a question', async (approval) => {
  const live = await LiveThread.in(() => answer({ items: [say('Yes.')] }));
  await live.open();
  await live.thread.overrideTurnContext({ approvals: approval });
  await live.turn('one');
  expect(said(live, 0)).toContain(`Approval: ${approval}.`);
  expect(said(live, 0)).toMatch(/cannot be asked/);
  expect(said(live, 0)).not.toMatch(/proposed to the user|is asked before|sandbox_permissions|justification/);
});
