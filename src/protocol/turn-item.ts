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
