import type { JsonObject } from '../protocol/json.ts';

/** The tables under `[permissions]`, by id. */
export type ProfileTables = Readonly<Record<string, JsonObject>>;
