import type { ToolSpec } from '../../ports/prompt.ts';

export const defaultTimeoutMs = 120_000;
export const maximumTimeoutMs = 600_000;
export const defaultOutputTokens = 10_000;

export const execCommandSpec: ToolSpec = {
  type: 'function',
  name: 'exec_command',
  description:
    'Runs a shell command to its end under the permissions above and returns its exit code and output. Standard input is closed; stdout and stderr come as one text. Do not count on what it leaves in the background, which is ended with it in a sandbox: start, use and stop a server within one command.',
  strict: false,
  parameters: {
    type: 'object',
    properties: {
      cmd: { type: 'string', description: 'The script for the shell.' },
      workdir: {
        type: 'string',
        description: 'Folder to run in, absolute or relative to the current folder, which is the default.',
      },
      timeout_ms: {
        type: 'number',
        description: `The command is killed after this many milliseconds. Default ${defaultTimeoutMs}, at most ${maximumTimeoutMs}.`,
      },
      max_output_tokens: {
        type: 'number',
        description: `The most output to return; more is cut out of the middle. Default ${defaultOutputTokens}.`,
      },
    },
    required: ['cmd'],
    additionalProperties: false,
  },
};
