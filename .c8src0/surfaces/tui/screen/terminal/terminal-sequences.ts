import { cleanText } from '../text/clean-text.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const bell = '\u0007';
const longestTitle = 240;
/** Sets the window title. The text is untrusted: nothing in it can end the sequence. */
export const titleSequence = (title: string): string => `\u001B]0;${oneLine(title, longestTitle)}${bell}`;
export const clearTitleSequence = titleSequence('');

/** Marks around a prompt, for terminals that jump between prompts. */
export const promptMarks = {
  begin: `\u001B]133;D${bell}\u001B]133;A${bell}`,
  end: `\u001B]133;B${bell}\u001B]133;C${bell}`,
} as const;

/** False for the Linux console, which prints such sequences, and for GNU screen, which does not know these. */
export const takesPromptMarks = ({ TERM: term = '', STY: screen, TMUX: tmux }: Environment): boolean =>
  term !== 'linux' && term !== 'dumb' && (screen === undefined || tmux !== undefined);

/** False for the Linux console, which has no window. */
export const takesTitle = ({ TERM: term = '' }: Environment): boolean => term !== 'linux' && term !== 'dumb';

/** Rings the bell, or shows a desktop notification if the terminal can. */
export function notificationSequence(text: string, method: 'auto' | 'osc9' | 'bel', env: Environment): string {
  const isShown = method === 'osc9' || (method === 'auto' && showsNotifications(env));
  return isShown ? throughMultiplexer(`\u001B]9;${oneLine(text, longestTitle)}${bell}`, env) : bell;
}

/** Judges by variables that programs inside tmux have too. */
function showsNotifications(env: Environment): boolean {
  const isSet = (...names: readonly string[]): boolean => names.some((name) => (env[name] ?? '') !== '');
  return (
    isSet('GHOSTTY_RESOURCES_DIR', 'ITERM_SESSION_ID', 'KITTY_WINDOW_ID', 'WEZTERM_PANE') ||
    /^(?:ghostty|iTerm\.app|WarpTerminal|WezTerm)$/.test(env['TERM_PROGRAM'] ?? '') ||
    env['LC_TERMINAL'] === 'iTerm2' ||
    /kitty|ghostty/.test(env['TERM'] ?? '')
  );
}

/** tmux and GNU screen pass wrapped sequences to the outer terminal. */
function throughMultiplexer(sequence: string, { TMUX: tmux, STY: screen }: Environment): string {
  if (tmux !== undefined) return `\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`;
  return screen === undefined ? sequence : `\u001BP${sequence}\u001B\\`;
}

function oneLine(text: string, most: number): string {
  const line = cleanText(text.slice(0, most * 16)).replaceAll(/\s+/g, ' ');
  return [...line.trim()].slice(0, most).join('').toWellFormed();
}

/** Enables paste marks, focus reports and distinct keys with modifiers. */
export const terminalModesOn = '\u001B[?2004h\u001B[?1004h\u001B[>1u';
/** Resets all modes, including those of a frame that a crash interrupted. */
export const terminalModesOff =
  '\u001B[?2026l\u001B[<u\u001B[?1004l\u001B[?2004l\u001B[?1006l\u001B[?1000l\u001B[0m\u001B[?25h';
/** Without an alternate screen, the second sequence would move the cursor. */
export const alternateScreenOn = '\u001B[?1049h';
export const alternateScreenOff = '\u001B[?1049l';
export const eraseBelow = '\u001B[J';
/** Asks if keys with modifiers are distinguished. Every terminal answers the second query: some only that. */
export const keyboardQuery = '\u001B[?u\u001B[c';
export const backgroundQuery = '\u001B]11;?\u0007';
/** True if the terminal will answer the written text. */
export const hasTerminalQuery = (text: string): boolean =>
  text.includes(keyboardQuery) || text.includes(backgroundQuery);
