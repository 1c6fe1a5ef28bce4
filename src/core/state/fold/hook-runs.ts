import { estimateTokens } from '../../fragments/text/truncate.ts';
import { ifAllDefined } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { hookEvents, type HookRun, type ThreadEvent } from '../../../protocol/thread-event.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import { type LineDraft, lineType } from '../../../protocol/line.ts';

/** Output of a hook from when the thread was opened. A section sends it again after every checkpoint. */
export type SessionHookText = { readonly key: string; readonly text: string };
type HookTexts = readonly SessionHookText[];

export function hookRunLine(turnId: TurnId, { durationMs, entries, ...run }: HookRun, context?: string): LineDraft {
  const stored = { ...run, duration_ms: durationMs, entries: entries.map((entry) => ({ ...entry })) };
  return { type: lineType.hook, payload: { turn_id: turnId, run: stored, context } };
}

export const isSessionHook = ({ event }: Pick<HookRun, 'event'>): boolean =>
  event === 'SessionStart' || event === 'SubagentStart';

const statuses = ['completed', 'blocked', 'stopped', 'failed'] as const;
const kinds = ['warning', 'feedback', 'stop', 'context', 'change', 'error'] as const;

export function readHookEvent(payload: JsonObject): ThreadEvent | undefined {
  const run = readRun(objectAt(payload, 'run'));
  const turnId = stringAt(payload, 'turn_id') as TurnId | undefined;
  return run === undefined || turnId === undefined ? undefined : { kind: 'hook-completed', turnId, run };
}

function readRun(stored: JsonObject | undefined): HookRun | undefined {
  return ifAllDefined({
    id: stringAt(stored, 'id'),
    key: stringAt(stored, 'key'),
    event: hookEvents.find((name) => name === stored?.['event']),
    command: stringAt(stored, 'command'),
    status: statuses.find((name) => name === stored?.['status']),
    durationMs: numberAt(stored, 'duration_ms') ?? 0,
    entries: objectsAt(stored, 'entries').flatMap((entry) => {
      return ifAllDefined({ kind: kinds.find((name) => name === entry['kind']), text: stringAt(entry, 'text') }) ?? [];
    }),
  });
}

/** A file may claim any number of texts of any length. In tokens. */
const limits = { texts: 20, tokensEach: 3000 } as const;

/** Folds a line. A repeated hook replaces its text; a failed one changes nothing. */
export function foldSessionHookText(texts: HookTexts, payload: JsonObject): HookTexts {
  const run = readRun(objectAt(payload, 'run'));
  if (run === undefined || !isSessionHook(run) || run.status === 'failed') return texts;
  return withText(texts, { key: run.key, text: stringAt(payload, 'context') ?? '' });
}

function withText(texts: HookTexts, { key, text }: SessionHookText): HookTexts {
  const others = texts.filter((each) => each.key !== key);
  if (text === '' || estimateTokens(text) > limits.tokensEach) return others.length === texts.length ? texts : others;
  const at = texts.findIndex((each) => each.key === key);
  return at < 0 ? [...others, { key, text }].slice(-limits.texts) : texts.with(at, { key, text });
}

export function sessionHookTextsFromJson(carried: JsonObject): HookTexts {
  const texts = objectsAt(carried, 'session_context').flatMap((each) => {
    return ifAllDefined({ key: stringAt(each, 'key'), text: stringAt(each, 'text') }) ?? [];
  });
  return texts.reduce<HookTexts>(withText, []);
}
