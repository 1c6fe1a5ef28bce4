import type { ToolSpec } from '../../ports/prompt.ts';

/** What decoders of the provider hold the model to. The parser takes more than this. */
const grammar = String.raw`start: "*** Begin Patch" LF file+ "*** End Patch" LF?

file: addition | deletion | update
addition: "*** Add File: " TEXT LF new_line+
deletion: "*** Delete File: " TEXT LF
update: "*** Update File: " TEXT LF (move chunks? | chunks)
move: "*** Move to: " TEXT LF

chunks: anchor? body (anchor body)*
anchor: "@@" (" " TEXT)? LF
body: (new_line | old_line | same_line)+ last?
last: "*** End of File" LF

new_line: "+" TEXT? LF
old_line: "-" TEXT? LF
same_line: " " TEXT? LF

TEXT: /[^\r\n]+/
LF: /\r?\n/
`;

/** The freeform tool: the model writes the patch and nothing around it. */
export const applyPatchSpec: ToolSpec = {
  type: 'custom',
  name: 'apply_patch',
  description:
    'Edits files: adds, deletes, updates and moves them by one patch that is applied as a whole or not at all. This is a FREEFORM tool: write the patch as it is, and do not wrap it in JSON. Paths are relative to the current folder.',
  format: { type: 'grammar', syntax: 'lark', definition: grammar },
};

/** The same for models that only know function tools. They are not held to the grammar, so the description holds it. */
export const applyPatchFunctionSpec: ToolSpec = {
  type: 'function',
  name: 'apply_patch',
  description: `Edits files: adds, deletes, updates and moves them by one patch that is applied as a whole or not at all. Paths are relative to the current folder. The patch follows this Lark grammar; three lines of context before and after a change are usually enough, and a line after @@ names what the change is in:

${grammar}`,
  strict: false,
  parameters: {
    type: 'object',
    properties: { input: { type: 'string', description: 'The whole patch.' } },
    required: ['input'],
    additionalProperties: false,
  },
};
