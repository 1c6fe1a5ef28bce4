import { knownPrices } from '../adapters/gather/bundled-models.ts';
import { configInFolder } from '../adapters/gather/config/config-in-folder.ts';
import { loadCatalogue } from '../adapters/gather/model-catalogue-file.ts';
import { loadCatalogueOfProvider } from '../adapters/gather/provider-models.ts';
import { configuredFeatures } from '../adapters/gather/settings/settings.ts';
import { loadEncoders } from '../adapters/model/provider-for.ts';
import { createDigester } from '../adapters/model/request-digester.ts';
import { itemBytes } from '../adapters/model/responses/encode.ts';
import { convertPatchSpec } from '../adapters/tools/apply-patch/apply-patch-tool.ts';
import { defined } from '../base/objects.ts';
import { combinedError } from '../core/config/layer-order.ts';
import { providerAddress, type ProviderConfig, samplingFor } from '../core/config/providers/provider-config.ts';
import { lookUpModel } from '../core/envelope/model-record.ts';
import { findPrice, isListPrice, type PriceEntry, usageWithCost } from '../core/envelope/prices.ts';
import {
  abortSignalOption,
  nonBlankStringOption,
  validateOptions,
  optionWhere,
  wholeNumberOption,
} from '../core/envelope/read-options.ts';
import type { OptionReaders, OptionType } from '../core/envelope/read-options.ts';
import { type InferredRequest, rebuildRequests, type RebuiltRequest } from '../core/replay/rebuild-requests.ts';
import { answerOfRequest, type RerunTarget, promptForOtherModel } from '../core/replay/rerun-request.ts';
import { hasTools, promptFor, toolsMissingProblem } from '../core/state/plan-request.ts';
import type { Encoder, ModelFailure, ModelRequest, ModelPrompt, ModelProvider, ToolSpec } from '../ports/model.ts';
import type { Clock } from '../ports/system.ts';
import type { ThreadId } from '../protocol/ids.ts';
import type { Item } from '../protocol/item.ts';
import { isJsonObject } from '../protocol/json.ts';
import type { Line } from '../protocol/line.ts';
import { groupDigits, type Outcome } from '../protocol/outcome.ts';
import { isSameProvider, type ProviderName } from '../protocol/provider-name.ts';
import type { Usage } from '../protocol/usage.ts';
import { threadIdOption } from './check-arguments.ts';
import type { EngineParts } from './engine-parts.ts';
import { locatedProvider, nameOfProvider, threadProviders } from './models/thread-providers.ts';
import { configFileDenier } from './sandbox/denied-config-files.ts';
import { checkedAnswer } from './thread/request/answer-events.ts';
import { requestHeaders } from './thread/request/model-request.ts';

export interface RerunStep {
  /** The number of its request, as replays count them: from 1. */
  readonly request: number | 'last';
  /** Absent: the model that answered then. */
  readonly model?: string;
  /** The id of a configured provider. Absent: the original one, if it is still at the same address. */
  readonly provider?: string;
  readonly signal: AbortSignal;
}

const requestNumber: OptionType<number | 'last'> = {
  expected: 'the number of a request, or "last"',
  read: (given) => (given === 'last' ? given : wholeNumberOption.read(given)),
};

const rerunOptions = {
  request: { type: requestNumber, required: true },
  model: { type: nonBlankStringOption },
  provider: { type: nonBlankStringOption },
  signal: { type: abortSignalOption, required: true },
} as const satisfies OptionReaders<RerunStep>;

type RerunThread = { readonly id: ThreadId; readonly lines: readonly Line[] };
/** `stored.read` returns more than is needed here. Lines are not copied, since there may be many. */
export const rerunThreadOption = optionWhere<RerunThread>(
  'an object with the id and the lines of a thread',
  (given) => {
    const { id, lines } = (given ?? {}) as Readonly<Record<string, unknown>>;
    const isWhole = Array.isArray(lines) && lines.every((line: Partial<Line> | null) => isJsonObject(line?.payload));
    return isWhole && threadIdOption.read(id) !== undefined;
  },
);

/** One answer to the request. Its calls were not run for this. */
export interface StepAnswered {
  readonly model: string;
  /** Absent: the thread does not say. */
  readonly provider?: string;
  readonly items: readonly Item[];
  /** Why it ended early. A past answer only has the code. */
  readonly failure?: { readonly code: string } & Partial<Pick<ModelFailure, 'message' | 'next'>>;
  /** With its cost, where a price is known. Absent: the provider counted nothing. */
  readonly usage?: Usage;
  readonly firstEventMs?: number;
  readonly answerMs?: number;
}

export interface RerunAnswers {
  readonly kind: 'rerun';
  readonly request: number;
  /** Both are counted from 1. */
  readonly turn: number;
  readonly step: number;
  /** Size of the body sent now. */
  readonly bytes: number;
  readonly encoder: string;
  /** True if the body equals the original one, byte for byte. */
  readonly isSameBody: boolean;
  readonly before: StepAnswered;
  readonly now: StepAnswered;
}

/** Sends the request of a past step again. Takes no lock, writes no line and runs no call. */
export async function rerunStep(
  engine: EngineParts,
  { id, lines }: RerunThread,
  given: RerunStep,
): Promise<RerunAnswers | Outcome> {
  const asked = validateOptions<RerunStep>(given, rerunOptions, 'rerun()');
  if ('code' in asked) return asked;
  const found = await findStep(lines, asked.request, id);
  if ('code' in found) return found;
  const { request } = found;
  const { record, state } = request;
  if (!hasTools(state, record)) return toolsMissingProblem(record);
  const target = await targetFor(engine, record.provider, asked);
  if ('code' in target) return target;
  const { provider, name, config, located } = target;
  const model = asked.model ?? record.options.model;
  const isSame = model === record.options.model && isSameProvider(record.provider ?? name, name);
  const described = loadCatalogue(config, { denies: configFileDenier(engine) });
  if ('code' in described) return described;
  const catalogue = loadCatalogueOfProvider(engine.base.home, described, {
    provider: located,
    config,
    environment: engine.options.env,
  });
  const { capabilities } = provider;
  const sampling = samplingFor(located.sampling, model);
  const reader = { model: lookUpModel(catalogue, model), provider: name, capabilities, sampling };
  const prompt = isSame ? promptFor(state, record) : promptForOtherModel(request, reader, toolsForOtherModel);
  if ('code' in prompt) return prompt;
  const encoder = isSame ? await encoderOf(record.encoder, provider.encoder) : provider.encoder;
  if ('code' in encoder) return encoder;
  const body = encoder.body(prompt);
  const routing = { model: prompt.options.model, ...defined({ tier: prompt.options.serviceTier }) };
  const sent = { body, headers: requestHeaders(id, engine.options.client), routing };
  const limits = { maxItems: config.answer.maxItems, signal: asked.signal };
  const answered = await ask(engine.clock, provider, sent, limits);
  const { failure, ...before } = answerOfRequest(lines.slice(lines.indexOf(request.line) + 1), request);
  const isPlan = (await provider.client.authMode()) === 'chatgpt';
  // With an account, its plan pays: list prices do not apply.
  const prices = knownPrices(config).filter((price) => !isPlan || price.provider !== name.id || !isListPrice(price));
  return {
    kind: 'rerun',
    request: found.number,
    turn: request.turn,
    step: record.step + 1,
    bytes: body.reduce((sum, { length }) => sum + length, 0),
    encoder: encoder.version,
    isSameBody: isSame,
    before: {
      ...withCost(before, record.options, record.provider, prices),
      ...(failure === undefined ? {} : { failure: { code: failure } }),
    },
    now: withCost(answered, prompt.options, name, prices),
  };
}

/** With its model. Keeps a recorded cost; otherwise adds the price known now. */
function withCost(
  answer: Omit<StepAnswered, 'model' | 'provider'>,
  { model, serviceTier }: ModelPrompt['options'],
  by: ProviderName | undefined,
  prices: readonly PriceEntry[],
): StepAnswered {
  const named = { model, ...defined({ provider: by?.id }), ...answer };
  const { usage } = answer;
  if (usage === undefined || usage.cost !== undefined || by === undefined) return named;
  const price = findPrice(prices, { provider: by.id, model, address: by.address, serviceTier });
  return { ...named, usage: usageWithCost(usage, price) };
}

async function findStep(
  lines: readonly Line[],
  wanted: RerunStep['request'],
  id: ThreadId,
): Promise<{ readonly number: number; readonly request: RebuiltRequest } | Outcome> {
  let count = 0;
  let newest: RebuiltRequest | InferredRequest | undefined;
  // Only one body is wanted, so encode none on the way.
  for await (const request of rebuildRequests(lines, () => undefined)) {
    count++;
    newest = request;
    if (count === wanted) break;
  }
  if (newest === undefined) {
    return { code: 'no-request', message: 'The thread has made no request.', next: 'Run a turn first.' };
  }
  if (wanted !== 'last' && count !== wanted) {
    const message = `There is no step ${wanted}: the thread has made ${count === 1 ? '1 request' : `${groupDigits(count)} requests`}.`;
    const next =
      count === 1 ? 'Use --step 1.' : `Name one from 1 to ${count}, or last. \`capstan replay ${id}\` lists them.`;
    return { code: 'no-request', message, next };
  }
  if (newest.kind === 'inferred') {
    const message = `Another program made request ${count} and did not record its tools and settings.`;
    return { code: 'request-unrecorded', message, next: 'Name a step that Capstan made.' };
  }
  const { auxiliary } = newest.record;
  if (auxiliary === undefined) return { number: count, request: newest };
  const what = auxiliary.purpose === 'compaction' ? 'made a checkpoint' : 'reviewed a call';
  return {
    code: 'not-a-step',
    message: `Request ${count} is no step of the conversation: it ${what}.`,
    next: `\`capstan replay ${id}\` lists the requests. Name one that has a number in the column "step".`,
  };
}

async function targetFor(engine: EngineParts, then: ProviderName | undefined, asked: RerunStep) {
  const { base, options } = engine;
  const { config, problems } = await configInFolder(base, options.cwd);
  const error = combinedError(problems);
  if (error !== undefined) return error;
  const located = locatedProvider(config, asked.provider ?? then?.id ?? config.modelProvider, options.env);
  const next = 'Configure the provider of the step again, or name another one with --provider.';
  if ('code' in located) return asked.provider === undefined ? { ...located, next } : located;
  const name = nameOfProvider(located);
  if (asked.provider === undefined && then !== undefined && !isSameProvider(then, name)) return moved(then, located);
  const settings = { features: configuredFeatures(config) };
  const provider = await threadProviders(engine, { config, settings }).make(located);
  return 'code' in provider ? provider : { provider, name, config, located };
}

function moved({ id, address, wire = 'responses' }: ProviderName, now: ProviderConfig): Outcome {
  const then = address === undefined ? `with wire_api "${wire}"` : `at ${address} (${wire})`;
  return {
    code: 'provider-moved',
    message: `The step was sent to "${id}" ${then}, which is now configured at ${providerAddress(now)} (${now.wireApi}).`,
    next: `Send it there with --provider ${id}, or set the provider back.`,
  };
}

/** The version that made the bytes, which may not be the provider's current one. */
async function encoderOf(version: string, current: Encoder): Promise<Encoder | Outcome> {
  if (current.version === version) return current;
  const message = `The step was encoded as ${version}, which this version does not make.`;
  const next = 'Name another model or provider, or use the version of Capstan that wrote the thread.';
  return (await loadEncoders()).get(version) ?? { code: 'encoder-unknown', message, next };
}

async function ask(
  clock: Clock,
  { client }: ModelProvider,
  request: ModelRequest,
  { maxItems, signal }: { readonly maxItems: number; readonly signal: AbortSignal },
): Promise<Omit<StepAnswered, 'model' | 'provider'>> {
  const began = clock.now();
  const items: Item[] = [];
  let firstEventMs: number | undefined;
  let end: Pick<StepAnswered, 'usage' | 'failure'> = {};
  for await (const event of checkedAnswer(() => client.stream(request, signal), { maxItems, signal })) {
    if (event.kind !== 'failed') firstEventMs ??= clock.now() - began;
    if (event.kind === 'item') items.push(event.item);
    if (event.kind === 'completed') end = defined({ usage: event.usage });
    if (event.kind === 'failed') {
      const { code, message, next } = event.failure;
      end = { ...defined({ usage: event.usage }), failure: { code, message, next } };
    }
  }
  return { items, ...end, ...defined({ firstEventMs }), answerMs: clock.now() - began };
}

/** Tools that result in a picture, by name or by type. */
const pictureTools: ReadonlySet<unknown> = new Set(['view_image', 'image_generation']);

/** Converts the tools of a past request to those that a thread with another model and provider would have. */
function toolsForOtherModel(
  tools: readonly ToolSpec[],
  { model, capabilities }: Pick<RerunTarget, 'model' | 'capabilities'>,
): readonly ToolSpec[] {
  const seesPictures = model.modalities.includes('image');
  return tools
    .filter(({ name, type }) => seesPictures || !(pictureTools.has(name) || pictureTools.has(type)))
    .map((spec) => convertPatchSpec(spec, capabilities));
}

export async function loadReplayParts() {
  const encoders = await loadEncoders();
  return {
    digester: createDigester(),
    versions: [...encoders.keys()],
    encoderOf: (version: string) => encoders.get(version),
    itemBytes,
  };
}
