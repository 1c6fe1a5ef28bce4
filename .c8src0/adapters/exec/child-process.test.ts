import { closeSync, openSync } from 'node:fs';
import { expect, it } from 'vitest';
import { inheritedDescriptors, startDetached } from './child-process.ts';

const start = (program: string): boolean => startDetached([program], { cwd: '/', env: {} });

it('knows at once whether a program starts', () => {
  expect([start('/bin/true'), start('/no/such/program')]).toEqual([true, false]);
});

it('knows it also when a descriptor that was left open to children has been closed meanwhile', () => {
  const folders = Array.from({ length: 40 }, () => openSync('/', 'r'));
  const forget = folders.map((descriptor) => inheritedDescriptors().add(descriptor));
  for (const descriptor of folders) closeSync(descriptor);
  expect(start('/no/such/program')).toBe(false);
  for (const each of forget) each();
});
