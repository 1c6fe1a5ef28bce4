import type { ProgramEnd } from '../ports/run-program.ts';
import { defined } from '../protocol/defined.ts';
import type { HookEntry, HookEvent } from '../protocol/hook-run.ts';
import { isJsonObject, type JsonObject, parseJsonObject, stringAt } from '../protocol/json.ts';
import { blockable, blockedBy, failedHook, type HookAnswer, takesText } from './hook-answer.ts';
import { readSpecific, type Specific } from './read-specific.ts';

const completed: HookAnswer = { status: 'completed', entries: [] };

/** What a hook that has ended said, by its exit code and what it wrote. */
export function readHookAnswer(
  event: HookEvent,
  end: ProgramEnd,
  { timeoutSeconds, outputBytes }: { readonly timeoutSeconds: number; readonly outputBytes: number },
): HookAnswer {
  switch (end.kind) {
    case 'not-started':
      return failedHook(end.reason);
    case 'timed-out':
      return failedHook(`It took longer than its time-out of ${timeoutSeconds} s.`);
    case 'aborted':
      return failedHook('It was ended before it was done.');
    case 'exited':
      return readExited(event, end, outputBytes);
  }
}

function readExited(event: HookEvent, end: Extract<ProgramEnd, { kind: 'exited' }>, outputBytes: number): HookAnswer {
  const { exitCode, isCut } = end;
  const [stdout, stderr] = [end.stdout.trim(), end.stderr.trim()];
  if (exitCode === 2 && blockable.has(event)) {
    return stderr === ''
      ? failedHook('It exited with code 2 and gave no reason on standard error.')
      : blockedBy(stderr);
  }
  if (exitCode !== 0) return failedHook(`It exited with code ${exitCode}.${stderr === '' ? '' : ` ${stderr}`}`);
  if (stdout === '') return completed;
  if (stdout.startsWith('{') || stdout.startsWith('[')) {
    if (isCut) return failedHook(`It printed too much: an answer in JSON may have ${outputBytes / 1_000_000} MB.`);
    const answer = parseJsonObject(stdout);
    return answer === undefined ? failedHook('What it printed is no valid JSON object.') : readJson(event, answer);
  }
  if (takesText.has(event)) return { ...completed, context: stdout };
  return event === 'Stop' || event === 'SubagentStop' ? failedHook('It printed text that is no JSON.') : completed;
}

const everywhere = ['continue', 'stopReason', 'suppressOutput', 'systemMessage', 'hookSpecificOutput'];

function readJson(event: HookEvent, answer: JsonObject): HookAnswer {
  // Output of the last hooks of a session is not looked at.
  if (event === 'SessionEnd') return completed;
  const decides = blockable.has(event) && event !== 'PermissionRequest';
  const known = decides ? [...everywhere, 'decision', 'reason'] : everywhere;
  const odd = Object.keys(answer).find((name) => !known.includes(name));
  if (odd !== undefined) return failedHook(`Its answer has the member ${JSON.stringify(odd)}, which is unknown here.`);
  const own = answer['hookSpecificOutput'] ?? undefined;
  const specific: Specific | string =
    own === undefined ? {} : isJsonObject(own) ? readSpecific(event, own) : 'It has no table there.';
  if (typeof specific === 'string') return failedHook(`Its hookSpecificOutput makes no sense. ${specific}`);
  const message = stringAt(answer, 'systemMessage');
  const entries: readonly HookEntry[] = message === undefined ? [] : [{ kind: 'warning', text: message }];
  const said: HookAnswer = { ...completed, ...specific, entries };
  const { decision, reason } = answer;
  if (answer['continue'] === false) return stopped(event, said, stringAt(answer, 'stopReason') ?? '');
  if (specific.blocked !== undefined) return blockedBy(specific.blocked, said);
  if (decision === undefined || decision === null) return said;
  if (decision !== 'block') return failedHook(`The decision ${JSON.stringify(decision)} is not supported here.`);
  if (typeof reason !== 'string' || reason.trim() === '') return failedHook('It blocks and gives no reason.');
  return blockedBy(reason.trim(), said);
}

/** Calls and questions have answers of their own: a hook that wants to end the turn there has none. */
function stopped(event: HookEvent, said: HookAnswer, reason: string): HookAnswer {
  if (event === 'PreToolUse' || event === 'PermissionRequest')
    return failedHook('`continue: false` is not supported here.');
  if (event === 'SubagentStart') return said;
  const entries = reason === '' ? said.entries : [...said.entries, { kind: 'stop', text: reason } as const];
  return { ...said, ...defined({ context: said.context }), status: 'stopped', stopped: reason, entries };
}
