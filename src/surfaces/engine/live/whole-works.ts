import type { AsyncLocalStorage } from 'node:async_hooks';

/** Work on a thread as a whole, as the promise of its end. */
type WholeWork = Promise<void>;

/** The works that the running code is part of. Made on use: few programs do such work. */
let caller: AsyncLocalStorage<ReadonlySet<WholeWork>> | undefined;

function worksOfCaller(): ReadonlySet<WholeWork> {
  return caller?.getStore() ?? new Set();
}

/** Which works a work waits for: those before it, and those that it uses or asks for on other threads. */
const waitsOf = new WeakMap<WholeWork, Set<WholeWork>>();

function addWait(work: WholeWork, other: WholeWork): void {
  const waits = waitsOf.get(work) ?? new Set();
  waitsOf.set(work, waits.add(other));
  void other.then(() => waits.delete(other));
}

/** The caller waits for it. */
export function addWaits(work: WholeWork): void {
  for (const own of worksOfCaller()) addWait(own, work);
}

/** Whether a work of the caller must be over before this one is, itself included. */
export function waitsForCaller(work: WholeWork, seen = new Set<WholeWork>()): boolean {
  if (worksOfCaller().has(work)) return true;
  if (seen.has(work)) return false;
  seen.add(work);
  return [...(waitsOf.get(work) ?? [])].some((other) => waitsForCaller(other, seen));
}

/** Notes that the caller asks for this work, which begins after another. Gives what runs it as part of the caller's. */
export function runAsWork(
  work: WholeWork,
  { after }: { readonly after: WholeWork | undefined },
): <Result>(run: () => Promise<Result>) => Promise<Result> {
  if (after !== undefined) addWait(work, after);
  addWaits(work);
  const works = new Set([...worksOfCaller(), work]);
  const storage = (caller ??= new (process.getBuiltinModule('node:async_hooks').AsyncLocalStorage)());
  return (run) => storage.run(works, run);
}
