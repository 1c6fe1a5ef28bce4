import { type ChildProcess, spawn } from 'node:child_process';
import type { Socket } from 'node:net';
import { parseJsonObject } from '../../protocol/json.ts';
import { inheritedDoors } from '../processes/inherited-descriptors.ts';
import { type KeepPlace, type KeepProgram, loginShellScript } from './keep-request.ts';
import { isVariables, type ShellVariables } from './kept-variables.ts';

export interface CaptureOptions {
  /** Path of the user's shell. */
  readonly shell: string;
  /** The user's home folder, in which the shell starts: no project can put anything there. */
  readonly home: string;
  readonly env: ShellVariables;
  /** Reports the variables at the end of the shell. */
  readonly program: KeepProgram;
}

/** A login shell that was started. */
export interface Capture {
  /** The process; undefined when it could not be started. */
  readonly pid: number | undefined;
  /** What it answered; undefined when it failed. Never rejects. */
  readonly variables: Promise<ShellVariables | undefined>;
}

const mostCharacters = 4_000_000;
/** How long an answer may be on its way after the shell has ended. */
const drainMs = 250;

/**
 * Starts the login shell and leaves it alone: in a session of its own, which no signal to us reaches, with nothing to
 * write to that ends with us. It is never killed, because what start-up files run may not be made for that, and it
 * keeps no process alive that waits for nothing else.
 */
export function startCapture({ shell, home, env, program }: CaptureOptions, place: KeepPlace | undefined): Capture {
  try {
    const child = spawn(shell, ['-lc', loginShellScript(program, place)], {
      cwd: home,
      env,
      detached: true,
      stdio: inheritedDoors().shut(['ignore', 'ignore', 'ignore', 'pipe']),
    });
    return watch(child);
  } catch {
    return { pid: undefined, variables: Promise.resolve(undefined) };
  }
}

function watch(child: ChildProcess): Capture {
  child.unref();
  const { promise: variables, resolve } = Promise.withResolvers<ShellVariables | undefined>();
  child.on('error', () => resolve(undefined));
  const answer = child.stdio[3] as Socket;
  answer.unref();
  const end = (found?: ShellVariables): void => {
    resolve(found);
    answer.destroy();
  };
  let text = '';
  answer.setEncoding('utf8').on('data', (more: string) => {
    text += more;
    // One line: a process that the start-up files left behind may hold the other end open for ever.
    if (!text.endsWith('\n') && text.length <= mostCharacters) return;
    const found = parseJsonObject(text);
    end(isVariables(found) ? found : undefined);
  });
  answer.on('error', () => end()).on('close', () => end());
  child.on('exit', () => setTimeout(end, drainMs).unref());
  return { pid: child.pid, variables };
}
