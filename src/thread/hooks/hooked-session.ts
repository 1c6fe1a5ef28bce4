import { entries } from '../../history/history.ts';
import { type CallItem, isCall } from '../../protocol/item.ts';
import { arrayAt, parseJsonObject, stringAt } from '../../protocol/json.ts';
import type { RecordedSession } from '../../state/sessions.ts';
import { shortWord } from '../../state/short-word.ts';
import type { CallResult } from '../../tools/define.ts';
import type { Turn } from '../parts/parts.ts';

/**
 * The call that is over with this result. A command that runs on is not; it ends with the result of the `write_stdin`
 * that says so, and then its own call is meant.
 */
export function callThatEnded(
  turn: Pick<Turn, 'log'>,
  call: CallItem,
  { session, dropped = [] }: Pick<CallResult, 'session' | 'dropped'>,
): CallItem | undefined {
  if (session !== undefined) return undefined;
  if (call.name !== 'write_stdin') return call;
  const id = call.type === 'function_call' ? parseJsonObject(call.arguments)?.['session_id'] : undefined;
  if (!dropped.some((each) => each.id === id)) return undefined;
  const { sessions, history } = turn.log.state;
  const ended = sessions.find((each) => each.id === id);
  if (ended === undefined) return undefined;
  const all = entries(history).map(({ item }) => item);
  const started = all.findLast((item) => isCall(item) && item.call_id === ended.callId);
  return startedWith(ended, started !== undefined && isCall(started) ? started : undefined);
}

/** What ran is what the session says. Long words stand whole in the call, unless history has lost it. */
function startedWith({ item, callId }: RecordedSession, started: CallItem | undefined): CallItem {
  const ran = arrayAt(item, 'command')?.at(-1);
  const given = started?.type === 'function_call' ? parseJsonObject(started.arguments) : undefined;
  const whole = stringAt(given, 'cmd');
  const cmd = whole !== undefined && shortWord(whole) === ran ? whole : typeof ran === 'string' ? ran : '';
  return { type: 'function_call', call_id: callId, name: 'exec_command', arguments: JSON.stringify({ cmd }) };
}
