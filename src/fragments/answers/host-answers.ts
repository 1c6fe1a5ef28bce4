import { hostAtPort } from '../../policy/network/host-pattern.ts';
import type { AskedHost } from '../../protocol/asked-host.ts';
import type { Answer } from '../../protocol/question.ts';
import { whoDeclined } from './who-declined.ts';

/** A host that a command waited for, and what came of the question. */
export interface AnsweredHost {
  readonly host: AskedHost;
  readonly answer: Answer;
}

/** What the model reads of a host that was not opened, before the output of the command. */
export function hostNotOpened({ host: { name, port }, answer }: AnsweredHost): string {
  const head = `The command waited to connect to ${hostAtPort(name, port)}, and`;
  return answer.kind === 'lapsed' ? `${head} there was no answer.` : `${head} ${whoDeclined(answer, 'allow that')}`;
}
