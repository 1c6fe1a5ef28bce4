export type Defined<Fields> = {
  [Key in keyof Fields as undefined extends Fields[Key] ? never : Key]: Fields[Key];
} & {
  [Key in keyof Fields as undefined extends Fields[Key] ? Key : never]?: Exclude<Fields[Key], undefined>;
};

/** The fields that have a value: `{ id, ...defined({ name }) }` has no `name` where that is undefined. */
export function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  const kept: Partial<Fields> = {};
  for (const key in fields) if (fields[key] !== undefined) kept[key] = fields[key];
  return kept as unknown as Defined<Fields>;
}
