import { type Entry, isBoundary, isModelMade } from '../../history/entry.ts';
import { entries, type History } from '../../history/history.ts';
import { weightOf } from '../../history/history-weight.ts';
import { droppedReasoning } from '../../history/active-tokens.ts';
import { apportion, ledgerOf, type Measure } from '../../history/ledger.ts';
import { forReader } from '../../history/opaque-items.ts';
import { instructionsTokens, itemTokens, toolTokens } from '../../history/size.ts';
import type { Item } from '../../protocol/item.ts';
import { stringAt } from '../../protocol/json.ts';
import { isSameProvider, type ProviderName } from '../../protocol/provider-name.ts';
import type { Usage } from '../../protocol/usage.ts';
import { mergeFragments } from '../../history/merge-fragments.ts';
import type { NextRequest } from '../engine/engine-types.ts';
import { waitingItem } from '../../state/waiting-item.ts';
import { instructionsOf } from '../../state/instructions.ts';
import { makerNow } from '../../state/maker-now.ts';
import { hasTools, promptFor, toolsMissing } from '../../state/request.ts';
import type { RequestRecord } from '../../state/request-record.ts';
import { entryOfItem } from './entry-of-item.ts';
import { isOfTalk, type StoryRequest, type ThreadStory } from './thread-story.ts';

/** What the next request would hold if it were made now. */
export interface WindowContent {
  readonly total: number;
  readonly measure: Measure;
  /** They sum to the total. */
  readonly parts: readonly WindowPart[];
  /** The request whose count by the provider all this rests on. */
  readonly counted?: CountedRequest;
  /** What the file does not say. */
  readonly unknown: readonly string[];
}

export interface CountedRequest {
  readonly request: number;
  readonly usage: Usage;
  /** Reasoning tokens of the answer that the next request does not carry; absent when there are none. */
  readonly dropped?: number;
}

export interface WindowPart {
  readonly what:
    | { readonly kind: 'instructions' }
    | { readonly kind: 'tool'; readonly name: string }
    | { readonly kind: 'entry'; readonly entry: Entry }
    /** The provider counted it, and the file does not hold it. */
    | { readonly kind: 'missing'; readonly name: string };
  readonly tokens: number;
  readonly measure: Measure;
  /** Whether the provider had it in its cache; undefined when it said nothing, or has not seen it yet. */
  readonly cached: boolean | undefined;
  /** It is not in history: the next turn would bring it there. */
  readonly next?: boolean;
}

const toolsUnknown = 'The tools of this thread are not in its file: another program offered them.';

/** `next` is what the next turn would begin with; without it, what stands in the file is all that is known. */
export function windowContent(story: ThreadStory, next?: NextRequest): WindowContent {
  const content = standingContent(story, next);
  const told = next === undefined ? [] : [...toldNext(next), ...waitingNext(next)];
  if (told.length === 0) return content;
  const parts = [...content.parts, ...told];
  return { ...content, total: sum(parts), measure: 'estimated', parts };
}

function toldNext({ telling: { form, told } }: NextRequest): readonly WindowPart[] {
  const cause = form === 'bundle' ? 'reinjection' : 'change';
  return mergeFragments(
    told.map(({ fragment }) => fragment),
    cause,
  ).map(({ item, origin }) => ({ ...estimated({ item: item(''), origin }), next: true }));
}

/** Messages that were accepted and did not enter history: the next turn takes them in. */
function waitingNext({ waiting }: NextRequest): readonly WindowPart[] {
  return waiting.map((message) => {
    const origin = { family: message.kind === 'words' ? 'user' : 'client' } as const;
    return { ...estimated({ item: waitingItem(message), origin }), next: true };
  });
}

function standingContent(story: ThreadStory, next: NextRequest | undefined): WindowContent {
  const counted = countedRequest(story);
  const reader = readerNow(story, next);
  const isOther = next !== undefined && offersOthers(story, next);
  if (counted === undefined || isOther || hidesCounted(story, counted.request, reader)) {
    return estimatedContent(story, next);
  }
  const { request, usage } = counted;
  const uncounted = new Set(earlierReasoning(sentTo(reader, story.state.history)));
  const { parts: sent, unknown } =
    request.record !== undefined && hasTools(request.state, request.record)
      ? recordedParts(request, usage, uncounted)
      : foreignParts(request, usage, uncounted);
  const dropped = droppedReasoning({ history: story.state.history, reader }, usage);
  const since = partsSince(story, request, usage.total - usage.input - dropped);
  const besides = [...uncounted].map(estimated);
  const guessed = [...besides, ...since].filter(({ measure }) => measure === 'estimated');
  const parts = [...sent, ...besides, ...since];
  return {
    total: sum(parts),
    measure: sum(guessed) === 0 ? 'exact' : 'estimated',
    parts,
    counted: { request: request.number, usage, ...(dropped === 0 ? {} : { dropped }) },
    unknown,
  };
}

/** Who gets the next request; undefined when the file does not say. */
function readerNow({ state }: ThreadStory, next: NextRequest | undefined): ProviderName | undefined {
  return makerNow(next === undefined ? state : { ...state, envelope: next.envelope });
}

/** What the reader is sent of a history. */
function sentTo(reader: ProviderName | undefined, history: History): readonly Entry[] {
  return entries(history).filter(
    ({ item, maker }) => reader === undefined || forReader(item, maker, reader) !== undefined,
  );
}

/** Whether another provider counted the request, with what the reader is not sent: then its count does not fit. */
function hidesCounted(
  { state }: ThreadStory,
  { record, state: counted }: StoryRequest,
  reader: ProviderName | undefined,
): boolean {
  const by = record?.provider ?? makerNow(counted);
  if (by === undefined || reader === undefined || isSameProvider(by, reader)) return false;
  return weightOf(state.history, { reader }).hidden > 0;
}

/** The newest request that the provider counted and that the next one continues from. */
function countedRequest({ state, requests: all }: ThreadStory) {
  const requests = all.filter(isOfTalk);
  const newest = requests.at(-1);
  const request = requests.findLast(({ usage }) => usage !== undefined);
  if (newest === undefined || request?.usage === undefined) return undefined;
  const standsStill = request.state.history.storage === state.history.storage;
  const beginsAlike =
    request.record?.toolSet === newest.record?.toolSet &&
    instructionsOf(request.state)?.text === instructionsOf(state)?.text;
  return standsStill && beginsAlike ? { request, usage: request.usage } : undefined;
}

/** Providers leave the encrypted reasoning of earlier turns out of their counts, although it is sent. */
function earlierReasoning(known: readonly Entry[]): readonly Entry[] {
  const boundary = known.findLastIndex(isBoundary);
  return known
    .slice(0, Math.max(0, boundary))
    .filter(({ item }) => item.type === 'reasoning' && stringAt(item, 'encrypted_content') !== undefined);
}

function recordedParts(request: StoryRequest, usage: Usage, uncounted: ReadonlySet<Entry>) {
  const { state, record } = request;
  const prompt = promptFor(state, record!);
  const ofItem = entryOfItem(state.history, record!.modalities);
  const found = prompt.input.map((item) => ofItem.get(item) ?? strange(item));
  const input = prompt.input.filter((_, index) => !uncounted.has(found[index]!));
  const weighed = found.filter((entry) => !uncounted.has(entry));
  const { shares } = ledgerOf({ ...prompt, input }, usage);
  const parts = shares.map(({ part, ...share }): WindowPart => {
    return part.kind === 'entry'
      ? { what: { kind: 'entry', entry: weighed[part.index]! }, ...share }
      : { what: part, ...share };
  });
  return { parts, unknown: [] };
}

/** What the file holds is estimated; the rest of the provider's count is what it does not hold. */
function foreignParts({ state, record }: StoryRequest, usage: Usage, uncounted: ReadonlySet<Entry>) {
  const sent = entries(state.history).filter((entry) => !uncounted.has(entry));
  const known = [instructionsPart(instructionsOf(state)?.text ?? ''), ...sent.map(estimated)];
  const rest = usage.input - sum(known);
  const unknown = [record === undefined ? toolsUnknown : toolsMissing(record).message];
  if (rest >= 0) {
    const missing: WindowPart = {
      what: { kind: 'missing', name: 'tools and the like' },
      tokens: rest,
      measure: 'estimated',
      cached: undefined,
    };
    return { parts: [known[0]!, missing, ...known.slice(1)], unknown };
  }
  const shares = apportion(
    known.map(({ tokens }) => tokens),
    usage.input,
  );
  const parts = known.map((part, index) => ({ ...part, tokens: shares[index]!, measure: 'scaled' as const }));
  return { parts, unknown };
}

/** The answer to the request, of which the provider counted so many tokens, and what came after, as we estimate it. */
function partsSince({ state, requests }: ThreadStory, request: StoryRequest, output: number): readonly WindowPart[] {
  const next = requests.find((other) => other.number > request.number && isOfTalk(other));
  const from = request.state.history.length;
  const end = next?.state.history.length ?? state.history.length;
  const isAnswer = (entry: Entry, index: number): boolean => from + index < end && isModelMade(entry);
  const since = entries(state.history).slice(from);
  const answer = since.filter(isAnswer);
  const shares = apportion(
    answer.map(({ item }) => itemTokens(item)),
    output,
  );
  const tokensOf = new Map(answer.map((entry, index) => [entry, shares[index]!]));
  const lost: readonly WindowPart[] =
    answer.length > 0 || output === 0
      ? []
      : [{ what: { kind: 'missing', name: 'answer' }, tokens: output, measure: 'exact', cached: undefined }];
  const parts = since.map((entry): WindowPart => {
    const tokens = tokensOf.get(entry);
    if (tokens === undefined) return estimated(entry);
    return {
      what: { kind: 'entry', entry },
      tokens,
      measure: answer.length === 1 ? 'exact' : 'scaled',
      cached: undefined,
    };
  });
  return [...lost, ...parts];
}

function newestRecord({ requests }: ThreadStory): RequestRecord | undefined {
  return requests.findLast((request) => request.record !== undefined)?.record;
}

/** Whether the next request offers other tools than the newest one: then no count fits it. */
function offersOthers(story: ThreadStory, { tools }: NextRequest): boolean {
  const record = newestRecord(story);
  const known = record === undefined ? undefined : story.state.toolSets.get(record.toolSet);
  return known !== undefined && JSON.stringify(known) !== JSON.stringify(tools);
}

/** No count of a provider fits what the history is now. */
function estimatedContent(story: ThreadStory, next: NextRequest | undefined): WindowContent {
  const { state } = story;
  const record = newestRecord(story);
  const tools = next?.tools ?? (record === undefined ? undefined : state.toolSets.get(record.toolSet));
  const parts: readonly WindowPart[] = [
    instructionsPart(instructionsOf(state)?.text ?? ''),
    ...(tools ?? []).map((tool): WindowPart => {
      const name = stringAt(tool, 'name') ?? tool.type;
      return { what: { kind: 'tool', name }, tokens: toolTokens(tool), measure: 'estimated', cached: undefined };
    }),
    ...sentTo(readerNow(story, next), state.history).map(estimated),
  ];
  const missing = record === undefined ? toolsUnknown : toolsMissing(record).message;
  return { total: sum(parts), measure: 'estimated', parts, unknown: tools === undefined ? [missing] : [] };
}

function instructionsPart(text: string): WindowPart {
  const tokens = instructionsTokens(text);
  return { what: { kind: 'instructions' }, tokens, measure: 'estimated', cached: undefined };
}

function estimated(entry: Entry): WindowPart {
  return { what: { kind: 'entry', entry }, tokens: itemTokens(entry.item), measure: 'estimated', cached: undefined };
}

/** Not reached for requests of ours: every item of theirs comes from an entry. */
function strange(item: Item): Entry {
  return { item, origin: { family: 'context', kinds: ['foreign'] } };
}

function sum(parts: readonly WindowPart[]): number {
  return parts.reduce((total, { tokens }) => total + tokens, 0);
}
