// What `history settle` says of a change whose answer was lost.

export type Verdict = 'done' | 'not done' | 'cannot tell';
