import { hostAtPort } from '../../../core/policy/network/host-lists.ts';
import { widerSandboxText } from '../../../core/policy/decide/question-content.ts';
import type { Answer, Question } from '../../../protocol/question.ts';
import { toOneLine } from '../../../core/state/turns/turn-words.ts';
import type { CallQuestion, RecordedCall } from '../../../core/state/recorded/conversation-items.ts';
import { reviewWords } from '../wording/turn-lines.ts';

const wants: Readonly<Record<Question['kind'], string>> = {
  command: 'it may run',
  patch: 'these files may be changed',
  permissions: 'later commands may do more',
  network: 'it may connect',
  retry: 'it may run again',
  tool: 'it may be called',
  elicitation: 'its server may be told something',
  input: 'the user would answer its questions',
  'client-tool': 'the client would run its tool',
  unknown: 'it may go on',
};

/** One line for each question about a call with its answer, and one for the place if it left the sandbox. */
export function questionAndAnswerLines({ asked = [], outside, confined }: RecordedCall): readonly string[] {
  const place = confined === true ? widerSandboxText : 'outside the sandbox';
  return [...asked.map(questionAndAnswer), ...(outside === true ? [`ran ${place}`] : [])];
}

function questionAndAnswer({ kind, host, answer }: CallQuestion): string {
  const place = host && hostAtPort(host.name, host.port);
  const reviewed = answer && reviewWords(answer, place);
  if (reviewed !== undefined) return reviewed;
  const where = place === undefined ? '' : ` to ${place}`;
  return `asked whether ${wants[kind]}${where}: ${answerWords(answer)}`;
}

const unasked = {
  default: 'no, since no answer was prepared',
  client: 'no, since the client brought no answer that can be read',
  hook: 'no, by a hook',
} as const;

function answerWords({ kind, scope, note, by }: Answer = { kind: 'lapsed' }): string {
  const words = note === undefined || by !== undefined ? '' : ` (${toOneLine(note, 200)})`;
  switch (kind) {
    case 'allowed':
      return `yes${scope === 'session' ? ', for the session' : scope === 'rule' ? ', and saved as a rule' : ''}${words}`;
    case 'declined':
      return by === undefined || by === 'review' ? `no${words}` : unasked[by];
    case 'stopped':
      return `no, and the turn ended${words}`;
    case 'lapsed':
      return 'no answer';
  }
}
