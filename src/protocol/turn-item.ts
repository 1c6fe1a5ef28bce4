import type { TurnId } from './ids.ts';
import type { Json, JsonObject } from './json.ts';

export type TurnItem =
  | { readonly kind: 'user-message'; readonly id: string; readonly text: string; readonly images: readonly string[] }
  /** `phase` as the model gave it: `commentary` or `final_answer`. `plan`: the text between its plan tags. */
  | {
      readonly kind: 'agent-message';
      readonly id: string;
      readonly text: string;
      readonly phase?: string;
      readonly plan?: string;
    }
  /** The model's own summary of its reasoning; raw reasoning is never shown. */
  | { readonly kind: 'reasoning'; readonly id: string; readonly summary: readonly string[] }
  /** The provider searched the web. `query`: the search text or the opened page; empty where unknown. */
  | { readonly kind: 'web-search'; readonly id: string; readonly query: string }
  /** The provider made a picture. `path`: the saved file. `problem`: why it was not saved. */
  | {
      readonly kind: 'image-generation';
      readonly id: string;
      readonly status: 'completed' | 'failed';
      readonly prompt?: string;
      readonly path?: string;
      readonly problem?: string;
    }
  /** `problem`: why the picture could not be shown to the model. */
  | { readonly kind: 'image-view'; readonly id: string; readonly path: string; readonly problem?: string }
  | PlanItem
  | CommandItem
  | FileChangeItem
  | ToolCallItem;

/** The steps of the work. One item for the whole turn, changed in place. */
export type PlanItem = { readonly kind: 'plan'; readonly id: string; readonly steps: readonly PlanStep[] };
export type PlanStep = { readonly text: string; readonly status: 'pending' | 'in-progress' | 'completed' };

export interface CommandItem {
  readonly kind: 'command';
  readonly id: string;
  readonly byUser?: true;
  /** Program and arguments without the isolation. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly status: 'in-progress' | 'completed' | 'failed' | 'declined';
  readonly output: string;
  /** The number of printed lines. Absent if `output` has all lines, or says how many are omitted. */
  readonly outputLines?: number;
  /** Read from a file that lacks the output, because the command outlived its call. */
  readonly outputUnknown?: true;
  /** Absent while the command runs and when it was killed or never started. */
  readonly exitCode?: number;
  /** Why there is no exit code. Absent in older files and those of other programs. */
  readonly unfinished?: 'timed-out' | 'interrupted' | 'not-started';
  readonly durationMs?: number;
}

/** A patch. Its text is in the model's call. */
export interface FileChangeItem {
  readonly kind: 'file-change';
  readonly id: string;
  readonly changes: readonly ChangedFile[];
  readonly status: 'in-progress' | 'completed' | 'failed';
  readonly problem?: string;
  /** The lines where the chunks of each part of the patch were found, from 0; null for a part without chunks. */
  readonly places?: readonly (readonly number[] | null)[];
  /** For an item read from a file: the model's call, which has the lines that `diff` would have. */
  readonly call?: { readonly tool: string; readonly input: string };
}

/** A file that a patch touches, by its name before the patch. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  readonly kind: 'add' | 'delete' | 'update';
  readonly movePath?: string;
  /** A picture that the model generated, without a patch. */
  readonly generated?: true;
  /** Lines that begin with `+`, `-` or a space, as in the patch. Absent in an item read from a file of ours. */
  readonly diff?: string;
}

export interface ToolCallItem {
  readonly kind: 'tool-call';
  readonly id: string;
  /** The tool's MCP server. Absent: a tool of the program. */
  readonly server?: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly status: 'in-progress' | 'completed' | 'failed';
  /** Absent while the tool runs. */
  readonly output?: string;
  /** The output as its server gave it; only in live events, as files do not keep it. */
  readonly result?: { readonly content: readonly Json[]; readonly structured: Json };
}

/** Files that a user restored after a thread changed them, so its model knows other contents. Paths are absolute. */
export interface RestoredFiles {
  /** The turn before which they had this content. Absent: an earlier version recorded it. */
  readonly before?: RestorePointTurn;
  /** The user undid the restore: the files are as they were before it. */
  readonly isUndone?: true;
  /** Files that have an earlier content again, or exist again. */
  readonly restored: readonly string[];
  readonly deleted: readonly string[];
  /** Number of unlisted files. Absent: none. */
  readonly more?: number;
}

export interface RestorePointTurn {
  readonly turnId: TurnId;
  /** Counted from 1. */
  readonly number: number;
  readonly words: string;
}

export interface FilePutBack {
  readonly path: string;
  readonly isDeleted?: true;
  /** The number of the turn before which it had this content. */
  readonly before?: number;
}

/** File changes of a user's side conversation, as far as its patches tell. */
export interface FilesChangedInSideConversation {
  /** One entry per file, with its final change. */
  readonly changes: readonly ChangedFile[];
  /** Number of unlisted files. Absent: none. */
  readonly more?: number;
  /** The number of commands it ran, whose changes are unknown. Absent: none. */
  readonly commands?: number;
}

/** Leaves out folders whose contents are listed too, since people count files. `all`: every path of the restore. */
export function withoutParentFolders<Path extends string | { readonly path: string }>(
  paths: readonly Path[],
  all: readonly string[],
): readonly Path[] {
  const folders = new Set<string>();
  for (const path of all)
    for (let at = path.lastIndexOf('/'); at > 0 && !folders.has(path.slice(0, at)); at = path.lastIndexOf('/', at - 1))
      folders.add(path.slice(0, at));
  return paths.filter((each) => !folders.has(typeof each === 'string' ? each : each.path));
}
