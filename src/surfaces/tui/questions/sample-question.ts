import type { TurnId } from '../../../protocol/ids.ts';
import type { Question } from '../../../protocol/question.ts';

/** For tests: a question about a command, unless `more` says otherwise. */
export function sampleQuestion(more: Partial<Question> = {}): Question {
  return {
    id: 'q',
    callId: 'c',
    turnId: 't' as TurnId,
    tool: 'exec_command',
    item: {},
    kind: 'command',
    scopes: ['call'],
    ...more,
  };
}

/** For tests: what the model wants to know, with two options. */
export function sampleInput(header: string) {
  return {
    id: header.toLowerCase(),
    header,
    question: `Which ${header.toLowerCase()}?`,
    options: [
      { label: `First ${header}`, description: 'the first one' },
      { label: `Second ${header}`, description: 'the second one' },
    ],
  };
}
