import { type Command, flag, option } from './command.ts';
import { jsonOption, lastOption } from './shared-options.ts';

// Commands that only read a thread: it may be in use.

const newestThread =
  'THREAD is an id, the beginning of one, or a name. Without it, Capstan takes the newest thread of this folder.';

/** Of requests and checkpoints. */
const numberOrLast = { number: { min: 1 }, choices: ['last'] } as const;

export const contextCommand = {
  name: 'context',
  does: 'show what fills the context window, and what was sent',
  summary: "Shows what fills a thread's context window, and what it costs. Only reads: the thread may be in use.",
  forms: ['[THREAD] [options]'],
  examples: [
    ['capstan context', 'What fills the window of the newest thread here'],
    ['capstan context --request last', 'The last request, as the model received it'],
  ],
  words: [{ name: 'THREAD' }],
  options: {
    changes: flag('--changes', 'what Capstan sent the model in each turn about its environment, and why', {
      without: ['request', 'checkpoint'],
    }),
    request: option(
      '--request N',
      'request number N, or last: instructions, tools and items, each with its origin; with --json the exact body',
      { ...numberOrLast, without: ['changes', 'checkpoint'] },
    ),
    checkpoint: option('--checkpoint N', 'history before and after checkpoint number N, or last, side by side', {
      ...numberOrLast,
      without: ['changes', 'request'],
    }),
    json: jsonOption,
    last: lastOption,
  },
  notes:
    `${newestThread}\n` +
    'Token counts are exact where the provider counted, scaled where its count was divided among parts, and estimated where it has not counted yet.',
} as const satisfies Command;

export const envelopeCommand = {
  name: 'envelope',
  does: 'show the settings of a turn, and who decided each',
  summary: 'Shows the settings of a turn, its envelope: every value, where it came from, and which code reads it.',
  forms: ['[THREAD] [options]'],
  examples: [
    ['capstan envelope', 'The newest turn of the newest thread here'],
    ['capstan envelope --turn 3 --diff 2', 'What changed between turns 2 and 3'],
  ],
  words: [{ name: 'THREAD' }],
  options: {
    turn: option('--turn N', 'the turn, counted from 1; the newest by default', { number: { min: 1 } }),
    diff: option('--diff M', 'only what differs from turn M', { number: { min: 1 } }),
    json: flag('--json', 'print one JSON object, with the source files that read each field'),
    last: lastOption,
  },
  notes: `${newestThread}\nOnly reads: the thread may be in use. docs/envelope.md lists every field.`,
} as const satisfies Command;

export const replayCommand = {
  name: 'replay',
  does: 'rebuild what the model was sent, and compare',
  summary: 'Rebuilds every model request of a thread from its file and compares it with what was sent.',
  forms: ['[THREAD] [options]'],
  examples: [
    ['capstan replay', 'Check every request of the newest thread here'],
    ['capstan replay --request 2 --print', 'The exact body of its second request'],
  ],
  words: [{ name: 'THREAD' }],
  options: {
    request: option('--request N', 'only this one, counted from 1', { number: { min: 1 } }),
    print: flag('--print', 'with --request: print its body, byte for byte, and nothing else', { with: 'request' }),
    takenBack: flag('--taken-back', 'the requests of turns that were taken back, which the thread no longer lists'),
    json: jsonOption,
    last: lastOption,
  },
  notes:
    `${newestThread}\n` +
    'Exit codes: 0 every request matches; 1 a request differs from what was sent, or its tool list is missing; 2 wrong usage.\n' +
    'Codex does not record its requests: for its threads Capstan shows the input that the history implies, and compares nothing.',
} as const satisfies Command;
