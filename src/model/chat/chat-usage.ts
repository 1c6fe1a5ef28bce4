import { defined } from '../../protocol/defined.ts';
import { type JsonObject, objectAt } from '../../protocol/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import { usageFromWire } from '../responses/wire-usage.ts';

/**
 * The counts of a chunk, or undefined when it has none that mean something. Servers put them beside the choices, into
 * the choice, or under a name of their own.
 */
export function chunkUsage(chunk: JsonObject, choice: JsonObject | undefined): Usage | undefined {
  const wire = objectAt(chunk, 'usage') ?? objectAt(choice, 'usage') ?? objectAt(objectAt(chunk, 'x_groq'), 'usage');
  if (wire === undefined) return undefined;
  const input = objectAt(wire, 'prompt_tokens_details');
  const cached = input?.['cached_tokens'] ?? wire['prompt_cache_hit_tokens'] ?? wire['cached_tokens'];
  const written = input?.['cache_write_tokens'];
  const reasoning = objectAt(wire, 'completion_tokens_details')?.['reasoning_tokens'];
  return usageFromWire({
    ...defined({
      input_tokens: wire['prompt_tokens'],
      output_tokens: wire['completion_tokens'],
      total_tokens: wire['total_tokens'],
    }),
    input_tokens_details: defined({ cached_tokens: cached, cache_write_tokens: written }),
    output_tokens_details: defined({ reasoning_tokens: reasoning }),
  });
}
