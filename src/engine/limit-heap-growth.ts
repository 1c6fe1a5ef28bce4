/** Versions of Node whose V8 is known to have the flags. */
const versionsWithFlags: ReadonlySet<string> = new Set(['22', '23', '24']);

/** While the program runs, and as V8 begins. */
const small = ['--semi-space-growth-factor=1', '--optimize-for-size'];
const asBefore = ['--semi-space-growth-factor=2', '--no-optimize-for-size'];

/**
 * By default V8 lets the space for new objects grow with what survives in it, to tens of megabytes, and collects the
 * others when they have grown by 8 MB at least. With these flags it collects more often and pauses for less. To be
 * called when all that a start loads is loaded: a thread needs the space, and V8 rejects the compiled code of Node's
 * own modules while a flag differs, so each one that is loaded afterwards is compiled anew. V8 reads both whenever it
 * decides on a size, so they can be set while it runs. It prints a line about a flag that it does not know, which would
 * stand in the middle of a screen.
 */
export function limitHeapGrowth(node: string = process.versions.node): void {
  if (isSmall || !versionsWithFlags.has(node.split('.')[0] ?? '')) return;
  isSmall = true;
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of small) setFlagsFromString(flag);
  // What was compiled may be kept at the end. V8 takes it only with the flags that it was kept with, and a start has none.
  process.prependOnceListener('exit', () => {
    for (const flag of asBefore) setFlagsFromString(flag);
  });
}

let isSmall = false;
