import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';

/** For answers that are read by ourselves. */
export const anyObject: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'capstan',
    validate: (value: unknown) =>
      isJsonObject(value) ? { value } : { issues: [{ message: 'the result is not an object' }] },
  },
};
