import { type Command, option } from './command.ts';
import { jsonOption, lastOption } from './shared-options.ts';

export const rerunCommand = {
  name: 'rerun',
  does: 'send a past step again, to the same or another model',
  summary: 'Sends the request of a past step again and shows the old and the new answer side by side.',
  forms: ['[THREAD] --step N [options]'],
  examples: [
    ['capstan rerun --step last', 'The last step of the newest thread here, once more'],
    ['capstan rerun --step 3 --model gpt-5.4', 'What another model would have answered'],
  ],
  words: [{ name: 'THREAD' }],
  options: {
    step: option('--step N', 'the number of its request, as `capstan replay` lists them, or last', {
      number: { min: 1 },
      choices: ['last'],
    }),
    model: option('-m, --model NAME', 'another model'),
    provider: option('--provider ID', 'another provider of your configuration'),
    json: jsonOption,
    last: lastOption,
  },
  notes:
    'THREAD is an id, the beginning of one, or a name. Without it, Capstan takes the newest thread of this folder.\n' +
    'No call is run, and the thread is not changed: it may be in use. The request costs what a request of its size costs.\n' +
    'Exit codes: 0 the model answered; 1 it did not, or the step cannot be sent; 2 wrong usage.',
} as const satisfies Command;
