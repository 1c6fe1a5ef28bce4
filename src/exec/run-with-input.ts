import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { ProgramEnd, RunProgram } from '../ports/run-program.ts';
import { createOutputBuffer } from './output-buffer.ts';
import { inheritedDoors } from './processes/inherited-descriptors.ts';
import { type ProcessGroup, trackGroup } from './processes/process-group.ts';
import { startFailure } from './start-failure.ts';
import { systemProcesses } from './survivors.ts';
import { guard } from './warden.ts';
import { markName } from './warden-script.ts';

/** How long a killed program may tidy up. */
const graceMs = 300;
/** How long its output may stay open after it ended, because a process it left behind holds it. */
const drainMs = 250;

/** Runs a program with text on its standard input, and keeps what it writes on each stream. */
export const runWithInput: RunProgram = (program, { signal: outer, timeoutMs, outputBytes }) =>
  new Promise<ProgramEnd>((resolve) => {
    if (outer.aborted) return resolve({ kind: 'aborted' });
    const [stdout, stderr] = [createOutputBuffer(outputBytes), createOutputBuffer(outputBytes)];
    const doors = inheritedDoors();
    const guarded = guard(doors);
    const signal = AbortSignal.any([outer]);
    let group: ProcessGroup | undefined;
    let limit: NodeJS.Timeout | undefined;
    let [isOver, isKilled] = [false, false];
    const finish = (end: ProgramEnd): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(limit);
      signal.removeEventListener('abort', abort);
      group?.release();
      guarded.ended();
      resolve(end);
    };
    const kill = async (end: ProgramEnd): Promise<void> => {
      isKilled = true;
      group?.signal('SIGTERM');
      for (let waited = 0; waited < graceMs && group?.isAlive() === true; waited += 20) await pause(20);
      group?.signal('SIGKILL');
      // What has left the group carries the mark.
      if (group !== undefined) await systemProcesses.end({ pid: group.leader, startedAt: '', mark: guarded.mark });
      finish(end);
    };
    const abort = (): void => void kill({ kind: 'aborted' });
    try {
      const [path = '', ...words] = program.argv;
      const child = spawn(path, words, {
        cwd: program.cwd,
        env: { ...program.env, [markName]: guarded.mark },
        detached: true,
        stdio: doors.shut(['pipe', 'pipe', 'pipe']),
      });
      child.on('error', (error) => finish({ kind: 'not-started', reason: startFailure(program, error) }));
      if (child.pid === undefined) return;
      guarded.started(child.pid);
      group = trackGroup(child.pid);
      child.stdout?.on('data', (bytes: Uint8Array) => stdout.add(bytes));
      child.stderr?.on('data', (bytes: Uint8Array) => stderr.add(bytes));
      // It may end before it has read all of it, or without reading any.
      child.stdin?.on('error', () => {});
      child.stdin?.end(program.input);
      limit = setTimeout(() => void kill({ kind: 'timed-out' }), timeoutMs);
      signal.addEventListener('abort', abort, { once: true });
      const ended = (code: number | null, name: NodeJS.Signals | null): void => {
        if (isKilled) return;
        const exitCode = code ?? 128 + constants.signals[name ?? 'SIGKILL'];
        const out = stdout.result();
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
        finish({
          kind: 'exited',
          exitCode,
          stdout: out.text,
          stderr: stderr.result().text,
          isCut: out.totalBytes > outputBytes,
        });
      };
      child.on('close', ended);
      child.on('exit', (code, name) => setTimeout(() => ended(code, name), drainMs).unref());
    } catch (error) {
      // Arguments that no system accepts, such as a NUL byte, throw before anything is tried.
      finish({ kind: 'not-started', reason: startFailure(program, error) });
    }
  });

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
