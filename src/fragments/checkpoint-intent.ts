import { defineFragment } from './define.ts';

export interface CheckpointIntentText {
  /** What the model noted so that the task can be understood; may be empty. */
  readonly context: string;
  /** What code found that the model could not settle, a sentence each. */
  readonly unknowns: readonly string[];
  /** The user's words that define the task. Undefined when nobody has said anything. */
  readonly request: string | undefined;
  /** Other words of the user, oldest first. */
  readonly recent: readonly RecentWords[];
}

export type RecentWords =
  | { readonly kind: 'quoted'; readonly text: string }
  /** Its pictures did not fit. */
  | { readonly kind: 'without-pictures'; readonly text: string }
  /** It stands in a message of its own. */
  | { readonly kind: 'follows' };

/** Where in the text a quote stands; empty for words that follow as a message. */
export interface QuotePlace {
  readonly start: number;
  readonly end: number;
}

export interface IntentLayout {
  readonly text: string;
  readonly request: QuotePlace | undefined;
  readonly recent: readonly QuotePlace[];
}

const opening =
  'The talk so far was folded to make room, and this message was put together from it. What stands between the tags below is what the user said, word for word. The rest of this message is not by the user.';

/** The text and the places of its quotes. The user's words stand in it as they are, whatever they contain. */
export function layOutIntent({ context, unknowns, request, recent }: CheckpointIntentText): IntentLayout {
  let text = opening;
  const add = (line: string): QuotePlace => {
    const start = text.length + 1;
    text += `\n${line}`;
    return { start, end: text.length };
  };
  if (context !== '') add(`\nTo understand the task, noted by the model that read the talk:\n${context}`);
  if (unknowns.length > 0) add('');
  for (const unknown of unknowns) add(`UNKNOWN: ${unknown}`);
  add('\nThe request that defines the task:\n<VERBATIM_REQUEST_START>');
  const asked = add(request ?? 'UNKNOWN');
  add('<VERBATIM_REQUEST_END>');
  add('\nOther messages of the user, oldest first, each under its number:\n<RECENT_USER_CONTEXT_START>');
  const places = recent.map((words, index) => {
    add(`--- ${index + 1}${note[words.kind]} ---`);
    return words.kind === 'follows' ? { start: text.length, end: text.length } : add(words.text);
  });
  add('<RECENT_USER_CONTEXT_END>');
  return { text, request: request === undefined ? undefined : asked, recent: places };
}

const note: Readonly<Record<RecentWords['kind'], string>> = {
  quoted: '',
  'without-pictures': ' (its pictures were left out)',
  follows: ' (with pictures: it follows as a message of its own)',
};

/** The user's words in it must stay exact, so it has no markers that they could close. */
export const checkpointIntentFragment = defineFragment<CheckpointIntentText>({
  id: 'checkpoint-intent',
  purpose: 'After a checkpoint: the task, and what the user said, word for word.',
  role: 'user',
  capTokens: 24_000,
  separate: true,
  body: (payload) => layOutIntent(payload).text,
});
