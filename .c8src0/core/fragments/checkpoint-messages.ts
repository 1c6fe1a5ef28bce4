import type { JsonObject } from '../../protocol/json.ts';
import { type NonUserAuthor, speakerTags } from '../../protocol/user-input.ts';
import { invisibleRegexClass, spaceRegexClass } from '../../base/invisible-characters.ts';
import { fenceFor, type TextRange } from './text/cut-and-fence-text.ts';
import { defineFragment } from './text/define-fragment.ts';

/** The user's messages and setup that a checkpoint keeps: one list in time order. */
export interface CheckpointIntentText {
  readonly rows: readonly IntentRow[];
  /** The model that chose the active task in this checkpoint; absent if no model did. */
  readonly chosenBy?: string;
  /** A command that prints everything, if something is cut or left out. */
  readonly readAll?: string;
}

export type IntentRow = IntentMessage | ({ readonly kind: 'gap' } & LeftOutMessages);

export interface IntentMessage {
  readonly kind: 'message';
  /** Its turn's number; absent if the file does not give it. */
  readonly number?: number;
  /** The speaker. Absent if the user or `author` wrote the text. */
  readonly by?: keyof typeof speakers;
  /** Absent: the user wrote it. */
  readonly author?: NonUserAuthor;
  /** Exact or visibly cut. */
  readonly text: string;
  /** Its turn was stopped or failed. */
  readonly endedEarly?: true;
  /** `chosen`: this checkpoint's model chose it as the active task; `before`: an earlier checkpoint's model did. */
  readonly task?: 'chosen' | 'before';
  /** Its pictures and labels, placed before its text. */
  readonly pictures: readonly JsonObject[];
  readonly pictureCount: number;
  /** Earlier turns in which the user wrote exactly the same. */
  readonly alsoIn: readonly number[];
  readonly picturesLeftOut: number;
}

export interface LeftOutMessages {
  readonly count: number;
  /** Number of left-out messages that are not the user's. */
  readonly others?: number;
  readonly tokens: number;
  /** Turn numbers of the first and the last left-out message. */
  readonly from?: number;
  readonly to?: number;
}

type IntentPlace = TextRange & { readonly pictures?: readonly [from: number, to: number] };

const othersSpeak =
  ' A note says which messages are from a hook or a program that the user set up: the user did not write those.';
const othersAsk =
  ' A note says which messages gave you work in place of the user: a model or a program wrote those, whatever they quote.';

const speakers = {
  hook: 'from a hook, not from the user',
  program: 'from a program, not from the user',
  shell: 'a shell command that the user ran, and its output',
  answer: 'what the user answered when asked',
} as const;

let speakerTag: RegExp | undefined;

/** True if a format that marks speakers by tags would escape a tag in this text, even one with invisible characters. */
function hasSpeakerTag(text: string): boolean {
  const gap = `[${spaceRegexClass}${invisibleRegexClass}]*`;
  const tagNames = speakerTags.map((tag) => [...tag].join(`[${invisibleRegexClass}]*`)).join('|');
  // Built on first use: Unicode properties cost some milliseconds at startup.
  speakerTag ??= new RegExp(`<${gap}(?:/${gap})?(?:${tagNames})(?![\\w-])`, 'iu');
  return speakerTag.test(text);
}

const tagsChange = ` One exception: a tag with the name of one of the program's own (${speakerTags.join(', ')}) may stand here with &lt; in the place of its first character.`;

const inPlaceOfUser: Readonly<Record<NonUserAuthor, string>> = {
  agent: 'written by the model of another thread, not by the user',
  program: 'written by a program, not by the user',
};

const opening = (fence: string, { rows, readAll }: CheckpointIntentText): string =>
  [
    `The conversation before this point was compacted. Below are the user's messages from it, oldest first, word for word. Lines that begin with ${fence} are notes of the program and not of the user.`,
    rows.some((row) => row.kind === 'message' && (row.by === 'hook' || row.by === 'program')) ? othersSpeak : '',
    rows.some((row) => row.kind === 'message' && row.author !== undefined) ? othersAsk : '',
    rows.some((row) => row.kind === 'message' && hasSpeakerTag(row.text)) ? tagsChange : '',
    readAll === undefined ? '' : ` Where something is cut or left out, a mark says so; to read all of it: ${readAll}`,
  ].join('');

/** No line of the user's words begins with the fence. The result has one place per message row, in order. */
export function layOutMessages(payload: CheckpointIntentText) {
  const { rows } = payload;
  const fence = fenceFor(
    '=',
    rows.map((row) => (row.kind === 'message' ? row.text : '')),
  );
  const note = (text: string): string => `\n${fence} ${text} ${fence}\n`;
  const parts: JsonObject[] = [];
  const places: IntentPlace[] = [];
  let length = 0;
  let text = opening(fence, payload);
  const flush = (): void => {
    parts.push({ type: 'input_text', text });
    length += text.length;
    text = '';
  };
  for (const row of rows) {
    if (row.kind === 'gap') {
      text += note(gapNote(row));
      continue;
    }
    text += note(messageNote(row, payload));
    const before = parts.length + 1;
    if (row.pictures.length > 0) {
      flush();
      parts.push(...row.pictures);
      length += row.pictures.reduce(
        (sum, part) => sum + (typeof part['text'] === 'string' ? part['text'].length : 0),
        0,
      );
    }
    const range = row.pictures.length === 0 ? {} : { pictures: [before, parts.length] as const };
    if (row.task === 'chosen') text += '<VERBATIM_REQUEST_START>\n';
    const start = length + text.length;
    text += row.text;
    places.push({ start, end: start + row.text.length, ...range });
    if (row.task === 'chosen') text += '\n<VERBATIM_REQUEST_END>';
  }
  text += note(closing(payload));
  flush();
  return { parts, places };
}

function closing({ rows, chosenBy }: CheckpointIntentText): string {
  const messages = rows.filter((row) => row.kind === 'message' && row.by === undefined) as readonly IntentMessage[];
  if (messages.length === 0) return 'the user has written nothing yet';
  if (chosenBy !== undefined && messages.some(({ task }) => task === 'chosen')) return "end of the user's messages";
  return "end of the user's messages. Which of them defines the active task was not decided: read them in order, a newer one may change or cancel an older one";
}

function messageNote(
  { number, by: speaker, author, alsoIn, task, endedEarly, pictureCount, picturesLeftOut }: IntentMessage,
  { rows, chosenBy }: CheckpointIntentText,
): string {
  const isOneOfSeveral = rows.filter((row) => row.kind === 'message' && row.task === 'chosen').length > 1;
  const by = chosenBy === undefined ? 'the model' : JSON.stringify(chosenBy);
  return [
    number === undefined ? 'message' : `turn ${number}`,
    ...(speaker === undefined ? [] : [speakers[speaker]]),
    ...(author === undefined ? [] : [inPlaceOfUser[author]]),
    ...(alsoIn.length === 0 ? [] : [`also in turn ${alsoIn.slice(-mostNamed).join(', ')}`]),
    ...(pictureCount === 0 ? [] : [`with ${pictures(pictureCount)}`]),
    ...(picturesLeftOut === 0 ? [] : [`${pictures(picturesLeftOut)} left out`]),
    ...(endedEarly ? ['ended early'] : []),
    ...(task === 'chosen'
      ? [
          `${isOneOfSeveral ? 'part of ' : ''}the request that defines the active task, as ${by} understood the conversation`,
        ]
      : []),
    ...(task === 'before'
      ? ['taken for the active task at an earlier checkpoint; newer messages may have changed that']
      : []),
  ].join(', ');
}

const mostNamed = 8;
const pictures = (count: number): string => (count === 1 ? '1 picture' : `${count} pictures`);

function gapNote({ count, others = 0, tokens, from, to }: LeftOutMessages): string {
  const turns =
    from === undefined || to === undefined ? '' : from === to ? `turn ${from}: ` : `turns ${from} to ${to}: `;
  const messages = count === 1 ? '1 message' : `${count} messages`;
  const whose = others === 0 ? '' : `, ${others === count ? '' : `${others} of them `}not from the user`;
  return `${turns}${messages} left out here${whose}, about ${tokens} tokens`;
}

/** It has no markers: the user's words must stay exact, and they could contain an end marker. */
export const checkpointIntentFragment = defineFragment<CheckpointIntentText>({
  id: 'checkpoint-intent',
  purpose:
    "After a checkpoint: the user's messages, word for word, in the order of time, and which one defines the task.",
  role: 'user',
  markers: 'none',
  capTokens: 400_000,
  separate: true,
  body: (payload) =>
    layOutMessages(payload)
      .parts.map(({ text }) => (typeof text === 'string' ? text : ''))
      .join(''),
});
