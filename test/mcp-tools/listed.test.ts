import { expect, it } from 'vitest';
import { served } from './served.ts';

const names = [
  'thread_start',
  'thread_send',
  'thread_turn',
  'thread_override',
  'thread_compact',
  'thread_interrupt',
  'thread_answer',
  'thread_list',
  'thread_read',
  'thread_search',
  'thread_fork',
  'thread_rollback',
  'thread_undo_rollback',
  'thread_pin',
  'thread_context',
  'thread_envelope',
  'thread_replay',
];
const aliases = [
  'newConversation',
  'addConversationListener',
  'removeConversationListener',
  'sendUserMessage',
  'sendUserTurn',
  'overrideTurnContext',
  'compactConversation',
  'interruptConversation',
  'codex',
  'codex-reply',
];

it('the list of tools is complete and leaves the window of the host alone', async () => {
  const { app } = await served([]);
  const listed = app.tools.filter(({ isAlias }) => isAlias !== true);
  expect(listed.map(({ name }) => name)).toEqual(names);
  expect(app.tools.filter(({ isAlias }) => isAlias).map(({ name }) => name)).toEqual(aliases);
  // As the wire sends it.
  const list = listed.map(({ name, title, description, input, output, annotations }) => {
    return { name, title, description, inputSchema: input, outputSchema: output, annotations };
  });
  expect(Buffer.byteLength(JSON.stringify({ tools: list }))).toBeLessThan(12_000);
});

it('every tool has schemas of objects, a title and annotations', async () => {
  const { app } = await served([]);
  for (const { input, output, title, description, annotations } of app.tools) {
    expect([input['type'], output['type']]).toEqual(['object', 'object']);
    expect([title, description].every((text) => text.length > 0)).toBe(true);
    expect(typeof annotations.readOnlyHint).toBe('boolean');
  }
});
