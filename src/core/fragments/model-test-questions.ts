import type { ModelPrompt, ToolSpec } from '../../ports/model.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { userMessageItem } from './message-items.ts';

export type ModelAbility = 'stream' | 'usage' | 'tools' | 'parallel calls' | 'pictures' | 'schema' | 'overflow';
export type TestQuestion = Pick<ModelPrompt, 'instructions' | 'tools' | 'input'> & {
  readonly outputSchema?: JsonObject;
};

const redSquare =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC';

const lookUp: ToolSpec = {
  type: 'function',
  name: 'look_up',
  description: 'Looks up the population of one city.',
  strict: false,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

const plain = 'This is a test of your abilities. Answer as briefly as you can.';

function asked(text: string, more: Partial<TestQuestion> & { readonly picture?: string } = {}): TestQuestion {
  const { picture, ...rest } = more;
  const images = picture === undefined ? [] : [{ path: 'square.png', dataUrl: picture }];
  return { instructions: plain, tools: [], input: [userMessageItem('msg_test', { text, images })], ...rest };
}

export const plainTestQuestion = asked('Say the word "ready".');
export const toolTestQuestion = asked('How many people live in Oslo? Call look_up for it.', { tools: [lookUp] });

export const parallelQuestion = asked(
  'How many people live in Oslo, and how many in Rome? Call look_up once for each city, both calls in one answer.',
  { tools: [lookUp] },
);

export const pictureQuestion = asked('Which colour is this square? Answer with one word.', { picture: redSquare });

export const schemaQuestion = asked('What is 2 + 3?', {
  outputSchema: {
    type: 'object',
    properties: { sum: { type: 'integer' } },
    required: ['sum'],
    additionalProperties: false,
  },
});

/** Only a model that reads the beginning can repeat it. */
export const codeWord = 'bluefish-7041';

/** A question longer than the window. Its end asks for a word from its beginning. */
export function overflowQuestion(windowTokens: number): TestQuestion {
  const filler = ' again'.repeat(Math.ceil(windowTokens * 1.1));
  return asked(`The code word is ${codeWord}. Ignore what follows.${filler}\nWhat is the code word?`);
}
