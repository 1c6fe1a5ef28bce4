import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { argumentsProblem } from '../../src/surfaces/servers/mcp/wire/check-arguments.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { checkpointText, isCompaction, saysCheckpoint } from '../compaction/summariser.ts';
import { capstanScript } from '../harness/run-capstan.ts';
import { scene } from '../harness/scene.ts';
import { served } from './served.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/mcp-tools.md'), 'utf8');

it('every tool is in the page, with arguments that it takes', async () => {
  const { app } = await served([]);
  const examples = [...page.matchAll(/^### (\w+)\n\n```json\n(.*?)^```$/gms)].map(
    ([, name = '', json = '']) => [name, JSON.parse(json) as JsonObject] as const,
  );
  const listed = app.tools.filter(({ isAlias }) => isAlias !== true);
  expect(examples.map(([name]) => name).toSorted()).toEqual(listed.map(({ name }) => name).toSorted());
  for (const [name, args] of examples) {
    const { input } = listed.find((tool) => tool.name === name)!;
    expect([name, await argumentsProblem(input, args)]).toEqual([name, undefined]);
  }
  const aliases = app.tools.filter(({ isAlias }) => isAlias);
  for (const { name } of aliases) expect(page).toContain(`\`${name}\``);
  for (const { uriTemplate } of app.resources.templates) expect(page).toContain(`\`${uriTemplate}\``);
});

it('the example runs: it starts a conversation, overrides its context, compacts it and shows the events', async ({
  skip,
}) => {
  skip(noNamespaces);
  const patch = '*** Begin Patch\n*** Add File: NOTES.md\n+It sells things.\n*** End Patch';
  const steps = [
    answer({ items: [say('It sells things. '.repeat(500))] }),
    answer({ items: [callTool('exec_command', { cmd: `apply_patch '${patch}'` })] }),
    answer({ items: [say('Written.')] }),
    answer({ items: [say('NOTES.md')] }),
  ];
  const { place } = await scene((request) =>
    isCompaction(request) ? saysCheckpoint(checkpointText('What does this project do?', [])) : steps.shift()!,
  );
  const words = [join(root, 'examples/mcp-conversation.mjs'), process.execPath, capstanScript];
  const env = { ...process.env, CAPSTAN_HOME: place.home };
  const child = spawn(process.execPath, words, { cwd: place.workspace, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  expect([child.exitCode, errors]).toEqual([0, '']);
  const lines = output.split('\n');
  const marks = [
    'event: context environment_context (initial)',
    'thread_start: It sells things.',
    'event: settings',
    'thread_override: ',
    'event: context permissions (change)',
    'thread_send: Written.',
    'event: checkpoint_installed',
    'thread_compact: ',
    'thread_send: NOTES.md',
    'thread_replay: 5 of 5 requests rebuilt byte for byte.',
  ];
  // In this order, with other lines between them.
  let found = -1;
  for (const mark of marks) {
    found = lines.findIndex((line, at) => at > found && line.startsWith(mark));
    expect([mark, found]).not.toEqual([mark, -1]);
  }
  expect(existsSync(join(place.workspace, 'NOTES.md'))).toBe(true);
});
