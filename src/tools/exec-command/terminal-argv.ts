/**
 * The same command with the terminal that it was given as its own: it gets the terminal's signals, and `/dev/tty` leads
 * there. A session has the first terminal that its leader opens; where that fails, it works without.
 */
export function terminalArgv(argv: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', script, 'sh', ...argv];
}

const script = `t=/proc/self/fd/0; [ -e "$t" ] || t=$(tty); (: <>"$t") 2>/dev/null && exec <>"$t" >&0 2>&0; exec "$@"`;
