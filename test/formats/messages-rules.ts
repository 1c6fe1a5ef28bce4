import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { type Json, isJsonObject, type JsonObject } from '../../src/protocol/json.ts';

/** A block of a Messages body with the message it stands in. */
export interface WireBlock {
  readonly role: string;
  readonly block: JsonObject;
}

const allowedId = /^[a-zA-Z0-9_-]{1,64}$/;

/** The rules of the Messages API that a body breaks, one per row, as far as its documentation states them. */
export function brokenRules(body: JsonObject): readonly string[] {
  const broken: string[] = [];
  const rule = (holds: boolean, name: string): void => {
    if (!holds) broken.push(name);
  };
  const messages = (body['messages'] ?? []) as unknown as readonly { role: string; content: readonly JsonObject[] }[];
  rule(typeof body['max_tokens'] === 'number' && body['max_tokens'] > 0, 'max_tokens is there');
  rule(messages[0]?.role === 'user', 'a user speaks first');
  rule(messages.at(-1)?.role === 'user', 'a user speaks last');
  rule(
    messages.every(({ role }, at) => role !== messages[at - 1]?.role),
    'roles alternate',
  );
  rule(
    messages.every(({ content }) => content.length > 0),
    'no message is empty',
  );
  const ids = new Set<unknown>();
  for (const [at, { role, content }] of messages.entries()) {
    const types = content.map(({ type }) => type);
    const calls = content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));
    const results = (messages[at + 1]?.content ?? []).flatMap((block) =>
      block['type'] === 'tool_result' ? [block['tool_use_id']] : [],
    );
    const after = role === 'assistant' ? results : [];
    rule(calls.length === after.length && calls.every((id) => after.includes(id)), 'calls have results, results calls');
    if (role === 'user') {
      const asked = messages[at - 1]?.content.some(({ type }) => type === 'tool_use') === true;
      rule(asked || !types.includes('tool_result'), 'results follow calls');
      const firstOther = types.findIndex((type) => type !== 'tool_result');
      rule(firstOther < 0 || types.lastIndexOf('tool_result') < firstOther, 'results come first');
      rule(!types.some((type) => ['tool_use', 'thinking', 'redacted_thinking'].includes(String(type))), 'user blocks');
    } else {
      rule(!['thinking', 'redacted_thinking'].includes(String(types.at(-1))), 'a message does not end in thinking');
      rule(!types.some((type) => type === 'tool_result' || type === 'image'), 'assistant blocks');
    }
    for (const id of calls) {
      rule(typeof id === 'string' && allowedId.test(id) && !ids.has(id), 'ids of calls are allowed and differ');
      ids.add(id);
    }
  }
  for (const { block } of wireBlocks(body)) {
    const { type, text, input, cache_control: mark } = block;
    if (type === 'text') rule(typeof text === 'string' && text.trim() !== '', 'no text is blank');
    if (type === 'tool_use') rule(isJsonObject(input), 'the input of a call is an object');
    if (type === 'thinking' || type === 'redacted_thinking') rule(mark === undefined, 'no mark on thinking');
  }
  rule(marksIn(body) <= 4, 'at most four marks');
  const thinking = body['thinking'] as JsonObject | undefined;
  const budget = thinking?.['budget_tokens'] as number | undefined;
  if (budget !== undefined) rule(budget >= 1024 && budget < (body['max_tokens'] as number), 'the budget fits');
  return broken;
}

export function checkMessagesBody(body: JsonObject): void {
  expect(brokenRules(body), JSON.stringify(body, undefined, 1)).toEqual([]);
}

/** All blocks in the order in which a provider's cache reads them: tools, system, messages. */
export function wireBlocks(body: JsonObject): readonly WireBlock[] {
  const list = (value: Json | undefined): readonly JsonObject[] => (value ?? []) as unknown as readonly JsonObject[];
  return [
    ...list(body['tools']).map((block) => ({ role: 'tools', block })),
    ...list(body['system']).map((block) => ({ role: 'system', block })),
    ...list(body['messages']).flatMap(({ role, content }) =>
      list(content).map((block) => ({ role: String(role), block })),
    ),
  ];
}

export function marksIn(body: JsonObject): number {
  return wireBlocks(body).filter(({ block }) => block['cache_control'] !== undefined).length;
}

/** The block without its mark, as a text to compare. */
export function unmarked({ role, block: { cache_control: _mark, ...block } }: WireBlock): string {
  return `${role} ${JSON.stringify(block)}`;
}

/** Blocks before a mark in which a provider looks for those that it has kept. */
const lookback = 20;

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** A provider's cache: what the marks of a request made it keep. */
export class PromptCache {
  readonly #kept = new Set<string>();

  /** The number of blocks of a request that come from the cache. Those that it marks are kept afterwards. */
  read(body: JsonObject): number {
    const blocks = wireBlocks(body);
    // Each prefix is named by the one before it and its last block.
    const prefixes = [String(body['model'])];
    for (const block of blocks) prefixes.push(digest(`${prefixes.at(-1)} ${unmarked(block)}`));
    const marks = blocks.flatMap(({ block }, at) => (block['cache_control'] === undefined ? [] : [at + 1]));
    const found = marks.flatMap((mark) =>
      Array.from({ length: lookback }, (_, back) => mark - back).filter(
        (at) => at > 0 && this.#kept.has(prefixes[at]!),
      ),
    );
    for (const mark of marks) this.#kept.add(prefixes[mark]!);
    return Math.max(0, ...found);
  }
}
