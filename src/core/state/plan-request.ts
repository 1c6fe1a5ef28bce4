import { stubItem } from '../compaction/requests/item-stub.ts';
import { type PrefixReport, comparePrefix, type SentRequest } from '../history/prefix-cache.ts';
import type { History } from '../history/history.ts';
import { toSentItemsWithWriters } from '../history/sent-items.ts';
import { itemTokens } from '../history/token-counts.ts';
import type { ModelPrompt, ToolSpec } from '../../ports/model.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { type LineDraft, lineType } from '../../protocol/line.ts';
import { Fault, type Outcome } from '../../protocol/outcome.ts';
import { providerComparisonKey } from '../../protocol/provider-name.ts';
import { shortTextHash } from '../../base/digest.ts';
import { cachePerObject } from '../../base/objects.ts';
import { instructionsOf, type ThreadState } from './thread-state.ts';
import { reviewInput } from './review-request.ts';
import { readerOf, requestPayload } from './request-record.ts';
import type { AuxiliaryRequest, RequestReader, RequestRecord } from './request-record.ts';

/** Plans a request. Its `drafts` must be durable before Capstan sends it. */
export function planRequest(state: ThreadState, asked: Omit<RequestRecord, 'toolSet'>, tools: readonly ToolSpec[]) {
  const record: RequestRecord = { ...asked, toolSet: toolSetName(tools) };
  const known = state.toolSets.has(record.toolSet);
  const withTools = known ? state : { ...state, toolSets: new Map([...state.toolSets, [record.toolSet, tools]]) };
  // A review has a prompt of its own, which continues no request.
  const prefix = record.auxiliary?.review === undefined ? prefixOf(withTools, record) : undefined;
  const payload = { ...requestPayload(record), prefix: prefix as JsonObject | undefined };
  const request: LineDraft = { type: lineType.request, payload };
  const toolSet: LineDraft = { type: lineType.toolSet, payload: { name: record.toolSet, tools } };
  return { record, drafts: known ? [request] : [toolSet, request], prefix };
}

/** Makes the request for a record, live and at replay alike. Its tools must be present: check `hasTools`. */
export function promptFor(state: Pick<ThreadState, PromptParts>, record: RequestRecord): ModelPrompt {
  const tools = state.toolSets.get(record.toolSet);
  if (tools === undefined) throw new Fault(toolsMissingProblem(record));
  return { ...promptWithoutTools(state, record), tools };
}

/** Large tool sets are kept beside the thread: false if this one is lost. A set without tools is not a lost one. */
export const hasTools = ({ toolSets }: Pick<ThreadState, 'toolSets'>, { toolSet }: RequestRecord): boolean =>
  toolSets.has(toolSet);

export function toolsMissingProblem({ toolSet }: RequestRecord): Outcome<'tools-missing'> {
  const message = `The tool list of this request is missing (tool set ${toolSet.slice(0, 8)}).`;
  const next = 'Restore `capstan/blobs` from a backup of the home folder. The rest of the request is in the thread.';
  return { code: 'tools-missing', message, next };
}

export function promptWithoutTools(
  state: Pick<ThreadState, PromptParts>,
  record: RequestRecord,
): Omit<ModelPrompt, 'tools'> {
  const review = record.auxiliary?.review;
  if (review !== undefined) {
    const { message } = reviewInput(state.history, review);
    return { options: record.options, instructions: review.instructions, input: [message] };
  }
  const sent = projected(state.history, readerOf(record));
  const input = record.auxiliary ? besideHistory(sent, record.auxiliary) : { input: sent.items, writers: sent.writers };
  return { options: record.options, instructions: instructionsOf(state)?.text ?? '', ...input };
}

function besideHistory(
  { items, writers }: Projected,
  auxiliary: AuxiliaryRequest,
): Pick<ModelPrompt, 'input' | 'writers'> {
  const { from, to, stubbed, head, tail } = auxiliary;
  const left = new Set(stubbed);
  const range = items.slice(from, to).flatMap((item, i) => (left.has(from + i) ? (stubItem(item) ?? []) : item));
  const ofStubs = stubbed.flatMap((index) => {
    const [stub, writer] = [items[index] && stubItem(items[index]), items[index] && writers.get(items[index])];
    return stub === undefined || writer === undefined ? [] : [[stub, writer] as const];
  });
  const asked = [...head, ...tail].map((item) => [item, 'engine'] as const);
  return { input: [...head, ...range, ...tail], writers: new Map([...writers, ...ofStubs, ...asked]) };
}

type Projected = ReturnType<typeof toSentItemsWithWriters>;
/** Keyed by history value: the previous request is inspected again when the next one is made. */
const known = new WeakMap<History, { readonly reader: string; readonly value: Projected }>();

export const historyAsRequestInput = (history: History, reader: RequestReader): ModelPrompt['input'] =>
  projected(history, reader).items;

function projected(history: History, { modalities, provider }: RequestReader): Projected {
  const reader = JSON.stringify([modalities, providerComparisonKey(provider)]);
  const before = known.get(history);
  if (before?.reader === reader) return before.value;
  const value = toSentItemsWithWriters(history, { modalities, reader: provider });
  known.set(history, { reader, value });
  return value;
}

type PromptParts = 'meta' | 'instructions' | 'toolSets' | 'history';

/** Compares the next request with the previous one: the prefix that a provider can cache, and the cause of a break. */
function prefixOf(state: ThreadState, record: RequestRecord): PrefixReport | undefined {
  const { sent } = state;
  if (sent === undefined) return undefined;
  if (sent.kind === 'gone') {
    // Items that remain after a rollback were in earlier requests; those of a checkpoint were in none.
    const fresh = sent.why !== 'rollback' ? promptFor(state, record).input : [];
    const tokens = fresh.reduce((sum, item) => sum + itemTokens(item), 0);
    return { kept: { items: 0, tokens: 0 }, breaks: [{ kind: sent.why, tokens }] };
  }
  const now = promptFor(state, record);
  // Only the name of lost tools is known: it shows that they changed, but not which.
  const tools = state.toolSets.get(sent.record.toolSet) ?? now.tools;
  const before = { ...promptWithoutTools({ ...state, history: sent.history }, sent.record), tools };
  return comparePrefix(sentRequest(before, sent.record), sentRequest(now, record));
}

function sentRequest({ instructions, tools, input }: ModelPrompt, record: RequestRecord): SentRequest {
  const { toolSet, options, encoder } = record;
  // Requirements for the answer follow the input, and so do the labels.
  const { model, toolChoice: _choice, form: _form, verbosity: _verbosity, outputSchema: _schema, ...rest } = options;
  const { labels: _labels, outputLimit: _limit, lengthField: _field, ...others } = rest;
  const { temperature: _temperature, stop: _stop, ...settings } = others;
  return { instructions, toolSet, tools, input, model, settings: { ...(settings as unknown as JsonObject), encoder } };
}

/** Tells if the name was made from these tools; names of an older form do not show it. */
export const isToolSetName = (name: string, tools: readonly ToolSpec[]): boolean =>
  name === toolSetName(tools) || !/^[0-9a-f]{16}-\d+$/.test(name);

const toolSetName = cachePerObject((tools: readonly ToolSpec[]): string => {
  const text = JSON.stringify(tools);
  return `${shortTextHash(text)}-${text.length}`;
});
