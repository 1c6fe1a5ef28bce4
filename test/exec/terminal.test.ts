import { describe, expect, it, vi } from 'vitest';
import { answer, callTool, hang, httpError, say } from '../../src/testing/index.ts';
import { hasTerminals, onTerminal } from '../harness/terminal.ts';
import { scene } from '../harness/scene.ts';

/** The text left on the screen in the end: a line that was cleared is gone. */
function screenOf(written: string): string {
  return written
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\n]*\r\u001B\[K/g, '')
    .replaceAll(/\u001B\[\d+m/g, '');
}

const waits = hang({ afterBytes: 0, of: answer({ items: [say('never')] }) });

describe.runIf(hasTerminals)('on a terminal', () => {
  it('Ctrl-C ends the turn, then the loop of the shell', async () => {
    const { model, place } = await scene([waits, waits]);
    const loop = 'for n in 1 2; do "$@"; done; echo "the loop went on"';
    const running = place.start(['exec', 'go'], { prefix: [...onTerminal, 'bash', '-c', loop, '_'], input: 'open' });
    await model.request(0);
    running.child.stdin?.write('\u0003');
    const { code, stdout } = await running.finished;
    expect([code, model.requests.length]).toEqual([130, 1]);
    expect(screenOf(stdout)).toMatch(
      /(?:^|\n)The turn was interrupted\.\nTo resume: capstan exec resume \S+ "Continue\."\n$/,
    );
  });

  it('shows what it does meanwhile, and leaves none of it behind', async () => {
    const slow = answer({ items: [callTool('exec_command', { cmd: 'sleep 1.2; echo no; exit 3' })] });
    const limited = httpError({
      status: 429,
      headers: { 'retry-after': '2' },
      body: { error: { message: 'Slowly.' } },
    });
    const { place } = await scene([slow, limited, answer({ items: [say('All done.')], deltas: true })]);
    const running = place.start(['exec', 'go'], { prefix: onTerminal, env: { TERM: 'xterm' } });
    await vi.waitUntil(() => running.stdout.includes('Waiting 1 s'), { timeout: 30_000 });
    const { code, stdout } = await running.finished;
    expect(code).toBe(0);
    expect(stdout).toContain('\u001B[1mRunning sleep 1.2; echo no; exit 3\u001B[22m\u001B[2m · 1 s · Ctrl-C to stop');
    expect(stdout).toContain('\u001B[31m  [exit 3 after 1 s]\u001B[39m');
    const seen = screenOf(stdout).split('\n');
    const command = seen.indexOf('$ sleep 1.2; echo no; exit 3');
    expect(seen.slice(0, command).join(' ')).toMatch(/^capstan \S+ · thread \S+ · gpt-5\.5 via scripted · \S+$/);
    expect(seen.slice(command + 1, command + 3)).toEqual(['  no', '  [exit 3 after 1 s]']);
    expect(seen.slice(command + 3).join('\n')).toMatch(/^[^$]+ Slowly\. [^$]+\nAll done\.\ntokens used: 180\n$/);
  });

  it.each([
    ['NO_COLOR', { TERM: 'xterm', NO_COLOR: '1' }, [], /^(?:\r\u001B\[K|[^\u001B])*$/],
    ['TERM=dumb', { TERM: 'dumb' }, [], /^[^\u001B]*$/],
    ['--color never', { TERM: 'xterm' }, ['--color', 'never'], /^(?:\r\u001B\[K|[^\u001B])*$/],
  ])('%s takes the colours away', async (_, env, words, wanted) => {
    const { place } = await scene([answer({ items: [say('All done.')], deltas: true })]);
    const { stdout } = await place.start(['exec', ...words, 'go'], { prefix: onTerminal, env }).finished;
    expect(stdout).toMatch(wanted);
    expect(screenOf(stdout)).toContain('\nAll done.\n');
  });
});
