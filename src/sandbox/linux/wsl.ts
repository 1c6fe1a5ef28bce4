/**
 * Whether the text of `/proc/version` is that of the first Windows Subsystem for Linux, whose kernel has no user
 * namespaces. The second one runs a real kernel and is treated like any Linux.
 */
export function isWsl1(version: string): boolean {
  const text = version.toLowerCase();
  const [, number] = /wsl(\d+)/.exec(text) ?? [];
  if (number !== undefined) return number === '1';
  return text.includes('microsoft') && !text.includes('microsoft-standard');
}
