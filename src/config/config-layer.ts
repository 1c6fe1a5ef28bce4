import type { JsonObject } from '../protocol/json.ts';
import { tomlKeyLine } from './toml-key-line.ts';

/** Where a layer ranks: each beats those before it. Project layers come from the project's root down to the folder. */
export const layerNames = ['default', 'system', 'user', 'profile', 'project', 'flags', 'managed'] as const;

export type LayerName = (typeof layerNames)[number];

/** The values of one source. Paths in it are absolute already. */
export interface ConfigLayer {
  readonly name: LayerName;
  /** What messages point to: a file, or the flags. */
  readonly source: string;
  readonly values: JsonObject;
  /** The content of the file, from which the lines of keys are found. Absent when there is no such file. */
  readonly text?: string;
  /** A file of a project below its root, where commands may have put it: it says nothing about permissions. */
  readonly belowRoot?: true;
  /** A project's file that commands under Landlock can write. */
  readonly underLandlock?: true;
  /** A client of the MCP server set paths of permissions in it. */
  readonly ofCall?: true;
  /** Why the layer is listed and does not count. */
  readonly disabled?: string;
}

/** Whether the user or the administrator wrote it, who may reopen Capstan's own places. */
export function isOfOwner({ name, ofCall }: Pick<ConfigLayer, 'name' | 'ofCall'>): boolean {
  return name !== 'project' && ofCall !== true;
}

/** The source of a key for a message: the file with the line, as far as it is known. */
export function sourceOf(layer: Pick<ConfigLayer, 'source' | 'text'>, path: readonly string[]): string {
  const line = lineOf(layer, path);
  return line === undefined ? layer.source : `${layer.source}:${line}`;
}

export function lineOf({ text }: Pick<ConfigLayer, 'text'>, path: readonly string[]): number | undefined {
  return text === undefined ? undefined : tomlKeyLine(text, path);
}
