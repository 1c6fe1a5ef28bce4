import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { capstanScript } from '../harness/run-capstan.ts';
import { whenTestEnds } from '../harness/when-test-ends.ts';

const mega = 1024 * 1024;
const size = 96 * mega;
const id = '019a0000-0000-7000-8000-000000000001';
const timestamp = '2026-01-01T00:00:00.000Z';
const line = (type: string, payload: object): string => `${JSON.stringify({ timestamp, type, payload })}\n`;
const words = (text: string): string =>
  line('response_item', { type: 'message', role: 'user', content: [{ type: 'input_text', text }] }) +
  line('event_msg', { type: 'user_message', message: text });
const meta = { id, timestamp, cwd: '/', originator: 'test', cli_version: '1', source: 'cli' };
const head = line('session_meta', meta) + words('First words.');

/** A few kilobytes on the disk. */
const contents: Readonly<Record<string, () => Buffer>> = {
  'finished lines': () => {
    const short = line('event_msg', { type: 'token_count', info: 'x'.repeat(1000) });
    return Buffer.concat([Buffer.from(head), Buffer.alloc(size, short), Buffer.from(`\n${words('Needle.')}`)]);
  },
  'one long line': () =>
    Buffer.concat([Buffer.from(head), Buffer.alloc(size, 'x'), Buffer.from(`\n${words('Needle.')}`)]),
  'lines of lists in lists': () =>
    Buffer.concat([Buffer.from(head + words('Needle.')), Buffer.alloc(18 * mega, `${'['.repeat(3 * mega)}\n`)]),
  'lines of objects in objects': () =>
    Buffer.concat([
      Buffer.from(head + words('Needle.')),
      Buffer.alloc(18 * mega, `{"type":"event_msg","payload":${'{"a":'.repeat(mega)}\n`),
    ]),
  'a line that does not end': () => Buffer.concat([Buffer.from(head + words('Needle.')), Buffer.alloc(size, 'x')]),
};

/** Says at its end how much memory the process took. */
const reporter = `data:text/javascript,process.on('exit',()=>process.stderr.write('PEAK '+process.resourceUsage().maxRSS+'\\n'))`;

function homeWith(content: string): string {
  const home = mkdtempSync(join(tmpdir(), 'capstan-packed-'));
  whenTestEnds(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, 'sessions', '2026', '01', '01');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `rollout-2026-01-01T00-00-00-${id}.jsonl.zst`), zstdCompressSync(contents[content]!()));
  return home;
}

function run(home: string, args: readonly string[]): { readonly stdout: string; readonly peak: number } {
  const env = { PATH: process.env['PATH'], HOME: home, CODEX_HOME: home };
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', reporter, capstanScript, ...args], {
    env,
    encoding: 'utf8',
  });
  return { stdout, peak: Number(/PEAK (\d+)/.exec(stderr)?.[1]) * 1024 };
}

describe('a compressed thread of which a few bytes make many', () => {
  const commands = [
    ['threads', 'list'],
    ['threads', 'search', 'Needle'],
    ['threads', 'show', id],
  ];
  test.each(commands)('takes no more memory than one of finished lines: %s %s', (...args) => {
    const usual = run(homeWith('finished lines'), args);
    for (const content of Object.keys(contents).slice(1)) {
      const home = homeWith(content);
      const { stdout, peak } = run(home, args);
      const said = [/First words\./, /Needle\./, /is too long \(100\.7 MB\)\.|could not be read/].filter((each) =>
        each.test(stdout),
      );
      expect(said.length).toBe(['list', 'search', 'show'].indexOf(args[1]!) + 1);
      // The collector is sometimes late, most of all on a busy machine: then the lower of two peaks counts.
      const more = (each: number): number => (each - usual.peak) / mega;
      expect(more(peak) < 64 ? more(peak) : more(run(home, args).peak)).toBeLessThan(64);
    }
  });
});
