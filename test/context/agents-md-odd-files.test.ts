import { execFileSync } from 'node:child_process';
import {
  accessSync,
  appendFileSync,
  chmodSync,
  constants,
  mkdirSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { anyTurn, InstructionFolders } from '../harness/instruction-folders.ts';

const fileSystem = process.getBuiltinModule('node:fs');
const folders = new InstructionFolders();
const at = (path: string) => join(folders.root, path);
afterEach(() => vi.restoreAllMocks());

/** The folder `repo` holds something odd; the one below it, good instructions. */
async function loadBeside(more = {}) {
  folders.write('repo/sub/AGENTS.md', 'good');
  return folders.load('repo/sub', more);
}

const good = () => ({ directory: at('repo/sub'), text: 'good' });

describe('what is no file', () => {
  test.each([
    ['a folder', () => mkdirSync(at('repo/AGENTS.md'))],
    ['a pipe', () => execFileSync('mkfifo', [at('repo/AGENTS.md')])],
    ['a device', () => symlinkSync('/dev/zero', at('repo/AGENTS.md'))],
  ])('%s is reported to the user, and the next name serves', async (kind, make) => {
    make();
    const problems = [
      {
        code: 'instructions-not-a-file',
        message: `${at('repo/AGENTS.md')} has the name of an instructions file, but is ${kind}.`,
        next: 'Rename it, or replace it with a file that holds the instructions.',
      },
    ];
    expect(await loadBeside()).toEqual({ document: good(), problems });
    folders.write('repo/OTHER.md', 'other');
    expect(await loadBeside({ fallbackFilenames: ['OTHER.md'] })).toEqual({
      document: { directory: at('repo/sub'), text: 'other\n\ngood' },
      problems,
    });
  });

  test('a socket', async () => {
    const server = createServer().listen(at('repo/AGENTS.md'));
    await new Promise((listening) => server.once('listening', listening));
    const { document, problems } = await loadBeside();
    server.close();
    expect(document).toEqual(good());
    expect(problems).toMatchObject([
      { code: 'instructions-not-a-file', message: expect.stringMatching(/a socket\.$/) },
    ]);
  });

  test('a pipe that takes the place of a file is not waited for', async () => {
    folders.write('repo/AGENTS.md', 'root');
    const open = fileSystem.openSync;
    vi.spyOn(fileSystem, 'openSync').mockImplementationOnce((path, ...more) => {
      unlinkSync(at('repo/AGENTS.md'));
      execFileSync('mkfifo', [at('repo/AGENTS.md')]);
      return open(path, ...more);
    });
    const { document, problems } = await loadBeside();
    expect(document).toEqual(good());
    expect(problems).toMatchObject([{ code: 'instructions-not-a-file', message: expect.stringMatching(/a pipe\.$/) }]);
  });
});

describe('links', () => {
  test('one to a file is followed', async () => {
    folders.write('repo/docs/shared.md', 'shared');
    symlinkSync(at('repo/docs/shared.md'), at('repo/AGENTS.md'));
    expect(await folders.load('repo')).toEqual({
      document: { directory: folders.repo, text: 'shared' },
      problems: [],
    });
    const files = folders.files(60_000);
    await files.load(folders.rules('repo'), anyTurn);
    folders.write('repo/docs/shared.md', 'edited');
    expect((await files.load(folders.rules('repo'), anyTurn)).document.text).toBe('edited');
  });

  test('one that leads nowhere is reported to the user, and the next name serves', async () => {
    symlinkSync(at('gone.md'), at('repo/AGENTS.override.md'));
    folders.write('repo/AGENTS.md', 'root');
    expect(await folders.load('repo')).toEqual({
      document: { directory: folders.repo, text: 'root' },
      problems: [
        {
          code: 'instructions-unreadable',
          message: `The instructions in ${at('repo/AGENTS.override.md')} cannot be read: it is a broken link.`,
          next: 'Fix the link, or delete it.',
        },
      ],
    });
  });

  test('a circle is reported to the user', async () => {
    symlinkSync(at('repo/AGENTS.md'), at('repo/AGENTS.md'));
    expect(await loadBeside()).toEqual({
      document: good(),
      problems: [
        {
          code: 'instructions-unreadable',
          message: `The instructions in ${at('repo/AGENTS.md')} cannot be read: its links form a loop.`,
          next: 'Make the file readable, or remove it.',
        },
      ],
    });
  });
});

describe('what is no text', () => {
  test.each([
    ['they are binary', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1])],
    ['they are in UTF-16', Buffer.from('\uFEFFBe kind.', 'utf16le')],
    ['they are not in UTF-8', Buffer.from([0xc2, 0xf3, 0xe4, 0xfc, 0x20, 0xe4])],
  ])('%s', async (reason, content) => {
    folders.write('repo/AGENTS.md', content);
    expect(await loadBeside()).toEqual({
      document: good(),
      problems: [
        {
          code: 'instructions-not-text',
          message: `Capstan ignores the instructions in ${at('repo/AGENTS.md')}: ${reason}.`,
          next: 'Save the file as UTF-8 text.',
        },
      ],
    });
  });

  test('a personal override that is no text lets the plain file serve', async () => {
    folders.write('home/AGENTS.override.md', Buffer.alloc(100));
    folders.write('home/AGENTS.md', 'plain');
    expect(await folders.load('repo')).toMatchObject({
      document: { text: 'plain' },
      problems: [{ code: 'instructions-not-text' }],
    });
  });
});

test('of a huge file only the beginning is read', async () => {
  folders.write('repo/AGENTS.md', Buffer.alloc(10_000_000, 'rule\n'));
  const reads = vi.spyOn(fileSystem, 'readSync');
  const { document, problems } = await folders.load('repo');
  const read = reads.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
  expect(read).toBe(32_769);
  expect(document.text?.slice(32_760)).toBe(
    `rule\n\n\n[Cut here to 32768 bytes. Left out: 9967235 bytes of ${at('repo/AGENTS.md')}. Read the files for the rest.]`,
  );
  expect(problems).toMatchObject([{ code: 'instructions-cut' }]);
});

/** A superuser of a user namespace may be the only user there is. */
function stepsDown(): boolean {
  if (process.geteuid?.() !== 0) return true;
  try {
    process.seteuid?.(65_534);
    process.seteuid?.(0);
    return true;
  } catch {
    return false;
  }
}

describe.skipIf(!stepsDown())('what may not be read', () => {
  /** Permissions do not bind a superuser with all capabilities, so the test steps down from being that. */
  const readsEverything = (): boolean => {
    const probe = at('probe');
    writeFileSync(probe, '', { mode: 0 });
    try {
      accessSync(probe, constants.R_OK);
      return true;
    } catch {
      return false;
    } finally {
      unlinkSync(probe);
    }
  };

  async function asNobody<Result>(run: () => Promise<Result>): Promise<Result> {
    if (!readsEverything()) return run();
    chmodSync(folders.root, 0o755);
    process.seteuid?.(65_534);
    try {
      return await run();
    } finally {
      process.seteuid?.(0);
    }
  }

  test('a file is reported to the user until it may be read', async () => {
    folders.write('repo/AGENTS.md', 'root');
    folders.write('repo/sub/AGENTS.md', 'good');
    const files = folders.files(60_000);
    chmodSync(at('repo/AGENTS.md'), 0);
    const denied = await asNobody(() => files.load(folders.rules('repo/sub'), anyTurn));
    expect(denied).toEqual({
      document: good(),
      problems: [
        {
          code: 'instructions-unreadable',
          message: `The instructions in ${at('repo/AGENTS.md')} cannot be read: permission denied.`,
          next: 'Make the file readable, or remove it.',
        },
      ],
    });
    expect(await asNobody(() => files.load(folders.rules('repo/sub'), anyTurn))).toEqual(denied);
    chmodSync(at('repo/AGENTS.md'), 0o644);
    expect(await asNobody(() => files.load(folders.rules('repo/sub'), anyTurn))).toMatchObject({
      document: { text: 'root\n\ngood' },
      problems: [],
    });
  });

  test('a folder is reported once, and hides neither what is beside it nor the root', async () => {
    folders.write('home/AGENTS.md', 'personal');
    folders.write('repo/AGENTS.md', 'root');
    folders.write('repo/closed/AGENTS.md', 'closed');
    chmodSync(at('repo/closed'), 0);
    const { document, problems } = await asNobody(() => folders.load('repo/closed'));
    chmodSync(at('repo/closed'), 0o755);
    expect(document.text).toBe('personal\n\n--- project-doc ---\n\nroot');
    expect(problems).toMatchObject([{ code: 'instructions-unreadable', message: expect.stringContaining('denied') }]);
  });

  test.runIf(process.platform === 'linux')('a file whose bytes cannot be had is tried again', async () => {
    symlinkSync('/proc/self/mem', at('home/AGENTS.md'));
    const files = folders.files(60_000);
    folders.write('repo/sub/AGENTS.md', 'good');
    const open = vi.spyOn(fileSystem, 'openSync');
    for (const time of [1, 2]) {
      expect(await files.load(folders.rules('repo/sub'), anyTurn)).toMatchObject({
        document: good(),
        problems: [{ code: 'instructions-unreadable', message: expect.stringContaining('EIO') }],
      });
      expect(open).toHaveBeenCalledTimes(2 * time);
    }
  });
});

describe('files that move while they are read', () => {
  test('one that vanishes is no longer there, and what it hid is', async () => {
    folders.write('repo/AGENTS.override.md', 'override');
    folders.write('repo/AGENTS.md', 'plain');
    const open = fileSystem.openSync;
    vi.spyOn(fileSystem, 'openSync').mockImplementationOnce((path, ...more) => {
      unlinkSync(at('repo/AGENTS.override.md'));
      return open(path, ...more);
    });
    expect(await folders.load('repo')).toEqual({ document: { directory: folders.repo, text: 'plain' }, problems: [] });
  });

  test('one that comes and goes is reported to the user, and the rest counts', async () => {
    folders.write('repo/AGENTS.md', 'root');
    folders.write('repo/sub/AGENTS.md', 'good');
    const open = fileSystem.openSync;
    const away = at('repo/away');
    vi.spyOn(fileSystem, 'openSync').mockImplementation((path, ...more) => {
      if (path !== at('repo/AGENTS.md')) return open(path, ...more);
      renameSync(path, away);
      try {
        return open(path, ...more);
      } finally {
        renameSync(away, path);
      }
    });
    expect(await folders.load('repo/sub')).toEqual({
      document: good(),
      problems: [
        {
          code: 'instructions-unreadable',
          message: `The instructions in ${at('repo/AGENTS.md')} cannot be read: the file disappeared.`,
          next: 'No action is needed. Capstan looks for the file again before the next request.',
        },
      ],
    });
  });

  test('one that grows is read again until it is whole', async () => {
    folders.write('repo/AGENTS.md', 'first\n');
    const read = fileSystem.readSync as (...words: unknown[]) => number;
    let isGrown = false;
    vi.spyOn(fileSystem, 'readSync').mockImplementation(((...words: unknown[]) => {
      const count = read(...words);
      // The reader has seen the end of the file when more is added.
      if (count === 0 && !isGrown) {
        isGrown = true;
        appendFileSync(at('repo/AGENTS.md'), 'second\n');
      }
      return count;
    }) as typeof fileSystem.readSync);
    expect(await folders.load('repo')).toEqual({
      document: { directory: folders.repo, text: 'first\nsecond\n' },
      problems: [],
    });
  });

  test('one that never stops growing is told as far as it was read, and looked at again', async () => {
    folders.write('repo/AGENTS.md', '');
    const read = fileSystem.readSync as (...words: unknown[]) => number;
    const grow = vi.spyOn(fileSystem, 'readSync').mockImplementation(((...words: unknown[]) => {
      appendFileSync(at('repo/AGENTS.md'), 'x');
      return read(...words);
    }) as typeof fileSystem.readSync);
    const files = folders.files(60_000);
    const { document, problems } = await files.load(folders.rules('repo', { maxBytes: 1_000 }), anyTurn);
    expect(document.text).toMatch(/^x+\n\n\[Cut here to 1000 bytes/);
    expect(problems).toMatchObject([{ code: 'instructions-cut' }]);
    grow.mockRestore();
    folders.write('repo/AGENTS.md', 'still');
    expect((await files.load(folders.rules('repo'), anyTurn)).document.text).toBe('still');
  });
});
