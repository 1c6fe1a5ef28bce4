export function sourcesUsedFirst(): Promise<ReadonlySet<string>>;
