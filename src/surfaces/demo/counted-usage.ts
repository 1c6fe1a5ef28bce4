import { requestTokens, type WeighedRequest } from '../../history/ledger.ts';
import { itemTokens } from '../../history/size.ts';
import type { ToolSpec } from '../../ports/prompt.ts';
import { type Item, asItem } from '../../protocol/item.ts';
import { arrayAt, isJsonObject, stringAt } from '../../protocol/json.ts';
import type { Usage } from '../../protocol/usage.ts';
import type { ItemDraft, RecordedRequest } from '../../testing/index.ts';
import { sentItems } from './sent-items.ts';

type Sent = Pick<RecordedRequest, 'body'>;

/** Providers cache whole blocks, and nothing that is shorter than the least. */
const [cacheBlock, leastCached] = [128, 1024];

/** What a provider would count for a request and its answer, by the estimate that `capstan context` uses. */
export function countedUsage(request: Sent, before: Sent | undefined, answer: readonly ItemDraft[]): Partial<Usage> {
  const input = requestTokens(weighed(request));
  const shared = before === undefined ? 0 : sharedTokens(weighed(before), weighed(request));
  const cachedInput = shared < leastCached ? 0 : Math.floor(shared / cacheBlock) * cacheBlock;
  const items = answer.map(asItem).filter((item): item is Item => item !== undefined);
  const output = items.reduce((sum, item) => sum + itemTokens(item), 0);
  return { input, cachedInput, output, reasoningOutput: 0 };
}

function weighed({ body }: Sent): WeighedRequest {
  const tools = (arrayAt(body, 'tools') ?? []).filter(isJsonObject) as unknown as readonly ToolSpec[];
  return { instructions: stringAt(body, 'instructions') ?? '', tools, input: sentItems({ body }) };
}

/** Of the beginning that both have: instructions and tools stand before the input. */
function sharedTokens(before: WeighedRequest, now: WeighedRequest): number {
  const constant = ({ instructions, tools }: WeighedRequest): string => JSON.stringify([instructions, tools]);
  if (constant(before) !== constant(now)) return 0;
  const differs = now.input.findIndex((item, at) => JSON.stringify(item) !== JSON.stringify(before.input[at]));
  return requestTokens({ ...now, input: differs < 0 ? now.input : now.input.slice(0, differs) });
}
