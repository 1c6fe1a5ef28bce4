export const list: string;
export function execSources(): { readonly first: ReadonlySet<string>; readonly later: ReadonlySet<string> };
