/** Versions of Node whose V8 is known to have the flags. */
const versionsWithFlags: ReadonlySet<string> = new Set(['22', '23', '24']);
/** The flags while the program runs, and V8's initial values. */
const small = ['--semi-space-growth-factor=1', '--optimize-for-size'];
const asBefore = ['--semi-space-growth-factor=2', '--no-optimize-for-size'];

/**
 * Makes V8 collect garbage more often, with shorter pauses. Call it after a start has loaded its code, since V8 rejects
 * the compiled code of Node's own modules while a flag differs. A thread then needs the space. V8 reads both flags
 * whenever it sets a size. It prints a line on the screen about a flag that it does not know.
 */
export function limitHeapGrowth(node: string = process.versions.node): void {
  if (isSmall || !versionsWithFlags.has(node.split('.')[0] ?? '')) return;
  isSmall = true;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of small) setFlagsFromString(flag);
  // Node may save compiled code at exit. V8 accepts it only under the flags that it was saved with, so set those that
  // the next start has.
  process.prependOnceListener('exit', () => {
    for (const flag of asBefore) setFlagsFromString(flag);
  });
}

let isSmall = false;
