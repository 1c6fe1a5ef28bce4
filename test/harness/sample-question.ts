import type { TurnId } from '../../src/protocol/ids.ts';
import type { Question } from '../../src/protocol/question.ts';

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
