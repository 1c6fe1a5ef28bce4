import { execFile } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyPatchHere } from '../../../src/engine/workspace/patch-command.ts';
import type { Case, Entry } from './cases.ts';

/** The result of a case in one program. */
export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly tree: string;
}

export interface Compared {
  readonly before: string;
  readonly ours: Result;
  readonly theirs: Result;
}

/**
 * Applies each case's patch twice to the same tree, once with each program. The other program's runs are left to one
 * shell, because starting a process from here costs more than the process itself.
 */
export async function compareAll(cases: readonly Case[], program: string): Promise<readonly Compared[]> {
  const scratch = mkdtempSync(join(tmpdir(), 'capstan-fuzz-'));
  try {
    const scenes = cases.map((given, index) => {
      const [ours, theirs] = [join(scratch, `${index}/ours`), join(scratch, `${index}/they`)];
      for (const root of [ours, theirs]) plant(root, given.tree);
      return { given, ours, theirs, before: describe(ours) };
    });
    await runShell(
      join(scratch, 'run.sh'),
      scenes.map(({ given, theirs }) => {
        const patch = quoted(given.patch.replaceAll('<ROOT>', theirs));
        const to = quoted(theirs);
        return `cd ${to}/w && ${quoted(program)} --codex-run-as-apply-patch ${patch} >${to}.out 2>${to}.err; echo $? >${to}.code`;
      }),
    );
    return scenes.map(({ given, ours, theirs, before }) => {
      const { code, stdout, stderr } = applyPatchHere({
        words: [given.patch.replaceAll('<ROOT>', ours)],
        calledAs: 'mode',
        folder: join(ours, 'w'),
        readStandardInput: () => new Uint8Array(),
      });
      const shown = (text: string, root: string) => text.replaceAll(root, '<ROOT>');
      const told = (what: string) => shown(readFileSync(`${theirs}.${what}`, 'utf8'), theirs);
      return {
        before,
        ours: { code, stdout: shown(stdout, ours), stderr: shown(stderr, ours), tree: describe(ours) },
        theirs: { code: Number(told('code')), stdout: told('out'), stderr: told('err'), tree: describe(theirs) },
      };
    });
  } finally {
    await runShell(join(scratch, 'rm.sh'), [`rm -rf ${quoted(scratch)}`]);
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** From a file: a shell reads its standard input byte by byte. */
function runShell(script: string, commands: readonly string[]): Promise<void> {
  writeFileSync(script, `${commands.join('\n')}\n`);
  return new Promise((resolve, reject) => {
    execFile('/bin/sh', [script], (error) => (error === null ? resolve() : reject(error)));
  });
}

function plant(root: string, tree: Readonly<Record<string, Entry>>): void {
  mkdirSync(join(root, 'w'), { recursive: true });
  for (const [name, entry] of Object.entries(tree)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    if (entry.kind === 'file') writeFileSync(path, entry.content);
    if (entry.kind === 'folder') mkdirSync(path);
    if (entry.kind === 'link') symlinkSync(entry.target.replaceAll('<ROOT>', root), path);
    if (entry.kind === 'hard-link') linkSync(join(root, entry.to), path);
  }
}

/** Every name below the root with what it holds, as text. Which names share a file is told, too. */
function describe(root: string): string {
  const firstNames = new Map<number, string>();
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((name) => {
      const path = join(root, name);
      const found = lstatSync(path);
      if (found.isDirectory()) return `${name}/`;
      if (found.isSymbolicLink()) return `${name} -> ${readlinkSync(path).replaceAll(root, '<ROOT>')}`;
      const first = firstNames.get(found.ino) ?? name;
      firstNames.set(found.ino, first);
      const shared = first === name ? '' : ` = ${first}`;
      return `${name}${shared} ${JSON.stringify(readFileSync(path, 'latin1'))}`;
    })
    .join('\n');
}
