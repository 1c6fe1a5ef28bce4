import type { StageLook } from './stage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** How much a terminal can show, as far as its variables say. */
export function plainLook(env: Environment, places: Pick<StageLook, 'cwd' | 'home'>): StageLook {
  return { ...places, colours: coloursOf(env), palette: 'ansi', glyphs: usualGlyphs(env) };
}

/** For a screen reader: words, and nothing that is drawn again. */
export const readerLook = { glyphs: 'words', colours: 'none', motion: 'none' } as const satisfies Partial<StageLook>;

/** `FORCE_COLOR` wins over `NO_COLOR`, as Node has it. */
export function coloursOf(env: Environment): StageLook['colours'] {
  const { FORCE_COLOR: forced } = env;
  if (forced === '0' || forced === 'false') return 'none';
  if (forced === '1') return 'sixteen';
  if (forced === '2') return '256';
  if (forced === '3') return 'true';
  if (forced === undefined && (env['NO_COLOR'] ?? '') !== '') return 'none';
  const { TERM: term = '', TMUX: tmux, TERM_PROGRAM: program = '' } = env;
  if (term === 'dumb' && forced === undefined) return 'none';
  const byName = /256/.test(term) ? '256' : 'sixteen';
  // GNU screen takes the parts of a full colour for styles. The variables may be those of the terminal around it.
  if (env['STY'] !== undefined && tmux === undefined) return byName;
  if (/truecolor|24bit/i.test(env['COLORTERM'] ?? '') || env['WT_SESSION'] !== undefined) return 'true';
  if (/direct|kitty|ghostty|alacritty|wezterm|^foot/.test(term)) return 'true';
  // What runs inside tmux has the variables of the terminal that tmux was started on.
  if (tmux === undefined && /^(?:iTerm\.app|WezTerm|ghostty|vscode)$/.test(program)) return 'true';
  return program === 'Apple_Terminal' ? '256' : byName;
}

/** ASCII where the console or the locale has nothing else. Without a locale most terminals still have UTF-8. */
export function usualGlyphs(env: Environment): 'unicode' | 'ascii' {
  const chosen = env['CAPSTAN_ASCII'] ?? '';
  if (chosen !== '') return chosen === '0' ? 'unicode' : 'ascii';
  if (env['TERM'] === 'linux' || env['TERM'] === 'dumb') return 'ascii';
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find((value) => (value ?? '') !== '') ?? '';
  return locale === '' || /utf-?8/i.test(locale) ? 'unicode' : 'ascii';
}
