import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { processFolders } from '../../disk/processes.ts';

/**
 * The process that has something to say on standard input: one that holds the other end of the pipe and did not start
 * us, such as the one before us in a pipeline. Those that started us may have made the pipe without a thought of it.
 * Undefined when there is none, or the system does not say (only Linux does).
 */
export function inputWriter(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const pipe = readlinkSync('/proc/self/fd/0');
    const aside = new Set(ancestry(process.pid));
    const others = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !aside.has(Number(name)));
    const found = others.find((pid) => writesTo(pid, pipe));
    return found === undefined ? undefined : Number(found);
  } catch {
    return undefined;
  }
}

/** The process, the one that started it, and so on up. */
function ancestry(pid: number): readonly number[] {
  const parent = pid === 0 ? undefined : parentOf(pid);
  return parent === undefined ? [pid] : [pid, ...ancestry(parent)];
}

function parentOf(pid: number): number | undefined {
  try {
    // The second field is a name of any form, in parentheses; the state comes right after it, then the parent.
    return Number(readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined;
  }
}

function writesTo(pid: string, pipe: string): boolean {
  return processFolders(Number(pid)).some((folder) => holdsForWriting(folder, pipe));
}

function holdsForWriting(folder: string, pipe: string): boolean {
  try {
    return readdirSync(`${folder}/fd`).some(
      (fd) => readlinkSync(`${folder}/fd/${fd}`) === pipe && isForWriting(`${folder}/fdinfo/${fd}`),
    );
  } catch {
    // Not ours to look at, or gone in the meantime.
    return false;
  }
}

function isForWriting(path: string): boolean {
  const flags = /^flags:\s*(?<octal>[0-7]+)$/m.exec(readFileSync(path, 'latin1'))?.groups?.['octal'];
  return flags !== undefined && (Number.parseInt(flags, 8) & 0b11) !== 0;
}
