import { expect, it } from 'vitest';
import type { NamedPart } from '../../../views/context/window-parts.ts';
import type { ContextWindowItem } from '../../../views/context/window-view.ts';
import type { Item } from '../../../../protocol/item.ts';
import { groupItems } from './context-window-groups.ts';

const now = () => Promise.resolve();

const part = (some: Partial<NamedPart>): NamedPart => {
  return { family: 'tool', name: 'exec_command', tokens: 1, measure: 'exact', ...some };
};

const item = (some: Partial<NamedPart>, call?: Item): ContextWindowItem => {
  return { part: part(some), text: () => '', ...(call && { call }) };
};

const ran = (cmd: string): Item => {
  return { type: 'function_call', name: 'exec_command', call_id: 'c', arguments: JSON.stringify({ cmd }) };
};

async function namesOf(...items: readonly ContextWindowItem[]): Promise<readonly (readonly [string, number])[]> {
  return (await groupItems(items, now)).map(({ name, tokens }) => [name, tokens]);
}

it('MCP servers have a group each, with what their tools are and what they returned', async () => {
  const names = await namesOf(
    item({ family: 'tools', name: 'mcp__github__search', tokens: 10 }),
    item({ family: 'tools', name: 'mcp__linear_app__list', tokens: 20 }),
    item({ name: 'mcp__github__search', tokens: 5 }),
    item({ family: 'tools', name: 'exec_command', tokens: 3 }),
  );
  expect(names).toEqual([
    ['tools', 3],
    ['MCP linear_app', 20],
    ['MCP github', 15],
  ]);
});

it('a command that only prints files counts as files read, any other as output', async () => {
  const names = await namesOf(
    item({ tokens: 1 }, ran('cat src/mill.ts')),
    item({ tokens: 2 }, ran("sed -n '1,80p' a.ts | head -5")),
    item({ name: 'read_file', tokens: 4 }),
    item({ tokens: 8 }, ran('cat a.ts; rm a.ts')),
    item({ tokens: 16 }, { type: 'function_call', name: 'exec_command', arguments: 'no JSON' }),
    item({ name: 'search', tokens: 32 }),
  );
  expect(names).toEqual([
    ['command output', 24],
    ['files read', 7],
    ['other tool output', 32],
  ]);
});

it('what Capstan told the model is divided by its section', async () => {
  const names = await namesOf(
    item({ family: 'context', name: 'user_instructions', section: 'agents_md', tokens: 1 }),
    item({ family: 'context', name: 'pinned_notes', section: 'capstan.pinned_notes', tokens: 2 }),
    item({ family: 'context', name: 'skill_body', tokens: 4 }),
    item({ family: 'context', name: 'checkpoint_summary', tokens: 8 }),
    item({ family: 'context', name: 'permissions', section: 'permissions', tokens: 16 }),
    item({ family: 'unknown', name: 'tools and the like', tokens: 32 }),
  );
  expect(names).toEqual([
    ['instructions', 1],
    ['skills', 4],
    ['pinned notes', 2],
    ['context', 16],
    ['checkpoint', 8],
    ['not in the file', 32],
  ]);
});

it('the largest item comes first, and the share of the cache is counted', async () => {
  const [group] = await groupItems(
    [item({ tokens: 5, cached: 5 }), item({ tokens: 50, cached: 20 }), item({ tokens: 7 })],
    now,
  );
  expect(group?.items.map((each) => each.part.tokens)).toEqual([50, 7, 5]);
  expect(group?.cached).toBe(25);
});
