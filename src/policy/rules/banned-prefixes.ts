/** By name without a version: the options behind which a program takes code to run. */
const inlineCode: Readonly<Record<string, readonly string[]>> = {
  ...each('bash sh zsh dash fish ksh', ['-c', '-lc']),
  ...each('cmd', ['/c', '/k']),
  ...each('powershell pwsh', ['-Command', '-EncodedCommand', '-c', '-e', '-ec']),
  ...each('python pythonw pypy py pyw', ['-', '-c']),
  ...each('node nodejs bun', ['-e', '--eval', '-p', '--print']),
  ...each('julia lua perl ruby', ['-e']),
  ...each('Rscript osascript', ['-e']),
  php: ['-r'],
  deno: ['eval'],
};

/** Prefixes that say nothing about what is run, as they are. */
const wide: ReadonlySet<string> = new Set([
  'env',
  'git',
  'sudo',
  'rm',
  'py -3',
  'powershell -File',
  'pwsh -File',
  'pwsh -f',
  ...['npm', 'pnpm', 'yarn', 'bun'].map((program) => `${program} run`),
]);

function each(programs: string, options: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(programs.split(' ').map((program) => [program, options]));
}

/**
 * Whether a rule that allows everything that begins so would allow anything: an interpreter, alone or with code of its
 * own, or a program that runs others.
 */
export function isBannedPrefix(prefix: readonly string[]): boolean {
  const [path = '', option, ...rest] = prefix;
  const program = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).replace(/\.exe$/i, '');
  const name = program.replace(/[0-9.]+$/, '');
  const options = Object.hasOwn(inlineCode, name) ? inlineCode[name] : undefined;
  if (option === undefined) return path === '' || options !== undefined || wide.has(program);
  // What follows is the code itself, which another run need not have.
  return options?.includes(option) === true || (rest.length === 0 && wide.has(`${program} ${option}`));
}
