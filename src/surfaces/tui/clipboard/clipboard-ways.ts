import type { Variables } from '../../../protocol/variables.ts';

/** A way to the clipboard: a program that reads what is copied, or a sequence that the terminal reads. */
export type CopyWay =
  | { readonly kind: 'program'; readonly words: readonly [string, ...string[]]; readonly name: string }
  | { readonly kind: 'terminal'; readonly name: string };

/** More than this a terminal may drop without a word. */
export const mostTerminalBytes = 100_000;

const terminal: CopyWay = { kind: 'terminal', name: 'the terminal' };
/** It keeps the text, and hands it to the terminal around it. */
const tmux = program('the buffer of tmux', 'tmux', 'load-buffer', '-w', '-');

/** The ways to try, the best first. Over SSH the clipboard of this machine is not the user's. */
export function copyWays(env: Variables, platform: NodeJS.Platform): readonly CopyWay[] {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  const last = has('TMUX') ? [tmux, terminal] : [terminal];
  if (has('SSH_TTY') || has('SSH_CONNECTION') || has('SSH_CLIENT')) return last;
  if (platform === 'darwin') return [program('the clipboard', 'pbcopy'), ...last];
  if (platform === 'win32') return [program('the clipboard', 'clip.exe'), ...last];
  return [
    ...(has('WAYLAND_DISPLAY') ? [program('the clipboard', 'wl-copy')] : []),
    ...(has('DISPLAY') ? [program('the clipboard', 'xclip', '-selection', 'clipboard')] : []),
    ...(has('DISPLAY') ? [program('the clipboard', 'xsel', '--clipboard', '--input')] : []),
    ...(has('WSL_DISTRO_NAME') ? [program('the clipboard of Windows', 'clip.exe')] : []),
    ...last,
  ];
}

function program(name: string, ...words: readonly [string, ...string[]]): CopyWay {
  return { kind: 'program', words, name };
}

/** Asks the terminal to copy a text (OSC 52). */
export function terminalCopy(text: string): string {
  return `\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`;
}
