import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type OptionProblem,
  type OptionReaders,
  type OptionType,
  validateOptions,
} from '../../src/core/envelope/read-options.ts';
import {
  Engine,
  type EngineOptions,
  Fault,
  liveThreads,
  type OwnTool,
  type SettingsChange,
  words,
} from '../../src/index.ts';
import { engineOptions } from '../../src/engine/engine-options.ts';
import { threadOptions } from '../../src/engine/thread-request.ts';
import type { ThreadRequest, ThreadTurn } from '../../src/index.ts';
import { answer, callTool, createMemoryStore, say, startScriptedModel } from '../../src/testing/index.ts';
import { emptyThreadState } from '../../src/core/state/thread-state.ts';
import { turnOptions } from '../../src/engine/thread/read-turn.ts';
import { ownToolOption } from '../../src/adapters/tools/own-tool.ts';
import { LiveThread } from '../harness/live-thread.ts';
import { inputOf, textsOf } from '../harness/scene.ts';
import { noNamespaces } from '../harness/namespaces.ts';

const yes = () => answer({ items: [say('Yes.')] });
const signal = new AbortController().signal;

const tool: OwnTool = {
  name: 'look_up',
  description: 'Gives the meaning of a word.',
  parameters: { type: 'object', properties: {} },
  run: () => 'a winch',
};

type Refusal = { readonly kind: string; readonly outcome: OptionProblem };

interface Call {
  /** A value of each required key. */
  readonly base: object;
  /** Calls the operation: there is always an answer, whatever is given. */
  call(given: unknown): Promise<unknown>;
}

/** Every call of the library that takes options, on one thread that waits for work. */
async function calls(): Promise<{ readonly live: LiveThread; readonly all: Readonly<Record<string, Call>> }> {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { thread, place } = live;
  const engine = await live.engine();
  const threads = liveThreads(engine);
  const followed = await threads.start({ cwd: place.workspace, ephemeral: true });
  if (followed.kind === 'refused') throw new Error(followed.outcome.message);
  const { stored } = engine;
  const cwd = place.workspace;
  const load: EngineOptions = {
    env: { CAPSTAN_HOME: place.home },
    osHome: place.root,
    cwd,
    client: { name: 'test', version: '0', source: 'exec' },
  };
  const as = <Result>(call: (given: never) => Result) => call as (given: unknown) => Result;
  const row = (base: object, call: (given: never) => Promise<unknown>): Call => ({ base, call: as(call) });
  const outcomeOf = (outcome: unknown) => ({ kind: 'refused', outcome });
  const withoutKind = ({ kind: _kind, ...outcome }: object & { readonly kind: string }) => outcome;
  const all = {
    'Engine.load': row(load, async (given) => Engine.load(given)),
    start: row({ cwd }, async (given) => engine.start(given)),
    resume: row({}, async (given) => engine.resume(thread.id, given)),
    fork: row({}, async (given) => engine.fork(thread.id, { kind: 'latest' }, given)),
    answer: row({ signal }, async (given) => engine.answer(thread.id, 'none', { kind: 'allowed' }, given)),
    'live start': row({ cwd }, async (given) => threads.start(given)),
    'live load': row({}, async (given) => threads.load(thread.id, given)),
    'live fork': row({}, async (given) => threads.fork(thread.id, { kind: 'latest' }, given)),
    liveThreads: row({}, async (given) => liveThreads(await live.engine(), given).load(thread.id)),
    overrideTurnContext: row({}, async (given) => thread.overrideTurnContext(given)),
    override: row({}, async (given) => followed.override(given)),
    run: row({ input: words('two') }, async (given) => thread.run(given)),
    runWith: row({ input: words('two') }, async (given) => thread.runWith({}, given)),
    submit: row({ input: words('two') }, async (given) => followed.submit(given)),
    steer: row({ input: words('two') }, async (given) => thread.steer(given)),
    continue: row({}, async (given) => thread.continue(given)),
    compact: row({ signal }, async (given) => thread.compact(given)),
    shell: row({ command: 'true', signal }, async (given) => thread.shell(given)),
    inject: row({}, async (given) => thread.inject(say('x'), given)),
    'live continue': row({}, async (given) => followed.continue(given)),
    'live retry': row({}, async (given) => followed.retry(given)),
    'live compact': row({}, async (given) => followed.compact(given)),
    follow: row({}, async (given) => {
      for await (const news of followed.follow(given)) return news;
      return undefined;
    }),
    findFiles: row({ cwd, typed: 'x' }, async (given) => outcomeOf(await engine.findFiles(given))),
    review: row({ target: { kind: 'uncommitted' }, parent: thread, signal }, async (given) => engine.review(given)),
    rerun: row({ request: 'last', signal }, async (given) =>
      outcomeOf(await engine.rerun({ id: thread.id, lines: live.place.lines() }, given)),
    ),
    openSandbox: row({ cwd }, async (given) => outcomeOf(await engine.openSandbox(given))),
    restoreFiles: row({ dryRun: true, force: false }, async (given) =>
      engine.restoreFiles(thread.id, { beforeRestore: 'last' }, given),
    ),
    'stored.list': row({ limit: 1, sort: 'updated' }, async (given) => outcomeOf(await stored.list(given))),
    'stored.search': row({ limit: 1, sort: 'updated' }, async (given) => outcomeOf(await stored.search('x', given))),
    'stored.choose': row({ kind: 'last' }, async (given) => outcomeOf(withoutKind(await stored.choose(given)))),
    'stored.reindex': row({ anew: false }, async (given) => stored.reindex(given)),
    'stored.compress': row({ dryRun: true }, async (given) =>
      stored.compress({ kind: 'older', milliseconds: 1 }, given),
    ),
    'stored.delete': row({}, async (given) => stored.delete(thread.id, given)),
    'stored.undoRollback': row({}, async (given) => stored.undoRollback(thread.id, given)),
    'stored.rollback': row({ turns: 1 }, async (given) => stored.rollback(thread.id, given)),
    'stored.collect': row({ dryRun: true, reverted: false }, async (given) => stored.collect(given)),
  } satisfies Readonly<Record<string, Call>>;
  return { live, all };
}

/** Values that no option takes. */
const wrong: readonly unknown[] = [Symbol('x'), 12n];

it('every call refuses what it does not know, and nothing of it happens', async () => {
  const { live, all } = await calls();
  const before = {
    lines: live.place.lines().length,
    rollouts: live.place.rollouts(),
    requests: live.model.requests.length,
  };
  const thrower = (base: object) =>
    new Proxy(base, {
      ownKeys() {
        throw new Error('no keys');
      },
    });
  const endless = (): object => new Proxy({}, { getPrototypeOf: () => endless() });
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  const tried = new Set<string>();
  for (const [name, { base, call }] of Object.entries(all)) {
    const refused = async (given: unknown, code: string): Promise<string> => {
      const { kind, outcome } = (await call(given)) as Refusal;
      expect({ name, kind, outcome }).toEqual({
        name,
        kind: expect.stringMatching(/^(refused|failed|ended)$/),
        outcome: { code, message: expect.any(String), next: expect.stringMatching(/\.$/) },
      });
      return outcome.message;
    };
    const { outcome: unknown } = (await call({ ...base, nonsense: 1 })) as Refusal;
    const keys = /^Remove it, or use (.+?)\.(?: Nothing was changed\.)?$/.exec(unknown.next)![1]!.split(', ');
    tried.add(/^nonsense is not an option of (.+)\.$/.exec(unknown.message)![1]!);
    expect(await refused({ ...base, nonsense: undefined }, 'option-unknown')).toContain('nonsense');
    expect(await refused(Object.assign(Object.create({ nonsense: 1 }), base), 'option-unknown')).toContain('nonsense');
    expect(
      await refused(Object.defineProperty({ ...base }, 'nonsense', { value: 1, enumerable: false }), 'option-unknown'),
    ).toContain('nonsense');
    const withGetter = new (class {
      get nonsense(): number {
        return 1;
      }
    })();
    expect(await refused(Object.assign(withGetter, base), 'option-unknown')).toContain('nonsense');
    expect(await refused(JSON.parse(`{ "__proto__": 1 }`), 'option-unknown')).toContain('__proto__');
    for (const given of [null, [], () => {}, 'text', 7, thrower(base), endless(), revoked.proxy])
      await refused(given, 'options-malformed');
    const throwing = Object.defineProperty({ ...base }, keys[0]!, {
      enumerable: true,
      get() {
        throw new Error('no value');
      },
    });
    expect(await refused(throwing, 'options-malformed')).toContain('no value');
    for (const key of keys) {
      const slip = `${key.slice(0, 1)}${key.slice(0)}`;
      expect(await refused({ ...base, [slip]: 1 }, 'option-unknown')).toContain(`mean ${key}?`);
      // Checked where they are used.
      if (['after', 'parent', 'turnId', 'cost', 'review'].includes(key)) continue;
      for (const value of wrong) expect(await refused({ ...base, [key]: value }, 'option-wrong')).toContain(key);
      // `null` takes a choice back.
      if (name.startsWith('override') && ['effort', 'serviceTier', 'personality'].includes(key)) continue;
      expect(await refused({ ...base, [key]: null }, 'option-wrong')).toContain(`${key} of`);
    }
    for (const key of Object.keys(base).filter((each) => each !== 'turns'))
      expect(await refused({ ...base, [key]: undefined }, 'option-missing')).toContain(key);
  }
  expect({
    lines: live.place.lines().length,
    rollouts: live.place.rollouts(),
    requests: live.model.requests.length,
  }).toEqual(before);
  // The second argument of two calls.
  const others = ['the place of a fork', 'the target of restoreFiles()'];
  expect([...tried, ...others]).toEqual(expect.arrayContaining([...readers()]));
  expect(readers().length).toBeGreaterThan(20);
}, 60_000);

/** Calls with arguments beside options. Each row has arguments that fit and those that do not, one at a time. */
async function argumentCalls(): Promise<{
  readonly live: LiveThread;
  readonly of: Readonly<Record<string, object>>;
  readonly rows: readonly (readonly [name: string, fits: readonly unknown[], wrong: readonly unknown[]])[];
}> {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const { thread, place } = live;
  const engine = await live.engine();
  const id: unknown = thread.id;
  const folder: unknown = place.workspace;
  const query = { limit: 1, sort: 'updated' };
  const restore = { dryRun: true, force: false };
  const slip = { aftr: 1 };
  const ofThread = [
    'location',
    'takenBack',
    'turns',
    'prompts',
    'events',
    'checkpoints',
    'waiting',
    'questions',
    'goal',
  ];
  const more = ['standing', 'writer', 'writing', 'unproven', 'pins', 'agents', 'summary', 'archive', 'unarchive'];
  return {
    live,
    of: { engine, stored: engine.stored, trust: engine.trust, config: engine.config, threads: liveThreads(engine) },
    rows: [
      ...[...ofThread, ...more, 'delete', 'undoRollback'].map((name) => [`stored.${name}`, [id], [5]] as const),
      ['stored.read', [id, () => {}], [5, slip]],
      ['stored.turnItems', [id, () => {}], [5, slip]],
      ['stored.fileChanges', [id, {}], [5, { difs: true }]],
      ['stored.list', [query, () => {}], [5, slip]],
      ['stored.search', ['x', query, () => {}], [5, 5, slip]],
      ['stored.rollback', [id, { turns: 1 }], [{}, 5]],
      ['stored.rename', [id, 'name'], [5, { name: 'x' }]],
      ['stored.pin', [id, 'note'], [5, { foo: 1 }]],
      ['stored.unpin', [id, '1'], [5, 1]],
      ['stored.reindex', [{ anew: false }, () => {}], [5, 5]],
      ['stored.importFile', ['/x', () => {}], [5, 5]],
      ['stored.compress', [{ kind: 'older', milliseconds: 1 }, { dryRun: true }, () => {}], [{ kind: 'idle' }, 5, 5]],
      ['stored.collect', [{ dryRun: true, reverted: false }, () => {}], [5, 5]],
      ['stored.choose', [{ kind: 'last' }], [5]],
      ...['branchAt', 'offersLandlock', 'commandsRefused', 'lookAtFolder', 'openFileIndex', 'findMentionable'].map(
        (name) => [`engine.${name}`, [folder], [{ cwd: folder }]] as const,
      ),
      ['engine.instructionPaths', [folder], [5]],
      ['engine.loadImage', ['x.png', folder], [5, 5]],
      ['engine.start', [{ cwd: folder }], [5]],
      ['engine.resume', [id, {}], [5, 5]],
      ['engine.fork', [id, { kind: 'latest' }], [5, 5]],
      ['engine.answer', [id, 'none', { kind: 'allowed', scope: 'once' }, { signal }], [5, 5, 'yes', 5]],
      ['engine.openSandbox', [{ cwd: folder }], [5]],
      ['engine.findFiles', [{ cwd: folder, typed: 'x' }], [5]],
      ['engine.review', [{ target: { kind: 'uncommitted' }, parent: thread, signal }], [5]],
      ['engine.preview', [id, emptyThreadState, { request: {} }], [5, {}, { modell: 'x' }]],
      [
        'engine.rerun',
        [
          { id, lines: live.place.lines() },
          { request: 'last', signal },
        ],
        [{ id, lines: 5 }, 5],
      ],
      ['engine.restoreFiles', [id, { beforeRestore: 'last' }, restore], [5, 5, 5]],
      ['engine.restoreRolledBack', [id, { turns: 1 }, restore], [5, 5, 5]],
      ['trust.ofFolder', [folder], [{}]],
      ['trust.idleHooks', [folder], [{}]],
      ['trust.decideFolder', [{ root: folder }, 'untrusted'], [{ root: 5 }, 'untrustd']],
      ['trust.decideHooks', [[], 'trust'], [[{ key: 'x' }], 'trustt']],
      ['config.inFolder', [folder], [5]],
      ['config.sourceOf', [['model']], ['model']],
      ['config.switchFeature', ['x', true], [5, 'yes']],
      ['config.saveMemories', [{}], [5]],
      ['config.saveTui', [{}], [5]],
      ['config.saveModel', [{ provider: 'a', model: 'b' }], [{ provider: 'a', modell: 'b' }]],
      ['threads.load', [id], [5]],
      ['threads.fork', [id, { kind: 'latest' }], [5, 5]],
      ['threads.whole', [id, async () => 1], [5, 5]],
      ['threads.preview', [id, emptyThreadState], [5, 5]],
      ['threads.start', [{ cwd: folder }], [5]],
    ],
  };
}

it('every call refuses arguments of a wrong type, or says so in a Fault where its answer has no place for that', async () => {
  const { live, of, rows } = await argumentCalls();
  const state = () => [
    live.place.lines(),
    live.place.rollouts(),
    readFileSync(join(live.place.home, 'config.toml'), 'utf8'),
  ];
  const before = state();
  const codes = /^(option-(wrong|unknown|missing)|options-malformed|odd-input)$/;
  for (const [name, fits, wrong] of rows) {
    const [owner = '', method = ''] = name.split('.');
    for (const [at, odd] of wrong.entries()) {
      const given = fits.map((fit, place) => (place === at ? odd : fit));
      const about = await answerOf(() =>
        (of[owner] as Record<string, (...all: unknown[]) => unknown>)[method]!(...given),
      );
      expect({ name, at, ...about }).toEqual({
        name,
        at,
        code: expect.stringMatching(codes),
        next: expect.stringMatching(/\.$/),
      });
    }
  }
  expect(state()).toEqual(before);
  const called = new Set(rows.map(([name]) => name));
  for (const [owner, object] of Object.entries(of)) {
    const members = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(object)));
    const methods = members.filter(([, { value }]) => typeof value === 'function').map(([name]) => `${owner}.${name}`);
    expect(methods.filter((name) => !called.has(name) && !withoutChecks.includes(name))).toEqual([]);
  }
}, 60_000);

/** They take nothing, only look something up in a map, or serve the surfaces of this repository. */
const withoutChecks = [
  ...['engine', 'stored', 'trust', 'config', 'threads'].map((owner) => `${owner}.constructor`),
  ...['recordIfNews', 'nextTipIndex', 'secretFor', 'thread', 'close', 'unpackBubblewrap'].map(
    (name) => `engine.${name}`,
  ),
  'stored.blob',
  'stored.takeReading',
  'config.saveSandboxFallback',
  'config.saveKeymap',
  ...['loaded', 'agentsOf', 'knows', 'close'].map((name) => `threads.${name}`),
];

/** The answer to a call: as a value, as the first value that it yields, or as a Fault. */
async function answerOf(call: () => unknown): Promise<{ readonly code: unknown; readonly next: unknown }> {
  try {
    const given = call() as AsyncIterable<unknown> | Promise<unknown>;
    const said = (
      Symbol.asyncIterator in Object(given) ? await firstOf(given as AsyncIterable<unknown>) : await given
    ) as {
      readonly outcome?: OptionProblem;
    } & OptionProblem;
    const { code, next } = said?.outcome ?? said ?? {};
    return { code, next };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { code: error.code, next: error.next };
  }
}

async function firstOf(values: AsyncIterable<unknown>): Promise<unknown> {
  for await (const value of values) return value;
  return undefined;
}

/** The names under which the sources read options. */
function readers(): readonly string[] {
  const folder = join(import.meta.dirname, '../../src');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8'));
  const calls = texts.flatMap((text) => [...text.matchAll(/\bvalidateOptions<.+?>\(.+?, .+?, '(.+?)'/g)]);
  return [...new Set(calls.map(([, name]) => name!))].toSorted();
}

it.each([
  ['sandboxMode', 'sandbox'],
  ['sandbox_mode', 'sandbox'],
  ['sandboxPolicy', 'sandbox'],
  ['permissionProfile', 'sandbox'],
  ['approvalPolicy', 'approvals'],
  ['approval_policy', 'approvals'],
  ['approval', 'approvals'],
  ['modelProvider', 'provider'],
  ['model_provider', 'provider'],
  ['reasoningEffort', 'effort'],
  ['modelReasoningEffort', 'effort'],
  ['model_reasoning_effort', 'effort'],
  ['workingDirectory', 'cwd'],
  ['overrides', 'config'],
  ['dynamicTools', 'clientTools'],
  ['client_tools', 'clientTools'],
])('%s is called %s here', (written, meant) => {
  expect(validateOptions<ThreadRequest>({ cwd: '/', [written]: 'x' }, threadOptions, 'start()')).toEqual({
    code: 'option-unknown',
    message: `${written} is not an option of start(). Did you mean ${meant}?`,
    next: 'Rename or remove it.',
  });
});

it.each<[object, string, string]>([
  [
    { cwd: '/', limits: { turnTokens: 1.5 } },
    'limits.turnTokens of start() must be a whole number of at least 1, not 1.5.',
    'Correct it.',
  ],
  [{ cwd: 5 }, 'cwd of start() must be a string, not 5.', 'Correct it.'],
  [
    { cwd: '/', model: 5 },
    'model of start() must be a string that is not blank, not 5.',
    'Correct it or leave it out.',
  ],
])(
  '%j: the message names the option, and leaving out is proposed only where that is possible',
  (given, message, next) => {
    const options = { ...threadOptions, cwd: { ...threadOptions.cwd, required: true } } as const;
    const read = validateOptions(given, options as OptionReaders<ThreadRequest>, 'start()');
    expect(read).toEqual({ code: 'option-wrong', message, next });
  },
);

it('an option of another call is sent there', async () => {
  const live = await LiveThread.in([]);
  const engine = await live.engine();
  const start = { cwd: live.place.workspace, env: {} } as never;
  expect(await engine.start(start)).toMatchObject({ outcome: { next: 'Give it to Engine.load().' } });
  const load = { sandbox: 'read-only' } as never;
  expect(await Engine.load(load)).toMatchObject({
    outcome: { message: 'sandbox is not an option of Engine.load().', next: 'Give it to start(), resume() or fork().' },
  });
});

describe('an object with methods', () => {
  class Weather implements OwnTool {
    readonly name = 'weather';
    readonly description = 'Gives the weather.';
    readonly parameters = { type: 'object' };
    readonly client = { url: 'http://weather.invalid' };
    #calls = 0;

    run(): string {
      return `${this.client.url} ${++this.#calls}`;
    }
  }

  it('may be an instance of a class with members of its own, and its methods keep their object', () => {
    const read = ownToolOption.read(new Weather()) as OwnTool;
    expect(Object.keys(read)).toEqual(['name', 'description', 'parameters', 'run']);
    expect(read.run({}, {} as never)).toBe('http://weather.invalid 1');
  });

  it.each<[string, object, string]>([
    ['a slip in a plain object', { ...tool, remotely: 'changes' }, 'tools[0] of start() has no key "remotely".'],
    [
      'a slip in a class',
      new (class extends Weather {
        readonly remotes = 'changes';
      })(),
      'Did you mean remote?',
    ],
    ['a name of another program', { ...tool, inputSchema: {} }, 'Did you mean parameters?'],
    [
      'a wrong word',
      { ...tool, remote: 'writes' },
      'tools[0].remote of start() must be one of "reads", "changes", not "writes".',
    ],
    ['no method', { ...tool, run: 'now' }, 'tools[0].run of start() must be a function, not "now".'],
  ])('is refused with %s', async (_name, odd, message) => {
    const live = await LiveThread.in([]);
    const engine = await live.engine();
    const opened = await engine.start({ cwd: live.place.workspace, tools: [odd as OwnTool] });
    expect(opened).toMatchObject({ kind: 'refused', outcome: { message: expect.stringContaining(message) } });
    expect(live.place.rollouts()).toEqual([]);
  });

  it('is used as it was when it was given', async () => {
    const live = await LiveThread.in([
      answer({ items: [callTool('look_up', {})] }),
      answer({ items: [say('A winch.')] }),
    ]);
    const given = { ...tool };
    await live.open({}, { tools: [given] });
    Object.assign(given, { run: () => 'forged', name: 'other' });
    await live.turn('What is it?');
    expect(textsOf(inputOf(live.model, 1)).at(-1)).toBe('a winch');
  });

  it.each<[string, (store: ReturnType<typeof createMemoryStore>) => object, string]>([
    ['without a part', ({ rollouts, directory, blobs }) => ({ rollouts, directory, blobs }), 'needs store.contents'],
    ['with a part too many', (store) => ({ ...store, index: {} }), 'store of Engine.load() has no key "index".'],
    ['without a method', (store) => ({ ...store, blobs: { keep: () => {} } }), 'needs store.blobs.load: a function'],
    ['with a slip', (store) => ({ ...store, directory: { ...store.directory, change: () => {} } }), 'mean changed?'],
  ])('a store %s is refused', async (_name, odd, message) => {
    const live = await LiveThread.in([]);
    const { home, root, workspace } = live.place;
    const loaded = await Engine.load({
      env: { CAPSTAN_HOME: home },
      osHome: root,
      cwd: workspace,
      client: { name: 'test', version: '0', source: 'exec' },
      store: odd(createMemoryStore({ now: Date.now } as never)) as never,
    });
    expect(loaded).toMatchObject({ kind: 'refused', outcome: { message: expect.stringContaining(message) } });
  });
});

it('a thread that is started read-only is read-only, and one that is started with a slip is not started', async ({
  skip,
}) => {
  skip(noNamespaces);
  const write = callTool('exec_command', { cmd: 'echo x > made || echo refused' });
  const live = await LiveThread.in([answer({ items: [write] }), answer({ items: [say('Done.')] })]);
  const engine = await live.engine({ config: { sandbox_mode: 'workspace-write' } });
  const cwd = live.place.workspace;
  const slip = { cwd, sandboxMode: 'read-only' } as ThreadRequest & { cwd: string };
  expect(await engine.start(slip)).toEqual({
    kind: 'refused',
    outcome: {
      code: 'option-unknown',
      message: 'sandboxMode is not an option of start(). Did you mean sandbox?',
      next: 'Rename or remove it.',
    },
  });
  expect(engine.threads).toEqual([]);
  const request: { cwd: string; sandbox: 'read-only' | 'danger-full-access' } = { cwd, sandbox: 'read-only' };
  const opening = engine.start(request);
  request.sandbox = 'danger-full-access';
  const opened = await opening;
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  await opened.thread.run({ input: words('Write.') });
  expect(JSON.stringify(live.model.requests[0]!.body['input'])).toContain('<sandbox_mode>read-only<');
  expect(textsOf(inputOf(live.model, 1)).at(-1)).toContain('refused');
  expect(existsSync(join(cwd, 'made'))).toBe(false);
  await engine.close();
});

it('settings that are named win over raw keys, the configuration and what a thread had, and the thread keeps them', async () => {
  const live = await LiveThread.in(yes);
  const engine = await live.engine({ config: { sandbox_mode: 'danger-full-access', approval_policy: 'untrusted' } });
  const cwd = live.place.workspace;
  const named: ThreadRequest = {
    model: 'gpt-5.4',
    effort: 'high',
    sandbox: 'read-only',
    approvals: 'never',
    summary: 'concise',
  };
  const opened = await engine.start({ cwd, config: { model: 'gpt-5.5', approval_policy: 'on-request' }, ...named });
  if (opened.kind === 'refused') throw new Error(opened.outcome.message);
  const { thread } = opened;
  const chosen = {
    model: 'gpt-5.4',
    effort: 'high',
    approvals: 'never',
    summary: 'concise',
    sandbox: { network: 'restricted' },
  };
  expect(thread.settings).toMatchObject(chosen);
  await thread.run({ input: words('one') });
  await thread.close();
  const later = await (await live.engine()).resume(thread.id);
  expect(later).toMatchObject({ kind: 'opened', settings: chosen });
  if (later.kind === 'opened') await later.thread.close();
  await engine.close();
});

it('keys of config must be known where it is an object', async () => {
  const live = await LiveThread.in([]);
  const engine = await live.engine();
  const cwd = live.place.workspace;
  const odd = await engine.start({ cwd, config: { sandbox_mod: 'read-only' } });
  expect(odd).toMatchObject({
    kind: 'refused',
    outcome: { message: 'config: sandbox_mod is not a known key.', next: 'Did you mean sandbox_mode?' },
  });
  expect(await engine.start({ cwd, config: { sandbox_workspace_write: { network: true } } })).toMatchObject({
    kind: 'refused',
    outcome: { code: 'config-unknown-key' },
  });
});

it.each([
  ['a slip', { kind: 'allowed', prefixes: ['git', 'status'] }],
  ['a text for a form', { kind: 'allowed', content: 'SQLite' }],
  ['a number for a note', { kind: 'allowed', note: 5 }],
])('an answer with %s is none', async (_name, given) => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const engine = await live.engine();
  const answered = await engine.answer(live.thread.id, 'none', given as never, { signal });
  expect(answered).toMatchObject({ kind: 'refused', outcome: { code: 'odd-input' } });
});

it('an answer with a slip in a key says which one', async () => {
  const live = await LiveThread.in(yes);
  await live.turn('one');
  const outcome = {
    code: 'odd-input',
    message: 'The answer has the unknown key "scop".',
    next: 'Did you mean scope? Nothing was changed or sent.',
  };
  const given = { kind: 'allowed', scop: 'session' } as never;
  expect(await live.thread.answer('none', given)).toEqual({ kind: 'refused', outcome });
  expect(await (await live.engine()).answer(live.id, 'none', given, { signal })).toEqual({ kind: 'refused', outcome });
});

it.each([
  ['a slip', { evnt() {} }, 'subscriber of subscribe() has no key "evnt". Did you mean event?'],
  ['a function', () => {}, 'subscriber of subscribe() must be an object with event, provisional or ended'],
  ['null', null, 'subscriber of subscribe() must be an object with event, provisional or ended, not null.'],
  ['no function', { event: 'x' }, 'subscriber.event of subscribe() must be a function, not "x".'],
])('a subscriber that would never hear anything is an error: %s', async (_name, given, message) => {
  const live = await LiveThread.in([]);
  const thread = await live.open();
  expect(() => thread.subscribe(given as never)).toThrow(message);
});

it('an asker that answers with a promise whether someone is there is not asked', async () => {
  const live = await LiveThread.in(() => answer({ items: [say('Done.')] }));
  const ask = async () => ({ kind: 'allowed' }) as const;
  const offered: boolean[] = [];
  for (const isThere of [() => true, async () => false, async () => true]) {
    await live.open({}, { approvals: 'untrusted', askUser: { ask, isThere: isThere as () => boolean } });
    await live.turn('go');
    offered.push(JSON.stringify(live.model.requests.at(-1)!.body['tools']).includes('"exec_command"'));
  }
  expect(offered).toEqual([true, false, false]);
});

it('test doubles throw', async () => {
  const message = 'widnow is not an option of startScriptedModel(). Did you mean window?';
  await expect(startScriptedModel([], { widnow: 1 } as never)).rejects.toThrow(message);
  expect(() => answer({ items: [], delay: 5 } as never)).toThrow('delay is not an option of answer().');
  expect(() => createMemoryStore({ now: Date.now } as never, { lease: 5 } as never)).toThrow('use leaseMs');
});

/** Does not run: what must not compile. */
export function excessKeysDoNotCompile(engine: Engine): void {
  // @ts-expect-error another name
  void engine.start({ cwd: '/', sandboxMode: 'read-only' });
  // @ts-expect-error no such word
  void engine.start({ cwd: '/', sandbox: 'readonly' });
  // @ts-expect-error no folder
  void engine.start({});
  const change: SettingsChange = {
    // @ts-expect-error another name
    approvalPolicy: 'never',
  };
  const turn: ThreadTurn = {
    input: words(''),
    // @ts-expect-error a setting
    model: 'x',
  };
  const text: OptionType<string> = { expected: 'a text', read: String };
  // @ts-expect-error a key without a row
  const short: OptionReaders<{ one: string; two?: string }> = { one: { type: text, about: '', required: true } };
  const long: OptionReaders<{ one: string }> = {
    one: { type: text, about: '', required: true },
    // @ts-expect-error a row without a key
    two: { type: text, about: '' },
  };
  // @ts-expect-error a required key that is not marked
  const loose: OptionReaders<{ one: string }> = { one: { type: text, about: '' } };
  // @ts-expect-error a check of another type
  const other: OptionReaders<{ one?: number }> = { one: { type: text, about: '' } };
  void [change, turn, short, long, loose, other];
}

it('the documentation lists every option with its sentence', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/library.md'), 'utf8');
  const section = (title: string): string => text.split(`### ${title}\n`)[1]!.split('\n#')[0]!;
  const rows = (table: Readonly<Record<string, { about: string; required?: true }>>): readonly string[] =>
    Object.entries(table).map(
      ([key, { about, required }]) => `| \`${key}\`${required === true ? ', required' : ''} | ${about} |`,
    );
  const listed = (title: string) =>
    section(title)
      .split('\n')
      .filter((line) => line.startsWith('| `'));
  expect(listed('Engine.load')).toEqual(rows(engineOptions));
  expect(listed('start, resume, fork')).toEqual(rows(threadOptions));
  expect(listed('run')).toEqual(rows(turnOptions));
});

describe('paths of Engine.load', () => {
  it.each([
    ['a relative path', () => 'token.png'],
    ['one that begins with ~', () => '~/token.png'],
    ['an absolute one', (folder: string) => join(folder, 'token.png')],
    ['a name with brackets', (folder: string) => join(folder, 'to[k]en.png')],
  ])('protect %s', async (_name, spell) => {
    const look = (request: { readonly body: { readonly input: readonly { readonly type: string }[] } }) =>
      request.body.input.at(-1)!.type.endsWith('_output')
        ? yes()
        : answer({ items: [callTool('view_image', { path: basename(spell('')) })] });
    const live = await LiveThread.in(look as never);
    const folder = live.place.workspace;
    writeFileSync(join(folder, basename(spell(folder))), 'secret');
    await live.open({ cwd: folder, osHome: folder, secretFiles: [spell(folder)] }, { sandbox: 'read-only' });
    await live.turn('Look.');
    expect(textsOf(inputOf(live.model, 1)).at(-1)).toMatch(/does not allow|not allowed|denied/);
  });

  it.each<[string, object, RegExp]>([
    ['a URL', { secretFiles: ['file:///srv/token'] }, /^secretFiles\[0\] of Engine.load\(\) is a URL, not a path/],
    ['a pattern', { secretFiles: ['/srv/a', '/srv/tok*'] }, /^secretFiles\[1\] of Engine.load\(\) is a pattern/],
    ["another user's home", { secretFiles: ['~root/token'] }, /the home of another user/],
    ['a NUL', { secretFiles: ['/srv/a\0b'] }, /NUL/],
    ['a URL to write to', { addDirectories: ['file:///srv'] }, /^addDirectories\[0\] .* is a URL/],
    ['a URL of the machine', { systemFolders: ['file:/etc/x'] }, /^systemFolders\[0\] .* is a URL/],
    ['a relative home', { osHome: '~' }, /^osHome of Engine.load\(\) is not an absolute path: "~"/],
    ['a relative folder', { cwd: 'src' }, /^cwd of Engine.load\(\) is not an absolute path/],
  ])('refuse %s', async (_name, given, message) => {
    const client = { name: 'test', version: '0', source: 'exec' };
    expect(await Engine.load({ env: {}, osHome: '/', cwd: '/', client, ...given })).toEqual({
      kind: 'refused',
      outcome: {
        code: 'option-wrong',
        message: expect.stringMatching(message),
        next: 'Name each file or folder by its whole path.',
      },
    });
  });
});
