import { type Command, flag, option } from './command.ts';
import { jsonOption, lastOption, threadWord } from './shared-options.ts';

// Commands that only read a thread: it may be in use.

const newestThread = 'THREAD is an id, the beginning of one, or a name; without it, the newest thread of this folder.';

/** Of requests and checkpoints. */
const numberOrLast = { number: { min: 1 }, choices: ['last'] } as const;

export const contextCommand = {
  name: 'context',
  does: "what fills a thread's window, and what its model was told",
  summary: "Shows what a thread's model sees, and what it costs. Only reads: the thread may be in use.",
  forms: [
    ['[THREAD]', 'what fills the window now'],
    ['[THREAD] --changes', 'what each turn told the model of the world, and why'],
    ['[THREAD] --request N', 'request number N, or last, as the model got it'],
    ['[THREAD] --checkpoint N', 'history before and after checkpoint number N, or last'],
  ],
  words: [{ name: 'THREAD' }],
  options: {
    changes: flag('--changes', 'per turn: nothing, a change or the full bundle, with its sections and tokens', {
      without: ['request', 'checkpoint'],
    }),
    request: option(
      '--request N',
      'instructions, tools and items, each with its origin in the margin; --json prints the body',
      { ...numberOrLast, without: ['changes', 'checkpoint'] },
    ),
    checkpoint: option(
      '--checkpoint N',
      'both histories side by side, each item with its origin, its tokens and what became of it',
      { ...numberOrLast, without: ['changes', 'request'] },
    ),
    json: jsonOption,
    last: lastOption,
  },
  notes:
    `${newestThread}\nTokens are exact where the provider counted them, scaled where its count was shared out among the parts,\n` +
    'and estimated where the provider has not counted yet.',
} as const satisfies Command;

export const envelopeCommand = {
  name: 'envelope',
  does: 'the contract of a turn, and who decided each part of it',
  summary: 'Shows the contract of a turn: every value, where it came from, who reads it.',
  forms: ['[THREAD] [--turn N] [--json]', '[THREAD] [--turn N] --diff M [--json]'],
  words: [{ name: 'THREAD' }],
  options: {
    turn: option('--turn N', 'the turn, counted from 1; without it, the newest', { number: { min: 1 } }),
    diff: option('--diff M', 'only what differs from the envelope of turn M', { number: { min: 1 } }),
    json: flag('--json', 'print one JSON object, with the source files that read each field'),
    last: lastOption,
  },
  notes: `${newestThread}\nOnly reads: the thread may be in use. docs/envelope.md lists every field.`,
} as const satisfies Command;

export const replayCommand = {
  name: 'replay',
  does: 'rebuild what the model was sent, and compare',
  summary: 'Rebuilds every model request of a thread from its file and compares it with what was sent.',
  forms: ['THREAD [--request N [--print]] [--json]', '--last …'],
  words: [threadWord],
  options: {
    request: option('--request N', 'only this one, counted from 1', { number: { min: 1 } }),
    print: flag('--print', 'with --request: its body, byte for byte, and nothing else', { with: 'request' }),
    json: flag('--json', 'for programs'),
    last: lastOption,
  },
  notes:
    'THREAD is an id, the beginning of one, or a name. The exit code is 0, or 1 when a request differs from what was\n' +
    'sent or its tools are lost. Threads of Codex hold no records of requests: Capstan shows what they said and\n' +
    'compares nothing.',
} as const satisfies Command;
