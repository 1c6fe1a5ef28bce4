import {
  sealedClaimIn,
  sealedForkIn,
  sealedGrantsIn,
  importNameOf,
  sealSubject,
  sealText,
} from '../../core/state/line-seals.ts';
import type { SealedClaim } from '../../core/state/line-seals.ts';
import { type LastSettings, newestGrantingSettings, withoutStartSettings } from '../../core/state/resumed-settings.ts';
import type { ThreadState } from '../../core/state/thread-state.ts';
import type { RolloutStore, Seals } from '../../ports/thread-store.ts';
import { parseThreadId, type ThreadId } from '../../protocol/ids.ts';
import { type JsonObject, stringAt } from '../../protocol/json.ts';
import type { Line } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';

/** `ours`: this home's engine wrote it. `foreign`: nothing proves that. `imported`: as `foreign`, brought here. */
export type ThreadOrigin = 'ours' | 'foreign' | 'imported';
export type ResumedPast = { readonly id: ThreadId; readonly last: LastSettings; readonly standing: ThreadOrigin };

/** The thread's initial settings count only if their own line is proven to be ours; later turns do not prove it. */
export async function provenStartSettings(
  parts: ProvingParts,
  id: ThreadId,
  { meta, settings }: Pick<ThreadState, 'meta' | 'settings'>,
  last: LastSettings,
): Promise<LastSettings> {
  const said = settings && sealedGrantsIn(settings);
  const isOurs = said !== undefined && (await isWrittenByThisHome(parts, { id, meta }, said));
  return isOurs ? last : withoutStartSettings(last);
}

export async function findThreadOrigin(parts: ProvingParts, id: ThreadId, state: ThreadState): Promise<ThreadOrigin> {
  const { meta } = state;
  const line = newestGrantingSettings(state);
  const said = line === undefined ? undefined : sealedGrantsIn(line);
  if (said !== undefined && (await isWrittenByThisHome(parts, { id, meta }, said))) return 'ours';
  return importNameOf(meta) === undefined ? 'foreign' : 'imported';
}

export type ProvingParts = { readonly store: Pick<RolloutStore, 'current'>; readonly seals: Seals };
/** A thread, by its first line. */
export type DescribedThread = { readonly id: ThreadId; readonly meta: JsonObject };

/** True if an engine of this home wrote this line. Only then does the engine act on it. */
export async function isLineOfThisHome(parts: ProvingParts, thread: DescribedThread, line: Line): Promise<boolean> {
  const said = sealedClaimIn(line);
  return said !== undefined && isWrittenByThisHome(parts, thread, said);
}

/** Like `isLineOfThisHome`, for a claim that was read from a line. */
export async function isWrittenByThisHome(parts: ProvingParts, thread: DescribedThread, { claim, seal }: SealedClaim) {
  if (seal === undefined) return false;
  for await (const subject of subjects(parts, thread)) {
    if (parts.seals.holds(sealText(subject, claim), seal)) return true;
  }
  return false;
}

/** No real thread has been forked this often. */
const longestLine = 100;

/** The thread itself and those it was forked from: its own lines begin with theirs. */
async function* subjects({ store, seals }: ProvingParts, { id, meta }: DescribedThread): AsyncGenerator<string> {
  let [of, about]: [string, JsonObject] = [id, meta];
  for (let i = 0; i < longestLine; i++) {
    const subject = sealSubject(of, about);
    yield subject;
    const fork = sealedForkIn(about);
    const isProven = fork?.seal !== undefined && seals.holds(sealText(subject, fork.claim), fork.seal);
    const source = isProven ? parseThreadId(stringAt(about, 'forked_from_id') ?? '') : undefined;
    const current = source === undefined ? undefined : await store.current(source);
    if (source === undefined || current?.kind !== 'current') return;
    [of, about] = [source, current.meta];
  }
}

/** Notice that the key of the seals cannot be used. `problem`: in the words of `Seals`. */
export function unusableKeyNotice(problem: string): Outcome<'seal-key-unusable'> {
  return {
    code: 'seal-key-unusable',
    message: `Capstan cannot verify which threads in this home folder it wrote: ${problem}.`,
    next:
      'Until you fix the key, Capstan trusts no thread: it ignores their permissions, pinned notes and waiting messages. ' +
      'If the key is lost, delete the file and Capstan makes a new one. The new key does not cover older threads: ' +
      'grant their permissions again; their notes and waiting messages stay ignored.',
  };
}

/** The refusal to pin a note without a key: no turn would read it. */
export function pinWithoutKeyRefusal(problem: string): Outcome<'seal-key-unusable'> {
  const { code, next } = unusableKeyNotice(problem);
  return { code, message: `The pinned notes cannot be changed: ${problem}.`, next };
}
