const marking = /^(?:xterm|screen|tmux|rxvt|foot|alacritty|kitty|wezterm|ghostty|contour|st-|vte|konsole|gnome|iterm)/;

/** Whether a terminal is known to mark what is pasted, by the variables that it sets. */
export function marksPastes(env: Readonly<Record<string, string | undefined>>): boolean {
  const has = (name: string): boolean => (env[name] ?? '') !== '';
  return ['TMUX', 'TERM_PROGRAM', 'VTE_VERSION', 'WT_SESSION'].some(has) || marking.test(env['TERM'] ?? '');
}
