import { foundLinesText, foundNamesText, numberedLines } from '../../core/fragments/answers/files.ts';
import { notRunText } from '../../core/fragments/answers/tool-calls.ts';
import { globCovers, parseGlob } from '../../core/policy/paths/glob.ts';
import type { SearchFiles } from '../../ports/files.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { type ApplyPatchPorts, prepareChanges } from './apply-patch/prepare-patch.ts';
import { readEditArguments } from './apply-patch/recorded-changes.ts';
import { functionSpec, functionTool, argumentsRefusal } from './function-tool.ts';
import type { CallRunContext, Tool } from './tool.ts';
import { resolve } from 'node:path';

const editFileSpec = functionSpec(
  'edit_file',
  'Replaces old_text, which the file must hold exactly so and only once, with new_text. An empty old_text creates the file.',
  {
    path: { type: 'string' },
    old_text: { type: 'string' },
    new_text: { type: 'string' },
    replace_all: { type: 'boolean', description: 'Replace every place.' },
  },
  ['path', 'old_text', 'new_text'],
);

/** Edits files for models that were not trained on patches. An edit is executed as a patch, with all its rules. */
export function editFileTool(ports: ApplyPatchPorts): Tool {
  return {
    name: 'edit_file',
    effect: 'files',
    offeredIn: ({ mode, editTools }) => mode !== 'plan' && editTools === 'edit',
    spec: editFileSpec,
    prepare({ callId, input }, step) {
      const hunk = readEditArguments(parseJsonObject(input));
      if (typeof hunk === 'string') return argumentsRefusal(hunk);
      const call = { callId, folder: step.envelope.workspace.cwd, cameAs: 'edit' } as const;
      return prepareChanges(ports, { hunks: [hunk] }, call, step);
    },
  };
}

const usualLines = 1000;

const readFileSpec = functionSpec(
  'read_file',
  `Reads a text file: each line behind its number and a tab, at most ${usualLines} at once.`,
  {
    path: { type: 'string' },
    offset: { type: 'integer', description: 'The first line, from 1.' },
    limit: { type: 'integer', description: 'How many lines.' },
  },
  ['path'],
);

/**
 * Reads files for models that know such a tool. Models that use patches read with commands. `loadText` loads a regular
 * text file of limited size, only if the policy grants its real place. The path is absolute.
 */
export function readFileTool(loadText: (path: string, call: Pick<CallRunContext, 'policy'>) => string | Outcome): Tool {
  return functionTool<ReadArguments>({
    spec: readFileSpec,
    offeredIn: ({ editTools }) => editTools === 'edit',
    idempotent: true,
    read(given, { envelope: { workspace } }) {
      const read = readFileArguments(given);
      return typeof read === 'string' ? read : { ...read, path: resolve(workspace.cwd, read.path) };
    },
    needs: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
    run(read, running, { step: { window } }) {
      const text = loadText(read.path, running);
      if (typeof text === 'string') return numberedLines(text, read, window.toolOutput);
      return { output: notRunText(text.message, text.next), ok: false };
    },
  });
}

interface ReadArguments {
  readonly path: string;
  /** From 1. */
  readonly offset: number;
  readonly limit: number;
}

function readFileArguments({ path, offset, limit }: JsonObject): ReadArguments | string {
  if (typeof path !== 'string' || path === '') return '`path` must be a string that is not empty.';
  const wrong = Object.entries({ offset, limit }).find(([, value]) => !isCount(value));
  if (wrong !== undefined) return `\`${wrong[0]}\` must be a whole number of at least 1.`;
  const lines = Math.min((limit as number | null | undefined) ?? usualLines, usualLines);
  return { path, offset: (offset as number | null | undefined) ?? 1, limit: lines };
}

function isCount(value: unknown): boolean {
  return value === undefined || value === null || (Number.isSafeInteger(value) && (value as number) >= 1);
}

const searchSpec = functionSpec(
  'search',
  'Searches the lines of files that git does not ignore, or their paths by letters in order. The query is plain text unless regex is true.',
  {
    query: { type: 'string' },
    in: { type: 'string', enum: ['lines', 'names'] },
    path: { type: 'string', description: 'A folder, or a file for its lines.' },
    glob: { type: 'string', description: 'Such as **/*.ts.' },
    regex: { type: 'boolean' },
    ignore_case: { type: 'boolean' },
  },
  ['query'],
);

/** Searches without a command: bounded in time and size, and by the policy. */
export function searchTool(files: SearchFiles): Tool {
  return functionTool<Wanted>({
    spec: searchSpec,
    offeredIn: ({ editTools }) => editTools === 'edit',
    idempotent: true,
    async read(given, { envelope: { workspace } }) {
      const wanted = await readSearchArguments(given);
      return typeof wanted === 'string' ? wanted : { ...wanted, path: resolve(workspace.cwd, wanted.path) };
    },
    needs: ({ path }) => ({ paths: [{ path, access: 'read' }] }),
    async run({ kind, path: folder, typed, matches, isMeant }, { policy, signal }, { step: { window } }) {
      const where = { folder, policy, signal, isMeant };
      const found = await (kind === 'names' ? files.names({ ...where, typed }) : files.lines({ ...where, matches }));
      if ('code' in found) return { output: notRunText(found.message, found.next), ok: false };
      const { toolOutput } = window;
      return 'lines' in found ? foundLinesText(found, toolOutput) : foundNamesText(found, toolOutput);
    },
  });
}

interface Wanted {
  readonly kind: 'lines' | 'names';
  readonly typed: string;
  readonly path: string;
  matches(line: string): boolean;
  isMeant(path: string): boolean;
}

/** Only the beginning of longer lines is searched: they are mostly not for people. */
const longestLine = 5000;

async function readSearchArguments(given: JsonObject): Promise<Wanted | string> {
  const { query, path, glob } = given;
  const unclear = ['regex', 'ignore_case'].find((key) => typeof (given[key] ?? false) !== 'boolean');
  if (unclear !== undefined) return `\`${unclear}\` must be true or false.`;
  const [regex, ignoresCase] = [given['regex'] === true, given['ignore_case'] === true];
  if (typeof query !== 'string' || query === '') return '`query` must be a string that is not empty.';
  const odd = Object.entries({ path, glob }).find(([, value]) => !isText(value));
  if (odd !== undefined) return `\`${odd[0]}\` must be a string that is not empty.`;
  const kind = given['in'] ?? 'lines';
  if (kind !== 'lines' && kind !== 'names') return '`in` must be "lines" or "names".';
  if (kind === 'lines' && !regex && query.includes('\n')) return '`query` must be in one line.';
  const matches = regex ? await regularExpression(query, { ignoresCase, kind }) : plainText(query, ignoresCase);
  if (typeof matches === 'string') return `the regular expression ${matches}.`;
  const covers = globMatcher(glob);
  if (covers === undefined) return '`glob` is not a pattern for paths.';
  const isMeant = kind === 'names' && regex ? (name: string) => covers(name) && matches(name) : covers;
  return {
    kind,
    typed: regex ? '' : ignoresCase ? query.toLowerCase() : query,
    path: typeof path === 'string' ? path : '.',
    matches: (line) => matches(line.length > longestLine ? line.slice(0, longestLine) : line),
    isMeant,
  };
}

function isText(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value !== '');
}

/** Its reader is loaded on use: most queries are plain text. */
async function regularExpression(
  query: string,
  { ignoresCase, kind }: Pick<Wanted, 'kind'> & { readonly ignoresCase: boolean },
): Promise<Wanted['matches'] | string> {
  const { requiresNewline: asksForNewline, compileBoundedPattern: readPattern } =
    await import('../../base/bounded-pattern.ts');
  const pattern = readPattern(query, { ignoresCase, dotMatchesAll: true });
  if ('problem' in pattern) {
    const isAround = pattern.problem.includes('look-around');
    return isAround ? `${pattern.problem}. Match more without it and read the lines` : pattern.problem;
  }
  if (kind === 'lines' && asksForNewline(query)) return 'has a line end, and lines are searched one by one';
  return (text) => pattern.matches(text);
}

function plainText(query: string, ignoresCase: boolean): (line: string) => boolean {
  if (!ignoresCase) return (line) => line.includes(query);
  const wanted = query.toLowerCase();
  return (line) => line.toLowerCase().includes(wanted);
}

/** A pattern without a slash matches file names in every folder. An unclosed `[` is an error here. */
function globMatcher(glob: unknown): ((path: string) => boolean) | undefined {
  if (typeof glob !== 'string') return () => true;
  const pattern = `/${glob.includes('/') ? glob.replace(/^\/+/, '') : `**/${glob}`}`;
  const classes = pattern.matchAll(/\\.|\[[!^]?\]?(?:\\.|[^\]\\])*(\]?)/gs);
  const isOpen = [...classes].some(([, end]) => end === '');
  if (isOpen || parseGlob(pattern) === undefined) return undefined;
  return (path) => globCovers(pattern, `/${path}`);
}
