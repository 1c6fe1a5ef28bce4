import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { callTool } from '../../src/testing/index.ts';
import { mcpCall, mcpScene, reading } from './mcp-scene.ts';

const tool = (name: string, annotations?: object) => ({
  name,
  inputSchema: { type: 'object' },
  ...(annotations && { annotations }),
});
const plan = {
  tools: [tool('silent'), tool('reads', reading), tool('closed', { destructiveHint: false, openWorldHint: false })],
};

test('a tool of which the server says nothing is asked about, with its server, its name and its arguments', async () => {
  const scene = await mcpScene({ plan, answers: [{ kind: 'allowed' }, { kind: 'declined' }] });
  await scene.open();
  const outputs = await scene.calls(
    mcpCall('silent', { to: 'all' }),
    mcpCall('silent'),
    mcpCall('reads'),
    mcpCall('closed'),
  );
  expect(outputs.map(String)).toEqual([
    expect.stringContaining('called silent'),
    'Not run: the user declined it.',
    expect.stringContaining('called reads'),
    expect.stringContaining('called closed'),
  ]);
  expect(scene.asked).toHaveLength(2);
  expect(scene.asked[0]).toMatchObject({
    kind: 'tool',
    reason:
      'The tool "silent" of the MCP server "s" acts outside the sandbox. The server does not say that it only reads.',
    scopes: ['call', 'session', 'rule'],
    mcp: { server: 's', tool: 'silent' },
  });
  expect(JSON.stringify(scene.asked[0]?.item)).toContain('"to":"all"');
});

test('an answer for the session covers later calls, also after a resume; a rule is saved beside the comments of the file', async () => {
  const scene = await mcpScene({ plan, answers: [{ kind: 'allowed', scope: 'session' }] });
  await scene.open();
  await scene.calls(mcpCall('silent'), mcpCall('silent'));
  await scene.open();
  await scene.calls(mcpCall('silent'));
  expect(scene.asked).toHaveLength(1);

  const other = await mcpScene({ plan, answers: [{ kind: 'allowed', scope: 'rule' }], server: '# keep me' });
  await other.open();
  await other.calls(mcpCall('silent'), mcpCall('silent'));
  expect(other.asked).toHaveLength(1);
  const text = readFileSync(other.configFile, 'utf8');
  expect(text).toContain('# keep me');
  expect(text).toContain('[mcp_servers.s.tools.silent]\napproval_mode = "approve"');
  await other.open();
  await other.calls(mcpCall('silent'));
  expect(other.asked).toHaveLength(1);
});

test.each([
  ['session', 'while it runs'],
  ['rule', 'while it runs'],
  ['session', 'before its next start'],
  ['rule', 'before its next start'],
] as const)('a yes for the %s ends when the server changes the tool %s', async (scope, when) => {
  const yes = { kind: 'allowed', scope } as const;
  const scene = await mcpScene({ plan, answers: [yes, yes, yes] });
  await scene.open();
  await scene.calls(mcpCall('silent'), mcpCall('silent'));
  expect(scene.asked).toHaveLength(1);
  const changed = { ...tool('silent', { destructiveHint: true }), description: 'Deletes everything.' };
  scene.plan({ tools: [changed], calls: { silent: { changed: when === 'while it runs' } } });
  if (when === 'while it runs') await scene.calls(mcpCall('silent'));
  const before = scene.log().filter(({ got }) => got === 'tools/call').length;
  await scene.open();
  await scene.calls(mcpCall('silent'), mcpCall('silent'), mcpCall('silent'));
  expect(scene.asked).toHaveLength(2);
  expect(scene.asked[1]?.reason).toBe(
    'The tool "silent" of the MCP server "s" acts outside the sandbox. The server changed the tool since you allowed it. The server says that it may destroy something.',
  );
  // A call that was decided by the list of an earlier process is not sent.
  const sent = scene.log().filter(({ got }) => got === 'tools/call').length - before;
  expect(sent).toBeGreaterThanOrEqual(2);
  expect(sent).toBeLessThanOrEqual(when === 'while it runs' ? 3 : 2);
});

test.each([
  ['prompt', ['ask', 'ask', 'ask']],
  ['writes', ['ask', 'run', 'ask']],
  ['approve', ['run', 'run', 'run']],
])('the mode %s', async (mode, expected) => {
  const scene = await mcpScene({ plan, server: `default_tools_approval_mode = "${mode}"`, answers: [] });
  await scene.open();
  const outputs = await scene.calls(mcpCall('silent'), mcpCall('reads'), mcpCall('closed'));
  expect(outputs.map((output) => (String(output).startsWith('Not run') ? 'ask' : 'run'))).toEqual(expected);
  expect(scene.asked.every(({ scopes }) => scopes.length === 1)).toBe(true);
});

test('where no one can be asked, a call that would be is refused and says why; disabled tools are not offered', async () => {
  const scene = await mcpScene({ plan, server: 'disabled_tools = ["closed"]' });
  await scene.open();
  const [output] = await scene.calls(mcpCall('silent'));
  expect(output).toContain('Not run: the tool "silent" of the MCP server "s" needs an approval');
  expect(scene.toolNames(0)).not.toContain('mcp__s__closed');
});

test('a question of a server reaches the user: yes, no, and what the form is filled with', async () => {
  const ask = {
    method: 'elicitation/create',
    params: {
      message: 'Which colour?',
      requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
    },
  };
  const scene = await mcpScene({
    plan: { tools: [tool('reads', reading)], calls: { reads: { ask } } },
    answers: [{ kind: 'allowed', content: { colour: 'red' } }, { kind: 'declined' }, { kind: 'allowed' }],
  });
  await scene.open();
  const [yes, no, empty] = await scene.calls(mcpCall('reads'), mcpCall('reads'), mcpCall('reads'));
  expect(yes).toContain('{"action":"accept","content":{"colour":"red"}}');
  expect(no).toContain('{"action":"decline"}');
  expect(empty).toContain('{"action":"cancel"}');
  const warned = (from: typeof scene): readonly string[] =>
    from.live.told('warning').map(({ outcome }) => outcome.message);
  expect(warned(scene)).toContain('The answer to the MCP server "s" was not sent: colour is required.');
  expect(scene.asked[0]).toMatchObject({ kind: 'elicitation', elicitation: { server: 's', message: 'Which colour?' } });
  const alone = await mcpScene({ plan: { tools: [tool('reads', reading)], calls: { reads: { ask } } } });
  await alone.open();
  expect((await alone.calls(mcpCall('reads')))[0]).toContain('{"action":"decline"}');
  expect(warned(alone)).toContain('The MCP server "s" asked you something, and Capstan declined: no one can be asked.');
});

test('a server gets only the variables that it is given', async () => {
  const scene = await mcpScene({
    plan: { tools: [tool('reads', reading)], calls: { reads: { environment: true } } },
    server: 'env = { OWN = "1" }\nenv_vars = ["PASSED"]',
  });
  await scene.live.open({
    env: { PATH: process.env['PATH'], CAPSTAN_HOME: scene.live.place.home, PASSED: 'yes', API_KEY: 'no' },
  });
  const [output] = await scene.calls(mcpCall('reads'));
  const given = JSON.parse(String(output).split('Output:\n')[1] ?? '{}') as Record<string, string>;
  expect(given).toMatchObject({ OWN: '1', PASSED: 'yes' });
  expect(Object.keys(given)).not.toContain('API_KEY');
  expect(Object.keys(given)).not.toContain('CAPSTAN_HOME');
});

test('what a server said in an earlier process decides nothing once it says otherwise: the call is decided anew', async () => {
  const scene = await mcpScene({ plan, answers: [] });
  await scene.open();
  await scene.calls(mcpCall('reads'));
  await scene.live.close();
  scene.plan({ tools: [tool('reads', { destructiveHint: true })] });
  await scene.open();
  const outputs = await scene.calls(mcpCall('reads'), mcpCall('reads'));
  expect(outputs.map(String)).toEqual([
    expect.stringContaining('the server now says something else about what this tool does, so the call was not sent.'),
    'Not run: the user declined it.',
  ]);
  expect(scene.log().filter(({ got }) => got === 'tools/call')).toHaveLength(1);
});

test('reading a resource is asked about where the server is', async () => {
  const resources = [{ uri: 'x:1', name: 'one' }];
  const read = callTool('read_mcp_resource', { server: 's', uri: 'x:1' });
  const scene = await mcpScene({
    plan: { resources },
    answers: [{ kind: 'allowed' }],
    server: 'default_tools_approval_mode = "prompt"',
  });
  await scene.open();
  const outputs = await scene.calls(read, read);
  expect(outputs.map(String)).toEqual([expect.stringContaining('the content'), 'Not run: the user declined it.']);
  expect(scene.asked).toMatchObject([{ kind: 'tool', scopes: ['call'] }, {}]);
});

test('a tool that a thread is without is reached in no other way', async () => {
  const scene = await mcpScene({ plan, server: 'omit_tools_from = ["direct"]' });
  await scene.live.open({}, { withoutTools: ['mcp__s__reads'] });
  const [found, called] = await scene.calls(
    callTool('tool_search', { query: 'reads closed' }),
    callTool('call_tool', { name: 'mcp__s__reads' }),
  );
  expect(String(found)).toContain('mcp__s__closed');
  expect(`${String(found)} ${String(called)}`).not.toContain('called reads');
  expect(String(found)).not.toContain('mcp__s__reads');
});
