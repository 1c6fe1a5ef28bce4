export type WithoutUndefined<Value> = {
  [Key in keyof Value as undefined extends Value[Key] ? never : Key]: Value[Key];
} & {
  [Key in keyof Value as undefined extends Value[Key] ? Key : never]?: Exclude<Value[Key], undefined>;
};

/** The members that are there: a key whose value is undefined becomes an absent one. */
export function withoutUndefined<Value extends object>(value: Value): WithoutUndefined<Value> {
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(present) as WithoutUndefined<Value>;
}
