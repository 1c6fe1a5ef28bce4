import type { Item } from '../../protocol/item.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import type { InferredRequest, RebuiltRequest } from '../../replay/rebuild.ts';
import { toolsMissing } from '../../state/request.ts';
import { print } from '../terminal/print.ts';

/** Writes the body as it was sent. Of a request that left no record there is only the input, as a list. */
export function printRequest(
  request: RebuiltRequest | InferredRequest,
  itemBytes: (item: Item) => Uint8Array,
): number | Outcome {
  if (request.kind === 'inferred') {
    const items = request.input.map((item) => Buffer.from(itemBytes(item)).toString('utf8'));
    print(`[${items.join(',')}]`, 'exact json');
    return 0;
  }
  if (request.prompt.tools === undefined) return toolsMissing(request.record);
  if (request.encoded === undefined) {
    const message = `The request was encoded as ${request.record.encoder}, which this version does not make.`;
    return { code: 'encoder-unknown', message, next: 'Use the version of Capstan that wrote the thread.' };
  }
  print(Buffer.concat(request.encoded.body), 'exact json');
  return 0;
}
