import { hostAtPort } from '../../policy/network/host-pattern.ts';
import type { AskedHost } from '../../protocol/asked-host.ts';
import type { Answer } from '../../protocol/question.ts';
import { whoDeclined } from './who-declined.ts';

/** A host that a command waited for, and what came of the question. */
export interface AnsweredHost {
  readonly host: AskedHost;
  readonly answer: Answer;
}

/** What the model reads of hosts that were not opened, before the output of the command: one sentence for each answer. */
export function hostsNotOpened(answered: readonly AnsweredHost[]): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { host, answer } of answered) {
    const said = answer.kind === 'lapsed' ? 'there was no answer.' : whoDeclined(answer, 'allow that');
    places.set(said, [...(places.get(said) ?? []), hostAtPort(host.name, host.port)]);
  }
  return [...places].map(([said, hosts]) => `The command waited to connect to ${hosts.join(', ')}, and ${said}`);
}
