/** Amounts of work of the specs. `TEST_SCALE=long` measures and searches for rare failures. */
const AMOUNTS = {
  blockRaces: { ordinary: 60, long: 1_000 },
  communityRuns: { ordinary: 4, long: 100 },
  draftKills: { ordinary: 1, long: 20 },
  draftRaces: { ordinary: 6, long: 28 },
  drafts: { ordinary: 20, long: 500 },
  activityKills: { ordinary: 4, long: 50 },
  activityFacts: { ordinary: 400, long: 20_000 },
  fuzzRounds: { ordinary: 250, long: 5_000 },
  hostsInvalidationRounds: { ordinary: 2, long: 50 },
  hostsKills: { ordinary: 2, long: 4 },
  indexedPosts: { ordinary: 30, long: 1_000 },
  indexerKills: { ordinary: 2, long: 30 },
  invalidationRounds: { ordinary: 3, long: 100 },
  kafkaEvents: { ordinary: 10_000, long: 50_000 },
  importKills: { ordinary: 10, long: 30 },
  mediaKills: { ordinary: 2, long: 50 },
  removalRuns: { ordinary: 10, long: 100 },
  streams: { ordinary: 20, long: 500 },
  taskKills: { ordinary: 2, long: 50 },
  taskPosts: { ordinary: 24, long: 2_000 },
  moderationRuns: { ordinary: 8, long: 300 },
  notificationRuns: { ordinary: 8, long: 300 },
  pagingRuns: { ordinary: 6, long: 100 },
  rollingRestarts: { ordinary: 2, long: 10 },
  schemaRuns: { ordinary: 8, long: 200 },
  searchSamples: { ordinary: 150, long: 5_000 },
  timelineKills: { ordinary: 1, long: 30 },
  staleReadRounds: { ordinary: 1, long: 10 },
  timelinePosts: { ordinary: 3, long: 60 },
  timelineRuns: { ordinary: 1, long: 60 },
  webhookEvents: { ordinary: 200, long: 10_000 },
  webhookKills: { ordinary: 3, long: 50 },
  undecidedStates: { ordinary: 400, long: 1_000 },
} as const;

const { TEST_SCALE = 'ordinary', TEST_SEED = '20260101' } = process.env;

export const isLong = TEST_SCALE === 'long';
if (!isLong && TEST_SCALE !== 'ordinary') throw new Error(`TEST_SCALE=${TEST_SCALE}: only "long" is known.`);

/** Seed of generated data, which reproduces a failure. */
export const SEED = Number(TEST_SEED);

export function scale(amount: keyof typeof AMOUNTS): number {
  return AMOUNTS[amount][isLong ? 'long' : 'ordinary'];
}
