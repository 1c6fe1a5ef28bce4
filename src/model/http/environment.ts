/** Variables by name, as whoever started the program gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;
