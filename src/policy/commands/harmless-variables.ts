/**
 * Variables that change how a program looks or counts, and never which code it runs or which files it touches. All
 * others may: `PATH`, `GIT_SSH_COMMAND`, `NODE_OPTIONS`, `RUSTC_WRAPPER`, and what a program of tomorrow reads.
 */
const names = new Set(
  (
    'LANG LANGUAGE TERM COLUMNS LINES CI DEBUG NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE PY_COLORS ' +
    'CARGO_TERM_COLOR RUST_BACKTRACE RUST_LOG PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE'
  ).split(' '),
);

/** An assignment of a plain value to such a variable. A value with a slash could name a file. */
export function isHarmlessVariable(assignment: string): boolean {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
  if (name === 'TZ') return /^\w+(?:[/_+-]\w+)*$/.test(value);
  return (names.has(name) || /^LC_[A-Z]+$/.test(name)) && /^[\w.,:@=+*-]*$/.test(value);
}
