/**
 * What a frame leaves behind is garbage a moment later. V8 would give such short lives up to 32 MB; with a few megabytes
 * it collects more often and pauses for less, and the terminal stays that much smaller. To be called when all that a
 * start loads is loaded: until then the space has to grow. Only the growth is limited, so it can be set while V8 runs.
 */
export function keepYoungSmall(): void {
  process.getBuiltinModule('node:v8').setFlagsFromString('--semi-space-growth-factor=1');
}
