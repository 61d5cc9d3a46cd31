/** Titles for a list of posts; `{}` is its subject. */
export const LIST_TITLES = [
  'To read on {}',
  'The best of {}',
  'Where to begin with {}',
  '{}, for the train',
  'A year of {}',
  'What I return to: {}',
  'Arguments about {}',
  '{}, sorted by a beginner',
] as const;

export const SERIES_TITLES = [
  '{}, part by part',
  'Letters on {}',
  'A short course of {}',
  '{}: the whole story',
] as const;

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
