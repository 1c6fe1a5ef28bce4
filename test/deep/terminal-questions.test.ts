import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf } from '../harness/scene.ts';
import { hasTerminals } from '../harness/terminal.ts';

const done = answer({ items: [say('Done.')] });
/** One host is listed, and it is none of those that commands want. */
const hosts = `
default_permissions = "dev"
[permissions.dev]
extends = ":workspace"
[permissions.dev.network]
enabled = true
domains = { "listed.test" = "allow" }
`;
/** The program that gets the terminal next shows what it finds in the input. */
const thenReads = [
  'bash',
  '-c',
  'script -qec "$(printf "%q " "$@"); stty -icanon -echo min 0 time 5; printf \\"left=[%s]\\" \\"\\$(cat)\\"" /dev/null',
  '_',
];

/** A shell with jobs, which takes up at once what was stopped. */
const inShell = [
  'bash',
  '-c',
  'inner="$(printf "%q " "$@"); echo stopped=\\$?; fg"; script -qec "bash --norc -ic $(printf %q "$inner")" /dev/null',
  '_',
];

async function atTerminal(
  script: (marker: string) => readonly ReturnType<typeof answer>[],
  prefix: readonly string[] = thenReads,
) {
  let marker = '';
  const { model, place } = await scene(({ index }) => script(marker)[index]!, hosts);
  marker = join(place.root, 'marker');
  const running = place.start(['exec', '-a', 'on-request', '--approvals', 'ask', 'go'], {
    prefix,
    input: 'open',
    env: { TERM: 'xterm' },
  });
  const shows = (text: string): Promise<unknown> =>
    vi.waitUntil(() => running.stdout.includes(text), { timeout: 30_000, interval: 20 });
  const pause = (milliseconds: number): Promise<void> =>
    new Promise((resolve) => void setTimeout(resolve, milliseconds));
  return {
    model,
    running,
    shows,
    pause,
    type: (keys: string) => void running.child.stdin?.write(keys),
    isMarked: () => existsSync(marker),
  };
}

const curl = (host: string, seconds: number): string => `curl -s -m ${seconds} http://${host}/`;

describe.runIf(hasTerminals)('a question at the terminal that is over', () => {
  it('takes the note that was typed for it with it', async () => {
    const at = await atTerminal((marker) => [
      answer({ items: [callTool('exec_command', { cmd: curl('registry.example', 3) })] }),
      answer({
        items: [callTool('exec_command', { cmd: `touch ${marker}`, sandbox_permissions: 'require_escalated' })],
      }),
      done,
    ]);
    await at.shows('and stop the turn');
    await at.pause(500);
    at.type('t');
    await at.shows('Enter sends');
    for (let n = 0; !at.running.stdout.includes('The question is over') && n < 100; n++) {
      at.type('o');
      await at.pause(150);
    }
    for (const key of 're you kidding, pay') {
      at.type(key);
      await at.pause(60);
    }
    expect(at.running.stdout).not.toContain('outside the sandbox');
    at.type('\r');
    await at.shows('The question before is over');
    await at.pause(1000);
    at.type('n');
    const { stdout } = await at.running.finished;
    expect(stdout).toMatch(/Not sent: o+re you kidding, pay/);
    expect([at.isMarked(), at.model.requests.length]).toEqual([false, 3]);
    expect(stdout).toContain('left=[]');
  });

  it('is not answered in the place of the one after it', async () => {
    const at = await atTerminal(() => [
      answer({
        items: [curl('registry.example', 3), `sleep 0.5; ${curl('evil.example', 60)}`].map((cmd) =>
          callTool('exec_command', { cmd }),
        ),
      }),
      done,
    ]);
    await at.shows('The question before is over');
    await at.pause(350);
    at.type('y');
    await at.pause(350);
    at.type('a');
    await at.shows('Keys count after a pause');
    await at.pause(500);
    at.type('n');
    const { stdout } = await at.running.finished;
    // An answered question is repeated in a dim line.
    expect(stdout).not.toContain('\u001B[2m  yes');
    expect(stdout).toContain('\u001B[2m  no');
    expect(textsOf(inputOf(at.model, 1)).join('\n')).toContain('evil.example');
  });

  it('leaves nothing of a note in the input when the run ends', async () => {
    const at = await atTerminal(() => [
      answer({ items: [callTool('exec_command', { cmd: curl('registry.example', 3) })] }),
      done,
    ]);
    await at.shows('and stop the turn');
    await at.pause(500);
    at.type('t');
    await at.shows('Enter sends');
    for (let n = 0; !at.running.stdout.includes('Not sent') && n < 100; n++) {
      at.type('o');
      await at.pause(100);
    }
    for (const key of 'h no\r') {
      at.type(key);
      await at.pause(60);
    }
    const { stdout } = await at.running.finished;
    expect(stdout).toMatch(/Not sent: o+/);
    expect(stdout).toContain('left=[]');
  });
});

describe.runIf(hasTerminals)('Ctrl-Z at a question', () => {
  it('stops the program, which asks again when it goes on', async () => {
    const escalated = (marker: string) => ({ cmd: `touch ${marker}`, sandbox_permissions: 'require_escalated' });
    const calls = (marker: string) => [answer({ items: [callTool('exec_command', escalated(marker))] }), done];
    const at = await atTerminal(calls, inShell);
    await at.shows('and stop the turn');
    await at.pause(500);
    at.type('\u001A');
    // 128 and the number of SIGTSTP.
    await at.shows('stopped=148');
    await vi.waitUntil(() => at.running.stdout.split('May this command run?').length === 3, { timeout: 30_000 });
    await at.pause(1000);
    expect(at.isMarked()).toBe(false);
    at.type('y');
    await at.running.finished;
    expect([at.isMarked(), at.model.requests.length]).toEqual([true, 2]);
  });
});
