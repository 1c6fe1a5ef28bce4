import type { Sampling } from '../config/provider-sampling.ts';
import { effortFor, sentEffort } from '../envelope/effort.ts';
import { tierFor } from '../envelope/identity.ts';
import { type ModelChoices, modelChoices, type ModelRecord } from '../envelope/model-record.ts';
import type { Prompt, RequestOptions } from '../ports/prompt.ts';
import type { ProviderCapabilities } from '../ports/provider.ts';
import { defined } from '../protocol/defined.ts';
import { objectAt, stringAt } from '../protocol/json.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { isSameProvider, providerName, type ProviderName } from '../protocol/provider-name.ts';
import { foldReopened, hiddenFrom, isWhole } from '../state/behind.ts';
import { promptFor } from '../state/request.ts';
import type { RequestRecord } from '../state/request-record.ts';
import type { ThreadState } from '../state/thread-state.ts';
import type { RebuiltRequest } from './rebuild.ts';

/** Who is asked instead. */
export interface OtherReader {
  readonly model: ModelRecord;
  readonly provider: ProviderName;
  readonly capabilities: Pick<ProviderCapabilities, 'accessPrograms' | 'freeformTools'>;
  /** As it is configured for the model. */
  readonly sampling?: Sampling;
}

/**
 * A past request as another model or provider would have got it: the same instructions, tools and history, without what
 * only its first reader can read, under the settings that were chosen as far as the model has them. Its tools must be
 * there. `toolsFor`: the tools as this reader takes them.
 */
export function promptForOther(
  { record, state }: Pick<RebuiltRequest, 'record' | 'state'>,
  reader: OtherReader,
  toolsFor: (tools: Prompt['tools'], reader: OtherReader) => Prompt['tools'],
): Prompt | Outcome<'history-opaque'> {
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

function nameOf({ provider, model: { slug, compatibility } }: OtherReader): ProviderName {
  return providerName(provider.id, { ...provider, model: slug, ...defined({ compatibility }) });
}

/** Without a checkpoint that only another provider can read; undefined if nothing stands behind it. */
function readableState(state: ThreadState, reader: ProviderName): ThreadState | undefined {
  if (hiddenFrom(state, reader).length === 0) return state;
  return state.behind !== undefined && isWhole(state.behind) ? foldReopened(state) : undefined;
}

function optionsFor(
  { options, provider }: RequestRecord,
  state: ThreadState,
  { model, provider: reader, capabilities, sampling }: OtherReader,
): RequestOptions {
  const { cyberAccessProgram, outputSchema, toolChoice, cacheKey, labels } = options;
  const chosen = chosenIn(state);
  const fitting = effortFor(model, { model: options.model, ...defined({ effort: chosen.effort }) });
  const { effort: _chosen, ...rest } = chosen;
  const { effort, summary, verbosity } = modelChoices(model, { ...rest, ...defined({ effort: fitting }) });
  // The names of tiers are the provider's own.
  const isSame = provider !== undefined && isSameProvider(provider, reader);
  return {
    model: model.slug,
    ...defined({
      effort: effort === undefined ? undefined : sentEffort(model, effort),
      summary: summary === 'none' ? undefined : summary,
      verbosity,
      serviceTier: isSame ? tierFor(model, options.serviceTier) : undefined,
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

/** What the turn was given. The request itself also has what its model had by default, which is none of another's. */
function chosenIn({ envelope }: ThreadState): ModelChoices {
  const chosen = objectAt(objectAt(envelope ?? {}, 'identity') ?? {}, 'chosen') ?? {};
  const [effort, summary, verbosity] = ['effort', 'summary', 'verbosity'].map((key) => stringAt(chosen, key));
  return defined({ effort, summary, verbosity });
}

function unreadable({ id }: ProviderName): Outcome<'history-opaque'> {
  return {
    code: 'history-opaque',
    message: `The step begins with an encrypted checkpoint that "${id}" cannot read, and the file does not hold the history before it.`,
    next: 'Send it to the provider that made the checkpoint: leave out --provider.',
  };
}
