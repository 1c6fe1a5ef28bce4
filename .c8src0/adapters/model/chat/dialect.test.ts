import { describe, expect, it } from 'vitest';
import { commonCapabilities, type ServerCapabilities } from '../../../core/config/providers/server-capabilities.ts';
import type { RequestOptions } from '../../../ports/model.ts';
import type { JsonObject } from '../../../protocol/json.ts';
import { chatDialect } from './dialect.ts';
import { chatEncoder } from './client.ts';

const options: RequestOptions = {
  model: 'm',
  parallelToolCalls: true,
  cacheKey: 'k',
  labels: {},
  outputSchema: { type: 'object' },
};

function membersFor(capabilities: Partial<ServerCapabilities>): readonly string[] {
  const dialect = chatDialect({ ...commonCapabilities, ...capabilities });
  const body = chatEncoder(dialect).body({ options, instructions: 'Be.', tools: [], input: [] });
  return Object.keys(JSON.parse(Buffer.concat(body).toString('utf8')) as JsonObject);
}

describe('what a server does not take is not sent to it', () => {
  it.each<readonly [string, Partial<ServerCapabilities>, readonly string[]]>([
    ['a common one', {}, ['stream_options', 'response_format']],
    ['output_schema = false', { outputSchema: false }, ['stream_options']],
    ['stream_usage = false', { streamUsage: false }, ['response_format']],
  ])('%s', (_, capabilities, asked) => {
    const members = membersFor(capabilities);
    expect(members.filter((name) => name === 'stream_options' || name === 'response_format')).toEqual(asked);
  });
});
