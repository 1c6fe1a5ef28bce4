import { expect, it } from 'vitest';
import { changedWords } from './changes-page.ts';

it('says what changed in words, each once', () => {
  expect(
    changedWords({
      permissions: ['instructions'],
      environments: ['capstan.approvalPolicy', 'local.approvalPolicy', 'capstan.current_date'],
      agents_md: [],
    }),
  ).toEqual(['permissions', 'approval policy', 'current date', 'AGENTS.md']);
});
