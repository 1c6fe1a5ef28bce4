import type { TurnId } from './ids.ts';
import type { Json, JsonObject } from './json.ts';

/** A thing that happened in a turn, as surfaces show it. */
export type TurnItem =
  | { readonly kind: 'user-message'; readonly id: string; readonly text: string; readonly images: readonly string[] }
  /** `phase` as the model gave it: `commentary` or `final_answer`. `plan`: what the text proposes between its tags. */
  | {
      readonly kind: 'agent-message';
      readonly id: string;
      readonly text: string;
      readonly phase?: string;
      readonly plan?: string;
    }
  /** The model's own summary of its thinking; raw thinking is never shown. */
  | { readonly kind: 'reasoning'; readonly id: string; readonly summary: readonly string[] }
  /** The provider searched the web. `query`: what for, or the page that it opened; empty where it does not say. */
  | { readonly kind: 'web-search'; readonly id: string; readonly query: string }
  /** The provider made a picture. `path`: where it is saved. `problem`: why it is not. */
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
export interface PlanItem {
  readonly kind: 'plan';
  readonly id: string;
  readonly steps: readonly PlanStep[];
}

export interface PlanStep {
  readonly text: string;
  readonly status: 'pending' | 'in-progress' | 'completed';
}

export interface CommandItem {
  readonly kind: 'command';
  readonly id: string;
  /** The user ran it, not the model. */
  readonly byUser?: true;
  /** Program and arguments as they are run, isolation aside. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly status: 'in-progress' | 'completed' | 'failed' | 'declined';
  readonly output: string;
  /** How many lines it printed. Absent: `output` has or says all of them. */
  readonly outputLines?: number;
  /** It was read from a file that does not have what it printed: the command outlived its call. */
  readonly outputUnknown?: true;
  /** Absent while the command runs and when it was killed or never started. */
  readonly exitCode?: number;
  /** Why there is no exit code. Older files and other programs do not say it. */
  readonly unfinished?: 'timed-out' | 'interrupted' | 'not-started';
  readonly durationMs?: number;
}

/** A patch. Its text stands in the call that the model made. */
export interface FileChangeItem {
  readonly kind: 'file-change';
  readonly id: string;
  readonly changes: readonly ChangedFile[];
  readonly status: 'in-progress' | 'completed' | 'failed';
  /** Why nothing was changed. */
  readonly problem?: string;
  /** Of each part of the patch, in its order: the lines at which its chunks were found, from 0; null where it has none. */
  readonly places?: readonly (readonly number[] | null)[];
  /** Of one that was read from a file: the call of the model, which has the lines that `diff` would have. */
  readonly call?: { readonly tool: string; readonly input: string };
}

/** A file that a patch touches, by its name before the patch. */
export interface ChangedFile {
  /** Absolute. */
  readonly path: string;
  readonly kind: 'add' | 'delete' | 'update';
  /** Where the file goes, when it moves. */
  readonly movePath?: string;
  /** It is a picture that the model generated, and no patch made it. */
  readonly generated?: true;
  /** Lines that begin with `+`, `-` or a space, as the patch has them. Absent in one read from a file of ours. */
  readonly diff?: string;
}

/** A call of a tool that has no item of its own. */
export interface ToolCallItem {
  readonly kind: 'tool-call';
  readonly id: string;
  /** The MCP server whose tool it is. Absent: a tool of the program. */
  readonly server?: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly status: 'in-progress' | 'completed' | 'failed';
  /** What the tool said; absent while it runs. */
  readonly output?: string;
  /** The same as its server gave it; only while it is news: files do not keep it. */
  readonly result?: { readonly content: readonly Json[]; readonly structured: Json };
}

/** Files of a thread's work that a user put back to what they were before, and that its model knows otherwise. Paths are absolute. */
export interface RestoredFiles {
  /** To what: the turn before which they were so. Absent: the record of it is of an earlier version. */
  readonly before?: TurnBefore;
  /** The user undid that: files are again what they were before they were put back. */
  readonly isUndone?: true;
  /** They have an earlier content again, or are there again. */
  readonly restored: readonly string[];
  /** They are no more. */
  readonly deleted: readonly string[];
  /** How many are not named. Absent: none. */
  readonly more?: number;
}

export interface TurnBefore {
  readonly turnId: TurnId;
  /** Counted from 1. */
  readonly number: number;
  /** How it began, in one line. */
  readonly words: string;
}

/** A file of which the user took changes back. */
export interface RestoredFile {
  readonly path: string;
  readonly isDeleted?: true;
  /** The number of the turn before which it was so. */
  readonly before?: number;
}

/** What a side conversation of the user changed in files, as far as its patches say it. */
export interface FilesChangedInSideConversation {
  /** Each once, by what became of it. */
  readonly changes: readonly ChangedFile[];
  /** How many are not named. Absent: none. */
  readonly more?: number;
  /** How many commands it ran: nothing says what those changed. Absent: none. */
  readonly commands?: number;
}

/**
 * The paths of a restore that are files: a folder is listed beside what is in it, and people and the model count files.
 * `all`: every path that the restore is about.
 */
export function withoutParentFolders<Path extends string | { readonly path: string }>(
  paths: readonly Path[],
  all: readonly string[],
): readonly Path[] {
  const folders = foldersOf(all);
  return paths.filter((each) => !folders.has(typeof each === 'string' ? each : each.path));
}

function foldersOf(paths: readonly string[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths)
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  return folders;
}
