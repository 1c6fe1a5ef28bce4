import { resolve } from 'node:path';
import { badArguments, refusedCall } from '../../fragments/answers/call-answers.ts';
import { foundLines, foundNames } from '../../fragments/answers/search-results.ts';
import { globCovers, parseGlob } from '../../policy/glob.ts';
import type { ContentsFound, SearchFiles } from '../../ports/search-files.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import { type JsonObject, parseJsonObject } from '../../protocol/json.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { ToolCallItem } from '../../protocol/turn-item.ts';
import type { RunningCall, Tool } from '../define.ts';

const spec: ToolSpec = {
  type: 'function',
  name: 'search',
  description:
    'Searches the lines of files that git does not ignore, or their paths by letters in order. The query is plain text unless regex is true.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      query: { type: 'string' },
      in: { type: 'string', enum: ['lines', 'names'] },
      path: { type: 'string', description: 'A folder, or a file for its lines.' },
      glob: { type: 'string', description: 'Such as **/*.ts.' },
      regex: { type: 'boolean' },
      ignore_case: { type: 'boolean' },
    },
    required: ['query'],
    additionalProperties: false,
  },
};

/** Finds what a model looks for without a command: bounded in time and size, and by the policy. */
export function searchTool(files: SearchFiles): Tool {
  return {
    name: 'search',
    offeredIn: ({ editTools }) => editTools === 'edit',
    spec,
    async prepare({ callId, input }, { envelope: { workspace }, window }) {
      const given = parseJsonObject(input);
      const wanted = await readArguments(given);
      if (typeof wanted === 'string' || given === undefined) {
        return { kind: 'refused', output: badArguments(String(wanted)) };
      }
      const folder = resolve(workspace.cwd, wanted.path);
      const item: ToolCallItem = {
        kind: 'tool-call',
        id: callId,
        tool: 'search',
        arguments: given,
        status: 'in-progress',
      };
      return {
        kind: 'prepared',
        item,
        needs: { paths: [{ path: folder, access: 'read' }] },
        idempotent: true,
        async run(running) {
          const found = await look(files, folder, wanted, running);
          const isFound = !('code' in found);
          const output = isFound
            ? 'lines' in found
              ? foundLines(found, window.toolOutput)
              : foundNames(found, window.toolOutput)
            : refusedCall(found.message, found.next);
          return { output, item: { ...item, status: isFound ? 'completed' : 'failed', output } };
        },
      };
    },
  };
}

type Found = ContentsFound | Awaited<ReturnType<SearchFiles['names']>>;

function look(
  files: SearchFiles,
  folder: string,
  { kind, typed, matches, isMeant }: Wanted,
  { policy, signal }: Pick<RunningCall, 'policy' | 'signal'>,
): Promise<Found | Outcome> {
  const where = { folder, policy, signal };
  return kind === 'names' ? files.names({ ...where, typed, isMeant }) : files.lines({ ...where, matches, isMeant });
}

interface Wanted {
  readonly kind: 'lines' | 'names';
  /** Letters of names. */
  readonly typed: string;
  readonly path: string;
  matches(line: string): boolean;
  isMeant(path: string): boolean;
}

/** Of longer lines, the beginning is searched: they are mostly not for people. */
const longestLine = 5000;

async function readArguments(given: JsonObject | undefined): Promise<Wanted | string> {
  if (given === undefined) return 'they are not a JSON object.';
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
  const { asksForNewline, readPattern } = await import('../../base/pattern.ts');
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

/** A pattern without a slash is about names of files, in every folder. A `[` that is never closed is a mistake here. */
function globMatcher(glob: unknown): ((path: string) => boolean) | undefined {
  if (typeof glob !== 'string') return () => true;
  const pattern = `/${glob.includes('/') ? glob.replace(/^\/+/, '') : `**/${glob}`}`;
  const classes = pattern.matchAll(/\\.|\[[!^]?\]?(?:\\.|[^\]\\])*(\]?)/gs);
  const isOpen = [...classes].some(([, end]) => end === '');
  if (isOpen || parseGlob(pattern) === undefined) return undefined;
  return (path) => globCovers(pattern, `/${path}`);
}
