import { type ChildProcess, spawn } from 'node:child_process';
import { signalProcess } from '../disk/processes.ts';
import { silence } from './silence.ts';
import { openAll, openBothEnds, type PipeEnds } from './pipe-ends.ts';

/** A shell answers within milliseconds; one that hangs must not hang a command. */
const patienceMs = 5000;

/**
 * Pipes without names, for Linux: there is nothing that a command could swap, and nothing that a killed process leaves
 * behind. Node cannot make a pipe, but a shell does for every `|`: its parts hold the pipes until we have opened them
 * through the process table. They end at once then; until they have, the output of a command would not end.
 */
export async function makeAnonymousPipes(count: number): Promise<readonly PipeEnds[]> {
  const child = spawn('/bin/sh', ['-c', holderScript(count)], {
    cwd: '/',
    env: {},
    // An interrupt at the terminal is for us, not for it.
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = new Promise<unknown>((resolve) => void child.on('error', resolve).on('exit', resolve));
  const timer = setTimeout(() => child.pid && signalProcess(-child.pid, 'SIGKILL'), patienceMs);
  const tidy = (): void => {
    clearTimeout(timer);
    for (const each of [child, child.stdin, child.stdout]) if (each !== null) silence(each);
  };
  void ended.then(tidy);
  try {
    const holders = await Promise.race([holdersIn(child, count), ended.then(() => undefined)]);
    if (holders === undefined) throw new Error('The shell that makes pipes ended too early.');
    // Opening what we have open cannot lead to another pipe, whatever became of the holder meanwhile.
    const toWrite = (readEnd: number): string => `/proc/self/fd/${readEnd}`;
    return openAll(holders.map((holder) => () => openBothEnds({ toRead: `/proc/${holder}/fd/5`, toWrite }, 0)));
  } finally {
    child.stdin?.end();
  }
}

/** Every part after the first keeps the pipe that it reads from, says who it is, and waits for our end. */
function holderScript(count: number): string {
  return `exec 3<&0 4>&1
hold() { exec 5<&0; read -r process rest </proc/self/stat; echo "$process" >&4; read -r rest <&3; }
:${' | hold'.repeat(count)}`;
}

function holdersIn(child: ChildProcess, count: number): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.on('error', reject);
    child.stdin?.on('error', () => {});
    child.stdout?.setEncoding('latin1').on('data', (more: string) => {
      text += more;
      const holders = text.split('\n').slice(0, -1);
      if (holders.length < count) return;
      if (holders.every((holder) => /^\d+$/.test(holder))) resolve(holders);
      else reject(new Error('The shell does not say which processes hold the pipes.'));
    });
  });
}
