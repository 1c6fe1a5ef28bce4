import type { Processes, ProcessTable, ProgramFinder, StartedProcess, ProcessSurvival } from '../../ports/system.ts';
import { quoteShellWord } from '../../protocol/shell.ts';
import { procFolders, processStartTime, signalProcess } from '../disk/processes.ts';
import { sleepFor } from './command-timing.ts';
import { systemPrograms } from './find-programs.ts';
import { execFile } from 'node:child_process';
import { readSystemFile } from '../disk/file-system.ts';
import { readdirSync } from 'node:fs';

const patienceMs = 2000;
const pauseMs = 10;

export const leftoverProcessEnder: Processes = {
  async end(known) {
    let survival: ProcessSurvival = 'gone';
    for (let waited = 0; waited < patienceMs; waited += pauseMs) {
      const left = await survivorsOf(known);
      if (left.length === 0) return survival;
      survival = 'ended';
      // Includes the group, if it leads one. Its last output is of no use, so it gets no grace period.
      for (const target of left.flatMap((pid) => [-pid, pid])) signalProcess(target, 'SIGKILL');
      await sleepFor(pauseMs);
    }
    return 'running';
  },
};

async function survivorsOf({ pid, startedAt, mark }: StartedProcess): Promise<readonly number[]> {
  const itself = (await identifyProcess(pid)) === startedAt ? [pid] : [];
  return [...new Set([...itself, ...marked(mark)])];
}

/** Finds processes by the mark in their environment. Only on Linux; elsewhere callers know just process and group. */
function marked(mark: string): readonly number[] {
  const wanted = `${commandMarkVariable}=${mark}`;
  const hasMark = (folder: string): boolean => readSystemFile(`${folder}/environ`).split('\0').includes(wanted);
  return processIds().filter((pid) => procFolders(pid).some(hasMark));
}

/** Empty where the system has no such list. */
export function processIds(): readonly number[] {
  const names = process.platform === 'linux' ? readdirSync('/proc') : [];
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Start time of the process in the system's format; undefined if there is none or the system does not say. */
export async function identifyProcess(pid: number, platform: string = process.platform): Promise<string | undefined> {
  return platform === 'linux' ? processStartTime(pid) : await fromProcessList(pid);
}

export const processTable: ProcessTable = { startedAt: processStartTime };

function fromProcessList(pid: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const program = systemPrograms.find('ps') ?? '/bin/ps';
    const options = { env: { LC_ALL: 'C', TZ: 'UTC' } };
    execFile(program, ['-o', 'stat=,lstart=', '-p', String(pid)], options, (error, stdout) =>
      resolve(error === null ? readProcessList(stdout) : undefined),
    );
  });
}

export function readProcessList(text: string): string | undefined {
  const found = /^(\S+)\s+(\S.*\S)\s*$/.exec(text.trim());
  return found === null || found[1]?.startsWith('Z') === true ? undefined : found[2];
}

/** Each command gets this variable with a value of its own: all its descendants inherit it. */
export const commandMarkVariable = 'CAPSTAN_COMMAND';

/**
 * For any POSIX shell. It runs outside of every sandbox, so it calls programs by their paths. It reads `+ WORD` and
 * `- WORD`; a word is `MARK` for a command about to start and `MARK:GROUP` for a running one. When its input ends
 * because Capstan has ended, it kills the remaining groups and all processes with a mark. If a command was about to
 * start, it searches longer: a sandbox under construction hides its variables.
 */
export function watchdogScript(platform: string, programs: ProgramFinder): string {
  const tool = (name: string): string => quoteShellWord(programs.find(name) ?? `/bin/${name}`);
  return `words=
while read -r sign word; do
  rest=
  for each in $words; do [ "$each" = "$word" ] || rest="$rest $each"; done
  [ "$sign" = + ] && rest="$rest $word"
  words=$rest
done
[ -n "$words" ] || exit 0
${platform === 'darwin' ? markedOnMacos(tool('ps')) : markedOnLinux(tool('grep'))}
rounds=2
for word in $words; do
  case $word in
    *:*) kill -s KILL -- "-\${word#*:}" ;;
    *) rounds=40 ;;
  esac
done
while [ "$rounds" -gt 0 ]; do
  for word in $words; do
    for process in $(marked "${commandMarkVariable}=\${word%%:*}"); do
      kill -s KILL "$process"
      kill -s KILL -- "-$process"
    done
  done
  rounds=$((rounds - 1))
  ${tool('sleep')} 0.05
done
`;
}

/** A process whose first thread has ended looks dead; only its other threads show its variables. */
const markedOnLinux = (grep: string): string => `marked() {
  for file in $(${grep} -lF "$1" /proc/[0-9]*/environ); do
    file=\${file#/proc/}
    echo "\${file%/environ}"
  done
  for file in $(${grep} -l "^State:[[:space:]]*[ZX]" /proc/[0-9]*/status); do
    file=\${file%/status}
    ${grep} -qF "$1" "$file"/task/[0-9]*/environ && echo "\${file#/proc/}"
  done
}`;

/** The system hides the variables of its own programs, so this finds less than on Linux. */
const markedOnMacos = (ps: string): string => `marked() {
  ${ps} -axww -E -o pid= -o command= | while read -r process text; do
    case $text in *"$1"*) echo "$process" ;; esac
  done
}`;
