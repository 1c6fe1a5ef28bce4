import { isJsonObject, type Json, type JsonObject } from '../../src/protocol/json.ts';
import { httpError, type ScriptStepOf } from '../../src/testing/index.ts';

/** The rules that a body breaks for templates of chat models whose roles must take turns, one per row. */
export function rolesAlternate({ messages }: JsonObject): readonly string[] {
  const list = Array.isArray(messages) ? (messages as readonly Json[]).filter(isJsonObject) : [];
  const roles = list.map(({ role }) => String(role));
  const conversation = list.slice(roles[0] === 'system' || roles[0] === 'developer' ? 1 : 0);
  const broken = new Set<string>();
  const rule = (holds: boolean, name: string): void => {
    if (!holds) broken.add(`${name}: ${roles.join(', ')}`);
  };
  rule(
    conversation.every(({ role }) => role === 'user' || role === 'assistant' || role === 'tool'),
    'Only the first message may be of the system',
  );
  rule(conversation.at(0)?.['role'] === 'user', 'The user speaks first');
  rule(conversation.at(-1)?.['role'] !== 'assistant', 'The user or a tool speaks last');
  // As the templates have it: calls and their outputs are no turn of their own.
  const turns = conversation.filter(({ role, tool_calls: calls }) => role !== 'tool' && calls === undefined);
  rule(
    turns.every(({ role }, index) => (role === 'user') === (index % 2 === 0)),
    'Conversation roles must alternate user/assistant/user/assistant/...',
  );
  for (const [index, { role, content, tool_calls: calls }] of conversation.entries()) {
    const before = conversation[index - 1];
    const hasCalls = before?.['role'] === 'tool' || before?.['tool_calls'] !== undefined;
    rule(role === before?.['role'] ? role === 'tool' : true, 'Two messages of one role');
    rule(role !== 'tool' || hasCalls, 'An output without calls');
    rule(role !== 'user' || !hasCalls, 'Unexpected role user after role tool');
    rule(isContent(content) || (content === null && calls !== undefined), 'A text is a text, and not empty');
  }
  return [...broken];
}

/** Text alone must not be a list. */
function isContent(content: Json | undefined): boolean {
  if (!Array.isArray(content)) return typeof content === 'string' && content !== '';
  return (content as readonly JsonObject[]).some(({ type }) => type !== 'text');
}

/** A server whose template refuses such requests, and answers all others by the script. */
export function refusing(script: ScriptStepOf): ScriptStepOf {
  return (request) => {
    const [message] = rolesAlternate(request.body);
    return message === undefined ? script(request) : httpError({ status: 400, body: { error: { message } } });
  };
}
