import type { Outcome } from '../../../protocol/outcome.ts';

/** The text of a file, or undefined where there is none that can be read. */
type ReadText = (path: string) => string | undefined;

/**
 * Whether the terminal shows another screen to programs that ask for one, and this one again behind them. GNU screen does
 * only if its user has set `altscreen on`; it answers no question about that, so its files are read. In doubt it does not.
 */
export function keepsScreen(env: Readonly<Record<string, string | undefined>>, read: ReadText): boolean {
  const { STY: screen, TMUX: tmux, TERM: term = '', HOME: home = '' } = env;
  // Each keeps the variables of the one around it: of both, the name of the terminal tells which is the inner one.
  if (screen === undefined || (tmux !== undefined && term.startsWith('tmux'))) return true;
  const files = [env['SYSSCREENRC'] ?? '/etc/screenrc', env['SCREENRC'] ?? `${home}/.screenrc`];
  const said = files.flatMap((path) => [...(read(path) ?? '').matchAll(/^[ \t]*altscreen[ \t]+(on|off)\b/gm)]);
  return said.at(-1)?.[1] === 'on';
}

/** Why there is no full screen. */
export const noOtherScreen: Outcome<'no-other-screen'> = {
  code: 'no-other-screen',
  message: 'GNU screen keeps nothing of what stands here behind a full screen, unless altscreen is on',
  next: 'Put the line "altscreen on" into ~/.screenrc, and start screen anew.',
};
