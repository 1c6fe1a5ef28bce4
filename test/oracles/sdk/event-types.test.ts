import type { ThreadEvent, ThreadItem } from '@openai/codex-sdk';
import { expectTypeOf, it } from 'vitest';
import type { ExecEvent } from '../../../src/surfaces/exec/json-output.ts';
import type { ExecItem } from '../../../src/surfaces/views/wording/json-fields.ts';
import type { ExecQuestionEvent } from '../../../src/surfaces/exec/context-and-question-events.ts';

// The compiler does the work: ../types.test.ts runs it over this folder.

/** The type of a printed value: its reader can change it. */
type Printed<Value> = Value extends object ? { -readonly [Key in keyof Value]: Printed<Value[Key]> } : Value;

type Item = Printed<ExecItem>;
type Command = Extract<Item, { type: 'command_execution' }>;
type FileChange = Extract<Item, { type: 'file_change' }>;
type ToolCall = Extract<Item, { type: 'mcp_tool_call' }>;
/** The SDK knows no pictures that the provider generates. They are printed only where the user has opened that gate. */
type Picture = Extract<Item, { type: 'image_generation' }>;
type OtherItem = Exclude<Item, Command | FileChange | ToolCall | Picture>;

/** Three values that Capstan and Codex print are missing in the types of the SDK. */
type NarrowCommand = Omit<Command, 'exit_code' | 'status'> & {
  exit_code?: Exclude<Command['exit_code'], null>;
  status: Exclude<Command['status'], 'declined'>;
};
type NarrowFileChange = Omit<FileChange, 'status'> & { status: Exclude<FileChange['status'], 'in_progress'> };

/** Both programs print absent members of a call as null. */
type NarrowToolCall = Omit<ToolCall, 'result' | 'error'> & {
  // The blocks are as the server gave them.
  result?: {
    content: Extract<ThreadItem, { type: 'mcp_tool_call' }>['result'] extends infer R
      ? R extends { content: infer C }
        ? C
        : never
      : never;
    structured_content: unknown;
  };
  error?: Exclude<ToolCall['error'], null>;
};

type WithNarrowItem<Event> = Event extends { item: unknown }
  ? Omit<Event, 'item'> & { item: OtherItem | NarrowCommand | NarrowFileChange | NarrowToolCall }
  : Event;

/** The SDK passes no `--approvals`, so that it meets no question. */
type MetBySdk = Exclude<ExecEvent, ExecQuestionEvent>;

it('every event that the SDK meets is one of its own, three values aside', () => {
  expectTypeOf<WithNarrowItem<Printed<MetBySdk>>>().toExtend<ThreadEvent>();
});

it('the three values are still missing there, and still printed here', () => {
  expectTypeOf<Omit<NarrowCommand, 'exit_code'> & { exit_code: null }>().not.toExtend<ThreadItem>();
  expectTypeOf<Omit<NarrowCommand, 'status'> & { status: 'declined' }>().not.toExtend<ThreadItem>();
  expectTypeOf<Omit<NarrowFileChange, 'status'> & { status: 'in_progress' }>().not.toExtend<ThreadItem>();
  expectTypeOf<null>().toExtend<Command['exit_code']>();
  expectTypeOf<'declined'>().toExtend<Command['status']>();
  expectTypeOf<'in_progress'>().toExtend<FileChange['status']>();
});
