import { historyEntries } from '../../../core/history/history.ts';
import { requestShares } from '../../../core/history/window-usage.ts';
import type { Item } from '../../../protocol/item.ts';
import { objectsAt } from '../../../protocol/json.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Usage } from '../../../protocol/usage.ts';
import { instructionsOf, type ThreadState } from '../../../core/state/thread-state.ts';
import { hasTools, promptFor, toolsMissingProblem, promptWithoutTools } from '../../../core/state/plan-request.ts';
import type { RequestRecord } from '../../../core/state/request-record.ts';
import { loadReplayParts } from '../../../engine/rerun-step.ts';
import { itemText, matchHistoryEntries } from './window-content.ts';
import { partNamer } from './window-parts.ts';
import { dim, type Span } from '../terminal/styled-text.ts';
import { type PageForm, wrapSentences } from '../terminal/tables.ts';
import { formatCount } from '../../../engine/wording.ts';
import { fitToWidth, padToWidth, visibleLine, wrap } from '../terminal/visible-text.ts';
import { moneyWords } from '../wording/cost-words.ts';
import { clockTimeOf } from '../wording/time-words.ts';
import type { StoryRequest, ThreadStory } from './thread-story.ts';

const marginWidth = 26;

/** The body as it was sent, byte for byte; for another program's request, the parts that the file holds. */
export async function requestBody({ record, state }: StoryRequest): Promise<string | Outcome> {
  if (record === undefined) {
    const known = { instructions: instructionsOf(state)?.text ?? null, input: itemsOf(state) };
    return `${JSON.stringify({ known, unknown: ['model settings', 'tools', 'labels'] })}\n`;
  }
  if (!hasTools(state, record)) return toolsMissingProblem(record);
  const { versions, encoderOf } = await loadReplayParts();
  const encoder = encoderOf(record.encoder);
  if (encoder !== undefined) return `${Buffer.concat(encoder.body(promptFor(state, record))).toString('utf8')}\n`;
  const message = `The request was made by the encoder ${record.encoder}; this version has ${versions.join(', ')}.`;
  return { code: 'encoder-unknown', message, next: 'Read it without --json, or with the version that made it.' };
}

export interface RequestPart {
  /** The origin, then a description, in lines. */
  readonly origin: readonly [string, ...string[]];
  readonly tokens: number;
  readonly cached?: number | undefined;
  text(): string;
}

export function requestParts(story: ThreadStory, request: StoryRequest): readonly RequestPart[] {
  const { state, record, usage } = request;
  const instructions = instructionsOf(state)?.text ?? '';
  const input = record === undefined ? itemsOf(state) : promptWithoutTools(state, record).input;
  const tools = (record && state.toolSets.get(record.toolSet)) ?? [];
  const ofItem = matchHistoryEntries(state.history, record?.modalities ?? ['text', 'image', 'audio']);
  const nameParts = partNamer({ ...story, state });
  const { shares } = requestShares({ instructions, tools, input }, record && usage);
  return shares.map((share): RequestPart => {
    const { part, tokens, cached } = share;
    const weight = { tokens, cached };
    if (part.kind === 'instructions') return { origin: ['instructions'], ...weight, text: () => instructions };
    if (part.kind === 'tool') {
      const tool = tools.find((each) => (each['name'] ?? each.type) === part.name);
      return { origin: ['tool', part.name], ...weight, text: () => JSON.stringify(tool) };
    }
    const item = input[part.index]!;
    const entry = ofItem.get(item);
    const named = entry === undefined ? [] : nameParts({ what: { kind: 'entry', entry }, ...share });
    const [{ family, turn } = { family: unnamed(request, part.index, input.length) }] = named;
    const origin = turn === undefined ? family : `${family}, turn ${turn}`;
    return { origin: [origin, ...named.map(({ name }) => `  ${name}`)], ...weight, text: () => itemText(item) };
  });
}

export function requestPage(story: ThreadStory, request: StoryRequest, form: PageForm): readonly Span[] {
  const { state, record } = request;
  const blocks = requestParts(story, request).flatMap((part) => [
    '\n',
    ...block([...part.origin, requestPartTokens(part)], part.text(), form.width),
  ]);
  const lost = record === undefined || hasTools(state, record) ? '' : `\n${toolsMissingProblem(record).message}`;
  return [wrapSentences(`${requestSummary(request)}${lost}`, form), ...blocks];
}

/** `1,200 tokens, cached`; if the cache ended inside of it, `300 cached`. */
export function requestPartTokens({ tokens, cached = 0 }: Pick<RequestPart, 'tokens' | 'cached'>): string {
  const inCache = cached === 0 ? '' : cached === tokens ? ', cached' : `, ${formatCount(cached)} cached`;
  return `${formatCount(tokens)} tokens${inCache}`;
}

const itemsOf = ({ history }: ThreadState): readonly Item[] => historyEntries(history).map(({ item }) => item);

/** Names items outside history: texts of a request beside the conversation, and items that it sends in short form. */
function unnamed({ record }: StoryRequest, index: number, length: number): string {
  const auxiliary = record?.auxiliary;
  if (auxiliary === undefined) return 'unknown';
  if (auxiliary.review !== undefined) return 'review request';
  const isOwn = index < auxiliary.head.length || index >= length - auxiliary.tail.length;
  return isOwn ? `${auxiliary.purpose} request` : 'shortened item';
}

export function requestSummary({ number, turn, at, record, usage, prefix }: StoryRequest): string {
  const broken = objectsAt(prefix, 'breaks').map(({ kind }) => String(kind));
  const cache = broken.length === 0 ? '' : `\ncache broken by: ${broken.join(', ')}`;
  return `request ${number} · turn ${turn} · ${clockTimeOf(at)} · ${madeWords(record)}\n${countedWords(usage)}${cache}`;
}

function madeWords(record: RequestRecord | undefined): string {
  if (record === undefined)
    return 'made by another program: rebuilt from the history before its answer; its tools and settings are not known';
  const { auxiliary, options, encoder } = record;
  const about = auxiliary?.review === undefined ? 'compaction, before ' : 'review of a call of ';
  const step = `${auxiliary === undefined ? '' : about}step ${record.step + 1}`;
  return `${step} · ${[options.model, options.effort].filter(Boolean).join(' ')} · encoder ${encoder}`;
}

function countedWords(usage: Usage | undefined): string {
  if (usage === undefined) return 'the provider gave no count';
  const { input, cachedInput, output, cost, estimated } = usage;
  const money = cost === undefined ? '' : `, ${moneyWords(cost, estimated)}`;
  return `${formatCount(input)} tokens sent, ${formatCount(cachedInput)} of them cached, ${formatCount(output)} answered${money}`;
}

function block(margin: readonly string[], text: string, width: number): readonly Span[] {
  const right = wrap(text, Math.max(20, width - marginWidth - 3));
  return Array.from({ length: Math.max(margin.length, right.length) }, (_, at): readonly Span[] => {
    const left = padToWidth(fitToWidth(visibleLine(margin[at] ?? ''), marginWidth), marginWidth);
    return [dim(`${left} |`), `${` ${right[at] ?? ''}`.trimEnd()}\n`];
  }).flat();
}
