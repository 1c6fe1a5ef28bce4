import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../src/adapters/gather/model-catalogue-file.ts';
import { loadEnvFile } from '../../src/adapters/gather/home.ts';
import { loadConfigFile } from '../../src/adapters/gather/config/config-file.ts';
import {
  findGitDirectory,
  gitConfigValue,
  mainCheckout,
  readGitFacts,
} from '../../src/adapters/gather/git/repository.ts';
import { loadImage } from '../../src/adapters/gather/files/load-image.ts';
import { readLoginFile } from '../../src/adapters/gather/login-file.ts';
import { loadInstructionFiles } from '../../src/adapters/gather/instruction-files.ts';
import { readBounded } from '../../src/adapters/disk/regular-files.ts';
import { systemClock, systemIds } from '../../src/adapters/gather/clock-and-ids.ts';
import { findTimezone } from '../../src/adapters/gather/turn-facts.ts';
import { loadAuthorities } from '../../src/adapters/model/http/network/route.ts';
import { importRollout } from '../../src/adapters/rollout/maintenance/import-rollout.ts';
import { nodeFiles } from '../../src/adapters/rollout/files/node-files.ts';
import { threadNames } from '../../src/adapters/rollout/files/thread-names.ts';
import { compressZstd, decompressZstd } from '../../src/adapters/rollout/files/zstd.ts';
import { loadOutputSchema } from '../../src/surfaces/exec/option-files.ts';
import { nodeDisk } from '../../src/adapters/disk/node-patch-disk.ts';
import { loadIgnoreRules } from '../../src/engine/workspace/ignore-rules.ts';
import { inOpenFolder, listNames, nodeWorkspaceDisk } from '../../src/engine/workspace/workspace-disk.ts';
import { InstructionFolders } from '../harness/instruction-folders.ts';

const gibibyte = 1024 ** 3;
let folder = '';
let socket: Server;

/** Shared by all tests: nothing here is ever changed. */
const hostile = mkdtempSync(join(realpathSync(tmpdir()), 'capstan-hostile-'));
beforeAll(async () => {
  execFileSync('mkfifo', [join(hostile, 'pipe')]);
  writeFileSync(join(hostile, 'huge'), '');
  truncateSync(join(hostile, 'huge'), 10 * gibibyte);
  symlinkSync('circle', join(hostile, 'circle'));
  symlinkSync('/dev/zero', join(hostile, 'zero'));
  mkdirSync(join(hostile, 'folder'));
  socket = createServer();
  await new Promise<void>((done) => socket.listen(join(hostile, 'socket'), done));
});
afterAll(() => {
  socket.close();
  rmSync(hostile, { recursive: true, force: true });
});
beforeEach(() => {
  folder = mkdtempSync(join(hostile, 'test-'));
});

/** Things that a repository, or a program that can write to the user's folders, may put in the place of a file. */
const things = ['pipe', 'huge', 'circle', 'zero', 'folder', 'socket'] as const;

/** Puts a thing in the place of a file, where its name is what counts. */
function put(thing: (typeof things)[number], ...names: readonly string[]): string {
  const path = join(folder, ...names);
  mkdirSync(join(path, '..'), { recursive: true });
  rmSync(path, { force: true, recursive: true });
  symlinkSync(join(hostile, thing), path);
  return path;
}

const osHome = '/nobody';

/** Each reads one file. None may hang, throw or take what it finds for content. */
const readers: Readonly<Record<string, (thing: (typeof things)[number]) => unknown>> = {
  'config.toml': async (thing) =>
    (await loadConfigFile({ name: 'user', path: put(thing, 'config.toml'), osHome })).layer.values,
  '.env': (thing) => (put(thing, '.env'), loadEnvFile(folder, {}).env),
  'auth.json': (thing) => (put(thing, 'auth.json'), readLoginFile(folder).kind === 'unread' ? {} : 'used'),
  model_instructions_file: (thing) =>
    'code' in loadInstructionFiles({ modelInstructionsFile: put(thing, 'base.md') }) ? {} : 'used',
  experimental_compact_prompt_file: (thing) =>
    'code' in loadInstructionFiles({ experimentalCompactPromptFile: put(thing, 'compact.md') }) ? {} : 'used',
  model_catalog_json: (thing) => ('code' in loadCatalogue({ modelCatalogJson: put(thing, 'c.json') }) ? {} : 'used'),
  'a picture': async (thing) => {
    const resize = () => Promise.reject(new Error('No picture here is large.'));
    return 'code' in (await loadImage(put(thing, 'a.png'), '/', { resize })) ? {} : 'used';
  },
  '--output-schema': async (thing) => {
    const options = { outputSchema: put(thing, 's.json') };
    const asked = { options } as unknown as Parameters<typeof loadOutputSchema>[0];
    return 'code' in (await loadOutputSchema(asked, '/')) ? {} : 'used';
  },
  SSL_CERT_FILE: (thing) => (loadAuthorities({ SSL_CERT_FILE: put(thing, 'ca') })?.kind === 'unusable' ? {} : 'used'),
  '/etc/localtime': (thing) => {
    put('folder', 'zones');
    const zone = findTimezone(
      {},
      { localtime: put(thing, 'localtime'), timezone: put(thing, 'timezone'), zoneFolder: folder },
    );
    return zone === undefined || zone === 'Etc/UTC' ? {} : zone;
  },
  '.git as a file': (thing) => (put(thing, '.git'), findGitDirectory(folder) ?? {}),
  commondir: (thing) => {
    writeFileSync(join(folder, '.git'), 'gitdir: real');
    put(thing, 'real/commondir');
    writeFileSync(join(folder, 'real/HEAD'), 'ref: refs/heads/main');
    return mainCheckout(folder) ?? {};
  },
  HEAD: (thing) => (put(thing, '.git/HEAD'), readGitFacts(folder)),
  'a ref and packed-refs': (thing) => {
    put(thing, '.git/refs/heads/main');
    put(thing, '.git/packed-refs');
    writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main');
    const { branch: _branch, ...facts } = readGitFacts(folder);
    return facts;
  },
  'the configuration of git': (thing) => {
    put(thing, '.git/config');
    writeFileSync(join(folder, '.git/HEAD'), '');
    return readGitFacts(folder);
  },
  'ignore files': (thing) => {
    for (const name of ['.gitignore', '.git/info/exclude', '.gitconfig', '.config/git/ignore']) put(thing, name);
    writeFileSync(join(folder, '.git/HEAD'), '');
    const user = { osHome: folder, env: {} };
    const rules = loadIgnoreRules(join(folder, 'sub'), user, { denies: () => false });
    return rules.files.length === 0 ? {} : rules;
  },
  'a rollout to import': async (thing) => {
    const localTime = () => ({ year: 2026, month: 11, day: 15, hour: 0, minute: 0, second: 0 });
    const options = { files: nodeFiles, home: folder, localTime, ids: systemIds(systemClock) };
    const imported = await importRollout(put(thing, 'a.jsonl'), options).catch(() => ({ kind: 'refused' }));
    return 'kind' in imported && imported.kind === 'imported' ? imported : {};
  },
  'names of threads': async (thing) => {
    put(thing, 'session_index.jsonl');
    const names = await threadNames(nodeFiles, folder).catch(() => new Map());
    return names.size === 0 ? {} : names;
  },
  'a file of a patch': (thing) => refused(() => nodeDisk().read(put(thing, 'code.ts'))),
  'a patch through the real place': (thing) => refused(() => nodeDisk().read(join(hostile, thing))),
  'a file of a snapshot': (thing) =>
    refused(() => inOpenFolder(nodeWorkspaceDisk, join(hostile, thing), (at, name) => at.read(name, 1024))),
};

function refused(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return {};
  }
}

describe.each(things)('%s in the place of a file', (thing) => {
  test.each(Object.keys(readers))('neither hangs nor fills the memory: %s', async (name) => {
    expect(await readers[name]!(thing)).toEqual({});
  });
});

describe('readBounded', () => {
  test('says what stands there', () => {
    const reasons = things.map((thing) => {
      const file = readBounded(put(thing, thing), { maxBytes: 1024 });
      return file.kind === 'unread' ? file.reason : file.kind;
    });
    expect(reasons).toEqual([
      'it is a pipe',
      'it is larger than 1 KB',
      'its links form a loop',
      'it is a device',
      'it is a folder',
      'it is a socket',
    ]);
  });

  test.runIf(process.platform === 'linux')('reads a file of /proc, which has no size, up to the limit', () => {
    const whole = readBounded('/proc/self/status', { maxBytes: 1024 * 1024 });
    expect(whole.kind === 'read' && whole.bytes.toString()).toContain('Pid:');
    expect(readBounded('/proc/self/status', { maxBytes: 10 })).toMatchObject({ kind: 'unread', why: 'too-large' });
  });

  test('takes a file that is as large as it may be, and none that is larger by a byte', () => {
    const path = join(folder, 'file');
    writeFileSync(path, Buffer.alloc(4096, 'a'));
    expect(readBounded(path, { maxBytes: 4096 })).toEqual({ kind: 'read', bytes: Buffer.alloc(4096, 'a') });
    expect(readBounded(path, { maxBytes: 4095 })).toMatchObject({ kind: 'unread', why: 'too-large', size: 4096 });
    expect(readBounded(join(path, 'below'), { maxBytes: 1 })).toEqual({ kind: 'missing' });
  });
});

describe('AGENTS.md', () => {
  const folders = new InstructionFolders();
  afterEach(() => rmSync(join(folders.root, 'repo/AGENTS.md'), { force: true, recursive: true }));

  test.each(things)('%s is reported and left out', async (thing) => {
    symlinkSync(join(hostile, thing), join(folders.root, 'home/AGENTS.md'));
    const { document, problems } = await folders.load('repo');
    // The beginning of a huge file is read, and it is no text.
    expect(document).toEqual({});
    expect(problems).toHaveLength(1);
  });
});

describe('a folder', () => {
  test('with more names than can be looked at is refused, and its size tells when to count', () => {
    for (let name = 0; name < 30; name++) writeFileSync(join(folder, String(name)), '');
    const list = (most: number, smallBytes: number) => () => listNames(folder, { most, smallBytes });
    expect(list(29, 0)).toThrow('it holds more than 29 names');
    expect(list(30, 0)().toSorted()).toEqual(readdirSync(folder).toSorted());
    expect(list(29, Number.MAX_SAFE_INTEGER)()).toHaveLength(30);
  });
});

describe('content that is made to take long', () => {
  test('blanks in a file that points to a repository', () => {
    writeFileSync(join(folder, '.git'), `gitdir: x${' '.repeat(4000)}y`);
    expect(findGitDirectory(folder)).toBeUndefined();
  });

  test('blanks and quotes in a header of a git configuration', () => {
    const text = `[remote${' '.repeat(200_000)}\n[remote "${'\\a'.repeat(20_000)}\n[remote "origin"]\nurl = here\n`;
    expect(gitConfigValue(text, { section: 'remote', subsection: 'origin', key: 'url' })).toBe('here');
  });

  test('a name of a branch or an address without end', () => {
    writeFileSync(join((mkdirSync(join(folder, '.git')), folder), '.git/HEAD'), `ref: refs/heads/${'b'.repeat(4000)}`);
    writeFileSync(join(folder, '.git/config'), `[remote "origin"]\nurl = https://h/${'u'.repeat(100_000)}\n`);
    expect(readGitFacts(folder)).toEqual({});
  });

  test('a blob that unpacks to more than there is space for', async () => {
    const packed = await compressZstd(Buffer.alloc(8 * 1024 * 1024));
    await expect(decompressZstd(packed, { maxBytes: 1024 * 1024 })).rejects.toThrow('larger than');
    expect(await decompressZstd(packed, { maxBytes: 8 * 1024 * 1024 })).toHaveLength(8 * 1024 * 1024);
  });
});
