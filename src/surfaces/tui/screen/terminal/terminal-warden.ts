import { spawn } from 'node:child_process';
import { eraseBelow, fullOff, modesOff } from './terminal-sequences.ts';

/** `taken`: the terminal has our modes. `full`: and shows the other screen. `given`: it is as it was. */
export type TerminalState = 'taken' | 'full' | 'given';

export interface TerminalWarden {
  tell(state: TerminalState): void;
}

/**
 * A small shell that waits for the end of this process, and gives the terminal back where the process could not: after a
 * kill. It leads a session of its own, so that no signal of the terminal reaches it and it may set the modes of one that
 * is not its own. It ends when we do.
 */
export function startTerminalWarden(): TerminalWarden {
  const child = spawn('/bin/sh', ['-c', script, 'capstan-terminal-warden'], {
    cwd: '/',
    env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' },
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore', 1],
  });
  let isThere = true;
  const lost = (): void => void (isThere = false);
  // Without it a killed process leaves its modes behind, as any program does.
  child.on('error', lost).on('exit', lost);
  child.stdin?.on('error', lost);
  child.unref();
  (child.stdin as unknown as { unref(): void } | null)?.unref();
  return {
    tell(state) {
      if (isThere) child.stdin?.write(`${state}\n`);
    },
  };
}

/**
 * The shell may print its prompt before this one has switched the screen back, and then the prompt goes with the other
 * screen. No process can keep the shell from that, nor make it print the prompt again.
 */
const killed = 'Capstan was killed. If no prompt follows, press Enter.';

/**
 * The shell that the user has may set the modes of the line by itself when its job is killed, so they are set only if they
 * are still those that this process had: what raw mode takes away, as the system has it by default. The sequences do no harm to a terminal that is as it was.
 */
const script = `state=given
raw=
while read -r word; do
  state=$word
  [ "$word" = given ] || raw=$(stty -g <&3)
done
[ "$state" = given ] && exit 0
[ "$state" = full ] && printf '${escaped(fullOff)}${killed}\\r\\n' >&3
printf '${escaped(modesOff + eraseBelow)}' >&3
[ "$(stty -g <&3)" = "$raw" ] && stty ${process.platform === 'darwin' ? 'brkint ' : ''}icrnl ixon isig icanon iexten echo <&3
exit 0
`;

function escaped(text: string): string {
  return text.replaceAll('\u001B', '\\033');
}
