import { expect, it } from 'vitest';
import { turnTrouble } from './trouble.ts';

it('names no option that the demo does not take', () => {
  const output =
    'Not run: "/usr/bin/bwrap" cannot create the namespaces of a sandbox on this system (EPERM). Start the container so that it may create user namespaces. If this machine is itself a sandbox, `-c sandbox_mode=danger-full-access` runs commands without one.';
  const report = { end: 'refused', isFailure: true, seconds: undefined, output };
  expect(turnTrouble({ reports: [report], end: { code: 0, signal: null } } as never)).toEqual({
    code: 'demo-no-sandbox',
    message:
      '"/usr/bin/bwrap" cannot create the namespaces of a sandbox on this system (EPERM). Start the container so that it may create user namespaces.',
    next: 'Then run this again.',
  });
});
