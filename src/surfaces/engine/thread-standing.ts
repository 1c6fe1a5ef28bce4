import type { RolloutStore } from '../../ports/rollout-store.ts';
import type { Seals } from '../../ports/seals.ts';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import type { Line } from '../../protocol/line.ts';
import { grantingLine, type LastSettings } from '../../state/resumed-settings.ts';
import { claimIn, forkIn, grantsIn, importOf, type Sealed, sealSubject, sealText } from '../../state/sealed-lines.ts';
import type { ThreadState } from '../../state/thread-state.ts';

/**
 * Who says what a thread may do. `ours`: this home's engine wrote it. `foreign`: another program did, or nothing proves
 * who. `imported`: the same, in a file that was brought here.
 */
export type Standing = 'ours' | 'foreign' | 'imported';

/** What a resumed thread had, and who says so. */
export interface ResumedPast {
  readonly id: ThreadId;
  readonly last: LastSettings;
  readonly standing: Standing;
}

interface StandingParts {
  readonly store: Pick<RolloutStore, 'current'>;
  readonly seals: Seals;
}

export async function standingOf(parts: StandingParts, id: ThreadId, state: ThreadState): Promise<Standing> {
  const line = grantingLine(state);
  const said = line === undefined ? undefined : grantsIn(line);
  if (said !== undefined && (await isOurs(parts, id, state.meta, said))) return 'ours';
  return importOf(state.meta) === undefined ? 'foreign' : 'imported';
}

/** Whether a line of the thread that makes the engine act was written by this home's engine. */
export async function isOurLine(
  parts: StandingParts,
  { id, meta }: { readonly id: ThreadId; readonly meta: JsonObject },
  line: Line,
): Promise<boolean> {
  const said = claimIn(line);
  return said !== undefined && isOurs(parts, id, meta, said);
}

async function isOurs(parts: StandingParts, id: ThreadId, meta: JsonObject, { claim, seal }: Sealed): Promise<boolean> {
  if (seal === undefined) return false;
  for await (const subject of subjects(parts, id, meta)) {
    if (parts.seals.holds(sealText(subject, claim), seal)) return true;
  }
  return false;
}

/** No thread of a person has been forked this often. */
const longestLine = 100;

/** The thread itself, and those that it was forked from: their lines are the beginning of its own. */
async function* subjects({ store, seals }: StandingParts, id: ThreadId, meta: JsonObject): AsyncGenerator<string> {
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
