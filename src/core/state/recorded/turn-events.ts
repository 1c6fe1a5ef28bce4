import { percentRemaining } from '../../history/window-usage.ts';
import { defined } from '../../../base/objects.ts';
import type { TurnId } from '../../../protocol/ids.ts';
import { type JsonObject, numberAt, objectAt, objectsAt, stringAt } from '../../../protocol/json.ts';
import type { ModelSwitchedEvent, SettingsEvent, ThreadEvent, UsageEvent } from '../../../protocol/thread-event.ts';
import type { Usage } from '../../../protocol/usage.ts';
import { readFailureFacts, readShownUsage, readUsage } from '../drafts/usage-and-failure-fields.ts';
import { withoutSeal } from '../line-seals.ts';
import { readTurnEvent } from '../drafts/turn-lines.ts';

export function readTurnEnd(payload: JsonObject, open: string | undefined, usage: Usage): ThreadEvent | undefined {
  const event = readTurnEvent(payload);
  if (event?.kind !== 'end') return undefined;
  const name = event.name === '' ? open : event.name;
  if (name === undefined) return undefined;
  const turnId = name as TurnId;
  const ours = objectAt(payload, 'capstan');
  if (event.status === 'interrupted') {
    const isLate = event.at === undefined && stringAt(ours, 'cause') !== undefined;
    return { kind: 'turn-aborted', turnId, usage, ...defined({ leftOpen: isLate || undefined }) };
  }
  const said = defined({ lastMessage: stringAt(payload, 'last_agent_message') });
  if (event.status !== 'failed') {
    const endedBy = ours?.['ended_by'] === 'hook' ? ('hook' as const) : undefined;
    return { kind: 'turn-completed', turnId, usage, ...said, ...defined({ endedBy }) };
  }
  const continuedBy = stringAt(ours, 'continued_by');
  const outcome = { ...readOutcome(objectAt(payload, 'error')), ...readFailureFacts(objectAt(ours, 'failure')) };
  return { kind: 'turn-failed', turnId, outcome, ...said, ...defined({ continuedBy }) };
}

export function readOutcome(value: JsonObject | undefined) {
  const [code = '', message = '', next = ''] = ['code', 'message', 'next'].map((name) => stringAt(value, name));
  return { code, message, next };
}

export function modelSwitchEvent(turnId: TurnId, switched: JsonObject | undefined): ModelSwitchedEvent | undefined {
  const [from, to] = [stringAt(switched, 'from'), stringAt(switched, 'to')];
  if (from === undefined || to === undefined) return undefined;
  const changes = objectsAt(switched, 'changes') as unknown as ModelSwitchedEvent['changes'];
  return { kind: 'model-switched', turnId, from, to, changes };
}

/** Only changes are events: unchanged settings say nothing about the environment. */
export function settingsEventIn(payload: JsonObject): SettingsEvent | undefined {
  const settings = objectAt(payload, 'thread_settings');
  if (settings === undefined) return undefined;
  const environment = objectAt(objectAt(payload, 'capstan'), 'environment');
  if (environment === undefined && settings['capstan'] !== undefined) return undefined;
  return { kind: 'settings', cause: 'override', settings: withoutSeal(settings) ?? {}, environment: environment ?? {} };
}

type UsageRead = { readonly total: Usage; readonly event: UsageEvent | undefined };

/** Capstan marks those of its own counts that are not about a step. */
export function usageEventIn(payload: JsonObject, turnId: TurnId, before: Usage): UsageRead {
  const info = objectAt(payload, 'info');
  const fields = objectAt(info, 'total_token_usage');
  const total = fields === undefined ? before : readUsage(fields);
  const shown = readShownUsage(payload);
  if (shown !== undefined) return { total, event: { kind: 'usage', turnId, total, ...shown } };
  const last = readUsage(info?.['last_token_usage']);
  if (payload['capstan'] !== undefined || last.total === 0) return { total, event: undefined };
  const effectiveWindow = numberAt(info, 'model_context_window') ?? 0;
  const left = percentRemaining({ effective: effectiveWindow, baseline: 0, tokens: last.total });
  const known = { tokens: last.total, measure: 'exact', effectiveWindow, percentRemaining: left } as const;
  return { total, event: { kind: 'usage', turnId, step: 0, last, total, ...known } };
}
