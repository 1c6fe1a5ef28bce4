/** Runs as it stands when the user pastes it: without a prompt `exec resume` would wait for one, or refuse. */
export function resumeCommand(id: string): string {
  return `capstan exec resume ${id} "Continue."`;
}
