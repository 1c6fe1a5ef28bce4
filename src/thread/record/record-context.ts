import { contentName } from '../../fragments/foreign/content-name.ts';
import { type FragmentKind, render } from '../../fragments/text/define.ts';
import { mergeFragments } from '../../history/merge-fragments.ts';
import { defined } from '../../protocol/defined.ts';
import type { Json } from '../../protocol/json.ts';
import type { ContextCause } from '../../protocol/thread-event.ts';
import { itemLine } from '../../state/item-drafts.ts';
import { withTold } from '../../state/told-values.ts';
import { entering } from '../../state/waiting.ts';
import type { Baseline } from '../../world/baseline.ts';
import type { Telling } from '../../world/tell.ts';
import type { RecordingTurn, ThreadParts } from '../parts/parts.ts';

/** A text for the model, with what surfaces are sent of it. */
type ContextText = Pick<Telling['told'][number], 'fragment'> & { readonly value?: Json | undefined };

/** As much of a turn as a text needs to enter its history. */
interface ToldTurn extends Pick<RecordingTurn, 'log' | 'turnId'> {
  readonly parts: Pick<ThreadParts, 'ids'>;
}

interface Reason {
  readonly cause: Exclude<ContextCause, 'user'>;
  readonly why?: string;
}

/** What the world sections had to say. */
export function recordTelling(turn: RecordingTurn, { form, told }: Telling, baseline: Baseline): void {
  recordContext(turn, told, form === 'change' ? { cause: 'change' } : bundleReason(turn, baseline));
}

/** Something that happened, and is sent once. */
export function recordEvent<Payload extends Json>(turn: ToldTurn, kind: FragmentKind<Payload>, payload: Payload): void {
  recordEvents(turn, kind, [payload]);
}

/** Several at once: those that need not stand alone share a message. */
export function recordEvents<Payload extends Json>(
  turn: ToldTurn,
  kind: FragmentKind<Payload>,
  payloads: readonly Payload[],
): void {
  const texts = payloads.map((payload) => ({ fragment: render(kind, payload), value: payload }));
  recordContext(turn, texts, { cause: 'event' });
}

/** Something that happened and had to wait. `waited`: the name of its line. */
export function recordWaited(turn: ToldTurn, text: ContextText, waited: string | undefined): void {
  recordContext(turn, [text], { cause: 'event' }, waited);
}

function bundleReason({ log }: RecordingTurn, baseline: Baseline): Reason {
  if (log.state.history.length === 0 || baseline.kind === 'known') return { cause: 'initial' };
  return { cause: 'reinjection', why: baseline.why === 'start' ? 'unproven' : baseline.why };
}

function recordContext(
  { log, parts, turnId }: ToldTurn,
  texts: readonly ContextText[],
  reason: Reason,
  waited?: string,
): void {
  const values = new Map(texts.map(({ fragment, value }) => [fragment, value]));
  for (const { fragments, item, origin } of mergeFragments(values.keys(), reason.cause)) {
    const itemId = `msg_${parts.ids.uuid()}`;
    const told = fragments.map((fragment) => ({ fragment, value: values.get(fragment) }));
    const line = itemLine(item(itemId), origin, turnId);
    const facts = { values: told.map(({ value }) => value), ...defined({ why: reason.why }) };
    log.record(entering({ ...line, metadata: withTold(line.metadata ?? {}, facts) }, waited));
    tellContext({ log, turnId }, itemId, told, reason);
  }
}

/** The texts of one item, for surfaces. */
export function tellContext(
  { log, turnId }: Pick<ToldTurn, 'log' | 'turnId'>,
  itemId: string,
  texts: readonly ContextText[],
  reason: Reason,
): void {
  for (const { fragment, value } of texts) {
    const content = contentName(fragment.kind);
    const what = { content, ...reason, ...defined({ value }), text: fragment.text };
    log.tell({ kind: 'context', turnId, itemId, ...what });
  }
}
