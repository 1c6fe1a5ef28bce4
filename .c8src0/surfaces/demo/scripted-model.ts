import { itemTokens } from '../../core/history/token-counts.ts';
import { requestTokens, type WeighedRequest } from '../../core/history/window-usage.ts';
import { type CallReport, parseCallReport } from '../../core/state/recorded/call-answers.ts';
import type { ToolSpec } from '../../ports/model.ts';
import { asItem, isMessage, type Item, messageText } from '../../protocol/item.ts';
import { arrayAt, objectsAt, stringAt } from '../../protocol/json.ts';
import { answer, callTool, say } from '../../testing/index.ts';
import type { AnswerOptions, ItemDraft, RecordedRequest, ScriptStep } from '../../testing/index.ts';
import { fixPatch, releaseLog, releaseSteps } from './demo-folders.ts';

export const demoPrompts = {
  fix: 'The check fails. Please fix it.',
  release: 'Release version 1.0.1.',
  finish: 'You were cut off. Please finish.',
  look: 'Can you still change a file?',
} as const;

interface Seen {
  readonly reports: readonly CallReport[];
  readonly ok: boolean;
  readonly newest: string;
  readonly isPatchFunction: boolean;
}

type ScriptedRequest = Pick<RecordedRequest, 'body'>;
type Move = (seen: Seen) => ItemDraft;

const moves: Readonly<Record<keyof typeof demoPrompts, readonly Move[]>> = {
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

/** A scripted model: its answer depends only on the request, like that of a real one. The pace is for live readers. */
export function scriptedModel(pace: Pick<AnswerOptions, 'delayMs' | 'firstByteDelayMs'>) {
  let before: ScriptedRequest | undefined;
  return (request: ScriptedRequest): ScriptStep => {
    const items = [answerTo(request)];
    const usage = countedUsage(request, before, items);
    before = request;
    return answer({ items, usage, deltas: true, ...pace });
  };
}

function answerTo(request: ScriptedRequest): ItemDraft {
  const input = sentItems(request);
  const asked = input.findLastIndex((item) => askedIn(item) !== undefined);
  const name = asked < 0 ? undefined : askedIn(input[asked]!);
  if (name === undefined) return say('I was asked for something that is not in my script.');
  const reports = callOutputs(input.slice(asked)).map(parseCallReport);
  const last = reports.at(-1);
  if (last?.end === 'refused') return say('I cannot run commands here.');
  const newest = callOutputs(input).at(-1) ?? '';
  const tools = objectsAt(request.body, 'tools');
  const isPatchFunction = tools.some(({ name, type }) => name === 'apply_patch' && type === 'function');
  const move = moves[name][reports.length];
  return move?.({ reports, newest, isPatchFunction, ok: last?.end === 'exit 0' }) ?? say('My script ends here.');
}

function askedIn(item: Item): keyof typeof demoPrompts | undefined {
  if (!isMessage(item) || item.role !== 'user') return undefined;
  const text = messageText(item);
  return (Object.keys(demoPrompts) as (keyof typeof demoPrompts)[]).find((name) => demoPrompts[name] === text);
}

const isLogged = (step: string, reports: readonly CallReport[]): boolean =>
  reports.some(({ output }) => output.split('\n').some((line) => line.startsWith(`${step} `)));

const run = (command: string): ItemDraft => callTool('exec_command', { cmd: command });

function patch(isFunction: boolean): ItemDraft {
  if (isFunction) return callTool('apply_patch', { input: fixPatch });
  return { type: 'custom_tool_call', name: 'apply_patch', input: fixPatch };
}

/** Providers cache whole blocks, and nothing below a minimum. */
const [cacheBlock, leastCached] = [128, 1024];

/** The usage a provider would count, by the estimate that `capstan context` uses. */
export function countedUsage(
  request: ScriptedRequest,
  before: ScriptedRequest | undefined,
  answer: readonly ItemDraft[],
) {
  const input = requestTokens(weighed(request));
  const shared = before === undefined ? 0 : sharedTokens(weighed(before), weighed(request));
  const cachedInput = shared < leastCached ? 0 : Math.floor(shared / cacheBlock) * cacheBlock;
  const items = answer.map(asItem).filter((item) => item !== undefined);
  return { input, cachedInput, output: items.reduce((sum, item) => sum + itemTokens(item), 0), reasoningOutput: 0 };
}

function weighed({ body }: ScriptedRequest): WeighedRequest {
  const tools = objectsAt(body, 'tools') as unknown as readonly ToolSpec[];
  return { instructions: stringAt(body, 'instructions') ?? '', tools, input: sentItems({ body }) };
}

/** Tokens of the common prefix: instructions and tools come before the input. */
function sharedTokens(before: WeighedRequest, now: WeighedRequest): number {
  const constant = ({ instructions, tools }: WeighedRequest): string => JSON.stringify([instructions, tools]);
  if (constant(before) !== constant(now)) return 0;
  const differs = now.input.findIndex((item, at) => JSON.stringify(item) !== JSON.stringify(before.input[at]));
  return requestTokens({ ...now, input: differs < 0 ? now.input : now.input.slice(0, differs) });
}

export const sentItems = ({ body }: ScriptedRequest): readonly Item[] =>
  (arrayAt(body, 'input') ?? []).map(asItem).filter((item) => item !== undefined);

export const callOutputs = (items: readonly Item[]): readonly string[] =>
  items.filter(isCallOutput).map((item) => stringAt(item, 'output') ?? '');

/** Texts that the model did not write itself. A message may hold several, each with its own markers. */
export const engineTexts = (items: readonly Item[]): readonly string[] =>
  items.flatMap((item) => {
    if (isCallOutput(item)) return callOutputs([item]);
    if (!isMessage(item) || item.role === 'assistant') return [];
    return item.content.map((part) => messageText({ ...item, content: [part] }));
  });

const isCallOutput = ({ type }: Item): boolean => type === 'function_call_output' || type === 'custom_tool_call_output';
