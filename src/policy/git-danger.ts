import type { DecisionContext } from './call-decision.ts';
import { programName } from './commands/program-name.ts';

/** What a yes to git outside the sandbox would also let run, for the question. Undefined: nothing is known of that kind. */
export function gitDanger({ ground, analysis }: Pick<DecisionContext, 'ground' | 'analysis'>): string | undefined {
  const place = ground?.openSetting;
  if (place === undefined || !startsGit(analysis)) return undefined;
  return `Git could run programs from ${JSON.stringify(place)} there, which commands may have written.`;
}

export function isGit([program = '']: readonly string[]): boolean {
  return programName(program) === 'git';
}

function startsGit(analysis: DecisionContext['analysis']): boolean {
  return [...(analysis?.commands ?? []), ...(analysis?.seen ?? [])].some(isGit);
}
