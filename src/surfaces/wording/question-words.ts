import type { Question } from '../../protocol/question.ts';
import { objectAt, stringAt } from '../../protocol/json.ts';
import { shellWords } from '../../protocol/shell-words.ts';
import { oneLine } from '../../state/one-line.ts';

/** What a question is about, in one line. */
export function questionWords({ agent, ...question }: Question): string {
  return agent === undefined ? callWords(question) : `agent ${agent}: ${callWords(question)}`;
}

/** The tool of a call as people know it: that of an MCP server is `server.tool`. */
export function askedTool({ tool, item }: Pick<Question, 'tool' | 'item'>): string {
  const server = stringAt(objectAt(item, 'capstan'), 'server');
  return server === undefined ? tool : `${server}.${stringAt(item, 'tool') ?? tool}`;
}

function callWords({ argv, host, paths, justification, ...call }: Omit<Question, 'agent'>): string {
  const why = justification === undefined ? '' : ` (${oneLine(justification, 100)})`;
  if (host !== undefined) return `connect to ${host.name}:${host.port}${why}`;
  if (argv !== undefined)
    return `run ${oneLine(linesApart(argv.length === 3 ? argv[2]! : shellWords(argv)), 200)}${why}`;
  const used = call.kind === 'permissions' ? 'more permissions' : askedTool(call);
  if (paths === undefined || paths.length === 0) return `use ${used}${why}`;
  const [first, ...more] = paths;
  return `use ${used} on ${first!.path}${more.length === 0 ? '' : ` and ${more.length} more`}${why}`;
}

/** Lines of a script are commands of their own, and must not look like one. */
function linesApart(script: string): string {
  return script.trim().replaceAll('\n', ' \u240A ');
}
