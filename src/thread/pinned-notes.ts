import type { Ids } from '../ports/ids.ts';
import type { OpenRefused, RolloutStore } from '../ports/rollout-store.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { LineDraft } from '../protocol/line.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { type Pin, pinAdded, pinProblem, pinRemoved } from '../state/pins.ts';
import { foldThread, openThread } from './resume.ts';

/** A note was pinned to a thread, or taken away from it. */
export interface PinsChanged {
  readonly kind: 'pinned' | 'unpinned';
  readonly id: ThreadId;
  readonly pin: Pin;
  /** All that the thread has now, oldest first. */
  readonly pins: readonly Pin[];
}

type Refused = Outcome & { readonly kind: 'refused' };

/** The notes of a thread, archived or not. Nobody is kept from writing it meanwhile. */
export async function pinsOf(store: RolloutStore, id: ThreadId): Promise<readonly Pin[]> {
  return (await foldThread(store, id)).state.pins;
}

/** The next turn tells it to the model, and so does the first one after every checkpoint. */
export function pinNote(store: RolloutStore, ids: Ids, id: ThreadId, text: string): Promise<PinsChanged | Refused> {
  return changePins(store, id, (pins) => {
    const note = text.trim();
    const problem = pinProblem(id, pins, note);
    if (problem !== undefined) return problem;
    const pin = { id: ids.uuid(), text: note };
    return { kind: 'pinned', pin, draft: pinAdded(pin) };
  });
}

/** `which`: its number in the list, counted from 1, its id, or the beginning of that. */
export function unpinNote(store: RolloutStore, id: ThreadId, which: string): Promise<PinsChanged | Refused> {
  return changePins(store, id, (pins) => {
    const pin = findPin(pins, which);
    if (pin !== undefined) return { kind: 'unpinned', pin, draft: pinRemoved(pin.id) };
    const have = pins.length === 1 ? 'one pinned note' : `${pins.length} pinned notes`;
    return {
      code: 'pin-unknown',
      message: `Thread ${id} has no pinned note ${JSON.stringify(which)}: it has ${have}.`,
      next: `See \`capstan threads pins ${id}\`.`,
    };
  });
}

function findPin(pins: readonly Pin[], which: string): Pin | undefined {
  const exact = pins.find(({ id }) => id === which) ?? (/^\d{1,3}$/.test(which) ? pins[Number(which) - 1] : undefined);
  if (exact !== undefined || which.length < 4) return exact;
  const begun = pins.filter(({ id }) => id.startsWith(which));
  return begun.length === 1 ? begun[0] : undefined;
}

interface PinChange extends Pick<PinsChanged, 'kind' | 'pin'> {
  readonly draft: LineDraft;
}

async function changePins(
  store: RolloutStore,
  id: ThreadId,
  change: (pins: readonly Pin[]) => PinChange | Outcome,
): Promise<PinsChanged | OpenRefused | Refused> {
  const opened = await openThread(store, id);
  if (opened.kind === 'refused') return opened;
  const { owned, state } = opened;
  try {
    const changed = change(state.pins);
    if ('code' in changed) return { ...changed, kind: 'refused' };
    const { kind, pin, draft } = changed;
    owned.append([draft]);
    await owned.durable();
    const others = state.pins.filter((each) => each.id !== pin.id);
    return { kind, id, pin, pins: kind === 'pinned' ? [...others, pin] : others };
  } finally {
    await owned.close();
  }
}
