import { Buffer } from 'node:buffer';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyPatchHere, type PatchCommand } from './patch-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'capstan-command-'));
  writeFileSync(join(folder, 'f'), 'a\nb\n');
  writeFileSync(join(folder, 'g'), 'a\n');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (words: readonly string[], stdin: string | Buffer = '', calledAs: PatchCommand['calledAs'] = 'command') =>
  applyPatchHere({ words, calledAs, folder, readStandardInput: () => Buffer.from(stdin) });
const patch = (...lines: readonly string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const failed = (stderr: string, code = 1) => ({ code, stdout: '', stderr });

it('reports what was added, changed and deleted, with paths as they were spelled', () => {
  const text = patch(
    '*** Delete File: g',
    '*** Update File: ./f',
    '*** Move to: sub/../h',
    '-a',
    '*** Add File: n/x',
    '+x',
    '*** Update File: h',
    '-b',
    '+c',
  );
  const success = 'Success. Updated the following files:\nA n/x\nM sub/../h\nM h\nD g\n';
  expect(run([text])).toEqual({ code: 0, stdout: success, stderr: '' });
  expect(readdirSync(folder).toSorted()).toEqual(['h', 'n']);
  expect(readFileSync(join(folder, 'h'), 'utf8')).toBe('c\n');
});

it('reads standard input when it has no argument', () => {
  expect(run([], `${patch('*** Update File: f', '-a')}\n`).code).toBe(0);
  expect(readFileSync(join(folder, 'f'), 'utf8')).toBe('b\n');
});

it('says what is wrong with the text', () => {
  expect(run(['x'])).toEqual(failed("Invalid patch: The first line of the patch must be '*** Begin Patch'\n"));
  expect(run([patch('*** Update File: f')])).toEqual(
    failed("Invalid patch hunk on line 2: Update file hunk for path 'f' is empty\n"),
  );
  expect(run([patch()])).toEqual(failed('No files were modified.\n'));
});

it('says what does not fit, and writes nothing', () => {
  expect(run([patch('*** Add File: n', '+x', '*** Update File: f', '-z')])).toEqual(
    failed(`Failed to find expected lines in ${folder}/f:\nz\n`),
  );
  expect(readdirSync(folder).toSorted()).toEqual(['f', 'g']);
});

it('knows how it is used', () => {
  expect(run([])).toEqual(failed("Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch\n", 2));
  expect(run(['a', 'b'])).toEqual(failed('Error: apply_patch accepts exactly one argument.\n', 2));
  expect(run([], Buffer.from([0xff]))).toEqual(
    failed('Error: Failed to read PATCH from stdin.\nstream did not contain valid UTF-8\n'),
  );
  expect(run([], '', 'mode')).toEqual(failed('Error: --codex-run-as-apply-patch requires a UTF-8 PATCH argument.\n'));
});
