import { expect, it } from 'vitest';
import type { AskUser, OwnTool, Question } from '../../src/index.ts';
import { answer, callTool, say } from '../../src/testing/index.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { says, saysLong, talk, task } from '../compaction/talk.ts';

const lookUp: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
  run({ word }) {
    if (word === 'boom') throw new Error('no such page');
    if (word === 'odd') throw Object.create(null);
    return `${String(word)}: a kind of winch`;
  },
};

it('a program brings a tool along: the model is offered it, calls it, and reads its answer', async () => {
  const live = await LiveThread.in([
    answer({ items: [callTool('look_up', { word: 'capstan' })] }),
    answer({ items: [say('A winch.')] }),
  ]);
  await live.open({}, { tools: [lookUp] });
  expect(await live.turn('What is a capstan?')).toEqual({ kind: 'completed', lastMessage: 'A winch.' });
  const offered = live.model.requests[0]!.body['tools'] as { name: string }[];
  expect(offered.map(({ name }) => name)).toContain('look_up');
  expect(textsOf(inputOf(live.model, 1)).at(-1)).toBe('capstan: a kind of winch');
  expect(live.told('item-completed').map(({ item }) => item)).toContainEqual({
    kind: 'tool-call',
    id: expect.any(String),
    tool: 'look_up',
    arguments: { word: 'capstan' },
    status: 'completed',
    output: 'capstan: a kind of winch',
  });
  // Lists of other programs know it as a call of a dynamic tool.
  const records = live.place.lines().filter(({ payload }) => payload['type'] === 'item_completed');
  expect(records.map(({ payload }) => (payload['item'] as { type: string }).type)).toContain('DynamicToolCall');
});

it('an error, an answer that is no text, and arguments that are none are told to the model', async () => {
  const odd: OwnTool = { ...lookUp, name: 'odd', run: () => undefined as unknown as string };
  const live = await LiveThread.in([
    answer({
      items: [callTool('look_up', { word: 'boom' }), callTool('odd', {}), callTool('look_up', { word: 'odd' })],
    }),
    answer({ items: [{ type: 'function_call', name: 'look_up', arguments: '[1]', call_id: 'c3' }] }),
    answer({ items: [say('So be it.')] }),
  ]);
  await live.open({}, { tools: [lookUp, odd] });
  await live.turn('Look.');
  const outputs = inputOf(live.model, 2)
    .filter(({ type }) => type === 'function_call_output')
    .map(({ output }) => output);
  // Answers stand in the order in which they came.
  expect(outputs.toSorted()).toEqual([
    'The arguments were not accepted and nothing was done: they are not a JSON object.',
    'The tool failed: it gave no text.',
    'The tool failed: it threw something that is not an error.',
    'The tool failed: no such page',
  ]);
});

it('a tool that never answers ends with the turn', async () => {
  const slow: OwnTool = { ...lookUp, run: () => new Promise(() => {}) };
  const live = await LiveThread.in([answer({ items: [callTool('look_up', { word: 'x' })] })]);
  await live.open({}, { tools: [slow] });
  const abort = new AbortController();
  live.onEvent = ({ kind }) => (kind === 'item-started' ? abort.abort() : undefined);
  expect(await live.turn('Look.', { signal: abort.signal })).toEqual({ kind: 'aborted' });
});

const circle: Record<string, unknown> = {};
circle['self'] = circle;

it.each([
  ['null', null],
  ['nothing', {}],
  ['no run', { ...lookUp, run: undefined }],
  ['a list of parameters', { ...lookUp, parameters: [] }],
  ['a circle', { ...lookUp, parameters: circle }],
])('%s in the place of a tool is refused when the thread is opened', async (_name, odd) => {
  const live = await LiveThread.in([]);
  await expect(live.open({}, { tools: [lookUp, odd as unknown as OwnTool] })).rejects.toThrow('tools[1]');
});

it('a tool that changes what it is given changes nothing of what is recorded', async () => {
  const live = await LiveThread.in([
    answer({ items: [callTool('look_up', { word: 'a' })] }),
    answer({ items: [say('Done.')] }),
  ]);
  const run: OwnTool['run'] = (given) => {
    (given as Record<string, unknown>)['word'] = 'other';
    return 'ran';
  };
  await live.open({}, { tools: [{ ...lookUp, run }] });
  await live.turn('Look.');
  const call = live.told('item-completed').find(({ item }) => item.kind === 'tool-call');
  expect(call?.item).toMatchObject({ arguments: { word: 'a' } });
});

it.each([
  ['exec_command', 'There are two tools named exec_command.'],
  ['has space', 'tools[0].name of start() must be a name of letters, digits, _ and -, at most 64, not "has space".'],
])('a tool named %j is refused when the thread is opened', async (name, message) => {
  const live = await LiveThread.in([]);
  await expect(live.open({}, { tools: [{ ...lookUp, name }] })).rejects.toThrow(message);
});

it('a thread that is opened again without the tool continues without it', async () => {
  const live = await LiveThread.in([
    answer({ items: [callTool('look_up', { word: 'capstan' })] }),
    answer({ items: [say('A winch.')] }),
    answer({ items: [callTool('look_up', { word: 'hawser' })] }),
    answer({ items: [say('Gone.')] }),
  ]);
  await live.open({}, { tools: [lookUp] });
  await live.turn('One.');
  await live.open();
  await live.turn('Two.');
  expect(textsOf(inputOf(live.model, 3)).at(-1)).toMatch(/^There is no tool named "look_up"\. /);
});

it('a tool that waits for a compaction of its own thread is answered at once, and the compaction follows', async () => {
  const signal = new AbortController().signal;
  const asks: OwnTool = {
    ...lookUp,
    async run() {
      // Also when it has waited for something before.
      await Promise.resolve();
      const result = await live.thread.compact({ signal });
      return result.kind === 'failed' ? result.outcome.code : result.kind;
    },
  };
  const live: LiveThread = await LiveThread.in(
    talk([saysLong(), answer({ items: [callTool('look_up', {})], usage: 'none' }), says('Done.')]),
  );
  await live.open({}, { tools: [asks] });
  await live.turn(task);
  expect(await live.turn('Compact.')).toEqual({ kind: 'completed', lastMessage: 'Done.' });
  expect(live.told('item-completed').flatMap(({ item }) => (item.kind === 'tool-call' ? [item.output] : []))).toEqual([
    'compaction-follows',
  ]);
  expect(live.told('checkpoint-installed')).toHaveLength(1);
});

it('a compaction that others ask for while a tool runs is waited for as ever', async () => {
  const signal = new AbortController().signal;
  let wish: Promise<unknown> | undefined;
  const { promise: asked, resolve: goOn } = Promise.withResolvers<void>();
  const live = await LiveThread.in(
    talk([saysLong(), answer({ items: [callTool('look_up', {})], usage: 'none' }), says('Done.')]),
  );
  await live.open({}, { tools: [{ ...lookUp, run: () => asked.then(() => 'yes') }] });
  await live.turn(task);
  live.onEvent = ({ kind }) => {
    if (kind !== 'item-started' || wish !== undefined) return;
    wish = live.thread.compact({ signal });
    goOn();
  };
  await live.turn('Go on.');
  expect(await wish).toMatchObject({ kind: 'installed' });
});

it('a tool that says that it acts elsewhere runs when the user allows it, who sees its arguments', async () => {
  const ran: unknown[] = [];
  const deploy: OwnTool = { ...lookUp, name: 'deploy', remote: 'changes', run: (given) => (ran.push(given), 'Done.') };
  const reads: OwnTool = { ...lookUp, name: 'status', remote: 'reads' };
  const live = await LiveThread.in(
    [
      answer({ items: [callTool('deploy', { to: 'test' }), callTool('deploy', { to: 'production' })] }),
      answer({ items: [callTool('status', { word: 'x' })] }),
      answer({ items: [say('So be it.')] }),
    ],
    'approval_policy = "on-request"\n',
  );
  const asked: Question[] = [];
  const askUser: AskUser = {
    ask: (question) => {
      asked.push(question);
      return Promise.resolve({ kind: asked.length === 1 ? 'allowed' : 'declined' });
    },
  };
  await live.open({}, { tools: [deploy, reads], askUser });
  await live.turn('Deploy.');
  expect(ran).toEqual([{ to: 'test' }]);
  expect(asked.map(({ kind, tool, item }) => [kind, tool, item['arguments']])).toEqual([
    ['tool', 'deploy', { to: 'test' }],
    ['tool', 'deploy', { to: 'production' }],
  ]);
  expect(textsOf(inputOf(live.model, 1))).toContain('Not run: the user declined it.');
});

it('a deferred tool is found by searching, and a result may have pictures', async () => {
  const red =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
  const live = await LiveThread.in([
    answer({ items: [callTool('tool_search', { query: 'meaning' })] }),
    answer({ items: [callTool('look_up', { word: 'capstan' })] }),
    answer({ items: [say('A winch.')] }),
  ]);
  const run: OwnTool['run'] = () => ({ output: 'Like this:', ok: true, images: [red] });
  await live.open({}, { tools: [{ ...lookUp, deferLoading: true, run }] });
  await live.turn('What is a capstan?');
  const offered = (live.model.requests[0]!.body['tools'] as { name: string }[]).map(({ name }) => name);
  expect([offered.includes('tool_search'), offered.includes('look_up')]).toEqual([true, false]);
  expect(textsOf(inputOf(live.model, 1)).at(-1)).toContain('Gives the meaning of a word.');
  expect(inputOf(live.model, 2).at(-1)?.['output']).toEqual([
    { type: 'input_text', text: 'Like this:' },
    { type: 'input_image', image_url: red, detail: 'high' },
  ]);
});

it.each([
  ['a mark of failure under another name', { output: 'Lost.', isError: true }, 'Did you mean ok?'],
  ['a word for true', { output: 'Lost.', ok: 'no' }, 'ok of the result of look_up must be true or false, not "no".'],
  ['a path for a picture', { output: 'Look.', ok: true, images: ['/etc/passwd'] }, 'must be a data URL'],
  ['a text under another name', { text: 'Lost.' }, 'Did you mean output?'],
])('a result with %s fails the call, and the model reads why', async (_name, result, message) => {
  const live = await LiveThread.in([
    answer({ items: [callTool('look_up', { word: 'capstan' })] }),
    answer({ items: [say('So be it.')] }),
  ]);
  await live.open({}, { tools: [{ ...lookUp, run: () => result as never }] });
  await live.turn('Look.');
  expect(inputOf(live.model, 1).at(-1)?.['output']).toContain(message);
  const call = live.told('item-completed').find(({ item }) => item.kind === 'tool-call');
  expect(call?.item).toMatchObject({ status: 'failed' });
});
