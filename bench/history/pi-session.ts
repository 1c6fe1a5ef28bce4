import type { JsonObject } from '../../src/protocol/json.ts';
import type { Exchange } from './exchange.ts';
import type { PreparedThread } from './rollout.ts';

const startedAt = Date.UTC(2026, 0, 5, 9, 0, 0);
const noUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const usage = { ...noUsage, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } };

/** The exchanges in pi's own session format, version 3. */
export function piSessionText({ id, cwd, provider }: PreparedThread, exchanges: readonly Exchange[]): string {
  const timestamp = new Date(startedAt).toISOString();
  const messages = exchanges.flatMap((exchange, index) => messagesOf(exchange, index, provider));
  const entries = messages.map((message, index) => ({
    type: 'message',
    id: entryId(index),
    parentId: index === 0 ? null : entryId(index - 1),
    timestamp,
    message: { ...message, timestamp: startedAt },
  }));
  return [{ type: 'session', version: 3, id, timestamp, cwd }, ...entries]
    .map((entry) => `${JSON.stringify(entry)}\n`)
    .join('');
}

function messagesOf({ words, calls, answer }: Exchange, index: number, provider: string): readonly JsonObject[] {
  const assistant = { role: 'assistant', api: 'openai-responses', provider, model: 'gpt-5.5', usage };
  return [
    { role: 'user', content: [{ type: 'text', text: words }] },
    ...calls.flatMap(({ command, output }, number): readonly JsonObject[] => {
      const name = number === 0 ? `${index}` : `${index}-${number}`;
      const call = `call_${name}|fc_${name}`;
      const toolCall = { type: 'toolCall', id: call, name: 'bash', arguments: { command } };
      return [
        { ...assistant, content: [toolCall], stopReason: 'toolUse' },
        {
          role: 'toolResult',
          toolCallId: call,
          toolName: 'bash',
          content: [{ type: 'text', text: output }],
          isError: false,
        },
      ];
    }),
    { ...assistant, content: [{ type: 'text', text: answer }], stopReason: 'stop' },
  ];
}

function entryId(index: number): string {
  return index.toString(16).padStart(8, '0');
}
