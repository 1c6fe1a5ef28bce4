import { valueOr } from '../../base/objects.ts';
import { fileSystem, kindOfEntry } from '../../adapters/disk/file-system.ts';
import { type BoundedReading, readBounded, type UnreadFile } from '../../adapters/disk/regular-files.ts';
import { imageFormat } from '../../adapters/gather/files/load-image.ts';
import { readGuard } from '../../adapters/gather/files/read-guard.ts';
import type { ApplyPatchPorts } from '../../adapters/tools/apply-patch/prepare-patch.ts';
import { editFileTool, readFileTool, searchTool } from '../../adapters/tools/file-tools.ts';
import type { Tool } from '../../adapters/tools/tool.ts';
import { ownPathMatcher } from '../../core/policy/paths/special-places.ts';
import type { SearchFiles } from '../../ports/files.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ResolvedPolicy } from '../../protocol/permissions.ts';
import type { EngineParts } from '../engine-parts.ts';
import { loadIgnoreRules } from '../workspace/ignore-rules.ts';
import { findFiles, mostSearchedBytes, searchContents } from '../workspace/search-files.ts';
import { type VisibleEntry, visibleFiles } from '../workspace/visible-files.ts';
import { nodeWorkspaceDisk as disk, inOpenFolder } from '../workspace/workspace-disk.ts';
import { WorkStoppedError, TimeSlicer } from '../workspace/yield-to-event-loop.ts';
import { basename, dirname } from 'node:path';

export function editTools(engine: EngineParts, patches: ApplyPatchPorts): readonly Tool[] {
  const readFile = readFileTool((path, { policy }) => loadText(path, { denies: readGuard(policy).deniesModel }));
  return [editFileTool(patches), readFile, searchTool(searchFiles(engine))];
}

const mostNames = 100;
const mostLines = 200;
/** A search that takes longer is ended and returns its results so far. */
const patienceMs = 10_000;

function searchFiles({ options, clock, ownPlaces }: EngineParts): SearchFiles {
  const placeOf = (folder: string, policy: ResolvedPolicy, signal: AbortSignal) => {
    const root = disk.realPath(folder) ?? folder;
    const denies = readGuard(policy).deniesModel;
    const rules = loadIgnoreRules(root, { osHome: options.osHome, env: options.env }, { denies });
    const isOwn = ownPathMatcher(ownPlaces(), root);
    const excludes = (path: string): boolean => isOwn(path) || denies(path);
    return { root, disk, rules, denies, excludes, pace: new TimeSlicer(clock, signal) };
  };
  return {
    async names({ folder, policy, signal, typed, isMeant }) {
      const problem = whyNot(folder, policy) ?? whyNoFolder(folder);
      if (problem !== undefined) return problem;
      return stoppable(() =>
        findFiles({ ...placeOf(folder, policy, signal), typed: typed.trim(), isMeant, limit: mostNames }),
      );
    },
    async lines({ folder, policy, signal, matches, isMeant }) {
      const isFile = kindOfEntry(folder) === 'file';
      const problem = whyNot(folder, policy) ?? (isFile ? undefined : whyNoFolder(folder));
      if (problem !== undefined) return problem;
      const place = placeOf(isFile ? dirname(folder) : folder, policy, signal);
      // A file that is named is searched even if git ignores it.
      const entries = isFile ? oneFile(folder) : visibleFiles(place);
      const late = clock.now() + patienceMs;
      const read = (path: string): Uint8Array | undefined => {
        if (!isFile) return readInPlace(path);
        // Check the file that was opened: a command may have replaced it by a link.
        const file = readBounded(path, { maxBytes: mostSearchedBytes, denies: place.denies });
        return file.kind === 'read' ? file.bytes : undefined;
      };
      const isLate = (): boolean => clock.now() > late;
      return stoppable(() =>
        searchContents({ entries, pace: place.pace, matches, isMeant, read, limit: mostLines, isLate }),
      );
    },
  };
}

/** Reads through open folders: a command may have replaced one of them since the search. */
function readInPlace(path: string): Uint8Array | undefined {
  return valueOr(undefined, () => inOpenFolder(disk, path, (folder, name) => folder.read(name, mostSearchedBytes)));
}

function whyNot(folder: string, policy: ResolvedPolicy): Outcome | undefined {
  const { deniesModel } = readGuard(policy);
  if (!deniesModel(folder) && !deniesModel(disk.realPath(folder) ?? folder)) return undefined;
  const message = `The policy does not allow reading ${folder}.`;
  return { code: 'file-denied', message, next: 'Search in another folder.' };
}

function whyNoFolder(folder: string): Outcome | undefined {
  const kind = kindOfEntry(folder);
  if (kind === 'folder') return undefined;
  const next = 'Search without a path to see what there is.';
  if (kind === 'missing') return { code: 'file-missing', message: `There is no folder ${folder}.`, next };
  const message = `${folder} is not a folder.`;
  return { code: 'file-unreadable', message, next: 'Give a folder, or search its lines.' };
}

async function* oneFile(path: string): AsyncGenerator<VisibleEntry, boolean> {
  const { size = 0, mtimeMs: modifiedAt = 0 } = fileSystem.statSync(path, { throwIfNoEntry: false }) ?? {};
  yield { path, inside: basename(path), kind: 'file', size, modifiedAt };
  return false;
}

async function stoppable<Found>(search: () => Promise<Found>): Promise<Found | Outcome> {
  try {
    return await search();
  } catch (error) {
    if (!(error instanceof WorkStoppedError)) throw error;
    return { code: 'interrupted', message: 'The search was stopped.', next: '' };
  }
}

const mostBytes = 10 * 1024 * 1024;

/** Reads a text file for the model. The path is absolute. Invalid UTF-8 is replaced. */
function loadText(path: string, reading: Pick<BoundedReading, 'denies'>): string | Outcome {
  const file = readBounded(path, { ...reading, maxBytes: mostBytes });
  if (file.kind === 'missing') {
    const message = `There is no file ${path}.`;
    return { code: 'file-missing', message, next: 'Find it with the tool search, in="names".' };
  }
  if (file.kind === 'unread') return unread(path, file);
  const { bytes } = file;
  const picture = imageFormat(bytes);
  if (picture !== undefined) {
    const message = `${path} is a picture (${picture.format}).`;
    return { code: 'file-picture', message, next: 'Look at it with view_image, if you have that tool.' };
  }
  if (bytes.subarray(0, 8000).includes(0)) {
    const next = 'Use a command that understands its format.';
    return { code: 'file-binary', message: `${path} does not hold text.`, next };
  }
  return bytes.toString('utf8').replace(/^\ufeff/, '');
}

function unread(path: string, { why, reason }: UnreadFile): Outcome {
  if (why === 'denied') {
    const next = 'Do without it, or tell the user what is needed.';
    return { code: 'file-denied', message: `The policy does not allow reading ${path}.`, next };
  }
  if (why === 'too-large') {
    const next = 'Read a part of it with a command, such as sed -n 1,100p.';
    return { code: 'file-too-large', message: `${path} has more than 10 MB.`, next };
  }
  const next = 'To see what is in a folder, use the tool search with in="names", or a command.';
  return { code: 'file-unreadable', message: `${path} cannot be read: ${reason}.`, next };
}
