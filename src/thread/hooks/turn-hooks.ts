export { hearInbox } from './prompt-hooks.ts';
export { startSession } from './session-hooks.ts';
export { hearStop } from './stop-hooks.ts';
