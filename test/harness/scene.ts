import type { JsonObject } from '../../src/protocol/json.ts';
import {
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../src/testing/index.ts';
import { type Finished, Place, type PlaceNames } from './run-capstan.ts';
import { whenTestEnds } from './when-test-ends.ts';

export interface Scene {
  readonly model: ScriptedModel;
  readonly place: Place;
}

/** A scripted model and a user's folders that point at it; both go when the test ends. */
export async function scene(
  script: Script,
  more = '',
  options: ScriptedModelOptions & { readonly names?: PlaceNames } = {},
): Promise<Scene> {
  const { names, ...ofModel } = options;
  const model = await startScriptedModel(script, ofModel);
  const place = new Place(model.url, more, names);
  whenTestEnds(() => place.remove());
  whenTestEnds(() => model.close());
  return { model, place };
}

/**
 * Commands may write the workspace alone. For scenes whose turns run inside the test and in processes: below a folder that
 * commands may write, the sources of the one and the build of the other would be listed for the model.
 */
export const onlyWorkspace = '[sandbox_workspace_write]\nexclude_slash_tmp = true\n';

/** Commands have no sandbox. For scenes that are not about it: they run where no sandbox can be made, as in containers. */
export const withoutSandbox = 'sandbox_mode = "danger-full-access"\n';

/** The items of a request. */
export function inputOf(model: ScriptedModel, request: number): readonly JsonObject[] {
  return model.requests[request]!.body['input'] as unknown as readonly JsonObject[];
}

/** The texts of items: of each part of a message, and of each output. */
export function textsOf(items: readonly JsonObject[]): readonly unknown[] {
  return items.flatMap(({ content, output }) =>
    Array.isArray(content) ? (content as JsonObject[]).map(({ text }) => text) : [output],
  );
}

export function threadId({ events }: Finished): string {
  return events[0]!['thread_id'] as string;
}
