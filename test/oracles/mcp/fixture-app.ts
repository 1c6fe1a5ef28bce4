import type { JsonObject } from '../../../src/protocol/json.ts';
import type {
  ChangedList,
  ServerApp,
  ServerPrompts,
  ServerResources,
} from '../../../src/surfaces/servers/mcp/server-interface.ts';
import { ask, fixtureTools, form, picture } from './fixture-tools.ts';

const resources: ServerResources = {
  templates: [
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template',
      title: 'Template',
      description: 'Data by its id.',
      mimeType: 'application/json',
    },
  ],
  list: async () => ({
    resources: ['static-text', 'static-binary', 'watched-resource'].map((name) => ({
      uri: `test://${name}`,
      name,
      description: `The resource ${name}.`,
    })),
  }),
  async read(uri) {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return [{ uri, mimeType: 'application/json', text }];
    }
    if (uri === 'test://static-binary') return [{ uri, mimeType: 'image/png', blob: picture }];
    if (uri !== 'test://static-text' && uri !== 'test://watched-resource') return undefined;
    return [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }];
  },
  canFollow: async (uri) => uri === 'test://watched-resource' || uri.startsWith('test://static-'),
  watch: () => () => {},
  complete: async () => [],
};

const promptList: readonly JsonObject[] = [
  ['test_simple_prompt'],
  ['test_prompt_with_arguments', 'arg1', 'arg2'],
  ['test_prompt_with_embedded_resource', 'resourceUri'],
  ['test_prompt_with_image'],
  ['test_input_required_result_prompt'],
].map(([name = '', ...args]) => ({
  name,
  description: `The prompt ${name}.`,
  arguments: args.map((argument) => ({ name: argument, description: `The argument ${argument}.`, required: true })),
}));

const prompts: ServerPrompts = {
  list: promptList,
  async get(name, args, { responses }) {
    const user = (...contents: readonly JsonObject[]) => ({
      kind: 'prompt' as const,
      messages: contents.map((content) => ({ role: 'user', content })),
    });
    const words = (text: string): JsonObject => ({ type: 'text', text });
    switch (name) {
      case 'test_simple_prompt':
        return user(words('This is a simple prompt for testing.'));
      case 'test_prompt_with_arguments':
        return user(words(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`));
      case 'test_prompt_with_embedded_resource': {
        const resource = {
          uri: args.resourceUri,
          mimeType: 'text/plain',
          text: 'Embedded resource content for testing.',
        };
        return user({ type: 'resource', resource }, words('Please process the embedded resource above.'));
      }
      case 'test_prompt_with_image':
        return user({ type: 'image', data: picture, mimeType: 'image/png' }, words('Please analyze the image above.'));
      case 'test_input_required_result_prompt':
        return responses === undefined
          ? ask({ user_context: form('What context should the prompt use?', { context: { type: 'string' } }) })
          : user(words(`In this context: ${JSON.stringify(responses)}`));
      default:
        return undefined;
    }
  },
  complete: async (_name, _argument, value) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value)),
};

/** The app that the conformance suite wants to find on a server. */
export function fixtureApp(): ServerApp {
  const listeners = new Set<(list: ChangedList) => void>();
  return {
    tools: fixtureTools((list) => listeners.forEach((changed) => changed(list))),
    resources,
    prompts,
    watchLists(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    close: async () => {},
  };
}
