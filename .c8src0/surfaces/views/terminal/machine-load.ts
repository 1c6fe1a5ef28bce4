/** True if the machine is overloaded: then everything takes several times as long. */
export function isMachineBusy(): boolean {
  const { availableParallelism, loadavg } = process.getBuiltinModule('node:os');
  // Windows always reports 0.
  return (loadavg()[0] ?? 0) > 2 * availableParallelism();
}
