import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelProcess } from '../model/model-process.ts';
import { monotonicMs, type Performance, type Piece } from '../model/piece.ts';
import type { Command } from './command.ts';
import { loadUsage, type ProcessUsage } from './read-usage.ts';

/** One turn of one contender, as the runner and the model saw it. */
export interface MeasuredTurn extends Performance {
  /** Just before the process was started. */
  readonly startedAt: number;
  /** When the last request waited for its answer: all that the turn costs, without its end. */
  readonly usage: ProcessUsage;
}

const longestMs = 600_000;

/** Runs the command, plays the piece to it, and measures. `logs` is a folder for what the command prints. */
export async function runTurn(
  command: Command,
  { model, piece, logs }: { readonly model: ModelProcess; readonly piece: Piece; readonly logs: string },
): Promise<MeasuredTurn> {
  await model.play(piece);
  const held = model.held();
  const [out, err] = [openSync(join(logs, 'stdout'), 'w'), openSync(join(logs, 'stderr'), 'w')];
  const startedAt = monotonicMs();
  const child = spawn(command.program, command.arguments, {
    cwd: command.cwd,
    env: command.env,
    stdio: ['ignore', out, err],
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  closeSync(out);
  closeSync(err);
  const exited = exitOf(child);
  const first = await Promise.race([held.then(() => 'held' as const), exited]);
  if (first !== 'held') throw new Error(complaint(command, first, logs));
  const usage = loadUsage(child.pid as number);
  model.goOn();
  const code = await exited;
  if (code !== 0) throw new Error(complaint(command, code, logs));
  const performance = await model.report();
  const requests = performance.arrivals.length;
  if (requests !== piece.calls + 1)
    throw new Error(`${command.program} sent ${requests} requests, not ${piece.calls + 1}.`);
  return { ...performance, startedAt, usage };
}

function exitOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
}

function complaint({ program, arguments: words }: Command, code: number | string, logs: string): string {
  const tail = readFileSync(join(logs, 'stderr'), 'utf8').slice(-2000);
  const events = readFileSync(join(logs, 'stdout'), 'utf8').slice(-1000);
  return `${program} ${words.slice(0, 3).join(' ')} ended with ${code} too early or not well.\n${tail}\n${events}`;
}
