export function lateSources(): Promise<readonly string[]>;
export function sourcesUsedFirst(): Promise<ReadonlySet<string>>;
