import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { notRunText } from '../../core/fragments/answers/tool-calls.ts';
import { nodeProgramFiles } from '../../adapters/disk/node-program-files.ts';
import { findBubblewrap, namespaceAdvice } from '../../adapters/sandbox/linux/find-bubblewrap.ts';
import { turnTrouble } from './play-turn.ts';

const troubleAfter = (output: string) =>
  turnTrouble({
    reports: [{ end: 'refused', isFailure: true, seconds: undefined, output }],
    told: [],
    end: { code: 0, signal: null },
  });

it('names no option that the demo does not take', () => {
  const message = '"/usr/bin/bwrap" cannot create the namespaces of a sandbox on this system (EPERM).';
  const next = namespaceAdvice((path) => (path === '/.dockerenv' ? '\n' : ''));
  expect(troubleAfter(notRunText(message, next))).toEqual({
    code: 'demo-no-sandbox',
    message: `${message} Start the container so that it may create user namespaces.`,
    next: 'Then run this again.',
  });
});

it('names the command that installs bubblewrap where it is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-trouble-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'apk'), '');
  vi.stubEnv('PATH', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const files = { ...nodeProgramFiles, program: () => undefined };
  const missing = await findBubblewrap({ path: '', writable: [] }, { spawn: { run: neverRun }, files });
  if (missing.kind !== 'refused') throw new Error('There is a bubblewrap.');
  expect(troubleAfter(notRunText(missing.message, missing.next))).toEqual({
    code: 'demo-no-sandbox',
    message: `${missing.message} ${missing.next}`,
    next: 'To install it: sudo apk add bubblewrap',
  });
});

function neverRun(): never {
  throw new Error('There is no program to try.');
}
