/** Separates the random sequences of different purposes. The numbers are published, because a change affects every dataset. */
export const STREAMS = {
  userTimes: 1,
  person: 2,
  postTimes: 3,
  posts: 4,
  comments: 5,
  interactions: 6,
  follows: 7,
  audience: 8,
  userText: 9,
  postText: 10,
  commentText: 11,
  subject: 12,
  collections: 13,
  collectionText: 14,
  tagFollows: 15,
} as const;
