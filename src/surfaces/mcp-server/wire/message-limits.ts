import type { MessageLimits } from './message-lines.ts';

/**
 * What a message may have; one with more is refused before it is parsed. Images in arguments are the longest that make
 * sense. No argument nests deep, and a parser needs seconds for millions of levels.
 */
export const messageLimits: MessageLimits = { longest: 16 * 1024 * 1024, deepest: 100 };

export const messageTooDeep = `The message has more than ${messageLimits.deepest} levels of lists and objects.`;
