import { estimateTokens } from '../../fragments/text/truncate.ts';
import { whole } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { hookEvents, type HookRun, type ThreadEvent } from '../../../protocol/thread-event.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';

/** Output of a hook from when the thread was opened. A section sends it again after every checkpoint. */
export type SessionText = { readonly key: string; readonly text: string };

export function hookRan(turnId: TurnId, run: HookRun, context?: string): LineDraft {
  return { type: lineType.hook, payload: { turn_id: turnId, run: storedRun(run), context } };
}

export function isSessionText({ event }: Pick<HookRun, 'event'>): boolean {
  return event === 'SessionStart' || event === 'SubagentStart';
}

function storedRun({ durationMs, entries, ...run }: HookRun): JsonObject {
  return { ...run, duration_ms: durationMs, entries: entries.map((entry) => ({ ...entry })) };
}

const statuses = ['completed', 'blocked', 'stopped', 'failed'] as const;
const kinds = ['warning', 'feedback', 'stop', 'context', 'change', 'error'] as const;

export function hookEvent(payload: JsonObject): ThreadEvent | undefined {
  const run = readRun(objectAt(payload, 'run'));
  const turnId = stringAt(payload, 'turn_id') as TurnId | undefined;
  return run === undefined || turnId === undefined ? undefined : { kind: 'hook-completed', turnId, run };
}

function readRun(stored: JsonObject | undefined): HookRun | undefined {
  return whole({
    id: stringAt(stored, 'id'),
    key: stringAt(stored, 'key'),
    event: hookEvents.find((name) => name === stored?.['event']),
    command: stringAt(stored, 'command'),
    status: statuses.find((name) => name === stored?.['status']),
    durationMs: numberAt(stored, 'duration_ms') ?? 0,
    entries: objectsAt(stored, 'entries').flatMap((entry) => {
      return whole({ kind: kinds.find((name) => name === entry['kind']), text: stringAt(entry, 'text') }) ?? [];
    }),
  });
}

/** A file may claim any number of texts of any length. In tokens. */
const limits = { texts: 20, tokensEach: 3000 } as const;

/** Folds a line. A repeated hook replaces its text; a failed one changes nothing. */
export function foldSessionText(texts: readonly SessionText[], payload: JsonObject): readonly SessionText[] {
  const run = readRun(objectAt(payload, 'run'));
  if (run === undefined || !isSessionText(run) || run.status === 'failed') return texts;
  return withText(texts, { key: run.key, text: stringAt(payload, 'context') ?? '' });
}

function withText(texts: readonly SessionText[], { key, text }: SessionText): readonly SessionText[] {
  const others = texts.filter((each) => each.key !== key);
  if (text === '' || estimateTokens(text) > limits.tokensEach) return others.length === texts.length ? texts : others;
  const at = texts.findIndex((each) => each.key === key);
  return at < 0 ? [...others, { key, text }].slice(-limits.texts) : texts.with(at, { key, text });
}

export function readSessionTexts(carried: JsonObject): readonly SessionText[] {
  const texts = objectsAt(carried, 'session_context').flatMap((each) => {
    return whole({ key: stringAt(each, 'key'), text: stringAt(each, 'text') }) ?? [];
  });
  return texts.reduce<readonly SessionText[]>(withText, []);
}
