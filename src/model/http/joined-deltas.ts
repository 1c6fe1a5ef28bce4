import type { ModelEvent } from '../../ports/model-client.ts';

type Delta = Extract<ModelEvent, { kind: 'text-delta' | 'reasoning-delta' }>;

/** Pieces of one text that came together, as one piece: each costs its way to every reader. */
export function joinedDeltas(events: readonly ModelEvent[]): readonly ModelEvent[] {
  if (events.length < 2) return events;
  const joined: ModelEvent[] = [];
  let texts: string[] = [];
  const close = (): void => {
    const last = joined.at(-1);
    if (texts.length > 1) joined[joined.length - 1] = { ...(last as Delta), delta: texts.join('') };
    texts = [];
  };
  for (const event of events) {
    const last = joined.at(-1);
    if (texts.length > 0 && isDelta(event) && continues(last as Delta, event)) {
      texts.push(event.delta);
      continue;
    }
    close();
    joined.push(event);
    if (isDelta(event)) texts.push(event.delta);
  }
  close();
  return joined;
}

function isDelta(event: ModelEvent): event is Delta {
  return event.kind === 'text-delta' || event.kind === 'reasoning-delta';
}

function continues(before: Delta, next: Delta): boolean {
  if (before.itemId !== next.itemId) return false;
  if (before.kind === 'reasoning-delta') return next.kind === 'reasoning-delta' && before.part === next.part;
  return next.kind === 'text-delta';
}
