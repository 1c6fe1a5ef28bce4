import type { Envelope } from '../../envelope/envelope.ts';
import { isListPrice, type Price } from '../../envelope/price.ts';
import type { ModelClient } from '../../ports/model-client.ts';
import { defined } from '../../protocol/defined.ts';

/** Who pays for requests, and by which price. */
export type Billing =
  /** Absent: it is not known. */
  | { readonly by: 'tokens'; readonly price?: Price }
  /** The plan of an account: a list price is what requests with a key cost. */
  | { readonly by: 'plan'; readonly price?: undefined };

/** Capstan may read the login to know it. A price that the user set holds under every login. */
export async function billingOf(
  { identity }: Pick<Envelope, 'identity'>,
  client: Pick<ModelClient, 'authMode'>,
): Promise<Billing> {
  const { price } = identity;
  if (price !== undefined && !isListPrice(price)) return { by: 'tokens', price };
  return (await client.authMode()) === 'chatgpt' ? { by: 'plan' } : { by: 'tokens', ...defined({ price }) };
}
