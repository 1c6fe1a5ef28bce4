/** A line as a command: `/name rest`. Undefined: it is for the model, such as a path. */
export function readSlash(text: string): { readonly name: string; readonly rest: string } | undefined {
  const [, name, rest = ''] =
    /^\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text.replace(/^\/prompts:/i, '/prompts ')) ?? [];
  return name === undefined ? undefined : { name: name.toLowerCase(), rest: rest.trim() };
}
