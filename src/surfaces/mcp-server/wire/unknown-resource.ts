import type { ServerResources } from '../offer/server-tool.ts';

/** Why resources cannot be followed: of one that does not exist no notice would ever come. Undefined: all of them can. */
export async function unknownResource(
  resources: ServerResources | undefined,
  uris: readonly string[],
): Promise<{ readonly uri: string; readonly message: string } | undefined> {
  for (const uri of uris) {
    if (resources !== undefined && (await resources.canFollow(uri))) continue;
    const shown = JSON.stringify(uri.slice(0, longestShown));
    return { uri, message: `There is no resource ${shown} to follow. Nothing was subscribed to.` };
  }
  return undefined;
}

const longestShown = 200;
