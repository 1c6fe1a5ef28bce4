import { resolve } from 'node:path';
import { badArguments, refusedCall } from '../../fragments/answers/call-answers.ts';
import { numberedLines } from '../../fragments/answers/numbered-lines.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { RunningCall, Tool } from '../define.ts';

export interface ReadFilePorts {
  /** A regular file of limited size that holds text, and only if the policy grants it where it really is. The path is absolute. */
  loadText(path: string, call: Pick<RunningCall, 'policy'>): string | Outcome;
}

/** Lines that are given when none are named. */
const usualLines = 1000;

const spec: ToolSpec = {
  type: 'function',
  name: 'read_file',
  description: `Reads a text file: each line behind its number and a tab, at most ${usualLines} at once.`,
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      offset: { type: 'integer', description: 'The first line, from 1.' },
      limit: { type: 'integer', description: 'How many lines.' },
    },
    required: ['path'],
    additionalProperties: false,
  },
};

/** Reads files for models that are at home with such a tool. Those that use patches read with commands. */
export function readFileTool(ports: ReadFilePorts): Tool {
  return {
    name: 'read_file',
    offeredIn: ({ editTools }) => editTools === 'edit',
    spec,
    prepare({ callId, input }, { envelope: { workspace }, window }) {
      const given = parseJsonObject(input);
      const read = readArguments(given);
      if (typeof read === 'string' || given === undefined)
        return { kind: 'refused', output: badArguments(String(read)) };
      const path = resolve(workspace.cwd, read.path);
      const item: ToolCallItem = {
        kind: 'tool-call',
        id: callId,
        tool: 'read_file',
        arguments: given,
        status: 'in-progress',
      };
      return {
        kind: 'prepared',
        item,
        needs: { paths: [{ path, access: 'read' }] },
        idempotent: true,
        run(running) {
          const text = ports.loadText(path, running);
          const isRead = typeof text === 'string';
          const output = isRead ? numberedLines(text, read, window.toolOutput) : refusedCall(text.message, text.next);
          return Promise.resolve({ output, item: { ...item, status: isRead ? 'completed' : 'failed', output } });
        },
      };
    },
  };
}

interface ReadArguments {
  readonly path: string;
  /** From 1. */
  readonly offset: number;
  readonly limit: number;
}

function readArguments(given: JsonObject | undefined): ReadArguments | string {
  if (given === undefined) return 'they are not a JSON object.';
  const { path, offset, limit } = given;
  if (typeof path !== 'string' || path === '') return '`path` must be a string that is not empty.';
  const wrong = Object.entries({ offset, limit }).find(([, value]) => !isCount(value));
  if (wrong !== undefined) return `\`${wrong[0]}\` must be a whole number of at least 1.`;
  const lines = Math.min((limit as number | null | undefined) ?? usualLines, usualLines);
  return { path, offset: (offset as number | null | undefined) ?? 1, limit: lines };
}

function isCount(value: unknown): boolean {
  return value === undefined || value === null || (Number.isSafeInteger(value) && (value as number) >= 1);
}
