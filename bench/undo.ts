import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultUndo } from '../src/core/config/defaults.ts';
import { createChangeWatch } from '../src/adapters/exec/call-times.ts';
import { systemClock, systemIds } from '../src/adapters/gather/clock-and-ids.ts';
import type { SnapshotRequest, SnapshotTaken } from '../src/ports/workspace.ts';
import { findGitFolders } from '../src/engine/workspace/find-git-folders.ts';
import { createFileContents } from '../src/engine/undo/content-store.ts';
import { nodeWorkspaceDisk as disk } from '../src/engine/workspace/workspace-disk.ts';
import { TimeSlicer } from '../src/engine/workspace/yield-to-event-loop.ts';
import { WorkspaceSnapshots } from '../src/engine/undo/workspace-snapshots.ts';

// Times undo and the search for repositories in a workspace of 10,000 files: `node bench/undo.ts`.

const repetitions = 15;
const base = mkdtempSync(join(tmpdir(), 'capstan-undo-bench-'));
const [root, home] = [join(base, 'workspace'), join(base, 'home')];
const ports = { clock: systemClock, disk, contents: createFileContents({ home, ids: systemIds(systemClock) }) };
const snapshots = new WorkspaceSnapshots(
  { home, osHome: base, env: {}, own: () => ({ state: [home], parts: [] }) },
  ports,
  defaultUndo,
);
const watch = createChangeWatch(home);
const { signal } = new AbortController();
try {
  makeFiles();
  await take();
  // Until files count as settled, each snapshot reads them again.
  await systemClock.sleep(2500);
  await take();
  const [same, changed, attributed, walked]: number[][] = [[], [], [], []];
  for (let round = 0; round < repetitions; round++) {
    same!.push(await processorTime(() => take()));
    changeOne(round);
    changed!.push(await processorTime(() => take()));
    const snapshot = await take();
    const time = changeOne(-round);
    attributed!.push(await processorTime(() => take({ snapshot, touched: [{ kind: 'time', time }] })));
    walked!.push(await processorTime(findRepositories));
  }
  show('snapshot, nothing changed', median(same!));
  show('snapshot, one file changed', median(changed!));
  show('the same, changes told apart', median(attributed!));
  show('walk for git repositories alone', median(walked!));
  console.log(`time of one call                 ${(callMicroseconds() / 1000).toFixed(3)} ms`);
} finally {
  rmSync(base, { recursive: true, force: true });
}

function makeFiles(): void {
  mkdirSync(home);
  for (let folder = 0; folder < 500; folder++) {
    const path = join(root, `part-${folder % 25}/folder-${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 20; file++) writeFileSync(join(path, `file-${file}`), `${folder} ${file} `.repeat(700));
  }
}

async function take(since?: SnapshotRequest['since']): Promise<SnapshotTaken> {
  const taken = await snapshots.take({ root, denies: () => false, ...(since && { since }) }, signal);
  if (taken.kind === 'missing') throw new Error(taken.outcome.message);
  return taken;
}

function changeOne(round: number) {
  const open = watch.begin(root);
  writeFileSync(join(root, 'part-3/folder-3/file-3'), `changed ${round}`);
  return open.end();
}

function findRepositories() {
  const limits = { pace: new TimeSlicer(systemClock, signal), mostEntries: 100_000, isLate: () => false };
  return findGitFolders({ roots: [root], denies: () => false }, limits);
}

function callMicroseconds(): number {
  const samples = Array.from({ length: 2000 }, () => {
    const began = performance.now();
    watch.begin(root).end();
    return (performance.now() - began) * 1000;
  });
  return median(samples);
}

async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const began = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

function median(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN;
}

function show(what: string, milliseconds: number): void {
  console.log(`${what.padEnd(33)}${milliseconds.toFixed(1)} ms of processor time`);
}
