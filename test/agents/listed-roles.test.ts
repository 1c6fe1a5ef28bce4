import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { contextBudget } from '../../src/core/envelope/window.ts';
import { sentTokens } from '../../src/core/fragments/text/truncate.ts';
import { words } from '../../src/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, say, type ScriptStep } from '../../src/testing/index.ts';
import { type AgentRequest, agentScene } from './agent-scene.ts';

const signal = new AbortController().signal;
const done = answer({ items: [say('Done.')] });
const spawn = (name: string, more: JsonObject = {}) =>
  callTool('spawn_agent', { message: `TASK ${name}: x`, name, ...more });

it('many roles keep to their share of a small window, the user is warned, and each can still be named', async () => {
  const bodies: JsonObject[] = [];
  const { live, begin, of } = await agentScene(
    {
      root: ({ index, body }) => {
        bodies.push(body);
        if (index === 0) return answer({ items: [spawn('a', { agent_type: 'r59' })] });
        return index === 1 ? answer({ items: [callTool('wait_agent', {})] }) : done;
      },
      a: () => done,
    },
    { config: 'model_context_window = 16000\n' },
  );
  mkdirSync(join(live.place.home, 'agents'));
  const description = 'All about it. '.repeat(60);
  for (let at = 0; at < 60; at++) {
    const file = join(live.place.home, `agents/r${at}.toml`);
    writeFileSync(file, `name = "r${at}"\ndescription = "${description}"\nsandbox_mode = "read-only"\n`);
  }
  const { thread } = await begin();
  const warned: string[] = [];
  thread.subscribe({ event: (event) => void (event.kind === 'warning' && warned.push(event.outcome.code)) });
  await thread.run({ input: words('go'), signal });
  const tool = (bodies[0]!['tools'] as unknown as readonly JsonObject[]).find(({ name }) => name === 'spawn_agent')!;
  expect(sentTokens(JSON.stringify(tool))).toBeLessThan(contextBudget('agentRoles', 15_200) + 500);
  expect(JSON.stringify(tool)).toMatch(/r0: All about it\. [^"(]*… \(fixed: read-only\) .*There are \d+ more/);
  expect(JSON.stringify(tool)).toContain(
    'It cannot change files. (fixed: read-only) worker: a change that is described',
  );
  expect(warned).toEqual(['agent-roles-cut']);
  expect(of('a')).toHaveLength(1);
});

it('a model with a smaller window lists less of the roles from its first request on, and a larger one more after a checkpoint', async () => {
  const seen: { readonly model: unknown; readonly tokens: number }[] = [];
  const { live, begin } = await agentScene(
    {
      root: ({ body }) => {
        const tools = body['tools'] as unknown as readonly JsonObject[];
        const tool = tools.find(({ name }) => name === 'spawn_agent');
        seen.push({ model: body['model'], tokens: sentTokens(JSON.stringify(tool)) });
        return answer({ items: [say('Looking around. '.repeat(1000))] });
      },
    },
    { config: 'model_catalog_json = "models.json"\ncompaction.strategy = "plain"\n' },
  );
  const models = [
    { slug: 'gpt-5.5', context_window: 272_000 },
    { slug: 'small', context_window: 32_000 },
  ];
  const { home } = live.place;
  writeFileSync(join(home, 'models.json'), JSON.stringify({ models }));
  mkdirSync(join(home, 'agents'));
  for (let at = 0; at < 30; at++) {
    writeFileSync(
      join(home, `agents/r${at}.toml`),
      `name = "r${at}"\ndescription = "${'All about it. '.repeat(40)}"\n`,
    );
  }
  const { thread } = await begin();
  const warned: string[] = [];
  thread.subscribe({ event: (event) => void (event.kind === 'warning' && warned.push(event.outcome.message)) });
  await thread.run({ input: words('go'), signal });
  await thread.overrideTurnContext({ model: 'small' });
  for (const text of ['go on', 'and on']) await thread.run({ input: words(text), signal });
  await thread.overrideTurnContext({ model: 'gpt-5.5' });
  await thread.run({ input: words('more'), signal });
  expect((await thread.compact({ signal })).kind).toBe('installed');
  await thread.run({ input: words('and more'), signal });
  const least = contextBudget('agentRoles', 30_400) + 500;
  expect(seen.filter(({ model }) => model === 'small').map(({ tokens }) => tokens < least)).toEqual([true, true]);
  const [first, small] = seen.map(({ tokens }) => tokens);
  const after = seen.slice(3).map(({ tokens }) => tokens);
  // The requests for the checkpoint are among them: they extend those before.
  expect([...new Set(after)]).toEqual([small, first]);
  expect(after.lastIndexOf(small!)).toBe(after.length - 2);
  expect(warned).toEqual([expect.stringContaining('30 descriptions are cut')]);
});

it('roles are listed for the window of the first turn, and a larger window brings no warning', async () => {
  const seen: unknown[] = [];
  const root = ({ body }: AgentRequest): ScriptStep => {
    const tools = body['tools'] as unknown as readonly JsonObject[];
    seen.push([body['model'], JSON.stringify(tools.find(({ name }) => name === 'spawn_agent')).includes('…')]);
    return done;
  };
  const config = 'model_catalog_json = "models.json"\n';
  const { live, begin } = await agentScene({ root }, { config, open: { model: 'small' } });
  const { home } = live.place;
  const models = [
    { slug: 'gpt-5.5', context_window: 272_000 },
    { slug: 'small', context_window: 16_000 },
  ];
  writeFileSync(join(home, 'models.json'), JSON.stringify({ models }));
  mkdirSync(join(home, 'agents'));
  for (let at = 0; at < 10; at++) {
    const description = 'All about it. '.repeat(14);
    writeFileSync(join(home, `agents/r${at}.toml`), `name = "r${at}"\ndescription = "${description}"\n`);
  }
  const { thread } = await begin();
  const warned: unknown[] = [];
  thread.subscribe({ event: (event) => void (event.kind === 'warning' && warned.push(event.outcome.code)) });
  const turnWith = async (model: string) => {
    await thread.overrideTurnContext({ model });
    await thread.run({ input: words('go'), signal });
    return warned.splice(0);
  };
  expect(await turnWith('gpt-5.5')).toEqual([]);
  expect(await turnWith('small')).toEqual(['agent-roles-cut']);
  expect(await turnWith('gpt-5.5')).toEqual([]);
  expect(seen).toEqual([
    ['gpt-5.5', false],
    ['small', true],
    ['gpt-5.5', true],
  ]);
  // Another process lists them anew.
  await thread.close();
  await live.place.run('exec', 'resume', thread.id, '-m', 'gpt-5.5', 'go');
  expect(seen.at(-1)).toEqual(['gpt-5.5', false]);
});
