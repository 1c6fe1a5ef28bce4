/** Versions of Node whose V8 is known to have the flags. */
const versionsWithFlags: ReadonlySet<string> = new Set(['22', '23', '24']);
/** The flags while the program runs, and V8's initial values. */
const small = ['--semi-space-growth-factor=1', '--optimize-for-size'];
const asBefore = ['--semi-space-growth-factor=2', '--no-optimize-for-size'];

/**
 * Makes V8 collect more often, with shorter pauses. Call it when all that a start needs is loaded: V8 rejects the
 * compiled code of Node's own modules while a flag differs, and a thread needs the space. V8 reads both flags whenever
 * it decides on a size, and prints a line about an unknown flag onto the screen.
 */
export function limitHeapGrowth(node: string = process.versions.node): void {
  if (isSmall || !versionsWithFlags.has(node.split('.')[0] ?? '')) return;
  isSmall = true;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of small) setFlagsFromString(flag);
  // Compiled code may be saved at exit. V8 accepts it only under the flags that it was saved with, and a start has
  // none.
  process.prependOnceListener('exit', () => {
    for (const flag of asBefore) setFlagsFromString(flag);
  });
}

let isSmall = false;
