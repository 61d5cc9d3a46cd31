/** Titles of lists. Their posts are about anything, so a title names no subject or two: `{}` and `{other}`. */
export const LIST_TITLES = [
  'From {} to {other}',
  '{}, {other} and other detours',
  'A little {}, a little {other}',
  'Between {} and {other}',
  'Read on the train',
  'To read again in winter',
  'What I send to friends',
  'Texts I argue with',
  'Long reads for short evenings',
  'Openings worth stealing',
  'For a rainy Sunday',
  'Read twice',
  'Good questions, few answers',
  'Things I wish I had written',
] as const;

/** Titles of series, whose posts have one author. */
export const SERIES_TITLES = [
  'Collected, part by part',
  'One a month',
  'Letters to a friend, with some {}',
  'Notebook of a year',
  'From {} to {other}, on foot',
  'The whole story so far',
] as const;

/** Titles and tags of the collections of the demo accounts, in the order of the plan: two of each, then one of the demo writer. */
export const DEMO_COLLECTIONS: readonly (readonly [title: string, ...tags: string[]])[] = [
  ['Looms, ladders and other machines', 'history', 'tools'],
  ['Read on the way home', 'stories', 'essays'],
  ['Good arguments, kindly made', 'essays', 'philosophy'],
  ['For new members', 'writing', 'notes'],
  ['Explained with a pencil', 'mathematics', 'physics', 'software'],
  ['To read again in winter', 'poetry', 'stories'],
  ['Patient explanations', 'teaching', 'mathematics'],
  ['Runbooks and bread', 'software', 'cooking'],
  ['Letters from a river', 'river-deltas', 'travel', 'essays'],
];

export const DESCRIPTIONS = [
  '',
  '',
  'In the order I would read them in.',
  'Kept for a colleague; additions welcome.',
  'The first three are enough for most purposes.',
  'Read, and worth reading again.',
] as const;

export const NOTES = [
  'Begin here.',
  'The figures alone are worth it.',
  'Disagrees with the one before.',
  'Long, and never boring.',
  'For the second reading.',
] as const;
