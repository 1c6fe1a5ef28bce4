import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../clock-and-ids.ts';
import { revokeRule } from './edit-rules-file.ts';

let home: string;
let file: string;
const locks = {
  take: async () => ({ kind: 'lock', epoch: 0, isLost: async () => false, release: async () => {} }) as const,
};
const revoke = (line: string) => revokeRule(line, { home, locks, clock: systemClock });

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'capstan-revoke-')));
  file = join(home, 'rules/default.rules');
  mkdirSync(join(home, 'rules'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const line = 'prefix_rule(pattern=["é", "test"], decision="allow")';

it('makes a comment of each such line, and leaves all else as it is', async () => {
  writeFileSync(file, `# é\n${line}\n${line} # by hand\n  ${line}\n${line}`);
  expect(await revoke(line)).toBeUndefined();
  const comment = `#${line.slice(1)}`;
  expect(readFileSync(file, 'utf8')).toBe(`# é\n${comment}\n${line} # by hand\n  ${line}\n${comment}`);
});

it('says so where there is no such line, and no such file', async () => {
  expect(await revoke(line)).toMatchObject({ code: 'rule-not-revoked' });
  writeFileSync(file, `#${line}\n`);
  expect(await revoke(line)).toMatchObject({ code: 'rule-not-revoked' });
  expect(readFileSync(file, 'utf8')).toBe(`#${line}\n`);
});
