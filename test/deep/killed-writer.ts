import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Line } from '../../src/protocol/line.ts';
import { variablesWithCompiled } from '../harness/compiled-once.ts';
import { describeState } from '../harness/describe-state.ts';
import { reduce } from '../../src/core/state/reduce.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';

export interface Acknowledged {
  readonly id: string;
  readonly lines: number;
  readonly digest: string;
}

/** A process that writes to a thread until it is killed. Each line that it prints is JSON. */
export class KilledWriter<Printed = Acknowledged> {
  /** Called with the number of lines that it has acknowledged so far. */
  onPrinted: (acknowledged: number) => void = () => {};
  readonly #child: ChildProcess;
  #printed = '';
  #complaints = '';

  constructor(words: readonly string[], program = 'thread-writer.ts') {
    this.#child = spawn(process.execPath, [join(import.meta.dirname, program), ...words], {
      env: variablesWithCompiled(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#printed += text;
      this.onPrinted(this.printed);
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#complaints += text));
  }

  get printed(): number {
    return this.#printed.split('\n').length - 1;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** The lines that it had acknowledged when it was killed. */
  async acknowledged(): Promise<readonly Printed[]> {
    const signal = await new Promise((resolve) => this.#child.on('close', (_code, reason) => resolve(reason)));
    if (signal !== 'SIGKILL') throw new Error(`the writer ended by itself: ${this.#complaints}`);
    const whole = this.#printed.slice(0, this.#printed.lastIndexOf('\n') + 1);
    return whole
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Printed);
  }
}

/** The lines of the one rollout; a torn last line is not one. */
export function linesIn(home: string): readonly Line[] {
  const names = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'));
  expect(names.length).toBeLessThanOrEqual(1);
  const text = names[0] === undefined ? '' : readFileSync(join(home, names[0]), 'utf8');
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** Every state that was acknowledged is one that the file adds up to. */
export function checkPromises(lines: readonly Line[], promised: readonly Acknowledged[]): void {
  const wanted = new Map(promised.map(({ lines: count, digest }) => [count, digest]));
  let state = emptyThreadState;
  for (const [i, line] of lines.entries()) {
    state = reduce(state, line);
    const digest = wanted.get(i + 1);
    if (digest === undefined) continue;
    expect(createHash('sha256').update(describeState(state)).digest('hex'), `state after ${i + 1} lines`).toBe(digest);
    wanted.delete(i + 1);
  }
  expect([...wanted.keys()], 'acknowledged, and not in the file').toEqual([]);
}
