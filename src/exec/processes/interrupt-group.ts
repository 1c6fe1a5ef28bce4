import { readdirSync, readFileSync } from 'node:fs';
import { signalProcess } from '../../disk/processes.ts';

/**
 * Sends what Control-C sends to the processes of a group. The program that holds the sandbox leads the group, and would
 * end all others at once: where the system lists processes, it is passed over.
 */
export function interruptGroup(leader: number): void {
  const inside = membersOf(leader).filter(({ name }) => name !== 'bwrap');
  if (inside.length === 0) signalProcess(-leader, 'SIGINT');
  for (const { pid } of inside) signalProcess(pid, 'SIGINT');
}

interface Member {
  readonly pid: number;
  readonly name: string;
}

function membersOf(group: number): readonly Member[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return pids.flatMap((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The name is of any form, in parentheses; state, parent and group come right after it.
      const [open, close] = [text.indexOf('('), text.lastIndexOf(')')];
      const found = Number(text.slice(close + 2).split(' ')[2]);
      return found === group ? [{ pid: Number(pid), name: text.slice(open + 1, close) }] : [];
    } catch {
      return [];
    }
  });
}
