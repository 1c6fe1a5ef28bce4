import { entries } from '../../history/history.ts';
import { ledgerOf } from '../../history/ledger.ts';
import { isJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { instructionsOf } from '../../state/thread-state.ts';
import { hasTools, promptFor, toolsMissing, withoutTools } from '../../state/request.ts';
import type { RequestRecord } from '../../state/request-record.ts';
import { loadReplayParts } from '../engine/replay-parts.ts';
import { entryOfItem } from './entry-of-item.ts';
import { shownText } from './item-text.ts';
import { partNamer } from './part-names.ts';
import { count, plural, wrap } from '../terminal/table.ts';
import type { StoryRequest, ThreadStory } from './thread-story.ts';

const marginWidth = 26;

export function chooseRequest({ requests }: ThreadStory, asked: number | 'last'): StoryRequest | Outcome<'no-request'> {
  const found = asked === 'last' ? requests.at(-1) : requests[asked - 1];
  if (found !== undefined) return found;
  return {
    code: 'no-request',
    message: `The thread has ${plural(requests.length, 'request')}.`,
    next: requests.length === 0 ? 'Run a turn first.' : `Name one from 1 to ${requests.length}, or last.`,
  };
}

/** The body as it was sent, byte for byte; of a request of another program what the file holds of it. */
export async function requestBody({
  record,
  state,
}: StoryRequest): Promise<string | Outcome<'encoder-unknown' | 'tools-missing'>> {
  if (record === undefined) {
    const known = {
      instructions: instructionsOf(state)?.text ?? null,
      input: entries(state.history).map(({ item }) => item),
    };
    return `${JSON.stringify({ known, unknown: ['model settings', 'tools', 'labels'] })}\n`;
  }
  if (!hasTools(state, record)) return toolsMissing(record);
  const { versions, encoderOf } = await loadReplayParts();
  const encoder = encoderOf(record.encoder);
  if (encoder === undefined) {
    return {
      code: 'encoder-unknown',
      message: `The request was made by the encoder ${record.encoder}; this version has ${versions.join(', ')}.`,
      next: 'Read it without --json, or with the version that made it.',
    };
  }
  return `${Buffer.concat(encoder.body(promptFor(state, record))).toString('utf8')}\n`;
}

/** The request as the model got it: each part with its origin in the margin. */
export function requestText(story: ThreadStory, request: StoryRequest, width: number): string {
  const { state, record, usage } = request;
  const instructions = instructionsOf(state)?.text ?? '';
  const input =
    record === undefined ? entries(state.history).map(({ item }) => item) : withoutTools(state, record).input;
  const tools = (record === undefined ? undefined : state.toolSets.get(record.toolSet)) ?? [];
  const ofItem = entryOfItem(state.history, record?.modalities ?? ['text', 'image', 'audio']);
  const nameParts = partNamer({ ...story, state });
  const blocks = ledgerOf({ instructions, tools, input }, record === undefined ? undefined : usage).shares.map(
    (share) => {
      const { part, tokens, cached } = share;
      const weight = `${count(tokens)} tokens${cached === true ? ', cached' : ''}`;
      if (part.kind === 'instructions') return block(['instructions', weight], instructions, width);
      if (part.kind === 'tool') {
        const tool = tools.find((each) => (each['name'] ?? each.type) === part.name);
        return block(['tool', part.name, weight], JSON.stringify(tool), width);
      }
      const item = input[part.index]!;
      const entry = ofItem.get(item);
      if (entry === undefined)
        return block([unnamed(request, part.index, input.length), weight], shownText(item), width);
      const named = nameParts({ what: { kind: 'entry', entry }, ...share });
      const [first] = named;
      const turn = first?.turn === undefined ? '' : `, turn ${first.turn}`;
      const names = named.map(({ name }) => `  ${name}`);
      return block([`${first?.family ?? 'unknown'}${turn}`, ...names, weight], shownText(item), width);
    },
  );
  const lost = record === undefined || hasTools(state, record) ? '' : `\n${toolsMissing(record).message}`;
  return `${headLine(request)}${lost}\n\n${blocks.join('\n')}`;
}

/** Items that stand in no history: what a request beside the conversation says itself, and what it sends in short. */
function unnamed({ record }: StoryRequest, index: number, length: number): string {
  const auxiliary = record?.auxiliary;
  if (auxiliary === undefined) return 'unknown';
  const isOwn = index < auxiliary.head.length || index >= length - auxiliary.tail.length;
  return isOwn ? `${auxiliary.purpose}, its own words` : 'left out, in short';
}

function headLine({ number, turn, at, record, usage, prefix }: StoryRequest): string {
  const made =
    record === undefined
      ? 'made by another program: put together from the history before its answer; its tools and settings are not known'
      : `${stepWords(record)} · ${[record.options.model, record.options.effort].filter(Boolean).join(' ')} · encoder ${record.encoder}`;
  const counted =
    usage === undefined
      ? 'the provider gave no count'
      : `${count(usage.input)} tokens sent, ${count(usage.cachedInput)} of them cached, ${count(usage.output)} answered`;
  const breaks = Array.isArray(prefix?.['breaks']) ? (prefix['breaks'] as readonly unknown[]) : [];
  const broken = breaks.flatMap((each) => (isJsonObject(each) ? [String(each['kind'])] : []));
  const cache = broken.length === 0 ? '' : `\ncache broken by: ${broken.join(', ')}`;
  return `request ${number} · turn ${turn} · ${at} · ${made}\n${counted}${cache}`;
}

function stepWords({ step, auxiliary }: RequestRecord): string {
  return auxiliary === undefined ? `step ${step + 1}` : `${auxiliary.purpose}, before step ${step + 1}`;
}

function block(margin: readonly string[], text: string, width: number): string {
  const right = wrap(text, Math.max(20, width - marginWidth - 3));
  const lines = Math.max(margin.length, right.length);
  return Array.from({ length: lines }, (_, at) => {
    const left = (margin[at] ?? '').slice(0, marginWidth).padEnd(marginWidth);
    return `${left} | ${right[at] ?? ''}`.trimEnd();
  })
    .join('\n')
    .concat('\n');
}
