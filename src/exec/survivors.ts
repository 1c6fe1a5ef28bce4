import { readdirSync, readFileSync } from 'node:fs';
import { processFolders, signalProcess } from '../disk/processes.ts';
import type { Processes, StartedProcess, Survival } from '../ports/processes.ts';
import { identifyProcess } from './processes/process-identity.ts';
import { markName } from './warden-script.ts';

const patienceMs = 2000;
const pauseMs = 10;

/** Ends what dead programs left running. */
export const systemProcesses: Processes = {
  async end(known) {
    let survival: Survival = 'gone';
    for (let waited = 0; waited < patienceMs; waited += pauseMs) {
      const left = await survivorsOf(known);
      if (left.length === 0) return survival;
      survival = 'ended';
      // With the group, if it leads one. Its last output is of no use, so it gets no time to end.
      for (const target of left.flatMap((pid) => [-pid, pid])) signalProcess(target, 'SIGKILL');
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return 'running';
  },
};

/** The process itself, if the number is still its own, and whatever carries its mark. */
async function survivorsOf({ pid, startedAt, mark }: StartedProcess): Promise<readonly number[]> {
  const itself = (await identifyProcess(pid)) === startedAt ? [pid] : [];
  return [...new Set([...itself, ...marked(mark)])];
}

/** Found on Linux only; elsewhere the process and its group must do. */
function marked(mark: string): readonly number[] {
  const wanted = `${markName}=${mark}`;
  return (process.platform === 'linux' ? readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => processFolders(pid).some((folder) => hasVariable(folder, wanted)));
}

function hasVariable(folder: string, wanted: string): boolean {
  try {
    return readFileSync(`${folder}/environ`, 'latin1').split('\0').includes(wanted);
  } catch {
    return false;
  }
}
