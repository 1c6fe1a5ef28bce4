import type { ChangeWatch, CallTime } from '../../ports/workspace.ts';
import { defined } from '../../base/objects.ts';
import { numberAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import { fileSystem as fs, realPath } from '../disk/file-system.ts';
import { isAlive } from '../disk/processes.ts';
import { readUpTo, withRegular } from '../disk/regular-files.ts';
import { fileTime } from './file-time.ts';
import { processTable } from './leftover-processes.ts';

const { O_APPEND, O_CREAT, O_WRONLY } = fs.constants;

/** When a call of any thread of this home ran, as the log has it. */
export interface LoggedCallTime extends Pick<CallTime, 'id' | 'from'> {
  readonly process: number;
  /** When that process was started, where the system says it: another process may get its number later. */
  readonly startedAt?: string;
  /** The folder that its call worked in, without links. */
  readonly root: string;
  /** Absent while the call runs, and for ever when its program died. */
  readonly to?: number;
}

/** Where threads of one home record when their calls may change files. */
export function callTimesLogPath(home: string): string {
  return `${home}/capstan/call-times.jsonl`;
}

/** A longer log makes way for a new one; the one before it is kept beside it. */
const longestLogBytes = 256 * 1024;
/** A folder with more names is not listed for each call. */
const mostNames = 500;

/** Of this process, whichever thread a call belongs to. */
let count = 0;

/** Notes the times in the log. A disk that refuses keeps no call from running: other threads then do not see it. */
export function createChangeWatch(home: string): ChangeWatch {
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

function ownStart(): string | undefined {
  return (start ??= processTable.startedAt(process.pid));
}

/** Whether the process that logged the time still runs. One of the same number that began at another time is another. */
export function isLoggedProcessRunning({ process: id, startedAt }: LoggedCallTime): boolean {
  const now = processTable.startedAt(id);
  if (now !== undefined && startedAt !== undefined) return now === startedAt;
  return isAlive(id);
}

function append(log: string, entry: object): void {
  const folder = log.slice(0, log.lastIndexOf('/'));
  try {
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    withRegular(log, { links: 'refused', flags: O_WRONLY | O_APPEND | O_CREAT, mode: 0o600 }, (file) => {
      fs.writeSync(file, `${JSON.stringify(entry)}\n`);
      if (fs.fstatSync(file).size > longestLogBytes) fs.renameSync(log, `${log}.1`);
    });
  } catch {
    // Said above.
  }
}

/** The times of all threads' calls, as far back as they are kept. What makes no sense is left out. */
export function readCallTimes(home: string): readonly LoggedCallTime[] {
  const log = callTimesLogPath(home);
  const times = new Map<string, LoggedCallTime>();
  for (const line of [`${log}.1`, log].flatMap(linesOf)) {
    const entry = parseJsonObject(line);
    const id = entry === undefined ? undefined : stringAt(entry, 'id');
    if (entry === undefined || id === undefined) continue;
    const [by, root] = [numberAt(entry, 'process'), stringAt(entry, 'root')];
    const [from, to] = [numberAt(entry, 'from'), numberAt(entry, 'to')];
    const startedAt = stringAt(entry, 'started_at');
    if (by !== undefined && root !== undefined && from !== undefined) {
      times.set(id, { id, process: by, ...defined({ startedAt }), root, from });
    }
    const begun = times.get(id);
    if (begun !== undefined && to !== undefined) times.set(id, { ...begun, to });
  }
  return [...times.values()];
}

function linesOf(path: string): readonly string[] {
  try {
    return withRegular(path, { links: 'refused' }, (file, { size }) =>
      readUpTo(file, { most: 2 * longestLogBytes, expected: size })
        .toString('utf8')
        .split('\n'),
    );
  } catch {
    return [];
  }
}
