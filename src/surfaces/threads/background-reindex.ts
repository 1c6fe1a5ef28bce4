import { spawn } from 'node:child_process';

/** Lets another process read the threads that the index does not know, so that this one can end. */
export function reindexInBackground(home: string): void {
  const words = [process.argv[1] ?? '', 'threads', 'reindex', '--changed'];
  const child = spawn(process.execPath, words, { detached: true, stdio: 'ignore', cwd: home });
  // What it would have done is done when it is needed.
  child.on('error', () => {});
  child.unref();
}
