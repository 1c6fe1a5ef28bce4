import { lastUsage, type NewestCount } from '../history/newest-count.ts';
import { defined } from '../protocol/defined.ts';
import { type JsonObject, numberAt, objectAt } from '../protocol/json.ts';
import { isSameCount, type Usage } from '../protocol/usage.ts';
import { makerNow } from './maker-now.ts';
import type { ThreadState } from './thread-state.ts';
import { readUsage } from './usage-fields.ts';

/** The newest count after a `token_count` event with this `info`. */
export function foldNewestCount(state: ThreadState, event: JsonObject, info: JsonObject, total: Usage): NewestCount {
  const { newest } = state.usage;
  const last = readUsage(info['last_token_usage']);
  const ours = objectAt(event, 'capstan');
  const isOfStep = numberAt(ours, 'step') !== undefined;
  if (!isOfStep && isRepeated(state, last, ours === undefined ? total : undefined)) return newest;
  const covers = { upTo: state.history.length, ...defined({ by: askedNow(state) }) };
  if (last.input > 0) return { kind: 'counted', usage: last, ...covers };
  const tokens = last.total;
  // All programs record a refused request as a total of the size of the window.
  if (tokens > 0 && tokens === numberAt(info, 'model_context_window')) return { kind: 'full', tokens, ...covers };
  // Of an answer that was not counted, the line has an estimate for other readers. The older count still holds.
  return isOfStep && newest.kind === 'counted' ? newest : { kind: 'estimated', tokens, ...covers };
}

/** A line that adds to the total alone says the newest count again. Other programs repeat both at times. */
function isRepeated({ usage }: ThreadState, last: Usage, total: Usage | undefined): boolean {
  return isSameCount(last, lastUsage(usage.newest)) && (total === undefined || isSameCount(total, usage.total));
}

/** Who got the newest request. */
function askedNow(state: ThreadState) {
  const { sent } = state;
  return (sent?.kind === 'request' ? sent.record.provider : undefined) ?? makerNow(state);
}
