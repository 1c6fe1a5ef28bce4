import { isJsonObject, type JsonObject, objectAt, stringAt } from '../../../../protocol/json.ts';
import { defined } from '../../../../protocol/defined.ts';
import type { ToolAnswer } from '../../offer/server-tool.ts';

/** Names of this server by those that clients of v1 know. A tool without one is called by its own. */
const names: Readonly<Record<string, string>> = {
  thread_id: 'conversationId',
  turn_id: 'turnId',
  approval_policy: 'approvalPolicy',
  base_instructions: 'baseInstructions',
  developer_instructions: 'developerInstructions',
  compact_prompt: 'compactPrompt',
  thread_start: 'newConversation',
  thread_send: 'sendUserMessage',
  thread_turn: 'sendUserTurn',
  thread_override: 'overrideTurnContext',
  thread_compact: 'compactConversation',
  thread_interrupt: 'interruptConversation',
};

const namesInText = new RegExp(`(?<![\\w./-])(?:${Object.keys(names).join('|')})(?![\\w/-])`, 'g');

/** Errors about arguments: in these, `sandbox` is the argument and not the thing. */
const aboutArguments = ['option-wrong', 'option-unknown', 'nothing-to-change'];

/** An answer in the names of v1. What the model or the user said stays as it is. */
export function inV1Names({ text, data, ...answer }: ToolAnswer): ToolAnswer {
  const error = objectAt(data, 'error');
  const code = stringAt(error, 'code') ?? '';
  const said = (sentence: string): string => {
    const named = sentence.replaceAll(namesInText, (name) => names[name] ?? name);
    if (!aboutArguments.includes(code)) return named;
    // v1 has no mode to change.
    return named.replaceAll(/\bsandbox\b(?! mode| policy)/g, 'sandboxPolicy').replace(/, mode\.$/, '.');
  };
  const words = defined({ message: stringAt(error, 'message'), next: stringAt(error, 'next') });
  const saidWords = Object.fromEntries(Object.entries(words).map(([key, value]) => [key, said(value)]));
  return {
    ...answer,
    text: answer.isError === true ? said(text) : text,
    data: { ...keysInV1(data), ...(error !== undefined && { error: { ...error, ...saidWords } }) },
  };
}

/** Of the data itself. */
function keysInV1(data: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [names[key] ?? key, value])) as JsonObject;
}

/** What an override gives: the settings by the names under which v1 changes them. */
export function overriddenInV1({ text, data, ...answer }: ToolAnswer): ToolAnswer {
  const { changed, settings } = data;
  if (!Array.isArray(changed) || !isJsonObject(settings)) return { ...answer, text, data };
  const { sandbox, ...others } = settings;
  const renamed = changed.map((name) => nameOfChange(String(name)));
  const words = renamed.length === 0 ? text : text.replace(changed.join(', '), renamed.join(', '));
  const shown = { ...keysInV1(others), ...defined({ sandboxPolicy: sandbox }) };
  return { ...answer, text: words, data: { ...data, changed: renamed, settings: shown } };
}

function nameOfChange(name: string): string {
  return name === 'sandbox' ? 'sandboxPolicy' : (names[name] ?? name);
}
