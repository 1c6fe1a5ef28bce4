import { grouped } from '../../protocol/grouped.ts';
import { codeWord, type ModelAbility } from '../../fragments/model-test/model-questions.ts';
import type { ModelFailure } from '../../ports/model-client.ts';
import { isCall, isMessage, type Item, messageText } from '../../protocol/item.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import type { Usage } from '../../protocol/usage.ts';

/** What came of a question. */
export interface TestedAnswer {
  readonly items: readonly Item[];
  /** How many pieces of text came before their item. */
  readonly pieces: number;
  readonly usage?: Usage;
  /** Absent: it was answered. */
  readonly failure?: ModelFailure;
}

export interface FoundAbility {
  readonly ability: ModelAbility;
  /** `unclear`: the question was asked, and its answer says neither. */
  readonly state: 'yes' | 'no' | 'unclear' | 'skipped';
  readonly detail: string;
  /** What to do about it. Absent: nothing. */
  readonly next?: string;
  /** The window that the server named. */
  readonly window?: number;
}

/** Failures that say nothing about an ability: the server would say the same to every question. */
const general: ReadonlySet<string> = new Set([
  'aborted',
  'unauthorized',
  'usage-limit',
  'rate-limited',
  'overloaded',
  'server-error',
  'connection-failed',
]);

/**
 * Why no other question need be asked; undefined when others may be answered. The plain question asks for no ability: a
 * server that refuses it has no such model, or would refuse every other one.
 */
export function endsTest({ failure }: TestedAnswer, isPlain: boolean): ModelFailure | undefined {
  if (failure === undefined) return undefined;
  return general.has(failure.code) || (isPlain && failure.code === 'invalid-request') ? failure : undefined;
}

const withoutPictures = 'Capstan sends it no pictures from now on.';

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
      : { state: 'yes', detail: `${grouped(usage.input)} tokens in, ${grouped(usage.output)} out` },
  tools: ({ items }) => {
    const calls = items.filter(isCall);
    const next = 'Choose another model, or start the server with support for tool calls: Capstan works through tools.';
    if (calls.length === 0) return { state: 'no', detail: 'answered without a call', next };
    const isSound = calls.every(
      (call) => 'arguments' in call && parseJsonObject(String(call['arguments'])) !== undefined,
    );
    return isSound
      ? { state: 'yes', detail: `called ${calls[0]!.name}` }
      : { state: 'no', detail: 'called with arguments that are not JSON', next };
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
    if (textOf(items).includes(codeWord)) {
      return { state: 'no', detail: 'answered: its window is larger than Capstan thinks' };
    }
    const next = 'Set model_context_window to what the server really holds, or give the server a larger window.';
    return { state: 'no', detail: 'answered without the beginning: the server cuts long requests silently', next };
  },
};

/** What a server refuses because of the ability that was asked about. */
const refused: Readonly<Partial<Record<ModelAbility, string>>> = {
  pictures: withoutPictures,
  schema: 'Set server_capabilities.output_schema = false for the provider.',
  tools: 'Choose another model, or start the server with support for tool calls: Capstan works through tools.',
};

export function judgeAnswer(ability: ModelAbility, answer: TestedAnswer): FoundAbility {
  const { failure } = answer;
  if (failure === undefined) return { ability, ...judges[ability](answer) };
  if (failure.code === 'context-window-exceeded') {
    const named =
      failure.window === undefined ? 'without naming its window' : `its window is ${grouped(failure.window)} tokens`;
    const detail = `refused as too long, ${named}`;
    const window = failure.window === undefined ? {} : { window: failure.window };
    return { ability, state: ability === 'overflow' ? 'yes' : 'no', detail, ...window };
  }
  const detail = short(failure.message);
  if (failure.code !== 'invalid-request') return { ability, state: 'unclear', detail };
  const next = refused[ability];
  return { ability, state: ability === 'overflow' ? 'unclear' : 'no', detail, ...(next === undefined ? {} : { next }) };
}

function textOf(items: readonly Item[]): string {
  return items.filter(isMessage).map(messageText).join('').trim();
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 160)}…` : line;
}
