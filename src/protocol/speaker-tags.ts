/** The names of the tags that say who speaks, where a format has no role for the speaker. */
export const speakerTags = ['agent_message', 'tool_output', 'developer', 'earlier_summary'] as const;
