import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/protocol/json.ts';
import { answer, callTool, httpError, say } from '../../src/testing/index.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';
import { hasTerminals, onTerminal } from '../harness/terminal.ts';

const ok = () => answer({ items: [say('ok')] });
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
);

describe('the prompt', () => {
  it('comes from standard input when no argument is given, and stands before it when both are', async () => {
    const { model, place } = await scene([ok(), ok(), ok()]);
    await place.start(['exec', '--json'], { input: 'from a pipe\n' }).finished;
    await place.start(['exec', '--json', '-'], { input: '\ufefffrom a dash' }).finished;
    await place.start(['exec', '--json', 'look at this'], { input: 'data' }).finished;
    expect([0, 1, 2].map((request) => textsOf(inputOf(model, request)).at(-1))).toEqual([
      'from a pipe\n',
      'from a dash',
      'look at this\n\n<stdin>\ndata\n</stdin>',
    ]);
  });

  it.runIf(hasTerminals)('is typed on a terminal when a dash asks for it', async () => {
    const { model, place } = await scene([ok()]);
    const run = await place.start(['exec', '-'], {
      input: 'by hand\n',
      prefix: onTerminal,
    }).finished;
    expect([run.code, textsOf(inputOf(model, 0)).at(-1)]).toEqual([0, 'by hand\n']);
  });

  it('is not held up by a silent pipe, and that is reported', async () => {
    const { place } = await scene([ok()]);
    const running = place.start(['exec', '--json', 'hi'], { input: 'open' });
    const { code, stderr } = await running.finished;
    expect([code, stderr.split('\n')[0]]).toEqual([
      0,
      'Standard input was silent for half a second and is ignored. If it is meant to be empty, start Capstan with </dev/null.',
    ]);
  });

  it.runIf(process.platform === 'linux')('waits for the program before it in a pipeline', async () => {
    const { model, place } = await scene([ok()]);
    // The other program speaks when it is told that it is waited for, and not before.
    const slow = '{ until grep -q "^Waiting for process" err; do sleep 0.05; done; echo late; }';
    const run = await place.start(['exec', '--json', 'look at this'], {
      prefix: ['bash', '-c', `touch err; ${slow} | "$@" 2>err`, '_'],
    }).finished;
    expect([run.code, textsOf(inputOf(model, 0)).at(-1)]).toEqual([0, 'look at this\n\n<stdin>\nlate\n</stdin>']);
  });
});

describe('pictures', () => {
  it('stand before the words, each under its name, and only their paths are in the record for screens', async () => {
    const { model, place } = await scene([ok()]);
    writeFileSync(join(place.workspace, 'a.png'), png);
    writeFileSync(join(place.workspace, 'b.png'), png);
    await place.run('exec', '--json', '-i', 'a.png,b.png', 'compare');
    const url = `data:image/png;base64,${png.toString('base64')}`;
    expect(inputOf(model, 0).at(-1)?.['content']).toEqual([
      { type: 'input_text', text: '<image name=[Image #1] path="a.png">' },
      { type: 'input_image', image_url: url, detail: 'high' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: '<image name=[Image #2] path="b.png">' },
      { type: 'input_image', image_url: url, detail: 'high' },
      { type: 'input_text', text: '</image>' },
      { type: 'input_text', text: 'compare' },
    ]);
    const record = place
      .lines()
      .find(({ payload }) => (payload['item'] as JsonObject | undefined)?.['type'] === 'UserMessage');
    expect(JSON.stringify(record)).toContain('{"type":"local_image","path":"a.png"}');
    expect(JSON.stringify(record)).not.toContain('base64');
  });

  it('may have commas in their names', async () => {
    const { model, place } = await scene([ok()]);
    writeFileSync(join(place.workspace, 'a,b.png'), png);
    await place.run('exec', '--json', '-i', 'a,b.png', 'look');
    expect(textsOf(inputOf(model, 0))).toContain('<image name=[Image #1] path="a,b.png">');
  });
});

describe('the answer', () => {
  it('must fit a schema when one is given, for that turn only', async () => {
    const { model, place } = await scene([ok(), ok()]);
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' } },
      required: ['a'],
      additionalProperties: false,
    };
    writeFileSync(join(place.root, 'schema.json'), JSON.stringify(schema));
    const path = join(place.root, 'schema.json');
    const plain = await place.run('exec', '--output-schema', path, 'x');
    const resumed = await place.run('exec', 'resume', '--last', 'y');
    expect([plain.code, plain.stderr.includes('The answer does not match the output schema.')]).toEqual([1, true]);
    expect(resumed.code).toBe(0);
    expect(model.requests[0]!.body['text']).toMatchObject({
      format: { type: 'json_schema', name: 'codex_output_schema', strict: true, schema },
    });
    expect(model.requests[1]!.body['text']).not.toHaveProperty('format');
  });

  it('is checked without code that is made from text, also by patterns that would take others for ever', async () => {
    const text = `${'a'.repeat(100)}!`;
    const { place } = await scene([answer({ items: [say(JSON.stringify({ a: text }))] })]);
    const path = join(place.root, 'schema.json');
    writeFileSync(path, JSON.stringify({ patternProperties: { '^(a+)+$': { pattern: '^(a+)+$' } } }));
    const prefix = ['/usr/bin/env', 'NODE_OPTIONS=--disallow-code-generation-from-strings'];
    const run = await place.start(['exec', '--output-schema', path, 'x'], { prefix }).finished;
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('answer.a must match ^(a+)+$.')]);
  });

  it('is checked in part if the schema has faults, and a warning names the first before the turn', async () => {
    const { place } = await scene([answer({ items: [say('{"a":1}')] }), answer({ items: [say('{"a":1}')] })]);
    const path = join(place.root, 'schema.json');
    writeFileSync(path, '{"type":"object","properties":{"a":{"type":"strng"}}}');
    const warning = `Part of the output schema ${path} is not checked: #/properties/a/type.`;
    for (const options of [[], ['--json']]) {
      const { code, stderr } = await place.run('exec', ...options, '--output-schema', path, 'x');
      expect([code, stderr.split(warning)]).toEqual([0, [expect.any(String), expect.any(String)]]);
    }
  });

  it('passes on to a reader of events although it does not fit the schema', async () => {
    const { place } = await scene([ok(), ok(), ok()]);
    const path = join(place.root, 'schema.json');
    writeFileSync(path, '{"type":"object"}');
    for (const option of ['--json', '--experimental-json']) {
      const run = await place.run('exec', option, '--output-schema', path, 'x');
      expect([run.code, run.events.map(({ type }) => type)]).toEqual([
        0,
        ['thread.started', 'turn.started', 'item.completed', 'turn.completed'],
      ]);
    }
    const told = await place.run('exec', '--json', '--context-events', '--output-schema', path, 'x');
    expect([told.code, told.events.filter(({ type }) => type === 'context.warning')]).toEqual([
      0,
      [
        {
          type: 'context.warning',
          code: 'answer-unfit',
          message: 'The answer does not match the output schema. It is not JSON.',
          next: expect.any(String),
        },
      ],
    ]);
  });

  it('is written to a file, unless the turn fails', async () => {
    const { place } = await scene([
      answer({ items: [say('the answer')] }),
      httpError({ status: 400 }),
      answer({ items: [] }),
    ]);
    const path = join(place.root, 'last.txt');
    await place.run('exec', '--json', '-o', path, 'x');
    expect(readFileSync(path, 'utf8')).toBe('the answer');
    await place.run('exec', '--json', '-o', path, 'x');
    expect(readFileSync(path, 'utf8')).toBe('the answer');
    const silent = await place.run('exec', '--json', '-o', path, 'x');
    expect([silent.code, readFileSync(path, 'utf8')]).toEqual([0, '']);
    expect(silent.stderr).toContain('no answer');
  });

  it('follows what was printed, where the file is also standard output', async () => {
    const { place } = await scene([answer({ items: [say('the answer')] })]);
    const prefix = ['bash', '-c', 'exec "$@" > out', '_'];
    await place.start(['exec', '--json', '-o', '/dev/stdout', 'x'], { prefix }).finished;
    const printed = readFileSync(join(place.workspace, 'out'), 'utf8');
    expect(printed).toMatch(/^\{"type":"thread\.started"[^]*the answer[^]*the answer/);
    expect(printed).toContain('"type":"turn.completed"');
  });
});

describe('places', () => {
  it('outside a repository it must be asked for', async () => {
    const { place } = await scene([ok()]);
    rmSync(join(place.workspace, '.git'), { recursive: true });
    expect(await place.run('exec', '--json', 'x')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Not inside a trusted directory'),
    });
    expect((await place.run('exec', '--json', '--skip-git-repo-check', 'x')).code).toBe(0);
  });

  it('a folder that is not there is refused, for a new thread and for one that began there', async () => {
    const { model, place } = await scene([ok()]);
    const folder = join(place.workspace, 'folder');
    const refused = { code: 1, stdout: '', stderr: expect.stringContaining(`The folder ${folder} does not exist.`) };
    expect(await place.run('exec', '--json', '-C', folder, 'x')).toMatchObject(refused);
    mkdirSync(folder);
    const run = await place.run('exec', '--json', '-C', folder, 'x');
    rmSync(folder, { recursive: true });
    expect(await place.run('exec', '--json', 'resume', threadId(run), 'y')).toMatchObject(refused);
    expect(model.requests).toHaveLength(1);
  });

  it('a folder to be added that is not there is reported', async () => {
    const { place } = await scene([ok()]);
    const run = await place.run('exec', '--json', '--add-dir', '../build', '--add-dir', '.', 'x');
    const told = `The folder ${join(place.root, 'build')} given with --add-dir does not exist. Until it does, the option has no effect.`;
    expect([run.code, run.stderr.split('\n')[0]]).toEqual([0, told]);
  });

  it('--ephemeral leaves nothing on the disk, also when it resumes', async () => {
    const { model, place } = await scene([ok(), ok(), ok()]);
    const alone = await place.run('exec', '--json', '--ephemeral', 'x');
    expect([alone.code, place.rollouts()]).toEqual([0, []]);
    const kept = await place.run('exec', '--json', 'one');
    const before = readFileSync(place.rollouts()[0]!, 'utf8');
    const resumed = await place.run('exec', '--json', '--ephemeral', 'resume', threadId(kept), 'two');
    expect(resumed.code).toBe(0);
    expect(textsOf(inputOf(model, 2)).slice(-3)).toEqual(['one', 'ok', 'two']);
    expect(readFileSync(place.rollouts()[0]!, 'utf8')).toBe(before);
  });

  it('bypass runs commands without a sandbox and says so', async () => {
    const { place } = await scene([
      answer({ items: [callTool('exec_command', { cmd: 'touch ../outside && echo done' })] }),
      ok(),
    ]);
    const run = await place.run('exec', '--json', '--yolo', 'x');
    expect(run.stdout).toContain('done');
    expect(run.stderr).toContain(' · danger-full-access, network enabled');
  });
});

describe('resume', () => {
  it('finds a thread by the beginning of its id, by name, and as the last one of the folder', async () => {
    const { model, place } = await scene(() => ok());
    const first = threadId(await place.run('exec', '--json', 'one'));
    const other = join(place.root, 'other');
    mkdirSync(other);
    await place.run('exec', '--json', '--skip-git-repo-check', '-C', other, 'elsewhere');
    const name = { id: first, thread_name: 'my thread', updated_at: '2026-11-15T00:00:00Z' };
    writeFileSync(join(place.home, 'session_index.jsonl'), `not json\n${JSON.stringify(name)}\n`);
    for (const words of [[first.slice(0, 20)], ['my thread'], ['--last']]) {
      const run = await place.run('exec', '--json', 'resume', ...words, 'again');
      expect([run.code, run.events[0]], run.stderr).toEqual([0, { type: 'thread.started', thread_id: first }]);
    }
    const anywhere = await place.run('exec', '--json', 'resume', '--last', '--all', 'x');
    expect(anywhere.events[0]).toEqual({ type: 'thread.started', thread_id: first });
    expect(textsOf(inputOf(model, 5))).toContain('one');
  });

  it.each([
    ['an empty file', ''],
    ['half a first line', '{"timestamp":"2026-11-15T00:'],
  ])('takes the thread before one that was killed at its birth: %s', async (_what, text) => {
    const { place } = await scene(() => ok());
    const id = threadId(await place.run('exec', '--json', 'one'));
    const [path = ''] = place.rollouts();
    const unborn = 'ffffffff-ffff-7fff-bfff-ffffffffffff';
    writeFileSync(path.replace(id, unborn), text);
    expect((await place.run('exec', '--json', 'resume', '--last', 'x')).events[0]).toMatchObject({ thread_id: id });
    const listed = await place.run('threads', 'list', '--json');
    expect([listed.stdout.includes(id), listed.stdout.includes(unborn)]).toEqual([true, false]);
    expect(await place.run('exec', 'resume', unborn, 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`There is no thread ${unborn}: its process ended before anything was saved`),
    });
  });

  it('from another folder, says which folder a thread belongs to and what to run', async () => {
    const { place } = await scene(() => ok());
    const id = threadId(await place.run('exec', '--json', 'one'));
    await place.run('threads', 'name', id, 'my thread');
    const other = join(place.root, 'other');
    mkdirSync(other);
    const toRun = `Resume it there: \`capstan exec resume ${id} "Continue."\`. Or fork it: \`capstan threads fork ${id}\`.`;
    expect(await place.runWith({ cwd: other }, 'exec', 'resume', 'my thread', 'x')).toMatchObject({
      code: 1,
      stderr: `capstan: Thread "my thread" works in ${place.workspace}, not in ${other}.\n         ${toRun}\n`,
    });
    expect(await place.runWith({ cwd: other }, 'exec', 'resume', '--last', 'x')).toMatchObject({
      code: 1,
      stderr: `capstan: There is no thread in ${other} yet. The newest thread works in ${place.workspace}.\n         ${toRun}\n`,
    });
    expect((await place.run('threads', 'show', 'my thraed')).stderr).toContain('Did you mean "my thread"? ');
    const resumed = await place.runWith({ cwd: other }, 'exec', '--json', 'resume', id, 'Continue.');
    expect([resumed.code, resumed.stderr]).toEqual([0, expect.stringContaining(`in ${place.workspace}`)]);
    expect(await place.runWith({ cwd: other }, 'threads', 'show', 'my thread')).toMatchObject({ code: 0 });
  });

  it('refuses what is unknown or not unique, and starts nothing', async () => {
    const { model, place } = await scene(() => ok());
    expect(await place.run('exec', '--json', 'resume', '--last', 'x')).toMatchObject({ code: 1, stdout: '' });
    expect(await place.run('exec', '--json', 'resume', 'no such name', 'x')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('no such name'),
    });
    const [one, two] = [
      threadId(await place.run('exec', '--json', 'a')),
      threadId(await place.run('exec', '--json', 'b')),
    ];
    expect(one.slice(0, 4)).toBe(two.slice(0, 4));
    expect(await place.run('exec', '--json', 'resume', one.slice(0, 4), 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('2 threads'),
    });
    expect(await place.run('exec', '--json', 'resume')).toMatchObject({ code: 2 });
    expect(model.requests).toHaveLength(2);
  });
});

describe('the command line', () => {
  it('takes options before exec, and the later one wins', async () => {
    const { model, place } = await scene([ok()]);
    const run = await place.run(
      '-a',
      'never',
      '-m',
      'gpt-5.4',
      '-c',
      'model_reasoning_effort=low',
      'exec',
      '--json',
      '--model=gpt-5.2',
      'x',
    );
    expect(run.code).toBe(0);
    expect(model.requests[0]!.body).toMatchObject({ model: 'gpt-5.2', reasoning: { effort: 'low' } });
  });

  it.each([[['-a', 'never']], [['--ask-for-approval', 'never']], [['--ask-for-approval=never']], [['-anever']]])(
    'takes a word about approvals before exec, which has none: %s',
    async (words) => {
      const { place } = await scene([ok()]);
      expect((await place.run(...words, 'exec', '--json', 'x')).code).toBe(0);
    },
  );

  it.each([['-m'], ['--json=1'], ['-s', 'all'], ['-a', 'foo'], ['a', 'b'], ['--last', 'x']])(
    'refuses %s',
    async (...words) => {
      const { place } = await scene([]);
      expect(await place.run('exec', ...words)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('--help'),
      });
    },
  );

  it('prints help and completion', async () => {
    const { place } = await scene([]);
    for (const word of ['--help', 'help'])
      expect(await place.run('exec', word)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('--output-schema FILE'),
      });
    for (const shell of ['bash', 'zsh', 'fish'])
      expect(await place.run('completion', shell)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(`complete ${shell} --`),
      });
    expect(await place.run('completion')).toMatchObject({ code: 2 });
    expect(await place.run('nonsense')).toMatchObject({ code: 2, stderr: expect.stringContaining('nonsense') });
  });
});
