/** Versions of Node whose V8 is known to have the flag. */
const versionsWithFlag: ReadonlySet<string> = new Set(['22', '23', '24']);

/**
 * By default V8 lets the space for new objects grow with what survives in it, to tens of megabytes. With a few it
 * collects more often and pauses for less. To be called when all that a start loads is loaded: a thread needs the space,
 * and V8 rejects the compiled code of Node's own modules while a flag differs, so each one that is loaded afterwards is
 * compiled anew. Only the growth is limited, so it can be set while V8 runs. V8 prints a line about a flag that it does
 * not know, which would stand in the middle of a screen.
 */
export function keepNewSpaceSmall(node: string = process.versions.node): void {
  if (isSmall || !versionsWithFlag.has(node.split('.')[0] ?? '')) return;
  isSmall = true;
  const grow = (factor: 1 | 2): void =>
    process.getBuiltinModule('node:v8').setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  grow(1);
  // What was compiled may be kept at the end. V8 takes it only with the flags that it was kept with, and a start has none.
  process.prependOnceListener('exit', () => grow(2));
}

let isSmall = false;
