import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import { describeState } from '../../src/state/describe.ts';
import { reduce } from '../../src/state/reduce.ts';
import { emptyState } from '../../src/state/thread-state.ts';
import { answer, callTool, cutAfter, reason, say, startScriptedModel, type Step } from '../../src/testing/index.ts';
import { checkPrefixes, checkRebuilt } from '../laws/prefix-law.ts';

interface Acknowledged {
  readonly id: string;
  readonly lines: number;
  readonly digest: string;
}

const kills = 60;

it(`keeps the laws over ${kills} kills of real processes on the real disk`, async () => {
  const home = mkdtempSync(join(tmpdir(), 'capstan-kill-'));
  const model = await startScriptedModel(({ index }) => stepFor(index));
  let id: string | undefined;
  const promised: Acknowledged[] = [];
  try {
    for (let kill = 0; kill < kills; kill++) {
      // From the first moments of a process to well into its work, however busy the machine is.
      const words = [home, model.url, ...(id === undefined ? [] : [id])];
      const acknowledged = await runUntilKilled(words, { promises: kill % 9, thenMs: (kill * 37) % 50 });
      promised.push(...acknowledged);
      id ??= acknowledged[0]?.id;
      checkPromises(linesIn(home), promised);
    }
    expect(promised.length).toBeGreaterThan(kills);
    await checkRebuilt(model, linesIn(home));
    await checkPrefixes(model, linesIn(home));
  } finally {
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}, 600_000);

function stepFor(index: number): Step {
  const call = answer({ items: [reason(`r${index}`), callTool('exec_command', { cmd: `echo ${index}` })] });
  if (index % 7 === 3) return cutAfter({ bytes: 350, of: call });
  return index % 3 === 2 ? answer({ items: [say(`done ${index}`)] }) : call;
}

async function runUntilKilled(
  words: readonly string[],
  until: { readonly promises: number; readonly thenMs: number },
): Promise<readonly Acknowledged[]> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'thread-writer.ts'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, complaints] = ['', ''];
  const killIfDue = (): void => {
    if (printed.split('\n').length > until.promises) setTimeout(() => child.kill('SIGKILL'), until.thenMs);
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    killIfDue();
  });
  setTimeout(killIfDue, 100);
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const signal = await new Promise((resolve) => child.on('close', (_code, reason) => resolve(reason)));
  expect(signal, complaints).toBe('SIGKILL');
  const whole = printed.slice(0, printed.lastIndexOf('\n') + 1);
  return whole
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Acknowledged);
}

/** The lines of the one rollout; a torn last line is not one. */
function linesIn(home: string): readonly Line[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  expect(names.length).toBeLessThanOrEqual(1);
  const text = names[0] === undefined ? '' : readFileSync(join(home, names[0]), 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

function checkPromises(lines: readonly Line[], promised: readonly Acknowledged[]): void {
  const wanted = new Map(promised.map(({ lines: count, digest }) => [count, digest]));
  let state = emptyState;
  for (const [i, line] of lines.entries()) {
    state = reduce(state, line);
    const digest = wanted.get(i + 1);
    if (digest === undefined) continue;
    expect(createHash('sha256').update(describeState(state)).digest('hex'), `state after ${i + 1} lines`).toBe(digest);
    wanted.delete(i + 1);
  }
  expect([...wanted.keys()], 'acknowledged, and not in the file').toEqual([]);
}
