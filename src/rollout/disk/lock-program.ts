import type { Clock } from '../../ports/clock.ts';
import type { Programs } from '../../ports/program-files.ts';
import { Fault } from '../../protocol/outcome.ts';
import { errorCode } from '../../disk/file-system.ts';

/**
 * A program that takes an exclusive lock on its open file 3 without waiting. It exits with 0 when it has the lock and
 * with 1 when another process has it.
 */
export interface LockProgram {
  /** The name of a tool of the system. */
  readonly command: string;
  readonly args: readonly string[];
}

export interface FlockOptions {
  readonly clock: Clock;
  /** Finds the tools of the system. */
  readonly programs: Programs;
  /** Tools that can lock, best first. */
  readonly lockers?: readonly LockProgram[];
}

const perlScript = `open(my $file, "+<&=", 3) or exit 2;
exit 0 if flock($file, LOCK_EX | LOCK_NB);
exit 1 if $!{EWOULDBLOCK} || $!{EAGAIN};
print STDERR $!; exit 2;`;

/** Linux has the first. macOS has only the second by default; that it does its work there is not tested. */
export const lockPrograms: readonly LockProgram[] = [
  { command: 'flock', args: ['-n', '-x', '3'] },
  { command: 'perl', args: ['-MFcntl=:flock', '-e', perlScript] },
];

/**
 * Locks an open file with the first of the programs that exists. Node has no flock of its own, but such a lock belongs
 * to the open file, not to the process that asked for it: the program gets our open file, locks it and exits, and the
 * lock stays until we close the file or die.
 */
export async function lockOpenFile(
  descriptor: number,
  programs: readonly LockProgram[],
  { find }: Programs,
): Promise<'taken' | 'held'> {
  for (const program of programs) {
    const path = find(program.command);
    if (path === undefined) continue;
    const given = { path, args: program.args, descriptor };
    let end = await run(given, { errors: 'ignore' });
    // To listen costs every start half a millisecond, so only a program that failed is asked why.
    if (end !== 'missing' && end.status !== 0 && end.status !== 1) end = await run(given, { errors: 'pipe' });
    if (end === 'missing') continue;
    if (end.status === 0) return 'taken';
    if (end.status === 1) return 'held';
    throw new Fault({
      code: 'lock-failed',
      message: `Cannot lock the thread for writing: ${program.command} ended with ${end.status}. ${end.errors}`,
      next: 'Try again. If it fails again, move the home folder to a disk that supports locks; network folders often do not.',
    });
  }
  const names = programs.map((program) => program.command).join(' nor ');
  throw new Fault({
    code: 'lock-unavailable',
    message: `Cannot lock the thread for writing: the system folders, such as /usr/bin, have neither ${names}.`,
    next: 'Install util-linux (which has flock) or perl.',
  });
}

interface Given {
  readonly path: string;
  readonly args: readonly string[];
  readonly descriptor: number;
}

function run({ path, args, descriptor }: Given, { errors: heard }: { readonly errors: 'ignore' | 'pipe' }) {
  // Cheaper at start-up than an import.
  const { spawn } = process.getBuiltinModule('node:child_process');
  const { promise, resolve } = Promise.withResolvers<{ status: number | string; errors: string } | 'missing'>();
  // Variables such as PERL5OPT would make it load other code.
  const env = { LC_ALL: 'C' };
  const child = spawn(path, args, { cwd: '/', env, stdio: ['ignore', 'ignore', heard, descriptor] });
  let errors = '';
  child.stderr?.on('data', (data) => (errors += String(data)));
  child.on('error', (error) => resolve(errorCode(error) === 'ENOENT' ? 'missing' : { status: error.message, errors }));
  child.on('close', (code, signal) => resolve({ status: code ?? signal ?? 'no status', errors: errors.trim() }));
  return promise;
}
