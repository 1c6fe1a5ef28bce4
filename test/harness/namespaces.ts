import { beforeEach, inject } from 'vitest';

/** Commands cannot be sandboxed by bubblewrap here: in most containers the kernel gives no namespaces. */
export const noNamespaces: boolean = !inject('namespaces');

/** Skips every test of the file, or of the suite that calls it, where there are no namespaces. Single tests use `skipIf`. */
export function needsNamespaces(): void {
  beforeEach(({ skip }) => skip(noNamespaces));
}
