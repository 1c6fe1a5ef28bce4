const banned: readonly string[] = ['python3', 'python', 'bash', 'sh', 'git', 'rm', 'sudo', 'env', 'npm run'];

/** Whether a rule for everything that begins so would allow anything. */
export function isBannedPrefix(prefix: readonly string[]): boolean {
  return banned.includes(prefix.join(' '));
}
