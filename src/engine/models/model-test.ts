import { defined } from '../../base/objects.ts';
import type { ProviderConfig } from '../../core/config/providers/provider-config.ts';
import type { ModelRecord } from '../../core/envelope/model-record.ts';
import { isWindowGuessed, nominalWindow } from '../../core/envelope/window.ts';
import type { ModelAbility, TestQuestion } from '../../core/fragments/model-test-questions.ts';
import * as questions from '../../core/fragments/model-test-questions.ts';
import type { ModelEvent, ModelFailure, ModelProvider } from '../../ports/model.ts';
import { isCall, isMessage, type Item, messageText } from '../../protocol/item.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import { groupDigits, type Outcome } from '../../protocol/outcome.ts';
import type { Usage } from '../../protocol/usage.ts';

export interface PlannedQuestion {
  readonly abilities: readonly ModelAbility[];
  /** Approximate tokens of the request. */
  readonly tokens: number;
  /** Why it is not asked. Absent: it is. */
  readonly skipped?: string;
}

export interface ModelTest {
  readonly questions: readonly PlannedQuestion[];
  /** Asks one question after the other and reports each. Returns an outcome if the server answers none. */
  run(report: (found: FoundAbility) => void, signal: AbortSignal): Promise<Outcome | undefined>;
}

/** Long, because a model may think before it answers. */
const questionMs = 120_000;
/** Testing longer windows costs more than it is worth. */
const mostOverflowTokens = 40_000;
const bytesPerToken = 4;
/** Answers are short, but the thoughts before them are not. */
const mostOutput = 2000;

export interface TestedModel {
  readonly provider: Pick<ProviderConfig, 'id'>;
  readonly record: ModelRecord;
  /** Also tests windows longer than usual. */
  readonly wantsOverflow: boolean;
}

export function modelTest({ encoder, client }: ModelProvider, { record, wantsOverflow }: TestedModel): ModelTest {
  const options = {
    model: record.slug,
    parallelToolCalls: true,
    maxOutputTokens: mostOutput,
    cacheKey: 'capstan-models-test',
    labels: {},
  };
  const bodyOf = ({ outputSchema, ...prompt }: TestQuestion): readonly Uint8Array[] =>
    encoder.body({ ...prompt, options: { ...options, ...defined({ outputSchema }) } });
  const window = nominalWindow(record);
  const noOverflow = isWindowGuessed(record)
    ? 'its window is not known'
    : wantsOverflow || window <= mostOverflowTokens
      ? undefined
      : `it would send ${window} tokens; --overflow asks it all the same`;
  const all: readonly (readonly [readonly ModelAbility[], () => TestQuestion, string | undefined])[] = [
    [['stream', 'usage'], () => questions.plainTestQuestion, undefined],
    [['tools'], () => questions.toolTestQuestion, undefined],
    [['parallel calls'], () => questions.parallelQuestion, undefined],
    [['pictures'], () => questions.pictureQuestion, undefined],
    [['schema'], () => questions.schemaQuestion, undefined],
    [['overflow'], () => questions.overflowQuestion(window), noOverflow],
  ];
  return {
    questions: all.map(([abilities, question, skipped]) => {
      const bytes = skipped === undefined ? bodyOf(question()).reduce((sum, piece) => sum + piece.length, 0) : 0;
      return { abilities, tokens: Math.ceil(bytes / bytesPerToken), ...defined({ skipped }) };
    }),
    async run(report, signal) {
      for (const [abilities, question, skipped] of all) {
        const answer = skipped === undefined ? await ask(client, bodyOf(question()), signal) : undefined;
        const end = answer && endsTest(answer, abilities.includes('stream'));
        if (end !== undefined) return { code: end.code, message: end.message, next: end.next };
        for (const ability of abilities)
          report(answer ? judgeAnswer(ability, answer) : { ability, state: 'skipped', detail: skipped! });
      }
      return undefined;
    },
  };
}

async function ask(
  client: ModelProvider['client'],
  body: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<TestedAnswer> {
  const limit = AbortSignal.timeout(questionMs);
  const items: Item[] = [];
  let pieces = 0;
  let last: Extract<ModelEvent, { kind: 'completed' | 'failed' }> | undefined;
  for await (const event of client.stream({ body, headers: {} }, AbortSignal.any([limit, signal]))) {
    if (event.kind === 'text-delta') pieces++;
    if (event.kind === 'item') items.push(event.item);
    if (event.kind === 'completed' || event.kind === 'failed') last = event;
  }
  const answer = { items, pieces, usage: last?.usage };
  if (last?.kind !== 'failed') return answer;
  // One late question says nothing about the others.
  const isLate = limit.aborted && !signal.aborted;
  const late = { code: 'answer-too-slow', message: `no answer within ${questionMs / 1000} seconds`, next: '' } as const;
  return { ...answer, failure: isLate ? { ...late, retry: 'never' } : last.failure };
}

interface TestedAnswer {
  readonly items: readonly Item[];
  /** Number of text pieces before their item. */
  readonly pieces: number;
  readonly usage?: Usage;
  readonly failure?: ModelFailure;
}

export interface FoundAbility {
  readonly ability: ModelAbility;
  /** `unclear`: the answer shows neither. */
  readonly state: 'yes' | 'no' | 'unclear' | 'skipped';
  readonly detail: string;
  readonly next?: string;
  readonly window?: number;
}

/** Failures that say nothing about an ability: the server would give them for every question. */
const general = /^(?:aborted|unauthorized|usage-limit|rate-limited|overloaded|server-error|connection-failed)$/;

/** Returns the failure that makes other questions pointless: the plain question tests no ability. */
const endsTest = ({ failure }: TestedAnswer, isPlain: boolean): ModelFailure | undefined =>
  failure && (general.test(failure.code) || (isPlain && failure.code === 'invalid-request')) ? failure : undefined;

const withoutPictures = 'Capstan sends it no pictures from now on.';
const withoutTools =
  'Choose another model, or start the server with support for tool calls: Capstan works through tools.';
type Judgement = Omit<FoundAbility, 'ability'>;

const judges: Readonly<Record<ModelAbility, (answer: TestedAnswer) => Judgement>> = {
  stream: ({ items, pieces }) => {
    if (textOf(items) === '') return { state: 'unclear', detail: 'answered without text' };
    return pieces > 0
      ? { state: 'yes', detail: `text came in ${pieces === 1 ? '1 piece' : `${pieces} pieces`}` }
      : { state: 'no', detail: 'all text came at once' };
  },
  usage: ({ usage }) =>
    usage === undefined
      ? { state: 'no', detail: 'no token counts; Capstan estimates them' }
      : { state: 'yes', detail: `${groupDigits(usage.input)} tokens in, ${groupDigits(usage.output)} out` },
  tools: ({ items }) => {
    const calls = items.filter(isCall);
    if (calls.length === 0) return { state: 'no', detail: 'answered without a call', next: withoutTools };
    const isJson = (call: Item): boolean =>
      'arguments' in call && parseJsonObject(String(call['arguments'])) !== undefined;
    return calls.every(isJson)
      ? { state: 'yes', detail: `called ${calls[0]!.name}` }
      : { state: 'no', detail: 'called with arguments that are not JSON', next: withoutTools };
  },
  'parallel calls': ({ items }) => {
    const calls = items.filter(isCall).length;
    if (calls === 0) return { state: 'unclear', detail: 'answered without a call' };
    return calls > 1 ? { state: 'yes', detail: `${calls} calls in one answer` } : { state: 'no', detail: 'one call' };
  },
  pictures: ({ items }) => {
    const text = textOf(items);
    if (/\bred\b/i.test(text)) return { state: 'yes', detail: 'named the colour' };
    return { state: 'no', detail: `did not name the colour: ${short(text)}`, next: withoutPictures };
  },
  schema: ({ items }) => {
    const sum = parseJsonObject(textOf(items))?.['sum'];
    if (sum !== undefined) return { state: 'yes', detail: 'answered in the form that was asked for' };
    return { state: 'no', detail: `answered in another form: ${short(textOf(items))}` };
  },
  overflow: ({ items }) => {
    if (textOf(items).includes(questions.codeWord))
      return { state: 'no', detail: 'answered: its window is larger than Capstan thinks' };
    const next = 'Set model_context_window to what the server really holds, or give the server a larger window.';
    return { state: 'no', detail: 'answered without the beginning: the server cuts long requests silently', next };
  },
};

/** Next steps after a refusal that the tested ability caused. */
const refused: Readonly<Partial<Record<ModelAbility, string>>> = {
  pictures: withoutPictures,
  schema: 'Set server_capabilities.output_schema = false for the provider.',
  tools: withoutTools,
};

function judgeAnswer(ability: ModelAbility, answer: TestedAnswer): FoundAbility {
  const { failure } = answer;
  if (failure === undefined) return { ability, ...judges[ability](answer) };
  if (failure.code === 'context-window-exceeded') {
    const { window } = failure;
    const named = window === undefined ? 'without naming its window' : `its window is ${groupDigits(window)} tokens`;
    const state = ability === 'overflow' ? 'yes' : 'no';
    return { ability, state, detail: `refused as too long, ${named}`, ...defined({ window }) };
  }
  const detail = short(failure.message);
  if (failure.code !== 'invalid-request') return { ability, state: 'unclear', detail };
  const next = refused[ability];
  return { ability, state: ability === 'overflow' ? 'unclear' : 'no', detail, ...defined({ next }) };
}

const textOf = (items: readonly Item[]): string => items.filter(isMessage).map(messageText).join('').trim();

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
