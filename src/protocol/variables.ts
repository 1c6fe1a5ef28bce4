/** The variables of a process, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;
