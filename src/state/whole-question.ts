import { type CallItem, isCall, type Item } from '../protocol/item.ts';
import { arrayAt, isJsonObject, type JsonObject, parseJsonObject, stringAt } from '../protocol/json.ts';
import type { Question } from '../protocol/question.ts';
import { readUserQuestions } from '../protocol/user-question.ts';
import { callArguments } from './call-arguments.ts';
import type { RecordedQuestion } from './recorded-question.ts';
import { asHooksLeft } from './said-by-hooks.ts';
import { shortWord } from './short-word.ts';
import { wordLists } from './word-in-call.ts';

/** The question as it was asked, with what its line leaves to the call. */
export function wholeQuestion(recorded: RecordedQuestion, call: Item | undefined): Question {
  const { about: _about, seal: _seal, answer: _answer, inCall = [], hook, ...question } = recorded;
  const isTool = question.item['type'] === 'DynamicToolCall';
  if (call === undefined || !isCall(call) || (inCall.length === 0 && !isTool)) return question;
  const wrapped = callArguments(asHooksLeft(call, hook));
  const given = question.kind === 'client-tool' ? ofDeferred(call, wrapped) : wrapped;
  const words: { argv?: readonly string[]; prefix?: readonly string[] } = {};
  for (const list of wordLists) {
    const own = inCall.filter(([name]) => name === list);
    const all = question[list];
    if (own.length === 0 || all === undefined) continue;
    words[list] = all.map((word, index) => {
      const whole = stringAt(given, own.find(([, at]) => at === index)?.[2] ?? '');
      // Of another call, or of a file that says what is not so.
      return whole === undefined || shortWord(whole) !== word ? word : whole;
    });
  }
  const input = question.kind === 'input' ? readUserQuestions(given) : undefined;
  const asked = Array.isArray(input) ? { input } : {};
  return { ...question, ...words, ...asked, item: wholeItem(question.item, given, words.argv) };
}

/** The arguments of the tool that a call of `call_tool` reaches. */
function ofDeferred({ name }: CallItem, given: JsonObject): JsonObject {
  if (name !== 'call_tool') return given;
  const inner = given['arguments'] ?? {};
  if (isJsonObject(inner)) return inner;
  return (typeof inner === 'string' ? parseJsonObject(inner) : undefined) ?? {};
}

function wholeItem(item: JsonObject, given: JsonObject, argv: readonly string[] | undefined): JsonObject {
  if (item['type'] === 'DynamicToolCall') return { ...item, arguments: given };
  const command = arrayAt(item, 'command');
  const isSame = command?.length === argv?.length && command?.every((word, i) => word === shortWord(argv?.[i] ?? ''));
  return isSame === true && argv !== undefined
    ? { ...item, command: argv, parsed_cmd: [{ type: 'unknown', cmd: argv.at(-1) ?? '' }] }
    : item;
}
