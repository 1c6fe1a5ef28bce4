import type { CallTimeRecorder, CallTime } from '../../ports/workspace.ts';
import { numberAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { fileSystem as fs, realPath } from '../disk/file-system.ts';
import { isAlive, processStartTime } from '../disk/processes.ts';
import { readUpTo, withRegularFile } from '../disk/regular-files.ts';
import { fileTime } from './file-time.ts';

const { O_APPEND, O_CREAT, O_WRONLY } = fs.constants;

export interface LoggedCallTime extends Pick<CallTime, 'id' | 'from'> {
  readonly process: number;
  /** Start time of that process, if the system reports it: its number may be reused. */
  readonly startedAt?: string;
  readonly root: string;
  /** Absent while the call runs, and forever if its program died. */
  readonly to?: number;
}

export const callTimesLogPath = (home: string): string => `${home}/capstan/call-times.jsonl`;
/** Capstan renames a longer log, which replaces the one renamed before, and begins a new one. */
const longestLogBytes = 256 * 1024;
const mostNames = 500;
let count = 0;

/** Logs the times. If the disk refuses, the call still runs, and other threads do not see it. */
export function createChangeWatch(home: string): CallTimeRecorder {
  const log = callTimesLogPath(home);
  const crowded = new Set<string>();
  const namesIn = (root: string): readonly string[] | undefined => {
    if (crowded.has(root)) return undefined;
    try {
      const names = fs.readdirSync(root);
      if (names.length > mostNames) crowded.add(root);
      return names;
    } catch {
      return undefined;
    }
  };
  return {
    begin(root) {
      const id = `${process.pid}-${Date.now().toString(36)}-${count++}`;
      const before = namesIn(root);
      const { earliest: from } = fileTime(root);
      append(log, { id, process: process.pid, started_at: ownStart(), root: realPath(root) ?? root, from });
      return {
        end(): CallTime {
          const { latest: to } = fileTime(root);
          append(log, { id, to });
          const after = before === undefined ? undefined : new Set(namesIn(root));
          const gone = after === undefined ? undefined : before?.filter((name) => !after.has(name));
          return { id, from, to, gone };
        },
      };
    },
  };
}

let start: string | undefined;
const ownStart = (): string | undefined => (start ??= processStartTime(process.pid));

/** False if the logged process has ended. One with its number but another start time is a different process. */
export function isLoggedProcessRunning({ process: id, startedAt }: LoggedCallTime): boolean {
  const now = processStartTime(id);
  if (now !== undefined && startedAt !== undefined) return now === startedAt;
  return isAlive(id);
}

function append(log: string, entry: object): void {
  const folder = log.slice(0, log.lastIndexOf('/'));
  try {
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    withRegularFile(log, { links: 'refused', flags: O_WRONLY | O_APPEND | O_CREAT, mode: 0o600 }, (file) => {
      fs.writeSync(file, `${JSON.stringify(entry)}\n`);
      if (fs.fstatSync(file).size > longestLogBytes) fs.renameSync(log, `${log}.1`);
    });
  } catch {
    // The call runs, but other threads do not see it.
  }
}

export function readCallTimes(home: string): readonly LoggedCallTime[] {
  const log = callTimesLogPath(home);
  const times = new Map<string, LoggedCallTime>();
  for (const line of [`${log}.1`, log].flatMap(linesOf)) {
    const entry = parseJsonObject(line);
    const id = stringAt(entry, 'id');
    if (id === undefined) continue;
    const [by, root] = [numberAt(entry, 'process'), stringAt(entry, 'root')];
    const [from, to] = [numberAt(entry, 'from'), numberAt(entry, 'to')];
    const startedAt = stringAt(entry, 'started_at');
    if (by !== undefined && root !== undefined && from !== undefined)
      times.set(id, { id, process: by, startedAt, root, from });
    const begun = times.get(id);
    if (begun !== undefined && to !== undefined) times.set(id, { ...begun, to });
  }
  return [...times.values()];
}

function linesOf(path: string): readonly string[] {
  try {
    return withRegularFile(path, { links: 'refused' }, (file, { size }) =>
      readUpTo(file, { most: 2 * longestLogBytes, expected: size })
        .toString('utf8')
        .split('\n'),
    );
  } catch {
    return [];
  }
}
