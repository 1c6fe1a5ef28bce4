import { type ChildProcess, spawn } from 'node:child_process';
import { constants, mkdtempSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeOwnFolder } from '../disk/own-file.ts';
import { systemPrograms } from './processes/programs.ts';
import { openAll, openBothEnds, type PipeEnds } from './pipe-ends.ts';
import { sweepFolders } from '../disk/processes.ts';

const prefix = 'pipes-';

/**
 * Pipes for systems on which a pipe can only be opened by a name. `mkfifo` makes them in a folder that no command may
 * write, both ends of each are opened, and the names are removed at once. A process that is killed in between leaves a
 * folder behind, which the next one removes.
 */
export async function makeNamedPipes(runFolder: string, count: number): Promise<readonly PipeEnds[]> {
  if (!makeOwnFolder(runFolder, 'readable')) throw new Error(`${runFolder} is open to others.`);
  sweepFolders(runFolder, prefix);
  const folder = mkdtempSync(join(runFolder, `${prefix}${process.pid}-`));
  const names = Array.from({ length: count }, (_, index) => join(folder, String(index)));
  const making = runMkfifo(names);
  const remove = (): void => {
    // A program that still makes pipes would put them into a folder that is being removed.
    making.child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 5 });
  };
  // The process may end while the next batch is being made.
  process.once('exit', remove);
  try {
    await making.done;
    return openAll(names.map((name) => () => openNamed(name)));
  } finally {
    process.off('exit', remove);
    remove();
  }
}

function openNamed(name: string): PipeEnds {
  const ends = openBothEnds({ toRead: name, toWrite: () => name }, constants.O_NOFOLLOW);
  unlinkSync(name);
  return ends;
}

function runMkfifo(names: readonly string[]): { readonly child: ChildProcess; readonly done: Promise<void> } {
  const program = systemPrograms.find('mkfifo');
  if (program === undefined) throw new Error('There is no mkfifo.');
  const child = spawn(program, ['-m', '600', ...names], { stdio: 'ignore', env: {}, cwd: '/' });
  const done = new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
  return { child, done };
}
