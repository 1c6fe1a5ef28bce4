import type { WireFormat } from '../http/wire-format.ts';
import { responsesCapabilities } from './capabilities.ts';
import { responsesClient } from './client.ts';
import { responsesEncoder } from './encode.ts';

/** The Responses API of OpenAI, and of servers that follow it. */
export const responsesFormat: WireFormat = {
  name: 'responses',
  encoder: responsesEncoder,
  client: responsesClient,
  capabilities: responsesCapabilities,
};
