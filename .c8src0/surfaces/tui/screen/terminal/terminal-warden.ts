import { spawn } from 'node:child_process';
import { eraseBelow, alternateScreenOff, terminalModesOff } from './terminal-sequences.ts';

/** `taken`: our modes are set. `full`: the alternate screen is shown too. `given`: the terminal is restored. */
export type TerminalState = 'taken' | 'full' | 'given';
export type TerminalWarden = { tell(state: TerminalState): void };

/**
 * Starts a small shell that waits for the end of this process, and restores the terminal after a kill. It leads a
 * session of its own, so that terminal signals do not reach it and it may set the modes of a terminal that is not its
 * own. It ends when this process ends.
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
  // Without the warden, a killed Capstan leaves its modes behind, as any program does.
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

/** The shell may print its prompt before the warden restores the screen, and does not print that prompt again. */
const killed = 'Capstan was killed. If no prompt follows, press Enter.';
const escaped = (text: string): string => text.replaceAll('\u001B', '\\033');

/**
 * The user's shell may restore line modes itself when its job is killed: the warden sets system defaults for what raw
 * mode turned off only if this process's modes still apply. The sequences do no harm on a restored terminal.
 */
const script = `state=given
raw=
while read -r word; do
  state=$word
  [ "$word" = given ] || raw=$(stty -g <&3)
done
[ "$state" = given ] && exit 0
[ "$state" = full ] && printf '${escaped(alternateScreenOff)}${killed}\\r\\n' >&3
printf '${escaped(terminalModesOff + eraseBelow)}' >&3
[ "$(stty -g <&3)" = "$raw" ] && stty ${process.platform === 'darwin' ? 'brkint ' : ''}icrnl ixon isig icanon iexten echo <&3
exit 0
`;
