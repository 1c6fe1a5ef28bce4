import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import type { Line } from '../../protocol/line.ts';
import { claimIn, forkIn, type Sealed, sealSubject, sealText } from '../../state/sealed-lines.ts';

/** What it takes to separate lines that this home's engine wrote from others. */
export interface ProvingParts {
  readonly store: Pick<RolloutStore, 'current'>;
  readonly seals: Seals;
}

/** A thread, by its first line. */
export interface DescribedThread {
  readonly id: ThreadId;
  readonly meta: JsonObject;
}

/** Whether a line of the thread that makes the engine act was written by this home's engine. */
export async function isOurLine(parts: ProvingParts, thread: DescribedThread, line: Line): Promise<boolean> {
  const said = claimIn(line);
  return said !== undefined && isOurs(parts, thread, said);
}

/** The same for a claim that was read from a line. */
export async function isOurs(parts: ProvingParts, thread: DescribedThread, { claim, seal }: Sealed): Promise<boolean> {
  if (seal === undefined) return false;
  for await (const subject of subjects(parts, thread)) {
    if (parts.seals.holds(sealText(subject, claim), seal)) return true;
  }
  return false;
}

/** No real thread has been forked this often. */
const longestLine = 100;

/** The thread itself, and those that it was forked from: their lines are the beginning of its own. */
async function* subjects({ store, seals }: ProvingParts, { id, meta }: DescribedThread): AsyncGenerator<string> {
  let [of, about]: [string, JsonObject] = [id, meta];
  for (let i = 0; i < longestLine; i++) {
    const subject = sealSubject(of, about);
    yield subject;
    const fork = forkIn(about);
    const isProven = fork?.seal !== undefined && seals.holds(sealText(subject, fork.claim), fork.seal);
    const source = isProven ? parseThreadId(stringAt(about, 'forked_from_id') ?? '') : undefined;
    const current = source === undefined ? undefined : await store.current(source);
    if (source === undefined || current?.kind !== 'current') return;
    [of, about] = [source, current.meta];
  }
}
