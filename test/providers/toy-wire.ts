import { httpClient, createProviderConnection, type WireFormat } from '../../src/adapters/model/http/http-client.ts';
import type { AnswerEventReader } from '../../src/adapters/model/http/answer-decoder.ts';
import { bearerHeader } from '../../src/adapters/model/http/credentials-and-headers.ts';
import { streamFailure } from '../../src/adapters/model/http/failures/model-failure.ts';
import type { Encoder, ModelPrompt } from '../../src/ports/model.ts';
import { isMessage, type Item, messageText } from '../../src/protocol/item.ts';
import { arrayAt, objectAt, parseJsonObject, stringAt } from '../../src/protocol/json.ts';

/**
 * A wire format that no provider speaks. A request is a line of settings and a line for each item; an answer is a
 * stream of events with one key each: `say`, `call`, `error` or `done`.
 */
export const toyFormat: WireFormat = {
  name: 'toy',
  encoder: toyEncoder,
  client: (options) =>
    httpClient(
      createProviderConnection(options, {
        api: 'Toy API',
        endpoint: 'toy',
        identify: bearerHeader,
        reader: () => toyReader(),
      }),
    ),
  capabilities: () => ({ remoteCompaction: 'none', freeformTools: 'none', accessPrograms: 'unknown' }),
};

export function toyEncoder(): Encoder {
  return {
    version: 'toy/1',
    body: ({ options, instructions, tools, input }: ModelPrompt) => [
      line({ model: options.model, instructions, tools: tools.map(({ type, name }) => ({ type, name: name ?? '' })) }),
      ...input.map(itemLine),
    ],
    item: itemLine,
  };
}

function itemLine(item: Item): Uint8Array {
  if (isMessage(item)) return line({ [item.role]: messageText(item) });
  if (item.type === 'function_call') return line({ call: item['name'], id: item['call_id'], with: item['arguments'] });
  return line({ result: item['output'], id: item['call_id'] });
}

function line(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function toyReader(): AnswerEventReader {
  let items = 0;
  return {
    event(data) {
      const event = parseJsonObject(data.toString('utf8')) ?? {};
      const say = stringAt(event, 'say');
      const call = objectAt(event, 'call');
      const error = objectAt(event, 'error');
      const done = arrayAt(event, 'done');
      const id = `toy_${++items}`;
      if (say !== undefined) {
        const content = [{ type: 'output_text', text: say }];
        return [{ kind: 'item', item: { type: 'message', id, role: 'assistant', content } }];
      }
      if (call !== undefined) {
        const [name, given] = [stringAt(call, 'name') ?? '', JSON.stringify(objectAt(call, 'with') ?? {})];
        const item = { type: 'function_call', id, call_id: `call_${id}`, name, arguments: given };
        return [{ kind: 'item', item }];
      }
      if (error !== undefined) return [{ kind: 'failed', failure: streamFailure(error) }];
      if (done === undefined) return [];
      const [input, output] = [Number(done[0]), Number(done[1])];
      const usage = { input, cachedInput: 0, cacheWriteInput: 0, output, reasoningOutput: 0, total: input + output };
      return [{ kind: 'completed', responseId: '', usage }];
    },
    end: () => [],
  };
}
