import { hostAtPort } from '../../policy/network/host-pattern.ts';
import type { AskedHost } from '../../protocol/asked-host.ts';
import type { Answer } from '../../protocol/question.ts';
import { withUserWords } from './call-answers.ts';
import { whoDeclined } from './who-declined.ts';

/** A host that a command waited for, and what came of the question. */
export interface AnsweredHost {
  readonly host: AskedHost;
  readonly answer: Answer;
}

/** What the model reads of these, before the output of the command: one sentence for each answer. */
export function hostAnswers(answered: readonly AnsweredHost[]): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { host, answer } of answered) {
    const said = saidOf(answer);
    places.set(said, [...(places.get(said) ?? []), hostAtPort(host.name, host.port)]);
  }
  return [...places].map(([said, hosts]) => `The command waited to connect to ${hosts.join(', ')}, and ${said}`);
}

function saidOf(answer: Answer): string {
  if (answer.kind === 'allowed') return withUserWords('the user allowed that.', answer.note);
  return answer.kind === 'lapsed' ? 'there was no answer.' : whoDeclined(answer, 'allow that');
}
