import { expect, test } from 'vitest';
import type { Sandbox } from '../../src/ports/sandbox.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { execCommandTool } from '../../src/adapters/tools/exec-command.ts';
import { fullEnvelope } from '../envelope/full-envelope.ts';
import { noThreads, steppingClock } from '../harness/fixed-parts.ts';

/** The answer to a command under a sandbox that planned it so. */
async function answerTo(plan: Sandbox['plan']): Promise<unknown> {
  const envelope = fullEnvelope();
  const output = { text: 'curl: (56) CONNECT tunnel failed, response 403\n', totalBytes: 47 };
  const tool = execCommandTool({
    sandbox: { plan },
    shellEnvironment: { variables: () => Promise.resolve({}) },
    patches: { disk: nodeDisk(), clock: steppingClock() },
    patchProgram: { folder: '/nowhere', node: '/nowhere/node' },
    sessions: { run: () => Promise.resolve({ kind: 'exited', exitCode: 56, durationMs: 5, output }) },
  });
  const step = { envelope, index: 0, facts: {} as never, window: envelope.window, tools: [] };
  const call = { callId: 'c', name: 'exec_command', input: '{"cmd":"curl https://x.test"}' };
  const prepared = await tool.prepare(call as never, step);
  if (prepared.kind !== 'prepared') throw new Error(prepared.output);
  const result = await prepared.run({
    signal: new AbortController().signal,
    policy: envelope.policy.resolved,
    threads: noThreads,
    started() {},
    warn() {},
  });
  return result.output;
}

const runnable = { kind: 'runnable', files: [], cleanup: async () => {} } as const;

test('the model reads which requests were blocked', async () => {
  const denied = () => [{ host: 'x.test', port: 443, protocol: 'https', reason: 'not_allowed' }] as const;
  const output = await answerTo(async (command) => ({ ...runnable, ...command, denied }));
  expect(output).toContain('\nNetwork requests blocked by the policy: x.test:443 (not on the allow list)\n');
});

test('without a proxy nothing is said about requests', async () => {
  expect(await answerTo(async (command) => ({ ...runnable, ...command }))).not.toContain('Network');
});
