import { badArguments } from '../../fragments/answers/call-answers.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import { parseJsonObject } from '../../protocol/json.ts';
import { type ApplyPatchPorts, prepareChanges } from '../apply-patch/prepare-patch.ts';
import { readEdit } from '../apply-patch/read-edit.ts';
import type { Tool } from '../define.ts';

const spec: ToolSpec = {
  type: 'function',
  name: 'edit_file',
  description:
    'Replaces old_text, which the file must hold exactly so and only once, with new_text. An empty old_text creates the file.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string' },
      old_text: { type: 'string' },
      new_text: { type: 'string' },
      replace_all: { type: 'boolean', description: 'Replace every place.' },
    },
    required: ['path', 'old_text', 'new_text'],
    additionalProperties: false,
  },
};

/** Edits files for models that were not trained on patches. What it does is a patch all the same, with all that follows from it. */
export function editFileTool(ports: ApplyPatchPorts): Tool {
  return {
    name: 'edit_file',
    effect: 'files',
    offeredIn: ({ mode, editTools }) => mode !== 'plan' && editTools === 'edit',
    spec,
    prepare({ callId, input }, step) {
      const hunk = readEdit(parseJsonObject(input));
      if (typeof hunk === 'string') return { kind: 'refused', output: badArguments(hunk) };
      const call = { callId, folder: step.envelope.workspace.cwd, cameAs: 'edit' } as const;
      return prepareChanges(ports, { hunks: [hunk] }, call, step);
    },
  };
}
