/** As people call an agent: by its path below the conversation. */
export function agentName(path: string): string {
  return path.replace(/^\/root\//, '');
}
