import type { CallItem } from '../protocol/item.ts';
import { arrayAt, type Json, type JsonObject } from '../protocol/json.ts';
import type { Question } from '../protocol/question.ts';
import { callArguments } from './call-arguments.ts';
import { isLong } from './short-word.ts';

/** A word of a question whose line has only its beginning: the list, the index there, and the argument that holds it. */
export type WordInCall = readonly [list: 'argv' | 'prefix', index: number, argument: string];

type Words = Pick<Question, 'argv' | 'prefix'>;

/** What a question has words in. */
export const wordLists = ['argv', 'prefix'] as const;

/** The long words that stand whole in the call. */
export function wordsInCall(words: Words, call: CallItem): readonly WordInCall[] {
  if (!wordLists.some((list) => words[list]?.some(isLong))) return [];
  const given = Object.entries(callArguments(call));
  return wordLists.flatMap((list) =>
    (words[list] ?? []).flatMap((word, index): readonly WordInCall[] => {
      const [argument] = (isLong(word) && given.find(([, value]) => value === word)) || [];
      return argument === undefined ? [] : [[list, index, argument]];
    }),
  );
}

export function readWordsInCall(payload: JsonObject): readonly WordInCall[] | undefined {
  return arrayAt(payload, 'in_call')?.flatMap((each: Json): readonly WordInCall[] => {
    const [list, index, argument] = Array.isArray(each) ? (each as readonly Json[]) : [];
    const known = wordLists.find((name) => name === list);
    if (known === undefined || typeof index !== 'number' || typeof argument !== 'string') return [];
    return [[known, index, argument]];
  });
}
