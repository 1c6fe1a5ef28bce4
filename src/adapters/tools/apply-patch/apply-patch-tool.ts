import type { ProviderCapabilities, ToolSpec } from '../../../ports/model.ts';
import { equalJson, parseJsonObject } from '../../../protocol/json.ts';
import { functionSpec, argumentsRefusal } from '../function-tool.ts';
import type { Tool } from '../tool.ts';
import { parsePatch } from './parse-patch.ts';
import { type ApplyPatchPorts, preparePatch } from './prepare-patch.ts';

/** Edits files by patches, in this process and within the turn's policy. Accepts calls of both forms. */
export function applyPatchTool(ports: ApplyPatchPorts, provider: ProviderForms): Tool {
  return {
    name: 'apply_patch',
    effect: 'files',
    offeredIn: ({ mode, editTools }) => mode !== 'plan' && editTools === 'patch',
    spec: patchSpecFor(provider),
    prepare({ callId, input }, step) {
      const text = parsePatchInput(input);
      if (text === undefined) return argumentsRefusal('`input` must be the patch, a string.');
      return preparePatch(ports, { callId, text, folder: step.envelope.workspace.cwd, cameAs: 'tool' }, step);
    },
  };
}

type ProviderForms = Pick<ProviderCapabilities, 'freeformTools'>;

function patchSpecFor({ freeformTools }: ProviderForms): ToolSpec {
  return freeformTools === 'grammar' ? applyPatchSpec : applyPatchFunctionSpec;
}

/** Converts a recorded tool to the form of a provider. Other tools stay unchanged. */
export function convertPatchSpec(spec: ToolSpec, provider: ProviderForms): ToolSpec {
  const isFreeform = spec['type'] === 'custom' && spec['name'] === applyPatchSpec['name'];
  return isFreeform || equalJson(spec, applyPatchFunctionSpec) ? patchSpecFor(provider) : spec;
}

/** Constrains provider decoders. The parser accepts more than this. */
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

export const applyPatchSpec: ToolSpec = {
  type: 'custom',
  name: 'apply_patch',
  description:
    'Edits files: adds, deletes, updates and moves them by one patch that is applied as a whole or not at all. This is a FREEFORM tool: write the patch as it is, and do not wrap it in JSON. Paths are relative to the current folder.',
  format: { type: 'grammar', syntax: 'lark', definition: grammar },
};

/** For models with function tools only. They are not held to the grammar, so the description contains it. */
export const applyPatchFunctionSpec = functionSpec(
  'apply_patch',
  `Edits files: adds, deletes, updates and moves them by one patch that is applied as a whole or not at all. Paths are relative to the current folder. The patch follows this Lark grammar; three lines of context before and after a change are usually enough, and a line after @@ names what the change is in:

${grammar}`,
  { input: { type: 'string', description: 'The whole patch.' } },
  ['input'],
);

/**
 * Recognises the two scripts that models write to apply a patch: a heredoc to `apply_patch`, optionally after one `cd …
 * &&` into `folder`. The whole script must be exactly that, in words that every shell reads alike. The heredoc text is
 * taken literally, quoted or not: no patch means to have its dollars expanded. `bare-patch`: no shell can run it.
 */
export function interceptPatch(
  script: string,
):
  | { readonly kind: 'none' | 'bare-patch' }
  | { readonly kind: 'patch'; readonly text: string; readonly folder?: string } {
  const match = heredoc.exec(script);
  if (match?.groups === undefined)
    return parsePatch(script).kind === 'parsed' ? { kind: 'bare-patch' } : { kind: 'none' };
  const { single, double, bare, rest = '' } = match.groups;
  const word = match.groups['word'] ?? match.groups['quotedWord'] ?? match.groups['doubleQuotedWord'] ?? '';
  const end = endOf(rest, word);
  if (end === undefined) return { kind: 'none' };
  return { kind: 'patch', text: rest.slice(0, end), folder: single ?? double ?? bare };
}

/**
 * The beginning up to the end of the line with the heredoc's word, then the `rest` of the script. The folder must not
 * contain characters special to a shell.
 */
const heredoc = new RegExp(
  [
    String.raw`^[ \t\n]*`,
    String.raw`(?:cd[ \t]+(?:'(?<single>[^'\n-][^'\n]*)'|"(?<double>[^"$\x60\\!\n-][^"$\x60\\!\n]*)"|(?<bare>[\w./@%+,:][\w./@%+,:=-]*))[ \t]*&&[ \t\n]*)?`,
    String.raw`(?:apply_patch|applypatch)[ \t]*<<[ \t]*`,
    String.raw`(?:'(?<quotedWord>[\w-]+)'|"(?<doubleQuotedWord>[\w-]+)"|(?<word>\w[\w-]*))[ \t]*\n(?<rest>.*)$`,
  ].join(''),
  's',
);

function endOf(text: string, word: string): number | undefined {
  let start = 0;
  for (const line of text.split('\n')) {
    if (line === word) return /^[ \t\n]*$/.test(text.slice(start + line.length)) ? start : undefined;
    start += line.length + 1;
  }
  return undefined;
}

/** The patch itself, or the one in function arguments: no patch begins with a brace. */
export function parsePatchInput(input: string): string | undefined {
  if (!input.trimStart().startsWith('{')) return input;
  const patch = parseJsonObject(input)?.['input'];
  return typeof patch === 'string' ? patch : undefined;
}
