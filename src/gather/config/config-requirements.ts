import { grouped } from '../../protocol/grouped.ts';
import { dirname } from 'node:path';
import { isFileUrl } from '../../config/kind-rules.ts';
import type { ConfigLayer } from '../../config/config-layer.ts';
import { type ConfigProblem, keyProblem } from '../../config/config-problem.ts';
import { readRequirements, type ReadRequirements } from '../../config/requirements.ts';
import { estimateTokens } from '../../fragments/text/truncate.ts';
import { parseGlob } from '../../policy/glob.ts';
import type { DeniedReads } from '../../policy/requirements.ts';
import { defined } from '../../protocol/defined.ts';
import { loadTomlFile } from './config-file.ts';
import { absolute } from './config-paths.ts';

/** Instructions that are longer would crowd out the work, and cutting them would change what they demand. */
const mostInstructionTokens = 10_000;

/** What the administrator demands. `path` is absent where the system has no place for such a file. */
export async function loadRequirements({
  path,
  osHome,
  managed,
}: {
  readonly path?: string | undefined;
  readonly osHome: string;
  readonly managed?: ConfigLayer | undefined;
}): Promise<ReadRequirements> {
  const none = { layer: { name: 'managed', source: '', values: {} } satisfies ConfigLayer, problems: [] };
  const { layer, problems } = path === undefined ? none : await loadTomlFile('managed', path);
  const read = readRequirements(layer, managed, { osHome });
  const { denyRead, ...others } = read.requirements;
  const denied = denyRead === undefined ? undefined : resolved(denyRead, { base: dirname(layer.source), osHome });
  return {
    requirements: { ...others, ...defined({ denyRead: denied }) },
    problems: [...problems, ...read.problems, ...senseless(layer, denied), ...tooLong(layer, others.instructions)],
  };
}

/** A pattern that begins with any number of folders means the whole disk, wherever the file stands. */
function resolved({ patterns, source }: DeniedReads, base: { base: string; osHome: string }): DeniedReads {
  const whole = patterns.map((pattern) => (pattern.startsWith('**/') ? `/${pattern}` : pattern));
  const placed = (pattern: string): string => (isNowhere(pattern) ? pattern : String(absolute(pattern, base)));
  return { patterns: whole.map(placed), source };
}

/** A URL, or the home of another user, is no place that is known here: denying it would protect nothing. */
function isNowhere(pattern: string): boolean {
  return isFileUrl(pattern) || /^~[^/]/.test(pattern);
}

function senseless(layer: ConfigLayer, denied: DeniedReads | undefined): readonly ConfigProblem[] {
  const problem = (what: string, next: string): ConfigProblem =>
    keyProblem(layer, ['permissions', 'filesystem', 'deny_read'], {
      code: 'config-wrong-value',
      severity: 'error',
      what,
      next,
    });
  return (denied?.patterns ?? []).flatMap((pattern) => {
    if (isNowhere(pattern)) return [problem(`contains ${pattern}, which is no path`, 'Write the whole path.')];
    if (parseGlob(pattern) !== undefined) return [];
    const next = 'Close every bracket and brace, and put a character after every backslash.';
    return [problem(`contains an invalid pattern (${pattern})`, next)];
  });
}

function tooLong(layer: ConfigLayer, instructions: string | undefined): readonly ConfigProblem[] {
  if (instructions === undefined || estimateTokens(instructions) <= mostInstructionTokens) return [];
  return [
    keyProblem(layer, ['additional_developer_instructions'], {
      code: 'config-wrong-value',
      severity: 'error',
      what: `has more than ${grouped(mostInstructionTokens)} tokens`,
      next: 'Shorten it.',
    }),
  ];
}
