/** Writes of a new account in 24 hours by kind, refilled continuously. Its posts and comments are counted in the database (rules). */
export const NEWCOMER_LIMITS = {
  votes: 50,
  follows: 30,
  collections: 5,
  'collection posts': 50,
  edits: 60,
  'profile changes': 20,
  reports: 10,
} as const;
export type NewcomerKind = keyof typeof NEWCOMER_LIMITS;
export const NEWCOMER_KINDS = Object.keys(NEWCOMER_LIMITS) as NewcomerKind[];

/** metadata of a route: its kind */
export const NEWCOMER_KIND = 'opencanvas:newcomer-limit';
