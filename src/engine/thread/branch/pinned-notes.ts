import type { IdSource } from '../../../ports/system.ts';
import type { RolloutStore } from '../../../ports/thread-store.ts';
import type { Outcome, Refusal } from '../../../protocol/outcome.ts';
import type { ThreadId } from '../../../protocol/ids.ts';
import type { LineDraft } from '../../../protocol/line.ts';
import { type Pin, pinAddedLine, pinProblem, pinRemovedLine } from '../../../core/state/fold/pinned-notes.ts';
import { withWithheldEntries } from '../../../core/state/line-seals.ts';
import { pinWithoutKeyRefusal, type ProvingParts } from '../../store/thread-origin.ts';
import { loadThreadState } from './resume-thread.ts';
import { openProvenThread, provenState, type UnprovenClaims, withoutSeal } from './unproven-lines.ts';

export interface PinsChanged {
  readonly kind: 'pinned' | 'unpinned';
  readonly id: ThreadId;
  readonly pin: Pin;
  /** All current notes, oldest first. */
  readonly pins: readonly Pin[];
  readonly unproven: UnprovenClaims;
}

export type PinningParts = ProvingParts & { readonly store: RolloutStore };

/** The notes of a thread that count, archived or not. Does not disturb its writer. */
export async function readPinnedNotes(parts: PinningParts, id: ThreadId): Promise<readonly Pin[]> {
  const { state } = await provenState(parts, id, (await loadThreadState(parts.store, id)).state);
  return state.pins.map((pin) => withoutSeal<Pin>(pin));
}

/** The model reads the note in the next turn and in the first one after every checkpoint. */
export function pinNote(
  parts: PinningParts,
  ids: IdSource,
  id: ThreadId,
  text: string,
): Promise<PinsChanged | Refusal> {
  return changePins(parts, id, (_pins, recorded) => {
    const note = text.trim();
    const problem = pinProblem(id, recorded, note);
    if (problem !== undefined) return problem;
    const pin = { id: ids.uuid(), text: note };
    return { kind: 'pinned', pin, draft: pinAddedLine(pin) };
  });
}

/** `which`: the number in the list, counted from 1, or the id or its beginning. */
export function unpinNote(parts: PinningParts, id: ThreadId, which: string): Promise<PinsChanged | Refusal> {
  return changePins(parts, id, (pins) => {
    const pin = findPin(pins, which);
    if (pin !== undefined) return { kind: 'unpinned', pin, draft: pinRemovedLine(pin.id) };
    const have = pins.length === 1 ? 'one pinned note' : `${pins.length} pinned notes`;
    const message = `Thread ${id} has no pinned note ${JSON.stringify(which)}: it has ${have}.`;
    return { code: 'pin-unknown', message, next: `List them with \`capstan threads pins ${id}\`.` };
  });
}

function findPin(pins: readonly Pin[], which: string): Pin | undefined {
  const exact = pins.find(({ id }) => id === which) ?? (/^\d{1,3}$/.test(which) ? pins[Number(which) - 1] : undefined);
  if (exact !== undefined || which.length < 4) return exact;
  const begun = pins.filter(({ id }) => id.startsWith(which));
  return begun.length === 1 ? begun[0] : undefined;
}

type PinChange = Pick<PinsChanged, 'kind' | 'pin'> & { readonly draft: LineDraft };

async function changePins(
  parts: PinningParts,
  id: ThreadId,
  /** `recorded`: includes those left out for now. They count against the limits. */
  change: (pins: readonly Pin[], recorded: readonly Pin[]) => PinChange | Outcome,
): Promise<PinsChanged | Refusal> {
  // Check for a key before touching the thread: without one, no turn would send the note.
  if (parts.seals.seal(id) === undefined)
    return { ...pinWithoutKeyRefusal(parts.seals.problem() ?? 'there is no key to sign them with'), kind: 'refused' };
  const opened = await openProvenThread(parts, id);
  if (opened.kind === 'refused') return opened;
  const { owned, state, unproven } = opened;
  const before = state.pins.map((pin) => withoutSeal<Pin>(pin));
  try {
    const changed = change(before, withWithheldEntries(state).pins);
    if ('code' in changed) return { ...changed, kind: 'refused' };
    const { kind, pin, draft } = changed;
    owned.append([draft]);
    await owned.durable();
    const others = before.filter((each) => each.id !== pin.id);
    return { kind, id, pin, pins: kind === 'pinned' ? [...others, pin] : others, unproven };
  } finally {
    await owned.close();
  }
}
