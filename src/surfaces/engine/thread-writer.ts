import { fileSystem } from '../../disk/file-system.ts';
import { defined } from '../../protocol/defined.ts';

/** The program that has a thread open to write it. */
export interface ThreadWriter {
  /** For people. */
  readonly name: string;
  readonly pid?: number;
  /** Since when it has it open. */
  readonly since?: number;
  /** Which command of ours it is, where the system says so. Empty: the terminal. */
  readonly command?: string;
}

/** What the line in a lock file says, and the system about the process that it names. */
export function readWriter(owner: string): ThreadWriter {
  const [, name = owner, number, time] = /^(.*?) pid (\d+)(?: since (\S+))?$/.exec(owner) ?? [];
  const pid = number === undefined ? undefined : Number(number);
  const since = time === undefined ? undefined : Date.parse(time);
  const command = pid !== undefined && name === 'capstan' ? commandOf(pid) : undefined;
  return { name, ...defined({ pid, since, command }) };
}

/** Our own words only: what else stands in a command line is none of a reader's business. */
const known = new Set(['exec', 'e', 'review', 'mcp-server', 'threads']);

function commandOf(pid: number): string | undefined {
  try {
    const words = fileSystem.readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0');
    return words.slice(1, 4).find((word) => known.has(word)) ?? '';
  } catch {
    return undefined;
  }
}
