import type { TurnId } from '../protocol/ids.ts';
import { arrayAt, isJsonObject, type Json, type JsonObject, numberAt, objectAt, stringAt } from '../protocol/json.ts';
import type { PrefixBreak, PrefixBrokenEvent } from '../protocol/thread-event.ts';

/** What a `capstan_request` line says its request broke. Undefined: nothing, or it is a request beside the conversation. */
export function prefixBroken(payload: JsonObject): PrefixBrokenEvent | undefined {
  const [turnId, step] = [stringAt(payload, 'turn_id'), numberAt(payload, 'step')];
  const prefix = objectAt(payload, 'prefix');
  if (turnId === undefined || step === undefined || payload['auxiliary'] !== undefined) return undefined;
  const breaks = (arrayAt(prefix, 'breaks') ?? []).filter(isBreak);
  if (breaks.length === 0) return undefined;
  const keptTokens = numberAt(objectAt(prefix, 'kept'), 'tokens') ?? 0;
  return { kind: 'prefix-broken', turnId: turnId as TurnId, step, keptTokens, breaks };
}

/** A file may say anything. */
function isBreak(value: Json): value is Json & PrefixBreak {
  if (!isJsonObject(value) || numberAt(value, 'tokens') === undefined) return false;
  switch (value['kind']) {
    case 'checkpoint':
    case 'rollback':
    case 'reopened':
    case 'instructions':
      return true;
    case 'setting':
      return stringAt(value, 'name') !== undefined;
    case 'tools':
      return ['added', 'removed', 'changed'].every((key) => isNames(value[key]));
    case 'entry':
      return numberAt(value, 'index') !== undefined && (value['what'] === 'changed' || value['what'] === 'removed');
    default:
      return false;
  }
}

function isNames(value: Json | undefined): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}
