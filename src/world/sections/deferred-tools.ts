import { deferredToolsFragment, type ToolNamespace } from '../../fragments/sections/deferred-tools.ts';
import { render } from '../../fragments/text/define.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { type Section, unknown } from './section.ts';

interface StoredTools extends JsonObject {
  readonly [namespace: string]: string;
}

/** Which groups of tools are found by searching. They come and go while a thread runs. */
export const deferredToolsSection: Section<readonly ToolNamespace[], StoredTools> = {
  id: 'tools',
  assumes: 'plugins, which may bring tools along',
  kinds: { telling: [deferredToolsFragment.id], withdrawing: [deferredToolsFragment.withdrawn.id] },

  of: ({ facts: { deferredTools = [] } }) => (deferredTools.length === 0 ? undefined : deferredTools),

  stored: (fact) => Object.fromEntries(fact.map(({ name, description }) => [name, description])),

  read(stored) {
    if (!isJsonObject(stored) || !Object.values(stored).every((value) => typeof value === 'string')) return undefined;
    return stored as StoredTools;
  },

  full: (now) => [render(deferredToolsFragment, { kind: 'full', namespaces: now })],

  change(before, now = []) {
    const nothingStands = before !== unknown && Object.keys(before).length === 0;
    if (now.length === 0) return nothingStands ? [] : [render(deferredToolsFragment.withdrawn, undefined)];
    if (before === unknown) return [render(deferredToolsFragment, { kind: 'full', namespaces: now })];
    const added = now.filter(({ name, description }) => before[name] !== description);
    const removed = Object.keys(before).filter((name) => now.every((each) => each.name !== name));
    if (added.length === 0 && removed.length === 0) return [];
    return [render(deferredToolsFragment, { kind: 'change', added, removed })];
  },
};
