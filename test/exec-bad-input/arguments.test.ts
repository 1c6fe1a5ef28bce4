import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer, say } from '../../src/testing/index.ts';
import type { JsonObject } from '../../src/protocol/json.ts';
import { inputOf, scene, textsOf, threadId } from '../harness/scene.ts';
import { expectRefused, lastSent, refusal } from './expectations.ts';

const isRoot = process.getuid?.() === 0;

describe('a prompt that', () => {
  it('is not there', async () => {
    const stage = await scene([]);
    const noPrompt = ['There is no prompt.', 'Give it as an argument or on standard input.'] as const;
    expectRefused(stage, await stage.place.run('exec'), noPrompt);
    const blank = ['The prompt is blank, so there is nothing to send.', noPrompt[1]] as const;
    expectRefused(stage, await stage.place.run('exec', '--json', '   '), blank);
    expectRefused(stage, await stage.place.run('exec', '\u200B\u3164'), blank);
    expectRefused(stage, await stage.place.start(['exec', '--json'], { input: ' \n\u200B' }).finished, blank);
  });

  it('is not text', async () => {
    const stage = await scene([]);
    const run = await stage.place.start(['exec'], { input: Buffer.from([0x68, 0xff, 0xfe]) }).finished;
    expectRefused(stage, run, ['Standard input is not text in UTF-8.', 'Convert it to UTF-8.']);
  });

  it('has no end', async () => {
    const stage = await scene([]);
    const run = await stage.place.start(['exec', '-'], { prefix: ['sh', '-c', 'yes | "$0" "$@"'] }).finished;
    expectRefused(stage, run, [
      'Standard input is larger than 64 MB, more than any model can read.',
      'Put it into a file and name the file in the prompt, or pipe in the part that matters.',
    ]);
  });

  it('is larger than the window', async () => {
    const stage = await scene([], 'model_context_window = 20000');
    const run = await stage.place.start(['exec'], { input: 'word '.repeat(30_000) }).finished;
    expect([run.code, run.stdout, stage.model.requests]).toEqual([1, '', []]);
    expect(run.stderr).toContain('The prompt is too long: it has about 3');
    // There is no thread yet that could be resumed.
    expect([stage.place.rollouts(), run.stderr.includes('exec resume')]).toEqual([[], false]);
  });
});

describe('an option that', () => {
  const help = 'See `capstan exec --help`. Put a prompt that begins with a dash after "--".';

  it('that is unknown is named with the nearest one', async () => {
    const stage = await scene([]);
    const runs = [
      [
        ['--jsno', 'x'],
        ['exec: there is no option --jsno.', `Did you mean --json? ${help}`],
      ],
      [
        ['--json', '--sanbox=read-only', 'x'],
        ['exec: there is no option --sanbox.', `Did you mean --sandbox? ${help}`],
      ],
      [['-Z'], ['exec: there is no option -Z.', help]],
      [['--quite-different'], ['exec: there is no option --quite-different.', help]],
    ] as const;
    for (const [words, reason] of runs) expectRefused(stage, await stage.place.run('exec', ...words), reason, 2);
  });

  it('names no key is a wrong argument, wherever it stands', async () => {
    const stage = await scene([]);
    const next = 'Write -c key=value, for example -c model_reasoning_effort=high.';
    for (const words of [
      ['exec', '-c', 'model', 'x'],
      ['-c', 'model', 'exec', 'x'],
    ]) {
      expectRefused(stage, await stage.place.run(...words), ['exec: -c "model" is not KEY=VALUE.', next], 2);
    }
    expect((await stage.place.run('-c', 'foo')).code).toBe(2);
  });

  it('lacks its value does not take the next option for it', async () => {
    const stage = await scene([]);
    const run = await stage.place.run('exec', '-m', '--json', 'x');
    const message = 'exec: -m needs a value, and --json looks like an option. If it is the value, write -m=--json.';
    expectRefused(stage, run, [message, 'See `capstan exec --help`.'], 2);
  });
});

describe('a command that Codex has', () => {
  it('is no prompt', async () => {
    const { model, place } = await scene([]);
    for (const words of [['review'], ['--json', 'review']]) {
      const { code, stderr } = await place.run('exec', ...words);
      expect([code, stderr]).toEqual([1, expect.stringContaining('There are no changes to review.')]);
    }
    expect(model.requests).toEqual([]);
  });

  it('is a prompt behind the dashes', async () => {
    const { model, place } = await scene(() => answer({ items: [say('ok')] }));
    for (const word of ['review', 'resume', 'fork', 'help']) {
      expect((await place.run('exec', '--', word)).code).toBe(0);
      expect(lastSent(model).at(-1)).toBe(word);
    }
  });
});

describe('a picture that', () => {
  const next = 'Check the path: it must be a file that you can read.';

  it('cannot be used', async () => {
    const stage = await scene([]);
    const { workspace } = stage.place;
    mkdirSync(join(workspace, 'folder'));
    execFileSync('mkfifo', [join(workspace, 'pipe')]);
    writeFileSync(join(workspace, 'text.png'), 'not an image');
    writeFileSync(join(workspace, 'huge.png'), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
    // More than Node reads in one piece; the disk holds only its beginning.
    truncateSync(join(workspace, 'huge.png'), 3 * 1024 ** 3);
    const reasons = [
      ['gone.png', ['The image gone.png cannot be read: it does not exist.', next]],
      ['text.png/a.png', ['The image text.png/a.png cannot be read: a part of its path is not a folder.', next]],
      ['folder', ['The image folder cannot be read: it is a folder.', next]],
      ['pipe', ['The image pipe cannot be read: it is a pipe.', next]],
      [
        'huge.png',
        [
          'The image huge.png has 3072.0 MB; the limit is 10 MB.',
          'Make it smaller, for example by halving its width and height.',
        ],
      ],
    ] as const;
    const empty = ['The image has an empty path.', 'Give -i the path of a picture, or leave it out.'] as const;
    for (const [path, reason] of [...reasons, ['', empty] as const])
      expectRefused(stage, await stage.place.run('exec', '--json', '-i', path, 'x'), reason);
  });

  it('is no picture does not end the run: the user is warned and the model told', async () => {
    const { model, place } = await scene([answer({ items: [say('I cannot see it.')] })]);
    writeFileSync(join(place.workspace, 'text.png'), 'not an image');
    const run = await place.run('exec', '--json', '-i', 'text.png', 'What is in it?');
    expect([run.code, run.events.map(({ type, item }) => (item as JsonObject | undefined)?.['type'] ?? type)]).toEqual([
      0,
      ['thread.started', 'turn.started', 'error', 'agent_message', 'turn.completed'],
    ]);
    const message = 'text.png is not an image in a format that models accept. Convert it to PNG, JPEG, GIF or WebP.';
    expect(run.events[2]).toEqual({ type: 'item.completed', item: { id: 'item_0', type: 'error', message } });
    const told = inputOf(model, 0).slice(-2);
    expect(told.map(({ role }) => role)).toEqual(['developer', 'user']);
    expect(textsOf(told)).toEqual([expect.stringMatching(/^<unusable_images>[\s\S]*\ntext\.png\n/), 'What is in it?']);
  });

  it('is cut off does not go to the model: the user is warned and the model told', async () => {
    const { model, place } = await scene([answer({ items: [say('I cannot see them.')] })]);
    const broken = {
      'a.png': '\x89PNG\r\n\x1a\n',
      'b.png': '\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDA',
      'c.jpg': '\xff\xd8\xff\xe0',
      'd.gif': 'GIF89a',
      'e.webp': 'RIFF\x04\0\0\0WEBP',
    };
    const names = Object.keys(broken);
    for (const [name, text] of Object.entries(broken))
      writeFileSync(join(place.workspace, name), Buffer.from(text, 'latin1'));
    const run = await place.run('exec', '--json', '-i', names.join(','), 'What is in them?');
    expect(run.code).toBe(0);
    const errors = run.events
      .map(({ item }) => item as JsonObject | undefined)
      .filter((item) => item?.['type'] === 'error');
    expect(errors.map((item) => item?.['message'])).toEqual(
      ['png', 'png', 'jpeg', 'gif', 'webp'].map(
        (format, index) =>
          `${names[index]} begins like an image (${format}), but it is incomplete or damaged. Save the image again as PNG, JPEG, GIF or WebP.`,
      ),
    );
    expect(JSON.stringify(inputOf(model, 0))).not.toContain('input_image');
    expect(textsOf(inputOf(model, 0).slice(-2))).toEqual([
      expect.stringContaining(`\n${names.join('\n')}\n`),
      'What is in them?',
    ]);
  });

  it.skipIf(isRoot)('may not be read', async () => {
    const stage = await scene([]);
    writeFileSync(join(stage.place.workspace, 'secret.png'), 'x', { mode: 0 });
    const run = await stage.place.run('exec', '-i', 'secret.png', 'x');
    expectRefused(stage, run, ['The image secret.png cannot be read: permission denied.', next]);
  });
});

describe('an output schema that', () => {
  it('cannot be used', async () => {
    const stage = await scene([]);
    const { root, workspace } = stage.place;
    const path = join(root, 'schema.json');
    const refuse = async (reason: readonly [string, string], file = path) =>
      expectRefused(stage, await stage.place.run('exec', '--json', '--output-schema', file, 'x'), reason);
    const unreadable = 'Give --output-schema a file that you may read.';
    const invalid = 'Write a JSON Schema into it, such as {"type": "object", "properties": {…}}.';

    await refuse([`The output schema ${path} cannot be read: it does not exist.`, unreadable]);
    await refuse([`The output schema ${workspace} cannot be read: it is a folder.`, unreadable], workspace);
    writeFileSync(path, '{');
    const syntax = "it is not JSON (Expected property name or '}' in JSON at position 1 (line 1 column 2))";
    await refuse([`The output schema ${path} cannot be used: ${syntax}.`, invalid]);
    writeFileSync(path, '[]');
    await refuse([`The output schema ${path} cannot be used: it is JSON, but not an object.`, invalid]);
  });
});

describe('a folder that', () => {
  const next = 'Create it, or choose another working folder with -C.';

  it('does not exist or is none', async () => {
    const stage = await scene([]);
    const { place } = stage;
    const file = join(place.workspace, '.git', 'HEAD');
    // Outside of the repository, too: that a folder is missing comes before what it could be.
    const gone = join(place.root, 'gone');
    expectRefused(stage, await place.run('exec', '-C', gone, 'x'), [`The folder ${gone} does not exist.`, next]);
    expectRefused(stage, await place.run('exec', '--json', '--yolo', '-C', file, 'x'), [
      `${file} is not a folder.`,
      next,
    ]);
  });

  it('was removed under the feet of the shell', async () => {
    const stage = await scene([]);
    const run = await stage.place.start(['exec', '--json', 'x'], {
      prefix: ['bash', '-c', 'mkdir gone && cd gone && rmdir ../gone && exec "$@"', '_'],
    }).finished;
    const message = 'The folder that capstan was started in no longer exists.';
    expectRefused(stage, run, [message, 'Change to a folder that exists and start again.']);
  });

  it('was removed since the thread was there', async () => {
    const { model, place } = await scene(() => answer({ items: [say('ok')] }));
    const elsewhere = join(place.workspace, 'elsewhere');
    mkdirSync(elsewhere);
    const id = threadId(await place.run('exec', '--json', '-C', elsewhere, 'one'));
    rmSync(elsewhere, { recursive: true });
    const refused = await place.run('exec', '--json', 'resume', id, 'two');
    expect(refused).toEqual(refusal([`The folder ${elsewhere} does not exist.`, next]));
    const run = await place.run('exec', '--json', '-C', place.workspace, 'resume', id, 'three');
    expect(run.code).toBe(0);
    expect(lastSent(model)).toEqual(expect.arrayContaining(['one', 'ok', 'three']));
    expect(lastSent(model)).not.toContain('two');
  });
});

describe('a file for the answer that', () => {
  it('cannot be written is refused before the model is asked', async () => {
    const stage = await scene([]);
    const { place } = stage;
    const next = 'Give -o a file in a folder that you may write to. Nothing was sent to the model.';
    const folder = join(place.root, 'gone');
    expectRefused(stage, await place.run('exec', '--json', '-o', join(folder, 'a.txt'), 'x'), [
      `The answer cannot be written to ${folder}/a.txt: there is no folder ${folder}.`,
      next,
    ]);
    expectRefused(stage, await place.run('exec', '-o', '.', 'x'), [
      `The answer cannot be written to ${place.workspace}: it is a folder.`,
      next,
    ]);
  });

  it.each([['--json'], ['--color=never']])('cannot be written after all costs the exit code (%s)', async (option) => {
    const { model, place } = await scene(() => answer({ items: [say('ok')] }));
    const run = await place.run('exec', option, '-o', '/dev/full', 'one');
    expect([run.code, run.stdout.includes('ok')]).toEqual([1, true]);
    expect(run.stderr.split('\n').at(-2)).toBe(
      'The turn is complete, but its answer could not be written to /dev/full: the disk is full. The answer is in the output above and in the thread.',
    );
    const next = await place.run('exec', '--json', 'resume', '--last', 'two');
    expect([next.code, lastSent(model).slice(-3)]).toEqual([0, ['one', 'ok', 'two']]);
  });
});
