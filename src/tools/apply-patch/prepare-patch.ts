import { hash } from 'node:crypto';
import type { Step } from '../../envelope/step.ts';
import {
  editUnfit,
  patchAborted,
  patchFromCommand,
  patchOutput,
  patchRejected,
  patchUnfit,
} from '../../fragments/answers/patch-output.ts';
import type { CallNeeds, NeededPath } from '../../policy/approval.ts';
import { withKeptPlaces } from '../../policy/kept-places.ts';
import type { ChangeWatch, Content, Touched, TouchedPath } from '../../ports/change-watch.ts';
import type { GitGuard } from '../../ports/git-guard.ts';
import type { Clock } from '../../ports/clock.ts';
import { defined } from '../../protocol/defined.ts';
import { stoppedBy } from '../../protocol/stopped-by.ts';
import type { ChangedFile, FileChangeItem } from '../../protocol/turn-item.ts';
import type { CallResult, Prepared, RunningCall } from '../define.ts';
import { applyChanges, summarise } from './apply-changes.ts';
import { computePatch, type PatchedFile, type PatchStep } from './compute-patch.ts';
import type { PatchDisk } from '../../ports/patch-disk.ts';
import { changedFiles, type HunkPlaces } from './changed-files.ts';
import { followPath } from './follow-path.ts';
import { parsePatch } from './parse-patch.ts';
import type { Patch } from './patch.ts';
import { policyGuard } from './policy-guard.ts';
import { keptBesideGit } from '../kept-beside-git.ts';
import { type DiskLook, placeOn } from '../where-paths-lead.ts';

export interface ApplyPatchPorts {
  readonly disk: PatchDisk;
  readonly clock: Clock;
  /** Absent: other threads do not see when patches are applied. */
  readonly watch?: ChangeWatch;
  /** Absent: repositories below the roots are not searched for. */
  readonly gitGuard?: Pick<GitGuard, 'current' | 'missing'>;
}

export interface PatchCall {
  readonly callId: string;
  /** Where relative paths start. It must exist by the time the patch is applied. */
  readonly folder: string;
  /** A patch that came as a shell command is answered as a command, and one of `edit_file` under that name. */
  readonly cameAs: 'tool' | 'command' | 'edit';
}

interface PatchText {
  readonly text: string;
}

/** Reads a patch and says what it would do. */
export function preparePatch(ports: ApplyPatchPorts, call: PatchCall & PatchText, step: Step): Prepared {
  const budget = step.window.toolOutput;
  const parsed = parsePatch(call.text);
  if (parsed.kind === 'problem') {
    const where = parsed.line === undefined ? 'invalid patch:' : `invalid hunk at line ${parsed.line},`;
    return { kind: 'refused', output: patchUnfit(`${where} ${parsed.message}`, budget) };
  }
  const { patch } = parsed;
  if (patch.environment !== undefined) {
    return { kind: 'refused', output: 'apply_patch environment selection is unavailable for this turn' };
  }
  if (patch.hunks.length === 0) return { kind: 'refused', output: patchRejected('empty patch', budget) };
  return prepareChanges(ports, patch, call, step);
}

/** Says what a patch would do. Files are looked at when it runs, not before. */
export function prepareChanges(ports: ApplyPatchPorts, patch: Patch, call: PatchCall, step: Step): Prepared {
  const changes = changedFiles(patch.hunks, call.folder);
  const item: FileChangeItem = { kind: 'file-change', id: call.callId, changes, status: 'in-progress' };
  return {
    kind: 'prepared',
    item,
    needs: needsOf(ports.disk, changes),
    // It looks at files, computes, and writes: what a command writes in between would be lost.
    alone: true,
    run: ({ signal, policy }) => {
      const aborted: PatchEnd = { ok: false, output: patchAborted(stoppedBy(signal)) };
      const { ok, places, ...end } = signal.aborted ? aborted : runPatch(ports, patch, { ...call, policy }, step);
      // Where the chunks stand is known only now.
      const over = ok
        ? ({ status: 'completed', changes: changedFiles(patch.hunks, call.folder, places), ...kept(places) } as const)
        : ({ status: 'failed', problem: end.output } as const);
      return Promise.resolve({ ...end, item: { ...item, ...over } });
    },
  };
}

/** For a reader of the file, who has the patch and not the disk. */
function kept(places: PatchEnd['places']): Pick<FileChangeItem, 'places'> {
  return places === undefined ? {} : { places: places.map((each) => each ?? null) };
}

interface PatchEnd extends Omit<CallResult, 'item'> {
  readonly output: string;
  readonly ok: boolean;
  /** Of each hunk, where its chunks were found. Absent: nothing was changed. */
  readonly places?: readonly HunkPlaces[];
}

/** From the first look to the last write in one go: no other call of this process gets in between. */
function runPatch(
  { disk, clock, watch, gitGuard }: ApplyPatchPorts,
  patch: Patch,
  { folder, cameAs, policy: granted }: PatchCall & Pick<RunningCall, 'policy'>,
  { envelope: { workspace }, window }: Step,
): PatchEnd {
  const budget = window.toolOutput;
  const began = clock.now();
  const unfit = (problem: string): PatchEnd => ({
    ok: false,
    output: cameAs === 'edit' ? editUnfit(problem, budget) : patchUnfit(problem, budget),
  });
  const end = (exitCode: number, output: string, touched: Touched | undefined): PatchEnd => {
    const answer = patchOutput({ exitCode, seconds: Math.max(0, clock.now() - began) / 1000, output }, budget);
    const told = cameAs === 'command' ? patchFromCommand(answer) : answer;
    return { ok: exitCode === 0, output: told, ...defined({ touched }) };
  };
  if (!isFolder(disk, folder)) return unfit(`There is no folder ${folder}`);
  const kept = gitGuard === undefined ? [] : [...gitGuard.current, ...gitGuard.missing];
  // Names that are not UTF-8 are out of the reach of patches.
  const named = kept.filter((path) => path.isWellFormed());
  const guard = policyGuard(withKeptPlaces(granted, named), workspace.cwd, disk);
  const computed = computePatch(patch, { folder, disk, guard });
  if (computed.kind !== 'computed') {
    const { kind, message, hint } = computed;
    if (kind === 'refused') return { ok: false, output: patchRejected(message, budget) };
    return unfit(hint === undefined ? message : `${message}\n${hint}`);
  }
  const open = watch?.begin(workspace.cwd);
  const applied = applyChanges(computed.changes, disk);
  const applying = open?.end();
  if (applied.kind === 'failed') {
    const left = applied.left.map((path) => `Could not be put back as it was: ${path}\n`).join('');
    // What could not be put back is known by its time alone.
    const time: Touched | undefined = applying && { kind: 'time', time: applying };
    if (left !== '') return end(1, `${applied.message}\n${left}`, time);
    const nothing: Touched | undefined = applying && { kind: 'paths', paths: [], timeId: applying.id };
    return end(1, `${applied.message}\nNothing was changed.\n`, nothing);
  }
  const behind = applied.leftBehind.map((path) => `Could not be removed: ${path}\n`).join('');
  const paths = touchedPaths(computed.changes);
  const touched = { kind: 'paths', paths, ...defined({ timeId: applying?.id }) } as const;
  return {
    ...end(0, `${summarise(computed.changes)}${behind}`, touched),
    places: computed.changes.map((change) => change.places),
  };
}

function isFolder(disk: PatchDisk, folder: string): boolean {
  try {
    const found = followPath(disk, folder, { lastLink: 'followed' });
    return found.kind === 'found' && found.sight.kind === 'folder';
  } catch {
    return false;
  }
}

function needsOf(disk: DiskLook, changes: readonly ChangedFile[]): CallNeeds {
  const paths = changes.flatMap((change) => neededPaths(disk, change));
  const spelled = new Set(paths.flatMap(({ path, place = path }) => [path, place]));
  const kept = new Set([...spelled].flatMap((path) => keptBesideGit(disk, path)));
  return { effect: 'files', paths, ...(kept.size === 0 ? {} : { kept: [...kept] }) };
}

function neededPaths(disk: DiskLook, { path, movePath }: ChangedFile): readonly NeededPath[] {
  return [path, movePath]
    .filter((each) => each !== undefined)
    .map((each) => ({ path: each, place: placeOn(disk, each) }))
    .map(({ path: named, place }) => ({ path: named, access: 'write', ...(place === named ? {} : { place }) }));
}

/** What a patch found and left at each place, in order. A place that several hunks changed is named several times. */
export function touchedPaths(changes: readonly PatchedFile[]): readonly TouchedPath[] {
  return changes.flatMap(({ steps }) => steps).map(touchedPath);
}

function touchedPath(step: PatchStep): TouchedPath {
  const { place: path, foundSince } = step;
  const movedFrom = 'movedFrom' in step ? step.movedFrom : undefined;
  return { path, ...defined({ foundSince, movedFrom }), ...foundAndLeft(step) };
}

function foundAndLeft(step: PatchStep): Required<Pick<TouchedPath, 'found' | 'left'>> {
  switch (step.kind) {
    case 'make-folder':
      return { found: 'nothing', left: 'folder' };
    case 'create':
      return { found: 'nothing', left: contentOf(step.content) };
    case 'overwrite':
      return { found: contentOf(step.before), left: contentOf(step.content) };
    case 'remove':
      return { found: step.sha256 === undefined ? 'something' : { sha256: step.sha256 }, left: 'nothing' };
  }
}

function contentOf(bytes: Uint8Array): Content {
  return { sha256: hash('sha256', bytes, 'hex') };
}
