import { defined } from '../../../base/objects.ts';
import type { CallItem } from '../../../protocol/item.ts';
import { arrayAt, objectAt, parseJsonObject, stringAt, trueAt } from '../../../protocol/json.ts';
import type { Json, JsonObject } from '../../../protocol/json.ts';
import type { Question } from '../../../protocol/question.ts';
import type { CommandItem } from '../../../protocol/turn-item.ts';

export const callArguments = (call: CallItem): JsonObject =>
  call.type === 'function_call' ? (parseJsonObject(call.arguments) ?? {}) : { input: call.input };

export function commandNotRun(call: CallItem): CommandItem | undefined {
  const { cmd } = call.name === 'exec_command' ? callArguments(call) : {};
  if (typeof cmd !== 'string') return undefined;
  return { kind: 'command', id: call.call_id, argv: ['sh', '-c', cmd], cwd: '', status: 'declined', output: '' };
}

/** A word that the question's line cuts: its list, its index, and the call's argument that holds all of it. */
export type TruncatedWord = readonly [list: 'argv' | 'prefix', index: number, argument: string];
type Words = Pick<Question, 'argv' | 'prefix'>;
export const questionWordLists = ['argv', 'prefix'] as const;

export function truncatedWords(words: Words, call: CallItem): readonly TruncatedWord[] {
  if (!questionWordLists.some((list) => words[list]?.some(isLong))) return [];
  const given = Object.entries(callArguments(call));
  return questionWordLists.flatMap((list) =>
    (words[list] ?? []).flatMap((word, index): readonly TruncatedWord[] => {
      const [argument] = (isLong(word) && given.find(([, value]) => value === word)) || [];
      return argument === undefined ? [] : [[list, index, argument]];
    }),
  );
}

export function readTruncatedWords(payload: JsonObject): readonly TruncatedWord[] | undefined {
  return arrayAt(payload, 'in_call')?.flatMap((each: Json): readonly TruncatedWord[] => {
    const [list, index, argument] = Array.isArray(each) ? (each as readonly Json[]) : [];
    const known = questionWordLists.find((name) => name === list);
    if (known === undefined || typeof index !== 'number' || typeof argument !== 'string') return [];
    return [[known, index, argument]];
  });
}

/** Nothing large is stored twice (I9): the model's call holds longer words completely. */
const longestWord = 1000;
const isLong = (word: string): boolean => word.length > longestWord;

/** The beginning of a word for lines about calls. Never splits a character. */
export const truncateWord = (word: string): string =>
  isLong(word) ? `${word.slice(0, longestWord).replace(/[\ud800-\udbff]$/, '')} …` : word;

/** Results of hooks for a call in question. Its answer may come in another process, which does not run them again. */
export type HookResults = { readonly input?: string; readonly asks?: true; readonly texts?: readonly string[] };

export function readHookResults(payload: JsonObject): HookResults | undefined {
  const hook = objectAt(payload, 'hook');
  if (hook === undefined) return undefined;
  const texts = arrayAt(hook, 'texts')?.filter((text) => typeof text === 'string');
  return defined({ input: stringAt(hook, 'input'), asks: trueAt(hook, 'asks'), texts });
}

/** The call as it would run after its hooks. The model's own item is unchanged. */
export function callAfterHooks(call: CallItem, { input }: HookResults = {}): CallItem {
  if (input === undefined) return call;
  return call.type === 'function_call' ? { ...call, arguments: input } : { ...call, input };
}

export const callInput = (call: CallItem): string => (call.type === 'function_call' ? call.arguments : call.input);

/** Short form: of a command, the command itself. */
export function shownCallInput(call: CallItem): string {
  const input = callInput(call);
  return (call.name === 'exec_command' ? stringAt(parseJsonObject(input), 'cmd') : undefined) ?? input;
}
