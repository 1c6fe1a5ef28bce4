/** Whether far more wants to run on this machine than it has processors for: then everything takes several times as long. */
export function isMachineBusy(): boolean {
  const { availableParallelism, loadavg } = process.getBuiltinModule('node:os');
  // Windows says 0.
  return (loadavg()[0] ?? 0) > 2 * availableParallelism();
}
