/** Versions of Node whose V8 is known to have the flag. */
const versionsWithFlag: ReadonlySet<string> = new Set(['22', '23', '24']);

/**
 * What a frame leaves behind is garbage a moment later. V8 would give such short lives up to 32 MB; with a few megabytes
 * it collects more often and pauses for less, and the terminal stays that much smaller. To be called when all that a
 * start loads is loaded: until then the space has to grow. Only the growth is limited, so it can be set while V8 runs.
 * V8 prints a line about a flag that it does not know, which would stand in the middle of the screen.
 */
export function keepYoungSmall(node: string = process.versions.node): void {
  if (!versionsWithFlag.has(node.split('.')[0] ?? '')) return;
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
}
