/** What a text may name a plugin by. */
interface PluginNames {
  readonly id: string;
  readonly name: string;
}

const link = /plugin:\/\/([\w.-]{1,100}@[\w.-]{1,100})/g;
const at = /(?:^|[\s([{"'])@([A-Za-z\d][\w.-]{0,99})(?![\w./@-])/g;

/** Those that a text names as `@name` or by a link to `plugin://name@marketplace`. A mail address names none. */
export function pluginMentions<Plugin extends PluginNames>(
  text: string,
  plugins: readonly Plugin[],
): readonly Plugin[] {
  const ids = new Set([...text.matchAll(link)].map(([, id]) => id));
  const names = new Set([...text.matchAll(at)].map(([, name = '']) => name.replace(/[.-]+$/, '')));
  return plugins.filter(({ id, name }) => ids.has(id) || names.has(name));
}
