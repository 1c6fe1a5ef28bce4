import { defined } from '../../../base/objects.ts';
import type { CallItem } from '../../../protocol/item.ts';
import { arrayAt, type Json, type JsonObject, objectAt, parseJsonObject, stringAt } from '../../../protocol/json.ts';
import type { Question } from '../../../protocol/question.ts';
import type { CommandItem } from '../../../protocol/turn-item.ts';

/** The arguments that the model wrote. Those that are no JSON object are none. */
export function callArguments(call: CallItem): JsonObject {
  return call.type === 'function_call' ? (parseJsonObject(call.arguments) ?? {}) : { input: call.input };
}

/** The command that a call asked for, as the model wrote it, where the call was not run. Undefined: it is another call. */
export function commandNotRun(call: CallItem): CommandItem | undefined {
  const { cmd } = call.name === 'exec_command' ? callArguments(call) : {};
  if (typeof cmd !== 'string') return undefined;
  return { kind: 'command', id: call.call_id, argv: ['sh', '-c', cmd], cwd: '', status: 'declined', output: '' };
}

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

/** Nothing large is stored twice (I9): a longer word stands whole in the call that the model made. */
const longestWord = 1000;

function isLong(word: string): boolean {
  return word.length > longestWord;
}

/** The beginning of a word, as lines about calls have it. Never through the middle of a character. */
export function shortWord(word: string): string {
  return isLong(word) ? `${word.slice(0, longestWord).replace(/[\ud800-\udbff]$/, '')} …` : word;
}

/** What hooks said about a call that is asked about. Its answer may come in another process, which does not ask them again. */
export interface HookResults {
  /** What runs in the place of the arguments that the model wrote. */
  readonly input?: string;
  /** They want the user to decide. */
  readonly asks?: true;
  /** For the model, behind the answer to the call. */
  readonly texts?: readonly string[];
}

/** As a question's line has it. */
export function readHookResults(payload: JsonObject): HookResults | undefined {
  const hook = objectAt(payload, 'hook');
  if (hook === undefined) return undefined;
  const texts = arrayAt(hook, 'texts')?.filter((text) => typeof text === 'string');
  return defined({ input: stringAt(hook, 'input'), asks: hook['asks'] === true || undefined, texts });
}

/** A call of the model as it would run. The model's own item stays as it is. */
export function callAfterHooks(call: CallItem, { input }: HookResults = {}): CallItem {
  if (input === undefined) return call;
  return call.type === 'function_call' ? { ...call, arguments: input } : { ...call, input };
}

/** What its tool reads. */
export function callInput(call: CallItem): string {
  return call.type === 'function_call' ? call.arguments : call.input;
}

/** The same in short: of a command, the command itself. */
export function shownCallInput(call: CallItem): string {
  const input = callInput(call);
  return (call.name === 'exec_command' ? stringAt(parseJsonObject(input), 'cmd') : undefined) ?? input;
}
