import type { ProviderConfig } from '../../config/providers.ts';
import type { ModelRecord } from '../../envelope/model-record.ts';
import { isWindowGuessed, nominalWindow } from '../../envelope/window.ts';
import {
  type ModelAbility,
  type TestQuestion,
  overflowQuestion,
  parallelQuestion,
  pictureQuestion,
  plainQuestion,
  schemaQuestion,
  toolQuestion,
} from '../../fragments/model-test/model-questions.ts';
import type { ModelEvent } from '../../ports/model-client.ts';
import type { Provider } from '../../ports/provider.ts';
import { defined } from '../../protocol/defined.ts';
import type { Item } from '../../protocol/item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { endsTest, type FoundAbility, judgeAnswer, type TestedAnswer } from './judge-answer.ts';

/** One request of a test. */
export interface PlannedQuestion {
  /** What its answer shows. */
  readonly abilities: readonly ModelAbility[];
  /** About how many tokens the request has. */
  readonly tokens: number;
  /** Why it is not asked. Absent: it is. */
  readonly skipped?: string;
}

export interface ModelTest {
  readonly questions: readonly PlannedQuestion[];
  /** Asks them one after the other, and reports each. An outcome: the server answers no question at all. */
  run(report: (found: FoundAbility) => void, signal: AbortSignal): Promise<Outcome | undefined>;
}

/** A model that thinks before it answers takes its time. */
const questionMs = 120_000;
/** A test of longer windows costs more than it tells. */
const mostOverflowTokens = 40_000;
const bytesPerToken = 4;
/** Answers are short, and thoughts before them are not. */
const mostOutput = 2000;

export interface TestedModel {
  readonly provider: Pick<ProviderConfig, 'id'>;
  readonly record: ModelRecord;
  /** Longer than the usual windows are, too. */
  readonly wantsOverflow: boolean;
}

export function modelTest({ encoder, client }: Provider, { record, wantsOverflow }: TestedModel): ModelTest {
  const bodyOf = ({ outputSchema, ...prompt }: TestQuestion): readonly Uint8Array[] =>
    encoder.body({
      ...prompt,
      options: {
        model: record.slug,
        parallelToolCalls: true,
        maxOutputTokens: mostOutput,
        cacheKey: 'capstan-models-test',
        labels: {},
        ...defined({ outputSchema }),
      },
    });
  const window = nominalWindow(record);
  const noOverflow = isWindowGuessed(record)
    ? 'its window is not known'
    : wantsOverflow || window <= mostOverflowTokens
      ? undefined
      : `it would send ${window} tokens; --overflow asks it all the same`;
  const all: readonly (readonly [readonly ModelAbility[], () => TestQuestion, string | undefined])[] = [
    [['stream', 'usage'], () => plainQuestion, undefined],
    [['tools'], () => toolQuestion, undefined],
    [['parallel calls'], () => parallelQuestion, undefined],
    [['pictures'], () => pictureQuestion, undefined],
    [['schema'], () => schemaQuestion, undefined],
    [['overflow'], () => overflowQuestion(window), noOverflow],
  ];
  return {
    questions: all.map(([abilities, question, skipped]) => {
      const bytes = skipped === undefined ? bodyOf(question()).reduce((sum, piece) => sum + piece.length, 0) : 0;
      return { abilities, tokens: Math.ceil(bytes / bytesPerToken), ...defined({ skipped }) };
    }),
    async run(report, signal) {
      for (const [abilities, question, skipped] of all) {
        if (skipped !== undefined) {
          for (const ability of abilities) report({ ability, state: 'skipped', detail: skipped });
          continue;
        }
        const answer = await ask(client.stream.bind(client), bodyOf(question()), signal);
        const end = endsTest(answer, abilities.includes('stream'));
        if (end !== undefined) return { code: end.code, message: end.message, next: end.next };
        for (const ability of abilities) report(judgeAnswer(ability, answer));
      }
      return undefined;
    },
  };
}

async function ask(
  stream: Provider['client']['stream'],
  body: readonly Uint8Array[],
  signal: AbortSignal,
): Promise<TestedAnswer> {
  const limit = AbortSignal.timeout(questionMs);
  const items: Item[] = [];
  let pieces = 0;
  let last: Extract<ModelEvent, { kind: 'completed' | 'failed' }> | undefined;
  for await (const event of stream({ body, headers: {} }, AbortSignal.any([limit, signal]))) {
    if (event.kind === 'text-delta') pieces++;
    if (event.kind === 'item') items.push(event.item);
    if (event.kind === 'completed' || event.kind === 'failed') last = event;
  }
  const { usage } = last ?? {};
  if (last?.kind !== 'failed') return { items, pieces, ...defined({ usage }) };
  // One question that takes too long says nothing about the others.
  const isLate = limit.aborted && !signal.aborted;
  const late = { code: 'answer-too-slow', message: `no answer within ${questionMs / 1000} seconds`, next: '' } as const;
  const failure = isLate ? { ...late, retry: 'never' as const } : last.failure;
  return { items, pieces, failure, ...defined({ usage }) };
}
