import { defined } from '../../base/objects.ts';
import type { ModelPrompt, ProviderCapabilities, RequestOptions } from '../../ports/model.ts';
import { type JsonObject, numberAt, objectAt, stringAt } from '../../protocol/json.ts';
import { type Line, lineType } from '../../protocol/line.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { isSameProvider, providerName, type ProviderName } from '../../protocol/provider-name.ts';
import type { Sampling } from '../config/providers/provider-config.ts';
import { effortFor, sentEffort, serviceTierFor } from '../envelope/identity.ts';
import { type ModelChoices, modelChoices, type ModelRecord } from '../envelope/model-record.ts';
import { isModelMade } from '../history/entry.ts';
import { historyEntries } from '../history/history.ts';
import { foldReopened, isReadableByAll, unreadableCheckpoints } from '../state/checkpoints/opaque-checkpoint.ts';
import { readUsage } from '../state/drafts/usage-and-failure-fields.ts';
import { promptFor } from '../state/plan-request.ts';
import { reduce } from '../state/reduce.ts';
import type { RequestRecord } from '../state/request-record.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { RebuiltRequest } from './rebuild-requests.ts';

export interface RerunTarget {
  readonly model: ModelRecord;
  readonly provider: ProviderName;
  readonly capabilities: Pick<ProviderCapabilities, 'accessPrograms' | 'freeformTools'>;
  readonly sampling?: Sampling;
}

/** Converts a past request, whose tools must be present: what the other model can read, with settings it supports. */
export function promptForOtherModel(
  { record, state }: Pick<RebuiltRequest, 'record' | 'state'>,
  reader: RerunTarget,
  toolsFor: (tools: ModelPrompt['tools'], reader: RerunTarget) => ModelPrompt['tools'],
): ModelPrompt | Outcome<'history-opaque'> {
  const readable = readableState(state, nameOf(reader));
  if (readable === undefined) return unreadable(reader.provider);
  const { modalities } = reader.model;
  const prompt = promptFor(readable, {
    ...record,
    modalities,
    provider: nameOf(reader),
    options: optionsFor(record, state, reader),
  });
  return { ...prompt, tools: toolsFor(prompt.tools, reader) };
}

function nameOf({ provider, model: { slug, compatibility } }: RerunTarget): ProviderName {
  const known = { ...provider, compatibility: compatibility ?? provider.compatibility };
  return providerName(provider.id, { ...known, model: slug });
}

/** Removes checkpoints that the reader cannot read; undefined if there is no readable history behind them. */
function readableState(state: ThreadState, reader: ProviderName): ThreadState | undefined {
  if (unreadableCheckpoints(state, reader).length === 0) return state;
  return state.behind !== undefined && isReadableByAll(state.behind) ? foldReopened(state) : undefined;
}

function optionsFor({ options, provider }: RequestRecord, state: ThreadState, target: RerunTarget): RequestOptions {
  const { model, provider: reader, capabilities, sampling } = target;
  const { cyberAccessProgram, outputSchema, toolChoice, cacheKey, labels } = options;
  const chosen = chosenIn(state);
  const fitting = effortFor(model, { model: options.model, effort: chosen.effort });
  const { effort, summary, verbosity } = modelChoices(model, { ...chosen, effort: fitting });
  // Tier names are specific to the provider.
  const isSame = provider !== undefined && isSameProvider(provider, reader);
  return {
    model: model.slug,
    ...defined({
      effort: effort === undefined ? undefined : sentEffort(model, effort),
      summary: summary === 'none' ? undefined : summary,
      verbosity,
      serviceTier: isSame ? serviceTierFor(model, options.serviceTier) : undefined,
      outputSchema,
      cyberAccessProgram: capabilities.accessPrograms === 'known' ? cyberAccessProgram : undefined,
      maxOutputTokens: model.maxOutputTokens,
    }),
    ...sampling,
    parallelToolCalls: model.parallelCalls ?? true,
    ...defined({ toolChoice }),
    cacheKey,
    labels,
  };
}

/** Only the choices for the turn; the request also contains defaults of its model, which do not apply to another. */
function chosenIn({ envelope }: ThreadState): ModelChoices {
  const chosen = objectAt(objectAt(envelope, 'identity'), 'chosen');
  const [effort, summary, verbosity] = ['effort', 'summary', 'verbosity'].map((key) => stringAt(chosen, key));
  return { effort, summary, verbosity };
}

function unreadable({ id }: ProviderName): Outcome<'history-opaque'> {
  const message = `The step begins with an encrypted checkpoint that "${id}" cannot read, and the file does not hold the history before it.`;
  const next = 'Send it to the provider that made the checkpoint: leave out --provider.';
  return { code: 'history-opaque', message, next };
}

/** Reads the answer to a request. It ends at the line about its step, or, after a kill, at the next request. */
export function answerOfRequest(behind: Iterable<Line>, request: Pick<RebuiltRequest, 'record' | 'state'>) {
  const { record, state: before } = request;
  let state = before;
  let step: JsonObject = {};
  for (const line of behind) {
    if (line.type === lineType.request && line.payload['auxiliary'] === undefined) break;
    if (line.type === lineType.step && line.payload['purpose'] === undefined) {
      step = line.payload;
      break;
    }
    state = reduce(state, line);
  }
  const added = historyEntries(state.history).slice(before.history.length);
  const usage = objectAt(step, 'usage');
  return {
    items: added.filter((entry) => isModelMade(entry) && entry.turn === record.turnId).map(({ item }) => item),
    ...defined({
      failure: stringAt(step, 'failure'),
      usage: usage && readUsage(usage),
      firstEventMs: numberAt(step, 'first_event_ms'),
      answerMs: numberAt(step, 'answer_ms'),
    }),
  };
}
