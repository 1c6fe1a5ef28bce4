import { isMessage, type Item, messageText } from '../../protocol/item.ts';
import { arrayAt, isJsonObject } from '../../protocol/json.ts';
import {
  answer,
  type AnswerOptions,
  callTool,
  type ItemDraft,
  type RecordedRequest,
  say,
  type ScriptStep,
} from '../../testing/index.ts';
import { type CallReport, readCallReport } from '../../state/call-report.ts';
import { countedUsage } from './counted-usage.ts';
import { fixPatch, releaseLog, releaseSteps } from './project.ts';
import { callOutputs, sentItems } from './sent-items.ts';

/** What the demo asks for, in order. */
export const demoWords = {
  fix: 'The check fails. Please fix it.',
  release: 'Release version 1.0.1.',
  finish: 'You were cut off. Please finish.',
  look: 'Can you still change a file?',
} as const;

/** What a model would see in a request. */
interface Seen {
  /** Answers to the calls since the user's last words. */
  readonly reports: readonly CallReport[];
  /** Whether the newest of them was a success. */
  readonly ok: boolean;
  /** The newest answer to a call of the whole thread. */
  readonly newest: string;
  /** Whether the patch tool takes JSON. */
  readonly isPatchFunction: boolean;
}

type Sent = Pick<RecordedRequest, 'body'>;
type Move = (seen: Seen) => ItemDraft;

const moves: Readonly<Record<keyof typeof demoWords, readonly Move[]>> = {
  fix: [
    () => run('cat largest.mjs; sh check'),
    ({ ok, isPatchFunction }) => (ok ? say('The check passes. There is nothing to fix.') : patch(isPatchFunction)),
    () => run('sh check'),
    ({ ok }) =>
      say(
        ok
          ? 'Fixed. The numbers were sorted as text, so 9 came after 10. The check passes.'
          : 'My change did not help: the check still fails.',
      ),
  ],
  release: [() => run(`sh release ${releaseSteps.join(' ')}`), () => say('Released.')],
  finish: [
    ({ newest }) =>
      newest.startsWith('Outcome unknown') ? run(`cat ${releaseLog}`) : say('I see no call that was cut off.'),
    ({ reports }) => {
      const missing = releaseSteps.filter((step) => !isLogged(step, reports));
      return missing.length === 0 ? say('Every step was done already.') : run(`sh release ${missing.join(' ')}`);
    },
    ({ reports, ok }) => {
      const found = releaseSteps.filter((step) => isLogged(step, reports.slice(0, 1)));
      return say(
        ok
          ? `Released. The log showed that this step was done, so I did not repeat it: ${found.join(', ')}.`
          : 'The rest of the release failed.',
      );
    },
  ],
  look: [
    () => run("echo '// changed' >> largest.mjs"),
    ({ ok }) => say(ok ? 'Yes. I just changed largest.mjs.' : 'No. The sandbox is read-only now.'),
  ],
};

/**
 * The scripted model: what it answers depends on the request and on nothing else, like the answer of a real one. The
 * pace is for readers that watch.
 */
export function scriptedModel(
  pace: Pick<AnswerOptions, 'delayMs' | 'firstByteDelayMs'>,
): (request: Sent) => ScriptStep {
  let before: Sent | undefined;
  return (request) => {
    const items = [answerTo(request)];
    const usage = countedUsage(request, before, items);
    before = request;
    return answer({ items, usage, deltas: true, ...pace });
  };
}

function answerTo(request: Sent): ItemDraft {
  const input = sentItems(request);
  const asked = input.findLastIndex((item) => askedIn(item) !== undefined);
  const name = asked < 0 ? undefined : askedIn(input[asked]!);
  if (name === undefined) return say('I was asked for something that is not in my script.');
  const reports = callOutputs(input.slice(asked)).map(readCallReport);
  const last = reports.at(-1);
  if (last?.end === 'refused') return say('I cannot run commands here.');
  const newest = callOutputs(input).at(-1) ?? '';
  const isPatchFunction = (arrayAt(request.body, 'tools') ?? [])
    .filter(isJsonObject)
    .some((tool) => tool['name'] === 'apply_patch' && tool['type'] === 'function');
  const move = moves[name][reports.length];
  return move?.({ reports, newest, isPatchFunction, ok: last?.end === 'exit 0' }) ?? say('My script ends here.');
}

function askedIn(item: Item): keyof typeof demoWords | undefined {
  if (!isMessage(item) || item.role !== 'user') return undefined;
  const text = messageText(item);
  return (Object.keys(demoWords) as (keyof typeof demoWords)[]).find((name) => demoWords[name] === text);
}

function isLogged(step: string, reports: readonly CallReport[]): boolean {
  return reports.some(({ output }) => output.split('\n').some((line) => line.startsWith(`${step} `)));
}

function run(command: string): ItemDraft {
  return callTool('exec_command', { cmd: command });
}

function patch(isFunction: boolean): ItemDraft {
  if (isFunction) return callTool('apply_patch', { input: fixPatch });
  return { type: 'custom_tool_call', name: 'apply_patch', input: fixPatch };
}
