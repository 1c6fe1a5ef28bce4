import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as library from '../src/index.ts';
import { configUsage } from '../src/surfaces/config/arguments.ts';
import { contextUsage } from '../src/surfaces/context/arguments.ts';
import { envelopeForm } from '../src/surfaces/envelope/arguments.ts';
import { execOptions } from '../src/surfaces/exec/options.ts';
import { replayForm } from '../src/surfaces/replay/run-replay.ts';
import { threadsForms } from '../src/surfaces/threads/run-threads.ts';
import * as testing from '../src/testing/index.ts';

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')) as {
  version: string;
  exports: object;
  bin: object;
};

// What others rely on. Growing this list is a decision; shrinking it breaks somebody.

it('the package offers these entries', () => {
  expect(Object.keys(manifest.exports)).toEqual(['.', './testing', './package.json']);
  expect(manifest.bin).toEqual({ capstan: 'dist/bin.js' });
  expect(library.version).toBe(manifest.version);
});

it('the library exports these values', () => {
  expect(Object.keys(library).toSorted()).toEqual([
    'Engine',
    'Fault',
    'interactiveCommand',
    'parseThreadId',
    'version',
    'words',
  ]);
});

it('capstan/testing exports these values', () => {
  expect(Object.keys(testing).toSorted()).toEqual([
    'SimulatedDisk',
    'SimulatedLocks',
    'answer',
    'callTool',
    'compacted',
    'createMemoryStore',
    'cutAfter',
    'failed',
    'hang',
    'httpError',
    'incomplete',
    'malformed',
    'overflow',
    'overflowForms',
    'reason',
    'rolloutStoreContract',
    'say',
    'startScriptedModel',
  ]);
});

it('exec takes these options', () => {
  expect(execOptions.flatMap(({ names }) => names).toSorted()).toMatchInlineSnapshot(`
    [
      "--add-dir",
      "--all",
      "--cd",
      "--color",
      "--config",
      "--context-events",
      "--cyber-access-program",
      "--dangerously-bypass-approvals-and-sandbox",
      "--disable",
      "--enable",
      "--ephemeral",
      "--experimental-json",
      "--help",
      "--ignore-user-config",
      "--image",
      "--json",
      "--last",
      "--local-provider",
      "--model",
      "--oss",
      "--output-last-message",
      "--output-schema",
      "--profile",
      "--sandbox",
      "--skip-git-repo-check",
      "--strict-config",
      "--thread-source",
      "--verbose",
      "--yolo",
      "-C",
      "-c",
      "-h",
      "-i",
      "-m",
      "-o",
      "-p",
      "-s",
      "-v",
    ]
  `);
});

it('config has these commands and options', () => {
  expect(configUsage.match(/(?<=^ {2}capstan config )\w+/gm)).toEqual(['show', 'explain', 'path']);
  expect([...new Set(configUsage.match(/(?<![\w-])--?[A-Za-z][\w-]*/g))].toSorted()).toEqual([
    '--cd',
    '--config',
    '--help',
    '--ignore-user-config',
    '--json',
    '--origin',
    '--profile',
    '--strict-config',
    '-C',
    '-c',
    '-h',
    '-p',
  ]);
});

it('replay, envelope and threads have these commands and options', async () => {
  const names = [replayForm, envelopeForm, ...(await threadsForms()).values()].map((form) => [
    form.name,
    ...form.options.flatMap((option) => option.names).toSorted(),
  ]);
  expect(names.map((row) => row.join(' '))).toEqual([
    'replay --json --last --print --request',
    'envelope --diff --json --turn',
    'threads list --archived --cd --cursor --json --limit --sort --source --text -C -n',
    'threads show --json --last',
    'threads search --archived --cd --cursor --json --limit --sort --source -C -n',
    'threads reindex --changed --json',
    'threads fork --all --before --json --last --through',
    'threads rollback --all --before-checkpoint --both --dry-run --files --force --json --last --meanwhile --to --turns -n',
    'threads undo-rollback --all --force --json --last',
    'threads archive --all --json --last',
    'threads unarchive --all --json --last',
    'threads delete --force --json',
    'threads name --all --json --last',
    'threads export --force --format --last --new-id --output -o',
    'threads import',
    'threads set --approval --cd --effort --json --last --mode --model --personality --sandbox -C -a -m -s',
    'threads compact --config --json --last -c',
    'threads pin --all --json --last',
    'threads pins --all --json --last',
    'threads unpin --all --json --last',
    'threads files --json --last',
    'threads restore --before-turn --dry-run --force --json --last --meanwhile --undo',
    'threads compress --dry-run --json --last --older-than',
    'threads gc --dry-run --json --reverted',
  ]);
});

it('context has these options', () => {
  const options = (usage: string) => [...new Set(usage.match(/(?<![\w-])--?[A-Za-z][\w-]*/g))].toSorted();
  expect(options(contextUsage)).toEqual(['--changes', '--checkpoint', '--help', '--json', '--request', '-h']);
});
