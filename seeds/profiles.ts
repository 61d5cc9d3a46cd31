export const PROFILE_NAMES = ['tiny', 'small', 'medium', 'full'] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** Exact number of documents of each kind in a dataset, without dependent rows (events, items of collections). */
export interface DatasetSizes {
  users: number;
  posts: number;
  comments: number;
  interactions: number;
  follows: number;
  /** Collections, each with some of its own posts. */
  collections: number;
}

export const PROFILES: Record<ProfileName, DatasetSizes> = {
  tiny: { users: 200, posts: 120, comments: 400, interactions: 1_000, follows: 300, collections: 20 },
  small: { users: 4_000, posts: 1_000, comments: 3_200, interactions: 5_000, follows: 1_000, collections: 200 },
  medium: { users: 40_000, posts: 10_000, comments: 32_000, interactions: 50_000, follows: 10_000, collections: 2_000 },
  full: {
    users: 400_000,
    posts: 100_000,
    comments: 320_000,
    interactions: 500_000,
    follows: 100_000,
    collections: 20_000,
  },
};

// A row's number takes three bytes of its id.
export const MAX_ROWS = 0xffffff;

/** Input of a dataset. The same request always generates the same documents. */
export interface SeedRequest {
  profile: ProfileName;
  seed: number;
  /** Present moment of the dataset. No document is younger. */
  now: Date;
  /** Replaces single sizes of the profile. */
  sizes?: Partial<DatasetSizes>;
}

export function sizesOf(request: SeedRequest): DatasetSizes {
  const sizes = { ...PROFILES[request.profile] };
  for (const [name, value] of Object.entries(request.sizes ?? {}) as [keyof DatasetSizes, number | undefined][]) {
    if (value !== undefined) sizes[name] = value;
  }
  for (const [name, value] of Object.entries(sizes)) {
    if (!Number.isInteger(value) || value < MINIMUM[name as keyof DatasetSizes] || value > MAX_ROWS) {
      const least = MINIMUM[name as keyof DatasetSizes];
      throw new RangeError(`A dataset cannot have ${value} ${name}: whole numbers from ${least} to ${MAX_ROWS}.`);
    }
  }
  // Drawing unique pairs would not end in reasonable time beyond a share of all possible pairs.
  if (sizes.follows > (sizes.users * sizes.users) / 20 || sizes.interactions > (sizes.users * sizes.posts) / 20) {
    throw new RangeError('A dataset needs more users or posts for that many follows and interactions.');
  }
  if (sizes.collections > sizes.users * 10)
    throw new RangeError('A dataset needs more users for that many collections.');
  return sizes;
}

const MINIMUM: DatasetSizes = { users: 50, posts: 20, comments: 0, interactions: 0, follows: 0, collections: 0 };
