import { defined } from '../../../base/objects.ts';
import type { Step } from '../../../core/envelope/envelope.ts';
import {
  editUnfitText,
  patchAbortedText,
  patchFromCommandText,
  patchOutput,
  patchRejectedText,
  patchUnfitText,
} from '../../../core/fragments/answers/commands-and-patches.ts';
import type { CallNeeds, NeededPath } from '../../../core/policy/decide/call-decision.ts';
import { isWithin } from '../../../core/policy/paths/absolute-paths.ts';
import { accessAt, accessByRules, type AccessRule } from '../../../core/policy/paths/access.ts';
import { describeMovedRoot, isMovedRoot } from '../../../core/policy/paths/walk-path.ts';
import { describePolicy } from '../../../core/policy/profiles/describe-policy.ts';
import { withReadOnlyPlaces } from '../../../core/policy/profiles/narrower-profile.ts';
import type { PatchDisk, PatchFileReader } from '../../../ports/files.ts';
import type { Clock } from '../../../ports/system.ts';
import type {
  CallTimeRecorder,
  ContentBeforeCall,
  GitGuard,
  TouchedFiles,
  TouchedPath,
} from '../../../ports/workspace.ts';
import { stoppedBy } from '../../../protocol/abort.ts';
import type { FileAccess, ResolvedFilePolicy, ResolvedPolicy } from '../../../protocol/permissions.ts';
import type { ChangedFile, FileChangeItem } from '../../../protocol/turn-item.ts';
import { type PathLookup, followPath, protectedFoldersBesideGit, resolveLinks } from '../follow-path.ts';
import type { CallResult, CallPreparation, CallRunContext } from '../tool.ts';
import { applyChanges, summarisePatch } from './apply-changes.ts';
import { computePatch, noGuard } from './compute-patch.ts';
import type { PatchGuard, PatchedFile, PatchStep, PatchAccess } from './compute-patch.ts';
import { parsePatch } from './parse-patch.ts';
import { changedFiles, type ChunkStartLines, type Patch } from './patch.ts';
import { hash } from 'node:crypto';

export interface ApplyPatchPorts {
  readonly disk: PatchDisk;
  readonly clock: Clock;
  /** Absent: other threads do not see when patches are applied. */
  readonly watch?: CallTimeRecorder;
  /** Absent: repositories below the roots are not searched for. */
  readonly gitGuard?: Pick<GitGuard, 'current' | 'missing'>;
}

export interface PatchCall {
  readonly callId: string;
  /** Base of relative paths. Must exist by the time the patch is applied. */
  readonly folder: string;
  /** A patch that came as a shell command is answered as a command, and one of `edit_file` under that name. */
  readonly cameAs: 'tool' | 'command' | 'edit';
}

export function preparePatch(
  ports: ApplyPatchPorts,
  call: PatchCall & { readonly text: string },
  step: Step,
): CallPreparation {
  const budget = step.window.toolOutput;
  const parsed = parsePatch(call.text);
  if (parsed.kind === 'problem') {
    const where = parsed.line === undefined ? 'invalid patch:' : `invalid hunk at line ${parsed.line},`;
    return { kind: 'refused', output: patchUnfitText(`${where} ${parsed.message}`, budget) };
  }
  const { patch } = parsed;
  if (patch.environment !== undefined)
    return { kind: 'refused', output: 'apply_patch environment selection is unavailable for this turn' };
  if (patch.hunks.length === 0) return { kind: 'refused', output: patchRejectedText('empty patch', budget) };
  return prepareChanges(ports, patch, call, step);
}

/** Prepares a patch. Files are read only when it runs. */
export function prepareChanges(ports: ApplyPatchPorts, patch: Patch, call: PatchCall, step: Step): CallPreparation {
  const changes = changedFiles(patch.hunks, call.folder);
  const item: FileChangeItem = { kind: 'file-change', id: call.callId, changes, status: 'in-progress' };
  return {
    kind: 'prepared',
    item,
    needs: needsOf(ports.disk, changes),
    // The patch reads files and writes them later: it would overwrite the changes that a command makes in between.
    alone: true,
    run: ({ signal, policy }) => {
      const aborted: PatchEnd = { ok: false, output: patchAbortedText(stoppedBy(signal)) };
      const { ok, places, ...end } = signal.aborted ? aborted : runPatch(ports, patch, { ...call, policy }, step);
      // The places of chunks are known only now.
      const over = ok
        ? ({ status: 'completed', changes: changedFiles(patch.hunks, call.folder, places), ...kept(places) } as const)
        : ({ status: 'failed', problem: end.output } as const);
      return Promise.resolve({ ...end, item: { ...item, ...over } });
    },
  };
}

/** For readers of the rollout, which have the patch but not the files that it changed. */
function kept(places: PatchEnd['places']): Pick<FileChangeItem, 'places'> {
  return places === undefined ? {} : { places: places.map((each) => each ?? null) };
}

interface PatchEnd extends Omit<CallResult, 'item'> {
  readonly output: string;
  readonly ok: boolean;
  /** Places of the chunks of each hunk. Absent: nothing was changed. */
  readonly places?: readonly ChunkStartLines[];
}

/** Synchronous from the first look to the last write: no other call of this process gets in between. */
function runPatch(
  { disk, clock, watch, gitGuard }: ApplyPatchPorts,
  patch: Patch,
  { folder, cameAs, policy: granted }: PatchCall & Pick<CallRunContext, 'policy'>,
  { envelope: { workspace }, window }: Step,
): PatchEnd {
  const budget = window.toolOutput;
  const began = clock.now();
  const unfit = (problem: string): PatchEnd => ({
    ok: false,
    output: cameAs === 'edit' ? editUnfitText(problem, budget) : patchUnfitText(problem, budget),
  });
  const end = (exitCode: number, output: string, touched: TouchedFiles | undefined): PatchEnd => {
    const answer = patchOutput({ exitCode, seconds: Math.max(0, clock.now() - began) / 1000, output }, budget);
    const told = cameAs === 'command' ? patchFromCommandText(answer) : answer;
    return { ok: exitCode === 0, output: told, ...defined({ touched }) };
  };
  if (!isFolder(disk, folder)) return unfit(`There is no folder ${folder}`);
  const kept = gitGuard === undefined ? [] : [...gitGuard.current, ...gitGuard.missing];
  // Patches cannot name paths that are not UTF-8.
  const named = kept.filter((path) => path.isWellFormed());
  const guard = policyGuard(withReadOnlyPlaces(granted, named), workspace.cwd, disk);
  const computed = computePatch(patch, { folder, disk, guard });
  if (computed.kind !== 'computed') {
    const { kind, message, hint } = computed;
    if (kind === 'refused') return { ok: false, output: patchRejectedText(message, budget) };
    return unfit(hint === undefined ? message : `${message}\n${hint}`);
  }
  const open = watch?.begin(workspace.cwd);
  const applied = applyChanges(computed.changes, disk);
  const applying = open?.end();
  if (applied.kind === 'failed') {
    const left = applied.left.map((path) => `Could not be put back as it was: ${path}\n`).join('');
    // Capstan records only the time of changes that it could not undo.
    const time: TouchedFiles | undefined = applying && { kind: 'time', time: applying };
    if (left !== '') return end(1, `${applied.message}\n${left}`, time);
    const nothing: TouchedFiles | undefined = applying && { kind: 'paths', paths: [], timeId: applying.id };
    return end(1, `${applied.message}\nNothing was changed.\n`, nothing);
  }
  const behind = applied.leftBehind.map((path) => `Could not be removed: ${path}\n`).join('');
  const paths = touchedPaths(computed.changes);
  const touched = { kind: 'paths', paths, ...defined({ timeId: applying?.id }) } as const;
  return {
    ...end(0, `${summarisePatch(computed.changes)}${behind}`, touched),
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

function needsOf(disk: PathLookup, changes: readonly ChangedFile[]): CallNeeds {
  const named = changes.flatMap(({ path, movePath }) => (movePath === undefined ? [path] : [path, movePath]));
  const paths = named.map((path): NeededPath => {
    const place = resolveLinks(disk, path);
    return { path, access: 'write', ...(place === path ? {} : { place }) };
  });
  const spelled = new Set(paths.flatMap(({ path, place = path }) => [path, place]));
  const kept = new Set([...spelled].flatMap((path) => protectedFoldersBesideGit(disk, path)));
  return { effect: 'files', paths, ...(kept.size === 0 ? {} : { kept: [...kept] }) };
}

/** The state found and left at each place, in order. A place changed by several hunks is listed several times. */
export function touchedPaths(changes: readonly PatchedFile[]): readonly TouchedPath[] {
  return changes
    .flatMap(({ steps }) => steps)
    .map((step) => {
      const { place: path, foundSince } = step;
      const movedFrom = 'movedFrom' in step ? step.movedFrom : undefined;
      return { path, ...defined({ foundSince, movedFrom }), ...foundAndLeft(step) };
    });
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

const contentOf = (bytes: Uint8Array): ContentBeforeCall => ({ sha256: hash('sha256', bytes, 'hex') });

/** Applies the turn's policy to a patch: to the spelled path and to the real place of a file. */
export function policyGuard(policy: ResolvedPolicy, cwd: string, disk: PatchFileReader): PatchGuard {
  const { files } = policy;
  if (files.kind === 'unrestricted') return noGuard;
  let realRules: readonly AccessRule[] | undefined;
  const grantedAt = (place: string): FileAccess => {
    // Deny globs match spelled paths, so the path of the real place must pass them as well.
    if (accessAt({ ...policy, files: { ...files, rules: everywhere } }, place) === 'deny') return 'deny';
    return accessByRules((realRules ??= rulesAtPlaces(files, disk)), place);
  };
  return {
    check(touch) {
      const { path, place, need } = touch;
      const granted = place === undefined ? accessAt(policy, path) : grantedAt(place);
      if (granted === 'write' || (need === 'read' && granted === 'read')) return undefined;
      const moved = files.rules.find(
        (rule) => rule.access === 'write' && isWithin(path, rule.path) && isMovedRoot(rule, placeOf(disk, rule.path)),
      );
      if (moved === undefined) return refusal(touch, granted, policy, cwd);
      const { message, next } = describeMovedRoot(moved.path);
      return `${path} may not be written. ${message} ${next}`;
    },
  };
}

const everywhere = [{ path: '/', access: 'write', ifMissing: 'skip' }] as const;

/**
 * The rules with their own links followed: a workspace or `/tmp` may be reached through one. Nothing is granted through
 * a link that commands can replace, nor at a target that has changed since the turn began. Rules with one spelling are
 * ranked as the policy ranks them; if rules with different spellings lead to one place, the strictest one holds.
 */
function rulesAtPlaces(
  { rules }: Extract<ResolvedFilePolicy, { kind: 'restricted' }>,
  disk: PatchFileReader,
): readonly AccessRule[] {
  const followed = rules.flatMap((rule) => {
    const found = followPath(disk, rule.path, { lastLink: 'followed' });
    const { place, links } = found.kind === 'found' ? found : { place: rule.path, links: [] };
    if (isMovedRoot(rule, place)) return [];
    return { spelled: rule.path, path: place, links, access: rule.access, ...defined({ keeps: rule.keeps }) };
  });
  const isReplaceable = (link: string) => accessByRules(followed, link) === 'write';
  const sound = followed.filter(({ access, links }) => access !== 'write' || !links.some(isReplaceable));
  const bySpelling = Map.groupBy(sound, ({ spelled }) => spelled);
  const meant = [...bySpelling.values()].flatMap(strongest);
  return [...Map.groupBy(meant, ({ path }) => path).values()].flatMap(strictest);
}

const strongest = <Rule extends AccessRule>(rules: readonly Rule[]): readonly Rule[] =>
  rules.filter(({ path, access }) => access === accessByRules(rules, path));

function strictest(rules: readonly AccessRule[]): readonly AccessRule[] {
  const most = Math.max(...rules.map(({ access }) => strictness[access]));
  return rules.filter(({ access }) => strictness[access] === most);
}

function placeOf(disk: PatchFileReader, path: string): string {
  const found = followPath(disk, path, { lastLink: 'followed' });
  return found.kind === 'found' ? found.place : path;
}

const strictness: Readonly<Record<FileAccess, number>> = { write: 0, read: 1, deny: 2 };

function refusal({ path, place, need }: PatchAccess, granted: FileAccess, policy: ResolvedPolicy, cwd: string): string {
  const meant = place === undefined || place === path ? path : `${path}, which leads to ${place},`;
  if (need === 'read' || granted === 'deny') return `${meant} is off limits: it may be neither read nor written.`;
  const { mode, writableRoots, readOnlyPaths, keptGlobs } = describePolicy(policy, cwd);
  const closed = [...readOnlyPaths, ...keptGlobs];
  if (writableRoots.length === 0) return `${meant} may not be written: the sandbox is ${mode} and nothing may be.`;
  const except = closed.length === 0 ? '' : ` Read-only inside these: ${listed(closed)}.`;
  return `${meant} may not be written. Writable: ${listed(writableRoots)}.${except}`;
}

const mostListed = 12;

function listed(paths: readonly string[]): string {
  const shown = paths.slice(0, mostListed).map((path) => JSON.stringify(path));
  const more = paths.length - mostListed;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
