/**
 * What programs need to start: readable when a policy asks for the platform's defaults. Paths of other systems do not
 * exist and so do no harm. On macOS the Seatbelt profile also opens devices and services, which are no folders.
 */
export const platformReadRoots: readonly string[] = [
  '/bin',
  '/sbin',
  '/usr',
  '/etc',
  '/lib',
  '/lib64',
  '/nix/store',
  '/run/current-system/sw',
  '/System',
  '/Library/Apple',
  '/private/etc',
  '/private/var/db/timezone',
];
