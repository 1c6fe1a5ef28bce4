import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, linkSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { removeFoldersOfDeadProcesses } from '../../src/adapters/disk/processes.ts';

/** Variables of the developer, for what must reach a package registry. */
export type OuterVariables = Readonly<Record<string, string>>;

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder with the programs of `setup`, the first of every test's PATH. */
    readonly tools: string;
    /** Bubblewrap works here: a command can have namespaces of its own. */
    readonly namespaces: boolean;
    readonly outerVariables: OuterVariables;
  }
}

const parent = '/var/tmp';
const clone = join(import.meta.dirname, '../..');
let folder: string | undefined;
let users = 0;

/**
 * Puts Node and bubblewrap into a folder that commands cannot write, wherever the clone is and whatever the PATH of the
 * developer has. Every project of a run calls it.
 */
export default function setup({ provide }: TestProject): () => void {
  users++;
  folder ??= collectTools();
  provide('tools', folder);
  provide('namespaces', hasNamespaces(folder));
  provide('outerVariables', { ...process.env } as OuterVariables);
  return () => {
    if (--users === 0) rmSync(folder!, { recursive: true, force: true });
  };
}

function collectTools(): string {
  const tools = mkdtempSync(join(parent, `capstan-tools-${process.pid}-`));
  removeFoldersOfDeadProcesses(parent, 'capstan-tools-');
  try {
    linkSync(process.execPath, join(tools, 'node'));
  } catch {
    // On another disk, or of another user: a copy takes a tenth of a second.
    copyFileSync(process.execPath, join(tools, 'node'));
  }
  const unpacked = join(clone, '.local/bubblewrap/usr/bin/bwrap');
  const system = onPath('bwrap');
  if (existsSync(unpacked)) copyFileSync(unpacked, join(tools, 'bwrap'));
  else if (system !== undefined) symlinkSync(system, join(tools, 'bwrap'));
  return tools;
}

function hasNamespaces(tools: string): boolean {
  const isolated = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', 'true'];
  return spawnSync(join(tools, 'bwrap'), isolated).status === 0;
}

function onPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((each) => join(each, program))
    .find((path) => existsSync(path));
}
