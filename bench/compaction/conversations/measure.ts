import { recogniseFragment } from '../../../src/core/world/recognise-fragments.ts';
import { estimateTokens } from '../../../src/core/fragments/text/truncate.ts';
import { itemTokens } from '../../../src/core/history/token-counts.ts';
import type { Item } from '../../../src/protocol/item.ts';
import { isJsonObject, type JsonObject } from '../../../src/protocol/json.ts';
import { resumeTextForStep } from '../../../src/core/compaction/candidates/last-work.ts';
import type { Asked } from '../../../test/compaction/conversations/asked.ts';
import type { Conversation } from '../../../test/compaction/conversations/conversation.ts';
import { distinct } from '../../../test/compaction/conversations/distinct.ts';
import { isChosen, leftOut, readList } from '../../../test/compaction/conversations/read-prompt.ts';
import { wrongNext } from '../../../test/compaction/conversations/summarisers.ts';

export interface Share {
  readonly found: number;
  readonly of: number;
}

/** Facts about a conversation in the request after a checkpoint. Nothing is judged: texts are searched and compared. */
export interface Measured {
  /** Messages of the user that stand there word for word, each as a message. */
  readonly messages: Share;
  readonly pictures: Share;
  /** The messages and pictures that a mark names or counts, among those that are not there whole. */
  readonly marked: Share;
  /** The texts of hooks and programs, word for word. */
  readonly others: Share;
  /**
   * `right`: it names the active request, or the next step of it. `open`: it names neither. `wrong`: it gives as active
   * what is cancelled, postponed or finished. `as told`: it passes on what the model named wrongly.
   */
  readonly task: 'right' | 'open' | 'as told' | 'wrong';
  /** An answer that the model gave earlier stands in the place of the summary. */
  readonly isOldAnswer: boolean;
  /** The tokens of the checkpoint, by part. */
  readonly tokens: Tokens;
}

export interface Tokens {
  readonly words: number;
  readonly pictures: number;
  readonly records: number;
  readonly summary: number;
  /** The words again, four bytes to a token. */
  readonly wordsByBytes: number;
}

/** The beginnings of summaries of the two programs. */
const summaryBeginnings = ['<checkpoint_summary>', 'Another language model started to solve this problem'];
const listBeginning = 'The conversation before this point was compacted.';

/** Context that a program sends again whenever it has to; it is no part of a checkpoint. */
export function isAboutTheWorld(item: JsonObject): boolean {
  const { role } = item;
  if (role === 'developer' || role === 'system') return true;
  const kind = role === 'user' ? recogniseFragment('user', textOf(item)) : undefined;
  return kind !== undefined && kind !== 'hook-prompt' && !kind.startsWith('checkpoint-');
}

/** `input`: of the first request after the checkpoint, up to the message that began it. */
export function measure(
  input: readonly JsonObject[],
  asked: Asked,
  { isWrong = false }: { readonly isWrong?: boolean } = {},
): Measured {
  const end = input.findLastIndex((item) => item['type'] === 'compaction' || isSummary(item));
  const said = new Set(asked.played.sent.map(({ text }) => text));
  const kept = input.slice(0, end + 1).filter((item) => said.has(textOf(item)) || !isAboutTheWorld(item));
  const rows = kept.filter((item) => !isSummary(item)).flatMap(messagesIn);
  const sent = distinct(asked.played.sent);
  const whole = sent.filter(({ text }) => text === '' || rows.some((row) => row.text === text));
  const cut = sent.filter((one) => !whole.includes(one));
  const images = { found: countImages(kept), of: sent.reduce((sum, { pictures }) => sum + pictures, 0) };
  const others = distinct(asked.played.heard).filter(({ by }) => by !== undefined);
  return {
    messages: { found: whole.length, of: sent.length },
    pictures: images,
    marked: {
      found: Math.min(cut.length, marksOf(rows, cut)) + Math.min(images.of - images.found, picturesMarked(rows)),
      of: cut.length + images.of - images.found,
    },
    others: {
      found: others.filter(({ text }) => kept.some((item) => unescaped(textOf(item)).includes(text))).length,
      of: others.length,
    },
    ...taskIn(kept, rows, asked, isWrong),
    tokens: tokensOf(kept),
  };
}

interface Row {
  readonly note: string;
  readonly text: string;
}

/** A message of the user by itself, or each of a list of them. */
function messagesIn(item: JsonObject): readonly Row[] {
  if (item['role'] !== 'user') return [];
  const text = textOf(item);
  if (text.startsWith(listBeginning)) return readList(text).rows;
  // Names of pictures are no words.
  return [{ note: '', text: text.replace(/^(?:<image [^>]*>(?:<\/image>)?)+/, '') }];
}

const cutMark = /\[… about \d+ tokens cut here …\]|…\d+ tokens truncated…/;

/** Messages that are there in part, with a mark in their middle, and those that a note counts. */
function marksOf(rows: readonly Row[], missing: readonly { readonly text: string }[]): number {
  const inPart = missing.filter(({ text }) =>
    rows.some((row) => {
      const [head = '', ...rest] = row.text.split(cutMark);
      return rest.length > 0 && head.trim() !== '' && text.startsWith(head.trimEnd());
    }),
  );
  return inPart.length + rows.reduce((sum, { note }) => sum + (leftOut(note) ?? 0), 0);
}

function picturesMarked(rows: readonly Row[]): number {
  return rows.reduce((sum, { note }) => sum + Number(/(\d+) pictures? left out/.exec(note)?.[1] ?? 0), 0);
}

function taskIn(
  kept: readonly JsonObject[],
  rows: readonly Row[],
  { conversation, active, over }: Asked,
  isWrong: boolean,
): Pick<Measured, 'task' | 'isOldAnswer'> {
  const chosen = rows.filter(({ note }) => isChosen(note)).map(({ text }) => text);
  const summary = kept.filter(isSummary).map(textOf).join('\n');
  const cursor = summary
    .match(/^RESUME_AT: .*$/gm)
    ?.at(-1)
    ?.slice('RESUME_AT: '.length);
  const body = summary.slice(summary.indexOf('\n') + 1).trim();
  const isOldAnswer =
    conversation.story.some((one) => one.kind === 'say' && one.text === body) && body !== conversation.done;
  const isOver = (text: string): boolean => over.some((one) => one.text === text);
  const task = (): Measured['task'] => {
    if (isWrong && (chosen.length > 0 || cursor === wrongNext)) return 'as told';
    if (chosen.some(isOver) || stepsOver(conversation, isOver).some((step) => cursor === resumeTextForStep(step)))
      return 'wrong';
    const isNamed = chosen.length === active.length && active.every(({ text }) => chosen.includes(text));
    if (isNamed && chosen.length > 0) return 'right';
    return cursor === conversation.next || summary.includes(conversation.done) ? 'right' : 'open';
  };
  return { task: task(), isOldAnswer };
}

/** The steps of plans that belong to a message whose task is over. */
function stepsOver({ story }: Conversation, isOver: (text: string) => boolean): readonly string[] {
  let owner = '';
  return story.flatMap((happening) => {
    if (happening.kind === 'ask' || happening.kind === 'steer') owner = happening.text;
    if (happening.kind !== 'plan' || !isOver(owner)) return [];
    return happening.steps.map((step) => step.replace(/^[x>] /, ''));
  });
}

function tokensOf(kept: readonly JsonObject[]): Tokens {
  const sum = { words: 0, pictures: 0, records: 0, summary: 0, wordsByBytes: 0 };
  for (const item of kept) {
    const all = itemTokens(item as Item);
    if (isSummary(item) || item['type'] === 'compaction') sum.summary += all;
    else if (textOf(item).startsWith('<checkpoint_records>')) sum.records += all;
    else {
      const words = countImages([item]) === 0 ? all : estimateTokens(textOf(item));
      sum.words += words;
      sum.wordsByBytes += estimateTokens(textOf(item));
      sum.pictures += all - words;
    }
  }
  return sum;
}

export function isSummary(item: JsonObject): boolean {
  const text = textOf(item);
  return item['role'] === 'user' && summaryBeginnings.some((beginning) => text.startsWith(beginning));
}

function partsOf({ content }: JsonObject): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

function textOf(item: JsonObject): string {
  return partsOf(item)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

function countImages(items: readonly JsonObject[]): number {
  return items.flatMap(partsOf).filter(({ type }) => type === 'input_image').length;
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
