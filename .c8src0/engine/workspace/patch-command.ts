import { applyChanges, summarisePatch } from '../../adapters/tools/apply-patch/apply-changes.ts';
import { computePatch, noGuard } from '../../adapters/tools/apply-patch/compute-patch.ts';
import { nodeDisk } from '../../adapters/disk/node-patch-disk.ts';
import { parsePatch } from '../../adapters/tools/apply-patch/parse-patch.ts';

/** Exit codes: 0, applied; 1, not applied; 2, wrong usage. */
export type PatchReport = { readonly code: 0 | 1 | 2; readonly stdout: string; readonly stderr: string };

export interface PatchCommand {
  readonly words: readonly string[];
  /** `command`: called by its own name, it takes one word or standard input. `mode`: it needs one word. */
  readonly calledAs: 'command' | 'mode';
  readonly folder: string;
  readStandardInput(): Uint8Array;
}

/** Applies a patch in a folder, with the rights of the caller. */
export function applyPatchHere(command: PatchCommand): PatchReport {
  const text = patchText(command);
  if (typeof text !== 'string') return text;
  const parsed = parsePatch(text);
  if (parsed.kind === 'problem') {
    const where = parsed.line === undefined ? 'Invalid patch:' : `Invalid patch hunk on line ${parsed.line}:`;
    return failed(`${where} ${parsed.message}`);
  }
  if (parsed.patch.hunks.length === 0) return failed('No files were modified.');
  const disk = nodeDisk();
  const computed = computePatch(parsed.patch, { folder: command.folder, disk, guard: noGuard });
  if (computed.kind !== 'computed') return failed(computed.message);
  const applied = applyChanges(computed.changes, disk);
  if (applied.kind === 'failed')
    return failed([applied.message, ...applied.left.map((path) => `Could not be put back: ${path}`)].join('\n'));
  const stderr = applied.leftBehind.map((path) => `Could not be removed: ${path}\n`).join('');
  return { code: 0, stdout: summarisePatch(computed.changes), stderr };
}

function patchText({ words, calledAs, readStandardInput }: PatchCommand): string | PatchReport {
  const [word, ...more] = words;
  if (calledAs === 'mode') return word ?? failed('Error: --codex-run-as-apply-patch requires a UTF-8 PATCH argument.');
  if (more.length > 0) return { ...failed('Error: apply_patch accepts exactly one argument.'), code: 2 };
  if (word !== undefined) return word;
  const bytes = readStandardInput();
  if (bytes.length === 0)
    return { ...failed("Usage: apply_patch 'PATCH'\n       echo 'PATCH' | apply_patch"), code: 2 };
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return failed('Error: Failed to read PATCH from stdin.\nstream did not contain valid UTF-8');
  }
}

const failed = (message: string): PatchReport => ({ code: 1, stdout: '', stderr: `${message}\n` });
