/**
 * Who wrote a message of the user's role, where it was not the user. `engine`: Capstan asks something and has no tag for
 * it. `program`: fragments, which have tags of their own, and what a program says in the user's place. `agent`: the
 * agent that started this one. `earlier-summary`: another program, about the conversation before.
 */
export type InputWriter = 'engine' | 'program' | 'agent' | 'earlier-summary';
